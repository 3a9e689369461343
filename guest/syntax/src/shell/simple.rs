//! Simple commands.

use super::list::Ended;
use super::reserved::Reserved;
use super::word::{Builder, Place};
use super::{Parser, Step};
use crate::script::{Command, Language, Span, Word};
use crate::text::among;

/// What starts a simple command, where it changes how the command is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Starter {
    /// The script itself, or what has a command inside.
    Script,
    /// `coproc`: a reserved word is one directly behind the program's word too.
    Coproc,
}

impl Parser<'_> {
    /// Reads one command of any kind.
    pub(super) fn command(&mut self) -> Step<Ended> {
        self.command_of(Starter::Script)
    }

    /// Reads one command of any kind that has this starter.
    pub(super) fn command_of(&mut self, starter: Starter) -> Step<Ended> {
        match self.peek() {
            0 | b'\n' | b';' | b'|' | b')' => return Err(self.syntax("a command is missing here")),
            b'&' if self.peek_after(1) != b'>' => return Err(self.syntax("a command is missing here")),
            b'(' => return self.parenthesis(),
            _ => {}
        }
        match self.reserved() {
            Some(Reserved::Time) => self.simple_command(starter),
            Some(word) => self.compound(word),
            None => self.simple_command(starter),
        }
    }

    /// Reads assignments, words and redirections to the end of the command.
    fn simple_command(&mut self, starter: Starter) -> Step<Ended> {
        let index = self.open_command();
        let raw_start = self.pos;
        let mut read = 0;
        loop {
            self.blanks();
            if starter == Starter::Coproc && read == 1 && (self.peek() == b'(' || self.reserved().is_some()) {
                return Err(self.construct("a reserved word behind the program of a coproc"));
            }
            read += 1;
            if self.redirection(index)? {
                continue;
            }
            match self.peek() {
                0 | b'\n' | b';' | b'&' | b'|' | b')' => break,
                b'(' => {
                    self.function_after_name(index)?;
                    return Ok(Ended::Compound);
                }
                _ => {}
            }
            if !self.has_words(index) {
                if self.assignment(index)? {
                    continue;
                }
                if self.peek() == b'{' {
                    self.not_in_zsh("a { where a command may start")?;
                }
                self.refuse_reserved(raw_start)?;
            } else if self.declared_array(index)? {
                continue;
            }
            let word = self.word(Place::Argument)?;
            self.push_word(index, word)?;
        }
        self.finish_command(index)?;
        Ok(Ended::Word)
    }

    /// Makes a place for a command, so that those inside its words come after it.
    pub(super) fn open_command(&mut self) -> usize {
        self.script.commands.push(Command {
            span: Span { start: self.pos, end: self.pos },
            nesting: self.nesting.clone(),
            scope: self.scope,
            pipe: self.pipe,
            ..Command::default()
        });
        self.script.commands.len() - 1
    }

    pub(super) fn has_words(&self, index: usize) -> bool {
        self.script.commands.get(index).is_some_and(|command| !command.words.is_empty())
    }

    /// Refuses a reserved word after an assignment or redirection, where only some shells take it as a name.
    fn refuse_reserved(&mut self, start: usize) -> Step {
        if self.pos == start {
            return Ok(());
        }
        match self.reserved() {
            Some(_) => Err(self.construct("a reserved word after an assignment or redirection")),
            None => Ok(()),
        }
    }

    fn push_word(&mut self, index: usize, word: Builder) -> Step {
        let first = !self.has_words(index);
        if first && word.continued && disguised(&word) {
            return Err(self.construct("a line continued inside an assignment or reserved word"));
        }
        if first && self.language == Language::Zsh && word.literal().is_some_and(is_reserved_in_zsh) {
            return Err(self.dialect("a word that zsh reserves"));
        }
        if !word.quoted && word.continued && word.literal().is_some_and(is_descriptor) {
            return Err(self.construct("a line continued inside a redirection"));
        }
        if word.splits && word.not_a_number {
            self.values.splits(word.start);
        }
        let end = self.pos;
        if word.may_expand_braces() {
            self.not_in_sh("a brace expansion")?;
            if word.substitutes {
                return Err(self.construct("a substitution or $ in a brace expansion"));
            }
            let words = super::braces::expand(word, end);
            words.into_iter().for_each(|word| self.add_word(index, word));
        } else {
            self.add_word(index, word.finish(end));
        }
        Ok(())
    }

    fn add_word(&mut self, index: usize, word: Word) {
        let end = self.pos;
        if let Some(command) = self.script.commands.get_mut(index) {
            command.words.push(word);
            command.span.end = end;
        }
    }

    fn finish_command(&mut self, index: usize) -> Step {
        let Some(command) = self.script.commands.get(index) else { return Ok(()) };
        if command.words.is_empty() && self.language == Language::Zsh && !command.redirections.is_empty() {
            return Err(self.dialect("a redirection without a command"));
        }
        self.judge_builtin(index)
    }
}

/// Whether a word would be more than a word without its continued line.
fn disguised(word: &Builder) -> bool {
    let Some(crate::script::Part::Text(text)) = word.parts.first() else { return false };
    let name = text.bytes().take_while(|byte| super::cursor::is_name(*byte)).count();
    let after = text.as_bytes().get(name).copied();
    (name > 0 && matches!(after, Some(b'=' | b'+' | b'['))) || Reserved::of(text.as_bytes()).is_some()
}

/// Whether zsh reads what follows a word as something else than its arguments.
fn is_reserved_in_zsh(text: &str) -> bool {
    let reserved = among("repeat foreach end nocorrect noglob - always", text);
    // Builtins that evaluate or run what they are given, or change how zsh reads.
    reserved || among("emulate integer float sched functions zle zmodload private vared", text)
}

/// Whether a word may be the descriptor of a redirection that follows it.
fn is_descriptor(text: &str) -> bool {
    text.starts_with('{') || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
}
