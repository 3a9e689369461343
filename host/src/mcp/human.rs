//! Putting a policy's question to the human behind the client.

use std::future::Future;
use std::pin::Pin;

use rmcp::model::{
    ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, EnumSchema, InputRequest, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestHandle};
use rmcp::{Peer, RoleServer};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::Approver;
use crate::policy::contract::types::Question;

/// The form's only field, and the two things that can be said in it.
const FIELD: &str = "decision";
const YES: &str = "run it once";
const NO: &str = "do not run it";

/// Why a form is taken away.
const UNANSWERED: &str = "the call has ended or nobody has answered in time";

/// A question on its way to a human. Dropping it is a no.
#[derive(Debug)]
pub(super) struct Asked {
    pub id: String,
    pub text: String,
    answer: oneshot::Sender<bool>,
}

impl Asked {
    pub(super) fn answer(self, yes: bool) {
        // A call that has gone meanwhile needs no answer.
        let _ = self.answer.send(yes);
    }
}

/// Hands a call's questions to whoever drives it.
pub(super) struct Asking(pub mpsc::UnboundedSender<Asked>);

impl Approver for Asking {
    fn ask<'a>(&'a self, _session: &'a str, question: &'a Question) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        let (answer, answered) = oneshot::channel();
        let asked = Asked { id: question.id.clone(), text: question.text.clone(), answer };
        let sent = self.0.send(asked).is_ok();
        Box::pin(async move { sent && answered.await.unwrap_or(false) })
    }
}

/// Whether the client can show a human a form.
pub(super) fn can_ask(client: Option<&ClientCapabilities>) -> bool {
    // A client of 2025-06-18 says `{}`, and means forms; a later one that says only `url` does not.
    client
        .and_then(|client| client.elicitation.as_ref())
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// The question as a form.
pub(super) fn form(text: &str) -> ElicitRequestParams {
    let choice = EnumSchema::builder(vec![YES.into(), NO.into()]).title("Decision").build();
    let requested_schema = ElicitationSchema::builder().required_enum_schema(FIELD, choice).build_unchecked();
    ElicitRequestParams::FormElicitationParams { meta: None, message: text.to_owned(), requested_schema }
}

/// A form that a human has before them. Dropping it takes it away again, where it has not been answered.
pub(super) struct Form(Option<RequestHandle<RoleServer>>);

impl Form {
    pub(super) async fn show(peer: &Peer<RoleServer>, text: &str) -> Self {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form(text)));
        Self(peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await.ok())
    }

    /// Waits for the human; whoever cannot be asked has not said yes. Can be dropped and called again.
    pub(super) async fn said_yes(&mut self) -> bool {
        let Some(shown) = &mut self.0 else { return false };
        let answer = (&mut shown.rx).await;
        self.0 = None;
        matches!(answer, Ok(Ok(ClientResult::ElicitResult(result))) if is_yes(&result))
    }
}

impl Drop for Form {
    fn drop(&mut self) {
        // Without a runtime the program is ending, and with it the connection.
        if let (Some(shown), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            // A client that has gone shows nothing any more.
            runtime.spawn(async move { drop(shown.cancel(Some(UNANSWERED.to_owned())).await) });
        }
    }
}

/// The question as an input request, for clients to which no request can be sent.
pub(super) fn input_request(text: &str) -> InputRequest {
    InputRequest::Elicitation(ElicitRequest::new(form(text)))
}

/// Whether the human said yes, in so many words.
pub(super) fn is_yes(result: &ElicitResult) -> bool {
    let said = result.content.as_ref().and_then(|content| content.get(FIELD)).and_then(Value::as_str);
    result.action == ElicitationAction::Accept && said == Some(YES)
}

/// The same, of a response that has not been read yet.
pub(super) fn is_yes_in(response: Option<Value>) -> bool {
    response
        .and_then(|response| serde_json::from_value::<ElicitResult>(response).ok())
        .is_some_and(|result| is_yes(&result))
}
