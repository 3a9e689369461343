//! How a decision reads, and how strict it is.

use super::contract::types::Decision;

impl Decision {
    /// The decision in a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// How strict it is: the strictest of several counts.
    pub(crate) fn rank(self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Ask => 1,
            Self::Deny => 2,
        }
    }
}
