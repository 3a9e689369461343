//! What `$`, backticks and `<(` begin.

use super::arithmetic::Close;
use super::cursor::is_name_start;
use super::quotes::Quoted;
use super::word::Builder;
use super::{Parser, Step};
use crate::script::{Language, Nesting, Part};

impl Parser<'_> {
    /// Reads what a `$` begins, in double quotes (or a here-document) or outside.
    pub(super) fn dollar(&mut self, word: &mut Builder, kind: Quoted) -> Step {
        let quoted = kind != Quoted::Bare;
        let next = self.peek_after(1);
        match next {
            b'(' if self.peek_after(2) == b'(' => {
                self.pos += 3;
                self.arithmetic_expansion(word)
            }
            b'(' => {
                self.pos += 2;
                // `$(`, a continued line, `(` is arithmetic.
                self.operator_ends(b"(")?;
                word.splits |= !quoted;
                self.substitution(word, Nesting::CommandSubstitution)
            }
            b'{' => self.parameter(word, kind),
            b'\'' if !quoted => {
                self.not_in_sh("$'")?;
                self.ansi_quotes(word)
            }
            b'"' if !quoted => {
                self.not_in_sh("$\"")?;
                self.not_in_zsh("$\"")?;
                self.pos += 1;
                self.double_quotes(word)
            }
            b'[' => self.old_arithmetic(word),
            b'#' | b'?' | b'$' | b'!' => {
                self.pos += 2;
                if super::cursor::is_name(self.peek()) || self.peek() == b'[' {
                    self.not_in_zsh("a name joined to $# and its kin")?;
                }
                word.number();
                Ok(())
            }
            b'0'..=b'9' | b'@' | b'*' | b'-' => {
                self.pos += 2;
                if self.peek() == b'[' {
                    self.not_in_zsh("a subscript without ${ }")?;
                }
                word.splits |= !quoted || next == b'@';
                word.part(Part::Dynamic);
                Ok(())
            }
            _ if is_name_start(next) => self.variable(word, quoted),
            _ => self.plain_dollar(word, next, quoted),
        }
    }

    /// Reads `$[ … ]`, which only bash and zsh have.
    fn old_arithmetic(&mut self, word: &mut Builder) -> Step {
        self.not_in_sh("$[")?;
        self.not_in_zsh("$[")?;
        self.pos += 2;
        self.arithmetic(Close::Bracket)?;
        word.number();
        Ok(())
    }

    /// Reads `$name`.
    fn variable(&mut self, word: &mut Builder, quoted: bool) -> Step {
        let start = self.pos + 1;
        let end = self.name_end(start);
        self.pos = end;
        if self.is_continuation(end) {
            return Err(self.construct("a line continued inside a variable's name"));
        }
        if matches!(self.peek(), b'[' | b':') {
            self.not_in_zsh("a subscript or : without ${ }")?;
        }
        let name = self.text.get(start..end).unwrap_or("");
        word.splits |= !quoted;
        word.part(match name {
            "HOME" => Part::Home,
            _ if quoted => Part::Variable(name.to_owned()),
            _ => Part::Dynamic,
        });
        Ok(())
    }

    /// Reads a `$` that stands for itself.
    fn plain_dollar(&mut self, word: &mut Builder, next: u8, quoted: bool) -> Step {
        let ends = matches!(next, 0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | b'"' | b'\'');
        let harmless = matches!(next, b'/' | b'.' | b',' | b':' | b'%' | b']' | b'^');
        if self.language == Language::Zsh && !ends {
            return Err(self.dialect("$ before a sign"));
        }
        // In quotes every other byte is text; outside, `$>(` and the like read as something else.
        if !(ends || harmless || (quoted && !matches!(next, b'\\' | b'`' | b'$'))) {
            return Err(self.construct("$ before a sign"));
        }
        word.text("$");
        // `{$,a}b` becomes `$b`.
        word.substitutes |= !quoted;
        self.pos += 1;
        Ok(())
    }

    /// Reads a command or process substitution from after its `(`.
    pub(super) fn substitution(&mut self, word: &mut Builder, nesting: Nesting) -> Step {
        self.enter(nesting)?;
        word.substitutes = true;
        let (scope, pipe) = (self.scope, self.pipe.take());
        let heredocs = std::mem::take(&mut self.heredocs);
        let heredoc = std::mem::take(&mut self.heredoc_in_substitution);
        let first = self.script.commands.len();
        self.scope = self.new_scope();
        self.substitutions += 1;
        self.list()?;
        if self.peek() != b')' {
            return Err(self.syntax("a ( that is not closed"));
        }
        if self.heredoc_in_substitution && !self.is_one_simple_command(first) {
            // Bash 5.2 writes the text of a substitution anew and then loses a `;` or `&` near a here-document.
            return Err(self.construct("a here-document beside other commands inside a substitution"));
        }
        self.heredoc_in_substitution = heredoc;
        if !self.heredocs.is_empty() {
            return Err(self.construct("a here-document whose body would follow the closing )"));
        }
        (self.scope, self.pipe, self.heredocs) = (scope, pipe, heredocs);
        self.substituted(word, first);
        Ok(())
    }

    /// Leaves a substitution at the sign that closes it, and adds what its commands, from the first on, may print.
    fn substituted(&mut self, word: &mut Builder, first: usize) {
        self.pos += 1;
        self.substitutions -= 1;
        self.leave();
        if self.prints_a_number(first) { word.number() } else { word.part(Part::Dynamic) }
    }

    /// Whether the shell that a substitution starts runs one simple command and nothing else.
    fn is_one_simple_command(&self, first: usize) -> bool {
        let level = self.nesting.len();
        let mut own = self.script.commands.get(first..).unwrap_or_default().iter().filter(|command| {
            let inner = command.nesting.get(level..).unwrap_or_default();
            !inner.iter().any(|nesting| nesting.is_substitution())
        });
        own.next().is_some_and(|command| command.nesting.len() == level) && own.next().is_none()
    }

    /// Reads `<( … )` or `>( … )`.
    pub(super) fn process_substitution(&mut self, word: &mut Builder, start: usize) -> Step {
        self.not_in_sh("a process substitution")?;
        if self.pos > start {
            self.not_in_zsh("a process substitution inside a word")?;
        }
        self.pos += 2;
        self.operator_ends(b"(")?;
        if self.peek() == b'(' {
            return Err(self.construct("<(( or >((, which may be arithmetic"));
        }
        self.substitution(word, Nesting::ProcessSubstitution)
    }

    /// Reads a command between backticks, which ends at the next one; a backslash before would change what is read.
    pub(super) fn backquotes(&mut self, word: &mut Builder, kind: Quoted) -> Step {
        let start = self.pos + 1;
        let rest = self.bytes.get(start..self.end).unwrap_or(&[]);
        let Some(length) = rest.iter().position(|byte| *byte == b'`') else {
            return Err(self.syntax("a ` that is not closed"));
        };
        let inner = rest.get(..length).unwrap_or(&[]);
        if inner.contains(&b'\\') {
            return Err(self.construct("a backslash between backticks; write $( ) instead"));
        }
        let simple = kind == Quoted::Bare || (kind == Quoted::Double && self.language == Language::Bash);
        if !simple && inner.iter().any(|byte| matches!(byte, b'"' | b'\'')) {
            return Err(self.construct("quotes between backticks in quotes; write $( ) instead"));
        }
        self.enter(Nesting::CommandSubstitution)?;
        word.substitutes = true;
        let (scope, pipe, end) = (self.scope, self.pipe.take(), self.end);
        let heredocs = std::mem::take(&mut self.heredocs);
        let first = self.script.commands.len();
        self.scope = self.new_scope();
        self.substitutions += 1;
        self.pos = start;
        self.end = start + length;
        self.list()?;
        if self.pos < self.end {
            return Err(self.syntax("a word or sign that closes nothing"));
        }
        if !self.heredocs.is_empty() {
            return Err(self.construct("a here-document between backticks"));
        }
        self.end = end;
        (self.scope, self.pipe, self.heredocs) = (scope, pipe, heredocs);
        self.substituted(word, first);
        Ok(())
    }
}
