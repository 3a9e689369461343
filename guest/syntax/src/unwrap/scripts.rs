//! Scripts of awk, sed and make that stand in the text, as far as they run commands.

use super::found::{Opened, opened};
use super::shells::is_shell;
use super::stdin::dynamic;
use super::tools::{attached, carried};
use super::words::{among, cut, is, lead, may_be_option, name, text};
use super::{Found, Looked};
use crate::facts::tier::sed;
use crate::script::Word;
use crate::text::{after_last, at, find, halves, holds};

/// The scripts among the words of awk and sed: the values of options, or else the first operand. Letters of `valued`
/// take a value; a file that stands in the text is not known.
fn scripts(program: &str, words: &[Word], options: &str, valued: &str) -> Looked<Vec<Word>> {
    let mut found = Vec::new();
    let (mut operand, mut given) = (None, false);
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        if is(word, "--") {
            operand = operand.or_else(|| words.next());
            break;
        }
        if !may_be_option(word) {
            operand = operand.or(Some(word));
            continue;
        }
        let Some((option, at)) = carried(lead(word), options, valued) else { continue };
        let value = attached(word, option, at).or_else(|| words.next().cloned()).unwrap_or_default();
        let is_file = among("-f --file", option);
        if is_file && (is(&value, "-") || opened(&value) != Opened::File) {
            return Err(dynamic(program));
        }
        let is_script = among("-e --expression --source", option);
        given |= is_file || is_script;
        found.extend(is_script.then_some(value));
    }
    found.extend(operand.filter(|_| !given).cloned());
    Ok(found)
}

/// `sed` runs what stands behind `e`.
pub(super) fn sed(program: &str, words: &[Word]) -> Looked {
    let scripts = scripts(program, words, "-e --expression -f --file -l --line-length", "efli")?;
    if scripts.iter().any(|script| text(script).is_some_and(sed::may_run)) { Err(dynamic(program)) } else { Ok(()) }
}

/// `awk` runs what is given to `system` and to a pipe.
pub(super) fn awk(program: &str, words: &[Word], found: &mut Found) -> Looked {
    for script in scripts(program, words, "-e --source -f --file -F --field-separator -v --assign", "efFv")? {
        let Some(text) = text(&script).filter(|text| holds(text, "|@") || find(text, "system").is_some()) else {
            continue;
        };
        // Behind a parenthesis a slash may begin a pattern, and may divide.
        match (commands(text, false), commands(text, true)) {
            (Some(commands), Some(others)) if commands == others => {
                commands.iter().for_each(|line| found.line(program, line, script.span));
            }
            _ => return Err(dynamic(program)),
        }
    }
    Ok(())
}

/// The sign of a call by a name that is computed, and of what cannot be read.
const UNCLEAR: u8 = b'@';

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    Sign(u8),
    Name(&'t str),
    Text(&'t str),
    Pattern,
}

struct Tokens<'t> {
    rest: &'t str,
    before: Token<'t>,
    /// Whether a slash behind a parenthesis divides.
    divides: bool,
}

impl<'t> Tokens<'t> {
    /// Takes so many bytes, which end before a sign of ASCII.
    fn take(&mut self, count: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at_checked(count).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// Takes what stands up to a sign that is not escaped, and the sign.
    fn quoted(&mut self, sign: u8) -> &'t str {
        let mut escaped = false;
        let end = self.rest.bytes().position(|byte| {
            let ends = byte == sign && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        let inside = self.take(end.unwrap_or(self.rest.len()));
        self.take(1);
        inside
    }

    fn begins_pattern(&self) -> bool {
        match self.before {
            Token::Sign(b')') => !self.divides,
            Token::Sign(sign) => !matches!(sign, b']' | b'$'),
            Token::Name(name) => among("print printf return in case do else", name),
            Token::Text(_) | Token::Pattern => false,
        }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let token = loop {
            let first = *self.rest.as_bytes().first()?;
            let named = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            match first {
                b' ' | b'\t' | b'\r' => drop(self.take(1)),
                b'\\' if self.rest.starts_with("\\\n") => drop(self.take(2)),
                b'#' => drop(self.take(at(self.rest, b'\n').unwrap_or(self.rest.len()))),
                _ if named(first) => {
                    let end = self.rest.bytes().position(|byte| !named(byte)).unwrap_or(self.rest.len());
                    break Token::Name(self.take(end));
                }
                b'"' => {
                    self.take(1);
                    break Token::Text(self.quoted(b'"'));
                }
                b'/' if self.begins_pattern() => {
                    self.take(1);
                    let pattern = self.quoted(b'/');
                    // Some awks end a pattern inside of brackets, and some do not.
                    let open = holds(after_last(pattern, b']'), "[");
                    break if open { Token::Sign(UNCLEAR) } else { Token::Pattern };
                }
                _ => {
                    let length = self.rest.chars().next().map_or(1, char::len_utf8);
                    self.take(length);
                    break Token::Sign(first);
                }
            }
        };
        self.before = token;
        Some(token)
    }
}

/// The lines that an awk program gives to a shell; none where one is computed.
fn commands(program: &str, divides: bool) -> Option<Vec<&str>> {
    const START: Token<'_> = Token::Sign(b'\n');
    let mut tokens = Tokens { rest: program, before: START, divides }.peekable();
    let mut lines = Vec::new();
    let (mut last, mut one_before) = (START, START);
    while let Some(token) = tokens.next() {
        let ends = |token: Option<&Token<'_>>| match token {
            Some(Token::Sign(sign)) => b";}\n)".contains(sign),
            other => other.is_none(),
        };
        let line = match token {
            Token::Sign(b'|') if tokens.next_if_eq(&Token::Sign(b'|')).is_some() => None,
            Token::Sign(b'|') => {
                tokens.next_if_eq(&Token::Sign(b'&'));
                match (tokens.next(), last, one_before) {
                    (Some(Token::Name("getline")), Token::Text(line), Token::Sign(sign)) if !b")]".contains(&sign) => {
                        Some(line)
                    }
                    (Some(Token::Text(line)), ..) if ends(tokens.peek()) => Some(line),
                    _ => return None,
                }
            }
            Token::Name("system") => {
                tokens.next_if_eq(&Token::Sign(b'('))?;
                match tokens.next() {
                    Some(Token::Text(line)) if tokens.peek() == Some(&Token::Sign(b')')) => Some(line),
                    _ => return None,
                }
            }
            Token::Sign(UNCLEAR) => return None,
            _ => None,
        };
        if line.is_some_and(|line| holds(line, "\\")) {
            return None;
        }
        lines.extend(line);
        (one_before, last) = (last, token);
    }
    Some(lines)
}

/// `make` reads files in a language of its own; one that stands in the text, or another shell for it, is not known.
pub(super) fn make(program: &str, words: &[Word]) -> Looked {
    for (at, word) in words.iter().enumerate().skip(1) {
        let bad = match carried(lead(word), "-f --file --makefile -E --eval", "fECIjloW") {
            Some(("-E" | "--eval", _)) => true,
            Some((option, value)) => attached(word, option, value)
                .or_else(|| words.get(at + 1).cloned())
                .is_some_and(|file| is(&file, "-") || opened(&file) != Opened::File),
            None => match halves(lead(word), b'=') {
                Some((variable @ ("SHELL" | "SHELL:"), _)) => {
                    !name(&cut(word, variable.len() + 1)).is_some_and(is_shell)
                }
                Some((".SHELLFLAGS" | "MAKEFLAGS", _)) => true,
                _ => false,
            },
        };
        if bad {
            return Err(dynamic(program));
        }
    }
    Ok(())
}
