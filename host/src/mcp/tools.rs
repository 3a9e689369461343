//! The policy's tools and answers as the protocol has them.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::Reply;
use crate::policy::contract::rules;

/// The keys of `_meta` in a result.
pub(super) const META_POLICY: &str = "shellward/policy";
pub(super) const META_CALL: &str = "shellward/call";
pub(super) const META_JOB: &str = "shellward/job";
pub(super) const META_CODE: &str = "shellward/code";

/// A tool as clients see it.
pub(super) fn definition(tool: &rules::Tool) -> Tool {
    let annotations = ToolAnnotations::new().read_only(tool.read_only).destructive(tool.destructive);
    let shown = Tool::new(tool.name.clone(), tool.description.clone(), schema(&tool.input_schema))
        .with_annotations(annotations);
    match &tool.output_schema {
        Some(output) => shown.with_raw_output_schema(schema(output)),
        None => shown,
    }
}

/// The host has checked that schemas are JSON objects when it loaded the policy.
fn schema(text: &str) -> Arc<JsonObject> {
    Arc::new(serde_json::from_str(text).unwrap_or_default())
}

/// An answer as clients see it. What answers in JSON gives it twice: as structured content, and as text for clients
/// that know no other.
pub(super) fn result(reply: &Reply) -> CallToolResult {
    let text = vec![ContentBlock::text(reply.answer())];
    let mut result = if reply.is_error { CallToolResult::error(text) } else { CallToolResult::success(text) };
    // Revisions before 2026-07-28 have no structured content but objects, and clients hold it to the tool's schema.
    let structured = reply.structured.as_deref().filter(|_| !reply.by_host);
    result.structured_content = structured.and_then(|text| serde_json::from_str(text).ok()).filter(Value::is_object);
    let mut meta = MetaObject::new();
    let mut note = |key: &str, value: &str| meta.0.insert(key.to_owned(), value.into());
    note(META_POLICY, &reply.policy);
    note(META_CALL, &reply.call);
    if let Some(job) = &reply.job {
        note(META_JOB, &job.id);
    }
    if let Some(code) = &reply.code {
        note(META_CODE, code);
    }
    result.meta = Some(meta);
    result
}
