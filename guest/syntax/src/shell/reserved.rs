//! Reserved words.

use super::Parser;
use super::cursor::is_meta;

/// A word that has a meaning of its own where a command may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reserved {
    If,
    Then,
    Elif,
    Else,
    Fi,
    For,
    Select,
    While,
    Until,
    Do,
    Done,
    Case,
    Esac,
    In,
    Open,
    Close,
    Not,
    Condition,
    Function,
    Time,
    Coproc,
}

impl Reserved {
    pub(super) fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"if" => Self::If,
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"for" => Self::For,
            b"select" => Self::Select,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"case" => Self::Case,
            b"esac" => Self::Esac,
            b"in" => Self::In,
            b"{" => Self::Open,
            b"}" => Self::Close,
            b"!" => Self::Not,
            b"[[" => Self::Condition,
            b"function" => Self::Function,
            b"time" => Self::Time,
            b"coproc" => Self::Coproc,
            _ => return None,
        })
    }

    /// Whether it ends a list of commands.
    pub(super) fn closes(self) -> bool {
        use Reserved::{Close, Do, Done, Elif, Else, Esac, Fi, Then};
        matches!(self, Then | Elif | Else | Fi | Do | Done | Esac | Close)
    }

    fn length(self) -> usize {
        match self {
            Self::Open | Self::Close | Self::Not => 1,
            Self::If | Self::Fi | Self::Do | Self::In | Self::Condition => 2,
            Self::For => 3,
            Self::Then | Self::Elif | Self::Else | Self::Done | Self::Case | Self::Esac | Self::Time => 4,
            Self::While | Self::Until => 5,
            Self::Select | Self::Coproc => 6,
            Self::Function => 8,
        }
    }
}

impl Parser<'_> {
    /// The reserved word that stands here, whole and unquoted.
    pub(super) fn reserved(&self) -> Option<Reserved> {
        if !matches!(self.peek(), b'a'..=b'z' | b'{' | b'}' | b'!' | b'[') {
            return None;
        }
        let window = self.bytes.get(self.pos..self.end.min(self.pos + 9)).unwrap_or(&[]);
        let length = window.iter().position(|byte| is_meta(*byte)).unwrap_or(window.len());
        Reserved::of(window.get(..length)?)
    }

    /// Goes over a reserved word if it stands here.
    pub(super) fn take_reserved(&mut self, word: Reserved) -> bool {
        let found = self.reserved() == Some(word);
        if found {
            self.pos += word.length();
        }
        found
    }
}
