//! Lists and pipelines: what `;`, `&`, newlines, `&&`, `||` and `|` join.

use super::reserved::Reserved;
use super::{Parser, Step};
use crate::script::{Language, Nesting, Pipe};

/// Where commands and scopes stood when a part of a list began, so that what is learned at its end reaches them.
#[derive(Clone, Copy)]
struct Mark {
    command: usize,
    scope: usize,
}

/// How the command that was just read ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// With a word: a reserved word cannot follow directly.
    Word,
    /// With `)`, `}`, `fi` and the like: a closing word may follow directly.
    Compound,
}

impl Parser<'_> {
    /// Reads commands until a sign or word that closes the construct around, or the end. Says how many there were.
    pub(super) fn list(&mut self) -> Step<usize> {
        let mut count = 0;
        loop {
            self.newlines()?;
            if self.list_ends() {
                return Ok(count);
            }
            let mark = self.mark();
            let ended = self.and_or()?;
            count += 1;
            self.blanks();
            match self.peek() {
                b'\n' => {}
                b';' if matches!(self.peek_after(1), b';' | b'&' | b'|') => return Ok(count),
                b';' => {
                    self.pos += 1;
                    self.operator_ends(b";&|")?;
                }
                b'&' => {
                    self.pos += 1;
                    if self.language == Language::Zsh && matches!(self.peek(), b'!' | b'|') {
                        return Err(self.dialect("&! and &|"));
                    }
                    self.operator_ends(b"&>!|")?;
                    let scope = self.move_to_new_scope(mark);
                    self.wrap(mark, Nesting::Background, scope, None);
                }
                _ if self.list_ends() => {
                    if ended == Ended::Word && !matches!(self.peek(), b')' | 0) {
                        return Err(self.syntax("a closing word without ; before it"));
                    }
                    return Ok(count);
                }
                _ => return Err(self.syntax("a word or sign where the command should have ended")),
            }
        }
    }

    fn list_ends(&self) -> bool {
        match self.peek() {
            0 | b')' => true,
            b';' => matches!(self.peek_after(1), b';' | b'&' | b'|'),
            _ => self.reserved().is_some_and(Reserved::closes),
        }
    }

    fn and_or(&mut self) -> Step<Ended> {
        loop {
            let ended = self.pipeline()?;
            self.blanks();
            match (self.peek(), self.peek_after(1)) {
                (b'&', b'&') | (b'|', b'|') => self.pos += 2,
                _ => return Ok(ended),
            }
            self.newlines()?;
        }
    }

    fn pipeline(&mut self) -> Step<Ended> {
        if !self.pipeline_prefix()? {
            return Ok(Ended::Word);
        }
        let mark = self.mark();
        let mut ended = self.command()?;
        self.blanks();
        if self.peek() != b'|' || self.peek_after(1) == b'|' {
            return Ok(ended);
        }
        let pipeline = self.pipelines;
        self.pipelines += 1;
        let scope = self.move_to_new_scope(mark);
        self.wrap(mark, Nesting::Pipeline, scope, Some(Pipe { pipeline, position: 0 }));
        let mut position = 0;
        while self.peek() == b'|' && self.peek_after(1) != b'|' {
            self.pos += 1;
            self.operator_ends(b"|&")?;
            if self.peek() == b'&' {
                self.not_in_sh("|&")?;
                self.pos += 1;
            }
            self.newlines()?;
            position += 1;
            let mark = self.mark();
            ended = self.command()?;
            self.blanks();
            // zsh runs the last member in the shell itself; to keep its changes visible is the careful reading.
            let own = self.language != Language::Zsh;
            let scope = if own { self.move_to_new_scope(mark) } else { self.scope };
            self.wrap(mark, Nesting::Pipeline, scope, Some(Pipe { pipeline, position }));
        }
        Ok(ended)
    }

    /// Reads `!` and `time`; says whether a command follows.
    fn pipeline_prefix(&mut self) -> Step<bool> {
        let mut negated = false;
        loop {
            match self.reserved() {
                Some(Reserved::Not) => {
                    if self.peek_after(1) == b'(' {
                        return Err(self.construct("!( , which may be a pattern"));
                    }
                    if negated && self.language != Language::Bash {
                        return Err(self.dialect("! twice"));
                    }
                    negated = true;
                    self.take_reserved(Reserved::Not);
                    self.blanks();
                }
                Some(Reserved::Time) if self.language != Language::Sh => {
                    self.not_in_zsh("time")?;
                    self.take_reserved(Reserved::Time);
                    self.blanks();
                    if !self.time_option()? {
                        return Ok(false);
                    }
                    if self.substitutions > 0 && (self.reserved().is_some() || self.peek() == b'(') {
                        // Bash 5.2 takes the `)` of a pattern in `$(time case …)` for the end of the substitution.
                        return Err(self.construct("time of a compound command inside a substitution"));
                    }
                }
                _ => return Ok(true),
            }
        }
    }

    /// Reads `-p` after `time`; says whether a command follows.
    fn time_option(&mut self) -> Step<bool> {
        if matches!(self.peek(), 0 | b'\n' | b';') {
            return Ok(false);
        }
        if self.peek() == b'-' {
            if self.peek_after(1) != b'p' || !self.ends_word(self.pos + 2) {
                return Err(self.construct("an option of time other than -p"));
            }
            self.pos += 2;
            self.blanks();
            if self.peek() == b'-' {
                return Err(self.construct("a second option of time"));
            }
        }
        Ok(true)
    }

    fn mark(&self) -> Mark {
        Mark { command: self.script.commands.len(), scope: self.script.scopes.len() }
    }

    /// Makes a scope for everything since the mark that ran in the present one.
    fn move_to_new_scope(&mut self, mark: Mark) -> usize {
        let present = self.scope;
        let scope = self.new_scope();
        let inner = self.script.scopes.get_mut(mark.scope..scope).unwrap_or_default();
        for child in inner.iter_mut().filter(|child| child.parent == Some(present)) {
            child.parent = Some(scope);
        }
        scope
    }

    /// Records for every command since the mark a construct that only showed at its end.
    fn wrap(&mut self, mark: Mark, nesting: Nesting, scope: usize, pipe: Option<Pipe>) {
        let level = self.nesting.len();
        let (present, around) = (self.scope, self.pipe);
        for command in self.script.commands.get_mut(mark.command..).unwrap_or_default() {
            if command.scope == present {
                command.scope = scope;
            }
            let inner = command.nesting.get(level..).unwrap_or_default();
            let substituted = inner.iter().any(|nesting| nesting.is_substitution());
            if pipe.is_some() && command.pipe == around && !substituted {
                command.pipe = pipe;
            }
            command.nesting.insert(level.min(command.nesting.len()), nesting);
        }
    }
}

impl Nesting {
    pub(super) fn is_substitution(self) -> bool {
        matches!(self, Self::CommandSubstitution | Self::ProcessSubstitution)
    }
}
