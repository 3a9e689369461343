//! `[[ … ]]`.
use super::{Parser, Step};
impl Parser<'_> {
    pub(super) fn condition(&mut self) -> Step {
        Err(self.construct("[["))
    }
}
