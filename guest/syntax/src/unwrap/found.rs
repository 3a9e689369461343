//! Gathering what a command runs in turn.

use super::Looked;
use super::stdin::{Source, Stdin, dynamic};
use super::words::{any_in_word, join, lead, text};
use crate::script::{Assignment, Language, Span, Word};
use crate::text::pieces;

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
        self.input(source.stdin(), program, via, language, here)
    }

    fn input(&mut self, input: Stdin, program: &str, via: &str, language: Language, here: bool) -> Looked {
        match input {
            Stdin::Inherited => {}
            Stdin::Dynamic => return Err(dynamic(program)),
            Stdin::Known(text, span) => self.script(via, &text, span, language, here),
        }
        Ok(())
    }

    /// Adds the script in a file, if the text says what it holds; a file by a name is a program like any other.
    #[inline(never)]
    pub(crate) fn file(
        &mut self,
        (program, via): (&str, &str),
        file: &Word,
        language: Language,
        here: bool,
        source: &Source<'_>,
    ) -> Looked {
        match opened(file) {
            Opened::File => Ok(()),
            Opened::Descriptor(number) => self.input(source.descriptor(number), program, via, language, here),
            Opened::Unclear => Err(dynamic(program)),
        }
    }
}

/// What a word opens that names a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// A file.
    File,
    /// What the program that opens it has there: `/dev/stdin`, `/dev/fd/3`.
    Descriptor(u32),
    /// A file or a descriptor, which is known only when it runs.
    Unclear,
}

/// Tells what a word opens, however its path is spelled.
pub(super) fn opened(word: &Word) -> Opened {
    if text(word).is_none() {
        return computed(word);
    }
    let path = lead(word);
    let mut names: Vec<&str> = Vec::new();
    for name in pieces(path, b'/').filter(|name| !matches!(*name, "" | ".")) {
        if name == ".." {
            names.pop();
        } else {
            names.push(name);
        }
    }
    let number = match names.as_slice() {
        ["dev", "stdin"] => "0",
        ["dev", "fd", number] | ["proc", "self" | "thread-self", "fd", number] => number,
        ["dev", "null"] | ["dev", "shm", ..] => return Opened::File,
        ["dev" | "proc", ..] if path.starts_with('/') => return Opened::Unclear,
        _ => return Opened::File,
    };
    number.parse().map_or(Opened::Unclear, Opened::Descriptor)
}

/// A word that is known in part may open a descriptor where its start, or a part of it, fits.
fn computed(word: &Word) -> Opened {
    let start = lead(word).trim_start_matches(['/', '.']);
    let rooted = lead(word).starts_with('/');
    let fits = |path: &str| rooted && (start.starts_with(path) || path.starts_with(start));
    if pieces("dev/fd/ dev/stdin proc/", b' ').any(fits) || any_in_word(word, "dev/fd/ dev/stdin /proc/") {
        Opened::Unclear
    } else {
        Opened::File
    }
}
