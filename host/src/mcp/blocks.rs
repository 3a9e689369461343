//! Live documents as resources: `shellward://blocks/{label}`.

use rmcp::model::{Annotations, MetaObject, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use super::session::Session;
use crate::blocks::Block;
use crate::process::Stream;

pub(super) const SCHEME: &str = "shellward://blocks/";

const DESCRIPTION: &str =
    "The live document of a command's output: standard output, and standard error if there is any.";

/// Finds a document of this session.
pub(super) fn find(session: &Session, uri: &str) -> Option<Block> {
    all(session).into_iter().find(|block| self::uri(block) == uri)
}

/// The documents of this session.
pub(super) fn all(session: &Session) -> Vec<Block> {
    session.caller.shared().blocks.list(&session.id)
}

/// The documents as resources; what is pinned matters most.
pub(super) fn list(session: &Session) -> Vec<Resource> {
    let resource = |block: &Block| {
        Resource::new(uri(block), block.label())
            .with_title(block.info().command.lines().next().unwrap_or_default())
            .with_description(DESCRIPTION)
            .with_mime_type("text/plain")
            .with_annotations(Annotations::default().with_priority(if block.is_pinned() { 1.0 } else { 0.2 }))
    };
    all(session).iter().map(resource).collect()
}

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{SCHEME}{{label}}"), "block")
        .with_description(DESCRIPTION)
        .with_mime_type("text/plain")
}

pub(super) fn read(block: &Block, uri: &str) -> ReadResourceResult {
    let info = block.info();
    let contents = |stream, name: &str| {
        let mut meta = MetaObject::new();
        meta.0.insert("shellward/stream".into(), name.into());
        meta.0.insert("shellward/running".into(), info.ended_at.is_none().into());
        meta.0.insert("shellward/pinned".into(), info.pinned.into());
        meta.0.insert("shellward/job".into(), info.job.as_str().into());
        ResourceContents::text(block.text(stream), uri).with_meta(meta)
    };
    let mut all = vec![contents(Stream::Stdout, "stdout")];
    if info.stderr_bytes > 0 {
        all.push(contents(Stream::Stderr, "stderr"));
    }
    ReadResourceResult::new(all)
}

/// A document's address: its label, with what may not stand in an address written as RFC 3986 has it.
fn uri(block: &Block) -> String {
    block.label().bytes().fold(SCHEME.to_owned(), |uri, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~:@".contains(&byte) {
            uri + char::from(byte).encode_utf8(&mut [0; 4])
        } else {
            uri + &format!("%{byte:02X}")
        }
    })
}
