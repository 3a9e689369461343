//! `for` and `select`.

use super::reserved::Reserved;
use super::word::Place;
use super::{Parser, Step};
use crate::script::{Language, Nesting};

impl Parser<'_> {
    /// Reads the body of `for` and `select`, which bash also takes in braces.
    fn body_of_for(&mut self) -> Step {
        if self.reserved() != Some(Reserved::Open) {
            return self.do_done();
        }
        self.not_in_sh("for with a body in braces")?;
        self.take_reserved(Reserved::Open);
        self.part_of(Nesting::Body)?;
        self.expect(Reserved::Close, "a { that is not closed")
    }

    /// Reads `for`, of words or of arithmetic.
    pub(super) fn for_loop(&mut self) -> Step {
        self.take_reserved(Reserved::For);
        self.blanks();
        if self.peek() != b'(' {
            return self.each_word();
        }
        if self.peek_after(1) != b'(' {
            return Err(self.syntax("for without a name"));
        }
        self.not_in_sh("for ((")?;
        self.arithmetic_for()?;
        self.blanks();
        if self.peek() == b';' {
            self.pos += 1;
        }
        self.newlines()?;
        self.body_of_for()
    }

    /// Reads `name [in words] do … done`.
    pub(super) fn each_word(&mut self) -> Step {
        self.blanks();
        let start = self.pos;
        self.pos = self.name_end(start);
        // Bash reads on after a bad name and only refuses to run the loop.
        while self.language == Language::Bash && super::cursor::is_name(self.peek()) {
            self.pos += 1;
        }
        if self.pos == start || !self.ends_word(self.pos) {
            return Err(self.construct("a loop's name that is no plain name"));
        }
        let name = self.slice(start, self.pos).to_owned();
        self.blanks();
        if self.peek() == b';' {
            self.pos += 1;
            self.newlines()?;
            self.values.give(&name, false);
        } else {
            self.newlines()?;
            let numbers = if self.take_reserved(Reserved::In) { self.loop_words()? } else { false };
            self.values.give(&name, numbers);
        }
        self.body_of_for()
    }

    /// Reads the words of a loop to the end of its line; says whether all are numbers.
    fn loop_words(&mut self) -> Step<bool> {
        let mut numbers = true;
        loop {
            self.blanks();
            match self.peek() {
                b'\n' => break,
                b';' => {
                    self.pos += 1;
                    break;
                }
                b'<' | b'>' if self.peek_after(1) == b'(' => {}
                _ if self.ends_word(self.pos) => return Err(self.syntax("the words of a loop without an end")),
                _ => {}
            }
            let word = self.word(Place::Argument)?;
            if word.may_expand_braces() {
                self.not_in_sh("a brace expansion")?;
                if word.substitutes {
                    return Err(self.construct("a substitution or $ in a brace expansion"));
                }
                let words = super::braces::expand(word, self.pos);
                numbers &= words.iter().all(|word| super::values::known(word).is_some_and(super::values::is_number));
            } else {
                numbers &= !word.not_a_number;
            }
        }
        self.newlines()?;
        Ok(numbers)
    }
}
