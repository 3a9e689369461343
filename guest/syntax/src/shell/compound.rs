//! Compound commands: groups, subshells, `if`, `for`, `while`, `case` and their kin.

use super::list::Ended;
use super::reserved::Reserved;
use super::simple::Starter;
use super::{Parser, Step};
use crate::script::Nesting;

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
    pub(super) fn some_commands(&mut self) -> Step {
        if self.list()? == 0 { Err(self.syntax("a list without a command")) } else { Ok(()) }
    }

    pub(super) fn expect(&mut self, word: Reserved, otherwise: &'static str) -> Step {
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

    pub(super) fn part_of(&mut self, nesting: Nesting) -> Step {
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

    pub(super) fn do_done(&mut self) -> Step {
        self.expect(Reserved::Do, "a loop without do")?;
        self.part_of(Nesting::Body)?;
        self.expect(Reserved::Done, "a loop without done")
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
        self.name_of_coprocess()?;
        if matches!(self.reserved(), Some(Reserved::Not | Reserved::Time | Reserved::Coproc | Reserved::Function)) {
            return Err(self.construct("a coproc of a pipeline"));
        }
        let ended = self.command_of(Starter::Coproc)?;
        self.scope = scope;
        self.leave();
        Ok(ended)
    }

    /// Passes by the name of `coproc NAME { …; }`; a name stands only before a compound command.
    fn name_of_coprocess(&mut self) -> Step {
        if self.reserved().is_some() || self.peek() == b'(' {
            return Ok(());
        }
        let word = self.pos;
        while !b" \t\n;&|()<>\0\"'\\$`".contains(&self.peek()) {
            self.pos += 1;
        }
        self.blanks();
        match self.reserved() {
            Some(Reserved::Open) => {}
            Some(_) => return Err(self.construct("a named coproc that is no group")),
            None if self.peek() == b'(' => return Err(self.construct("a named coproc that is no group")),
            None => self.pos = word,
        }
        Ok(())
    }
}
