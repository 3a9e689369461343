//! Live output documents: what a job prints, as a document that an agent's host shows and others follow.
//!
//! A [`Block`] is a label on a job's output, pinned or not, and a Loro document made from it. Nothing is copied while a
//! job prints: the document is brought up to date when somebody looks at it. What it holds of a long output is what
//! is kept of the job's streams, head and tail, with the bytes between counted in their place; its history is let go
//! as it grows, so that neither text nor history is larger than a few times what is kept.

mod block;
mod document;
mod feed;
mod part;
mod table;

pub use block::{Block, BlockInfo, Changes, VersionError};
pub(crate) use block::{End, Source};
pub(crate) use part::read;
pub(crate) use table::{Blocks, Taken};

#[cfg(test)]
mod tests;
