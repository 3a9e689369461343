//! Arithmetic.
use super::word::Builder;
use super::{Parser, Step};
impl Parser<'_> {
    pub(super) fn arithmetic_expansion(&mut self, _word: &mut Builder) -> Step {
        Err(self.construct("$(("))
    }
    pub(super) fn arithmetic_command(&mut self) -> Step {
        Err(self.construct("(("))
    }
    pub(super) fn arithmetic_for(&mut self) -> Step {
        Err(self.construct("for (("))
    }
}
