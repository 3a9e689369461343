//! The protocol's requests, each handed to the room that answers it.
#![expect(deprecated, reason = "the older revisions, which are served too, have logging and single subscriptions")]

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CustomRequest, CustomResult, ErrorCode, ErrorData,
    Extensions, GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};

use super::front::Front;
use super::session::Session;
use super::watching::Changes;
use super::{call, identity, notices, resources, subscriptions, tasks, tools};

/// Serves one connection; over HTTP without sessions of its own, one request.
pub(super) struct Server {
    front: Arc<Front>,
    /// The session that begins with `initialize`, or with the connection.
    own: OnceLock<Arc<Session>>,
}

impl Server {
    /// For a connection that is one session.
    pub(super) fn of(front: &Arc<Front>, session: &Arc<Session>) -> Self {
        Self { front: Arc::clone(front), own: OnceLock::from(Arc::clone(session)) }
    }

    /// For requests that say whose session they belong to.
    pub(super) fn new(front: &Arc<Front>) -> Self {
        Self { front: Arc::clone(front), own: OnceLock::new() }
    }

    async fn session(&self, extensions: &Extensions) -> Result<Arc<Session>, ErrorData> {
        let own = self.own.get();
        let session = match own {
            Some(own) => Arc::clone(own),
            None => self.front.session_of(extensions).await?,
        };
        if session.ended().is_cancelled() {
            return Err(ErrorData::invalid_request("the session has ended", None));
        }
        if own.is_some() {
            self.front.register(extensions, &session);
        }
        Ok(session)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        identity::server(&self.front.caller().shared().policy())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&identity::VERSIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.own.get_or_init(|| Session::new(self.front.caller()));
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let Ok(session) = self.session(&context.extensions).await else { return };
        if session.told.swap(true, Ordering::Relaxed) {
            return;
        }
        let events = session.caller.shared().events.subscribe();
        let (changes, ended) = (Changes::new(&session), session.ended().clone());
        let told = notices::forward(Arc::downgrade(&session), events, context.peer.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = ended.cancelled() => {}
                _ = async { tokio::join!(told, subscriptions::tell_lists(changes, context.peer)) } => {}
            }
        });
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let policy = self.front.caller().shared().policy();
        Ok(ListToolsResult::with_all_items(policy.manifest().tools.iter().map(tools::definition).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let policy = self.front.caller().shared().policy();
        policy.manifest().tools.iter().find(|tool| tool.name == name).map(tools::definition)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let session = self.session(&context.extensions).await?;
        call::call(&session, request, context).await
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list(&*self.session(&context.extensions).await?)))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(&*self.session(&context.extensions).await?, &request.uri)?.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let session = self.session(&context.extensions).await?;
        subscriptions::subscribe(&session, &request.uri, context.peer)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Unsubscribing from what is not subscribed to changes nothing.
        self.session(&context.extensions).await?.subscriptions().remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let session = self.session(&context.request_context().extensions).await?;
        subscriptions::listen(&session, &context).await;
        Ok(())
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session(&context.extensions).await?.threshold.set(request.level);
        Ok(())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let session = self.session(&context.extensions).await?;
        Ok(GetTaskResult::new(tasks::get(&session, &request.task_id)?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let session = self.session(&context.extensions).await?;
        tasks::update(&session, &request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let session = self.session(&context.extensions).await?;
        tasks::cancel(&session, &request.task_id)
    }

    /// What arrives here has an unknown method, or parameters of another form than its method's.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        Err(match method.as_str() {
            "tools/call" => {
                let form = serde_json::from_value::<CallToolRequestParams>(params.unwrap_or_default());
                let what = form.err().map_or_else(|| "something is missing".to_owned(), |error| error.to_string());
                let message = format!("the parameters of tools/call have a wrong form: {what}; arguments is an object");
                ErrorData::invalid_params(message, None)
            }
            known if METHODS.contains(&known) => {
                ErrorData::invalid_params(format!("the parameters of {known} are missing or have a wrong form"), None)
            }
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method {method}"), None),
        })
    }
}

/// The methods, besides `tools/call`, that need parameters.
const METHODS: [&str; 9] = [
    "initialize",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "logging/setLevel",
    "subscriptions/listen",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];
