//! The line that is being typed, kept from one call to the next, so that nothing is typed in pieces unjudged.

use serde::{Deserialize, Serialize};

use super::stroke::Stroke;

/// The longest line that is kept.
const LONGEST: usize = 64 << 10;

/// How often a line is handed on before it is ended. Each time all of it is judged.
const MOST_ENDS: u32 = 64;

/// What stands in front of the cursor, and has not been handed to its reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// What was typed since the last end of a line.
    pub text: String,
    /// Whether keys were used that leave another line than was typed.
    pub edited: bool,
    /// Whether keys were used that may have brought in what nobody typed.
    pub recalled: bool,
    /// How often it was handed on and went on.
    #[serde(skip_serializing_if = "is_zero")]
    ends: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Line {
    /// Tells whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Types into a terminal: the reader edits the line. Gives the line where the stroke hands it on.
    pub fn at_terminal(&mut self, stroke: &Stroke) -> Option<Self> {
        match stroke {
            Stroke::Text(text) => self.push(text),
            Stroke::Enter => return Some(std::mem::take(self)),
            // Hands on what was typed, and what follows is still of the same line.
            Stroke::End => return self.hand_on(),
            Stroke::Interrupt | Stroke::KillLine => *self = Self::default(),
            Stroke::Backspace => {
                self.text.pop();
            }
            Stroke::Quit | Stroke::Edit(_) => self.edited = true,
            Stroke::Tab | Stroke::Recall(_) => self.recalled = true,
        }
        None
    }

    /// Types into a pipe: there is no editing, and every character is one of the line.
    pub fn at_pipe(&mut self, stroke: &Stroke) -> Option<Self> {
        match stroke {
            Stroke::Enter => return Some(std::mem::take(self)),
            Stroke::End => return (!self.is_empty()).then(|| std::mem::take(self)),
            // Signals, which leave what is in the pipe where it is.
            Stroke::Interrupt | Stroke::Quit => {}
            other => self.push(other.terminal()),
        }
        None
    }

    fn hand_on(&mut self) -> Option<Self> {
        let handed = (!self.is_empty()).then(|| Self { ends: 0, ..self.clone() });
        self.ends += u32::from(handed.is_some());
        match self.ends > MOST_ENDS {
            true => {
                // Nobody types so, and to judge it would take the square of its length.
                self.recalled = true;
                Some(Self { recalled: true, ..Self::default() })
            }
            false => handed,
        }
    }

    fn push(&mut self, text: &str) {
        // What is beyond is not known any more, and so the line cannot be.
        match self.text.len() + text.len() > LONGEST {
            true => self.recalled = true,
            false => self.text.push_str(text),
        }
    }
}
