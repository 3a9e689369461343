//! One `tools/call`, from the request to the answer: with questions, progress, and an end when nobody waits any more.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, InputRequiredResult,
    ProtocolVersion,
};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::http::Present;
use super::human::{self, Asked, Asking, Form};
use super::notices::During;
use super::progress::Progress;
use super::session::Session;
use super::suspended::{self, Waiting};
use super::{tasks, tools};
use crate::Reply;
use crate::host::new_call_id;

/// A call of a client that knows tasks becomes one when it takes longer than this.
const TASK_AFTER: Duration = Duration::from_secs(2);

/// What a refusal says besides when nobody could be asked.
const NOBODY: &str = "A human could have allowed this, but the client cannot ask one: it does not offer elicitation.";

/// A call that runs. Dropping it ends the command that it waits for.
pub(super) struct InFlight {
    pub id: String,
    reply: Pin<Box<dyn Future<Output = Reply> + Send>>,
    questions: mpsc::UnboundedReceiver<Asked>,
    /// Whether a question found nobody to put it to.
    unheard: bool,
    /// The session ends after the last of its calls.
    _calling: TaskTrackerToken,
}

/// What a call comes to next.
pub(super) enum Next {
    Done(CallToolResult),
    Asked(Asked),
}

impl InFlight {
    fn start(session: &Arc<Session>, tool: &str, arguments: Value) -> Self {
        let id = new_call_id();
        let (sender, questions) = mpsc::unbounded_channel();
        let (caller, name, tool, call) = (session.caller.clone(), session.id.clone(), tool.to_owned(), id.clone());
        let reply =
            Box::pin(
                async move { caller.call_as(call, &name, &tool, arguments, Some(Arc::new(Asking(sender)))).await },
            );
        Self { id, reply, questions, unheard: false, _calling: session.calling() }
    }

    /// Waits for what comes next. Can be dropped and called again.
    pub(super) async fn next(&mut self) -> Next {
        tokio::select! {
            biased;
            reply = &mut self.reply => Next::Done(self.result(&reply)),
            Some(asked) = self.questions.recv() => Next::Asked(asked),
        }
    }

    /// Answers a question that can be put to nobody.
    pub(super) fn nobody(&mut self, asked: Asked) {
        self.unheard = true;
        asked.answer(false);
    }

    fn result(&self, reply: &Reply) -> CallToolResult {
        let mut result = tools::result(reply);
        if self.unheard {
            result.content.push(ContentBlock::text(NOBODY));
        }
        result
    }
}

/// What a client can do for a call.
struct Client {
    /// It can show a human a form.
    asks: bool,
    /// It speaks a revision in which a server sends no requests.
    modern: bool,
    tasks: bool,
    peer: Peer<RoleServer>,
}

impl Client {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        let capabilities = context.client_capabilities();
        Self {
            asks: human::can_ask(capabilities.as_ref()),
            modern: context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28),
            tasks: capabilities.is_some_and(|capabilities| capabilities.supports_tasks()),
            peer: context.peer.clone(),
        }
    }
}

/// Answers a `tools/call`.
pub(super) async fn call(
    session: &Arc<Session>,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let ended = session.ended().clone();
    let cancelled = context.ct.clone();
    let client = Client::of(&context);
    // Whichever of these comes first drops the others, and with the call its command.
    tokio::select! {
        biased;
        () = cancelled.cancelled() => Err(ErrorData::invalid_request("the call was cancelled", None)),
        () = ended.cancelled() => Err(ErrorData::invalid_request("the session has ended", None)),
        answer = drive(session, request, &context, &client) => answer,
    }
}

async fn drive(
    session: &Arc<Session>,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
    client: &Client,
) -> Result<CallToolResponse, ErrorData> {
    let arguments = request.arguments.map_or_else(|| json!({}), Value::Object);
    let notices = During::new(session, context);
    let mut call = match (request.request_state, request.input_responses) {
        (None, None) => {
            known(session, &request.name)?;
            InFlight::start(session, &request.name, arguments.clone())
        }
        (state, responses) => resume(session, state, responses.unwrap_or_default(), &request.name, &arguments)?,
    };
    let mut progress = Progress::new(session, &call.id, context);
    let mut soon = std::pin::pin!(tokio::time::sleep(TASK_AFTER));
    let mut notices = notices;
    loop {
        let next = tokio::select! {
            biased;
            next = call.next() => next,
            () = &mut soon, if client.tasks => return Ok(tasks::spawn(session, call, client.asks).into()),
            () = progress.report() => continue,
            () = notices.forward() => continue,
        };
        let asked = match next {
            Next::Done(result) => {
                notices.rest().await;
                return Ok(result.into());
            }
            Next::Asked(asked) => asked,
        };
        if !client.asks {
            call.nobody(asked);
        } else if client.modern {
            let tool = request.name.to_string();
            let present = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Present>());
            let waiting = Waiting { call, asked, tool, arguments, _present: present.map(Present::open) };
            return suspend(session, waiting);
        } else {
            let mut form = Form::show(&client.peer, &asked.text).await;
            let mut late = std::pin::pin!(tokio::time::sleep(suspended::PATIENCE));
            let yes = loop {
                tokio::select! {
                    biased;
                    yes = form.said_yes() => break yes,
                    () = &mut late => break false,
                    () = progress.report() => {}
                    () = notices.forward() => {}
                }
            };
            asked.answer(yes);
        }
    }
}

/// Refuses a tool that there is not. A policy that offers none as it is set is asked: it says what would enable it.
fn known(session: &Session, name: &str) -> Result<(), ErrorData> {
    let policy = session.caller.shared().policy();
    let names: Vec<_> = policy.manifest().tools.iter().map(|tool| tool.name.as_str()).collect();
    if names.is_empty() || names.contains(&name) {
        return Ok(());
    }
    let message = format!("there is no tool '{name}'; the policy {} has: {}", policy.manifest().name, names.join(", "));
    Err(ErrorData::invalid_params(message, Some(json!({"tool": name, "tools": names}))))
}

fn suspend(session: &Arc<Session>, waiting: Waiting) -> Result<CallToolResponse, ErrorData> {
    let requests = [(waiting.asked.id.clone(), human::input_request(&waiting.asked.text))].into();
    let handle =
        suspended::keep(session, waiting).map_err(|error| ErrorData::invalid_request(error.to_string(), None))?;
    Ok(InputRequiredResult::new(Some(requests), Some(handle)).into())
}

/// Goes on with a call whose question the human has answered.
fn resume(
    session: &Session,
    state: Option<String>,
    mut responses: rmcp::model::InputResponses,
    tool: &str,
    arguments: &Value,
) -> Result<InFlight, ErrorData> {
    let unknown = || ErrorData::invalid_params("no call waits under this requestState; make the call anew", None);
    let waiting = session.suspended.take(&state.ok_or_else(unknown)?).ok_or_else(unknown)?;
    if waiting.tool != tool || waiting.arguments != *arguments {
        return Err(ErrorData::invalid_params(
            "this requestState belongs to a call with another tool or other arguments, which is now refused",
            None,
        ));
    }
    let Waiting { call, asked, .. } = waiting;
    let response = responses.remove(&asked.id);
    asked.answer(human::is_yes_in(response));
    Ok(call)
}
