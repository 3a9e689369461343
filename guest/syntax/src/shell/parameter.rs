//! `${…}`.
use super::word::Builder;
use super::{Parser, Step};
impl Parser<'_> {
    pub(super) fn parameter(&mut self, _word: &mut Builder, _quoted: bool) -> Step {
        Err(self.construct("${"))
    }
}
