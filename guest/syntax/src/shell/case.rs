//! `case … esac`.

use super::reserved::Reserved;
use super::word::Place;
use super::{Parser, Step};
use crate::script::{Language, Nesting};

impl Parser<'_> {
    /// Reads `case … esac`.
    pub(super) fn case(&mut self) -> Step {
        self.take_reserved(Reserved::Case);
        self.blanks();
        if self.ends_word(self.pos) && !matches!(self.peek(), b'<' | b'>') {
            return Err(self.syntax("case without a word"));
        }
        self.case_word()?;
        self.newlines()?;
        self.expect(Reserved::In, "case without in")?;
        self.enter(Nesting::Body)?;
        loop {
            self.newlines()?;
            if self.take_reserved(Reserved::Esac) {
                break;
            }
            self.case_patterns()?;
            self.list()?;
            if !self.case_item_ends()? {
                self.expect(Reserved::Esac, "case without esac")?;
                break;
            }
        }
        self.leave();
        Ok(())
    }

    /// Reads `;;` and its kin.
    fn case_item_ends(&mut self) -> Step<bool> {
        let rest = self.rest();
        let length = match rest {
            [b';', b';', b'&', ..] => 3,
            [b';', b';' | b'&', ..] => 2,
            [b';', ..] => return Err(self.syntax("a sign that is no end of a case")),
            _ => return Ok(false),
        };
        if rest.get(..length) != Some(b";;") && self.language != Language::Bash {
            return Err(self.dialect(";& and ;;&"));
        }
        self.pos += length;
        self.operator_ends(b"&")?;
        Ok(true)
    }

    fn case_patterns(&mut self) -> Step {
        if self.peek() == b'(' {
            self.pos += 1;
            self.blanks();
        }
        loop {
            if self.ends_word(self.pos) && !matches!(self.peek(), b'<' | b'>') {
                return Err(self.syntax("a case without a pattern"));
            }
            self.case_word()?;
            self.blanks();
            match self.peek() {
                b')' => break,
                b'|' => self.pos += 1,
                _ => return Err(self.syntax("a pattern of case that does not end in )")),
            }
            self.operator_ends(b"|&")?;
            self.blanks();
        }
        self.pos += 1;
        Ok(())
    }

    fn case_word(&mut self) -> Step {
        let start = self.pos;
        self.word(Place::Pattern)?;
        if self.pos == start { Err(self.syntax("a word is missing here")) } else { Ok(()) }
    }
}
