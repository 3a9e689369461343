//! Gathering what a command runs in turn.

use super::Looked;
use super::stdin::{Source, Stdin, dynamic};
use super::words::{join, text};
use crate::script::{Assignment, Language, Span, Word};

/// What a command runs in turn.
#[derive(Debug)]
pub(crate) enum Inner {
    /// A program with its arguments.
    Program { words: Vec<Word>, assignments: Vec<Assignment>, here: bool, via: String },
    /// A script, read in a language; `span` is the word it was taken from.
    Script { text: String, language: Language, span: Span, here: bool, via: String },
}

/// All that a command runs in turn, in order.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub inner: Vec<Inner>,
}

// Each of these is called from many places, and smaller as a call than as its body.
impl Found {
    /// Adds a program with its arguments, if there are words.
    #[inline(never)]
    pub(crate) fn program(&mut self, via: &str, words: Vec<Word>) {
        self.program_with(via, words, Vec::new(), false);
    }

    /// Adds a program with its arguments and variables; one that runs `here` runs in the shell itself.
    #[inline(never)]
    pub(crate) fn program_with(&mut self, via: &str, words: Vec<Word>, assignments: Vec<Assignment>, here: bool) {
        if !words.is_empty() {
            self.inner.push(Inner::Program { words, assignments, here, via: via.to_owned() });
        }
    }

    /// Adds a script in a language; one that runs `here` runs in the shell itself.
    #[inline(never)]
    pub(crate) fn script(&mut self, via: &str, text: &str, span: Span, language: Language, here: bool) {
        self.inner.push(Inner::Script { text: text.to_owned(), language, span, here, via: via.to_owned() });
    }

    /// Adds a line that a program gives to `sh`.
    #[inline(never)]
    pub(crate) fn line(&mut self, via: &str, text: &str, span: Span) {
        self.script(via, text, span, Language::Sh, false);
    }

    /// Adds the line that a word holds.
    #[inline(never)]
    pub(crate) fn word(&mut self, via: &str, word: &Word) -> Looked {
        self.line(via, text(word).ok_or_else(|| dynamic(via))?, word.span);
        Ok(())
    }

    /// Adds the line that words make when they are joined by blanks, if there are any.
    #[inline(never)]
    pub(crate) fn joined(&mut self, via: &str, words: &[Word]) -> Looked {
        let Some(first) = words.first() else { return Ok(()) };
        let line = join(words).ok_or_else(|| dynamic(via))?;
        self.line(via, &line, first.span);
        Ok(())
    }

    /// Adds the script that a program reads on its standard input, if the text says what is there.
    #[inline(never)]
    pub(crate) fn stdin(
        &mut self,
        program: &str,
        via: &str,
        language: Language,
        here: bool,
        source: &Source<'_>,
    ) -> Looked {
        match source.stdin() {
            Stdin::Inherited => {}
            Stdin::Dynamic => return Err(dynamic(program)),
            Stdin::Known(text, span) => self.script(via, &text, span, language, here),
        }
        Ok(())
    }
}

/// What a program reads on standard input by name.
pub(super) const STDIN: &str = "/dev/stdin /dev/fd/0 /proc/self/fd/0";
