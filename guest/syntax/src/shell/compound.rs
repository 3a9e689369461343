//! Compound commands: groups, subshells, `if`, `for`, `while`, `case` and their kin.

use super::list::Ended;
use super::reserved::Reserved;
use super::word::Place;
use super::{Parser, Step};
use crate::script::{Language, Nesting};

impl Reserved {
    /// Whether it starts a compound command.
    pub(super) fn starts_compound(self) -> bool {
        use Reserved::{Case, Condition, For, If, Open, Select, Until, While};
        matches!(self, If | For | Select | While | Until | Case | Open | Condition)
    }
}

impl Parser<'_> {
    /// Reads the command that a reserved word starts.
    pub(super) fn compound(&mut self, word: Reserved) -> Step<Ended> {
        match word {
            Reserved::Open => self.group()?,
            Reserved::If => self.conditional()?,
            Reserved::While | Reserved::Until => self.repetition(word)?,
            Reserved::For => self.for_loop()?,
            Reserved::Select => {
                self.not_in_sh("select")?;
                self.take_reserved(word);
                self.each_word()?;
            }
            Reserved::Case => self.case()?,
            Reserved::Condition => {
                self.not_in_sh("[[")?;
                self.condition()?;
            }
            Reserved::Function => {
                self.function_word()?;
                return Ok(Ended::Compound);
            }
            Reserved::Coproc => return self.coprocess(),
            Reserved::In => return Err(self.construct("in as a command")),
            Reserved::Not | Reserved::Time => return Err(self.syntax("! or time inside a pipeline")),
            _ => return Err(self.syntax("a closing word where a command should start")),
        }
        self.redirections_after()
    }

    /// Reads a subshell or `(( … ))`.
    pub(super) fn parenthesis(&mut self) -> Step<Ended> {
        self.operator_ends(b"(")?;
        if self.peek_after(1) == b'(' {
            self.not_in_sh("((")?;
            self.arithmetic_command()?;
            return self.redirections_after();
        }
        self.enter(Nesting::Subshell)?;
        self.pos += 1;
        self.operator_ends(b"(")?;
        let scope = self.scope;
        self.scope = self.new_scope();
        self.some_commands()?;
        if self.peek() != b')' {
            return Err(self.syntax("a ( that is not closed"));
        }
        self.pos += 1;
        self.scope = scope;
        self.leave();
        self.redirections_after()
    }

    /// Reads the redirections of a compound command and keeps them as a command without words.
    fn redirections_after(&mut self) -> Step<Ended> {
        self.blanks();
        let index = self.open_command();
        let mut ended = Ended::Compound;
        while self.redirection(index)? {
            ended = Ended::Word;
            self.blanks();
        }
        if ended == Ended::Compound {
            self.script.commands.truncate(index);
        }
        Ok(ended)
    }

    /// Reads a list that must hold a command.
    fn some_commands(&mut self) -> Step {
        if self.list()? == 0 { Err(self.syntax("a list without a command")) } else { Ok(()) }
    }

    fn expect(&mut self, word: Reserved, otherwise: &'static str) -> Step {
        if self.take_reserved(word) { Ok(()) } else { Err(self.syntax(otherwise)) }
    }

    fn group(&mut self) -> Step {
        self.take_reserved(Reserved::Open);
        self.enter(Nesting::Group)?;
        self.some_commands()?;
        self.leave();
        self.expect(Reserved::Close, "a { that is not closed")
    }

    fn conditional(&mut self) -> Step {
        self.take_reserved(Reserved::If);
        loop {
            self.part_of(Nesting::Condition)?;
            self.expect(Reserved::Then, "if without then")?;
            self.part_of(Nesting::Body)?;
            if !self.take_reserved(Reserved::Elif) {
                break;
            }
        }
        if self.take_reserved(Reserved::Else) {
            self.part_of(Nesting::Body)?;
        }
        self.expect(Reserved::Fi, "if without fi")
    }

    fn part_of(&mut self, nesting: Nesting) -> Step {
        self.enter(nesting)?;
        self.some_commands()?;
        self.leave();
        Ok(())
    }

    fn repetition(&mut self, word: Reserved) -> Step {
        self.take_reserved(word);
        self.part_of(Nesting::Condition)?;
        self.do_done()
    }

    fn do_done(&mut self) -> Step {
        self.expect(Reserved::Do, "a loop without do")?;
        self.part_of(Nesting::Body)?;
        self.expect(Reserved::Done, "a loop without done")
    }

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

    fn for_loop(&mut self) -> Step {
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
    fn each_word(&mut self) -> Step {
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
                    return Err(self.construct("a substitution in a brace expansion"));
                }
                let words = super::braces::expand(word, self.pos);
                numbers &= words.iter().all(|word| word.literal().is_some_and(|text| super::values::is_number(&text)));
            } else {
                numbers &= !word.not_a_number;
            }
        }
        self.newlines()?;
        Ok(numbers)
    }

    fn case(&mut self) -> Step {
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
        let rest = self.bytes.get(self.pos..self.end).unwrap_or(&[]);
        let length = match rest {
            [b';', b';', b'&', ..] => 3,
            [b';', b';' | b'&', ..] => 2,
            [b';', ..] => return Err(self.syntax("a sign that is no end of a case")),
            _ => return Ok(false),
        };
        if rest.get(..length) != Some(b";;") {
            if self.language != Language::Bash {
                return Err(self.dialect(";& and ;;&"));
            }
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

    /// Reads `coproc` and the command it starts.
    fn coprocess(&mut self) -> Step<Ended> {
        self.not_in_sh("coproc")?;
        self.not_in_zsh("coproc")?;
        if self.substitutions > 0 {
            // Bash 5.2 writes the text of a substitution anew, and there `coproc cmd` becomes `coproc COPROC cmd`.
            return Err(self.construct("coproc inside a substitution"));
        }
        self.take_reserved(Reserved::Coproc);
        self.blanks();
        self.enter(Nesting::Background)?;
        let scope = self.scope;
        self.scope = self.new_scope();
        let named = self.name_end(self.pos);
        if named > self.pos && self.reserved().is_none() {
            let word = self.pos;
            self.pos = named;
            self.blanks();
            // `coproc NAME { …; }`: a name only before a compound command.
            let compound = self.peek() == b'(' || self.reserved().is_some();
            if compound && self.reserved() != Some(Reserved::Open) {
                return Err(self.construct("a named coproc that is no group"));
            }
            if !compound {
                self.pos = word;
            }
        }
        if matches!(self.reserved(), Some(Reserved::Not | Reserved::Time | Reserved::Coproc | Reserved::Function)) {
            return Err(self.construct("a coproc of a pipeline"));
        }
        let ended = self.command()?;
        self.scope = scope;
        self.leave();
        Ok(ended)
    }
}
