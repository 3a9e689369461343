//! What a component's answers must be, beyond their types.

use super::contract::rules::Manifest;
use super::contract::types::{Answer, Reply, Step};

/// Checks that a text is JSON, without building it.
fn json(what: &str, text: &str) -> Result<(), String> {
    serde_json::from_str::<serde::de::IgnoredAny>(text)
        .map(drop)
        .map_err(|error| format!("{what} is not JSON: {error}"))
}

fn object(what: &str, text: &str) -> Result<(), String> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) if value.is_object() => Ok(()),
        Ok(_) => Err(format!("{what} is not a JSON object")),
        Err(error) => Err(format!("{what} is not JSON: {error}")),
    }
}

pub(super) fn reply(reply: &Reply) -> Result<(), String> {
    reply.structured.as_deref().map_or(Ok(()), |text| json("the structured answer", text))
}

pub(super) fn answer(answer: &Answer) -> Result<(), String> {
    match answer {
        Answer::Reply(given) => reply(given),
        Answer::Ask(question) => reply(&question.refusal),
        Answer::Wait(_) => Ok(()),
    }
}

pub(super) fn step(step: &Step) -> Result<(), String> {
    json("the memo", &step.memo)?;
    step.notices.iter().try_for_each(|notice| json("a notice's data", &notice.data))
}

pub(super) fn manifest(manifest: &Manifest) -> Result<(), String> {
    object("the settings schema", &manifest.settings_schema)?;
    manifest.run.iter().try_for_each(|run| object("the constant arguments of the run form", &run.constant))?;
    manifest.tools.iter().try_for_each(|tool| {
        object(&format!("the input schema of {}", tool.name), &tool.input_schema)?;
        tool.output_schema.iter().try_for_each(|text| object(&format!("the output schema of {}", tool.name), text))
    })
}
