//! What the server says of itself, and which revisions of the protocol it speaks.

use rmcp::model::{Implementation, ProtocolVersion, ServerCapabilities, ServerConfig};

use crate::policy::Policy;

/// The revisions served, oldest first.
pub(super) const VERSIONS: [ProtocolVersion; 3] =
    [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

pub(super) fn server(policy: &Policy) -> ServerConfig {
    let manifest = policy.manifest();
    #[expect(deprecated, reason = "the revisions before 2026-07-28 have logging, and their clients get notices by it")]
    let capabilities = ServerCapabilities::builder()
        .enable_logging()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_resources_subscribe()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_tasks()
        .build();
    let name = Implementation::new("shellward", env!("CARGO_PKG_VERSION"))
        .with_title(format!("Shellward ({})", manifest.name))
        .with_description(manifest.summary.clone());
    ServerConfig::new(capabilities).with_server_info(name).with_instructions(format!(
        "{} The output of a running command can be read and subscribed to as the resources \
         shellward://jobs/{{id}}/stdout and shellward://jobs/{{id}}/stderr.",
        manifest.summary
    ))
}
