//! Whether a sed script only reads.

use crate::text::{halves, starts};

/// Tells whether a script is made of commands that neither write a file nor run a command.
///
/// Anything that this small reader does not know counts as writing.
pub(super) fn only_reads(script: &str) -> bool {
    LABEL_ENDS.iter().all(|ends| reads(script, ends, false))
}

/// Tells whether a script may run a command: it holds an `e` that may be one, and what stands in it is not known.
pub(crate) fn may_run(script: &str) -> bool {
    let mut before = b' ';
    let runs = script.bytes().any(|byte| {
        let is_it = byte == b'e' && (!before.is_ascii_alphabetic() || b"gpiImM".contains(&before));
        before = byte;
        is_it
    });
    runs && !LABEL_ENDS.iter().all(|ends| reads(script, ends, true))
}

/// What ends a label, by kind of sed: a script must only read with each of them.
const LABEL_ENDS: [&str; 3] = ["\n", "\n \t;", "\n \t;}"];

#[inline(never)]
fn reads(script: &str, label_ends: &str, writes: bool) -> bool {
    let mut reader = Reader { rest: script, label_ends, writes };
    loop {
        reader.skip(" \t\n;}");
        if reader.rest.is_empty() {
            return true;
        }
        if reader.command().is_none() {
            return false;
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
    label_ends: &'t str,
    /// Whether it may write files, and text may go on behind a backslash.
    writes: bool,
}

impl Reader<'_> {
    #[inline(never)]
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        Some(letter)
    }

    /// Skips all such signs.
    #[inline(never)]
    fn skip(&mut self, signs: &str) {
        let end = self.rest.bytes().position(|byte| !signs.as_bytes().contains(&byte)).unwrap_or(self.rest.len());
        self.rest = self.rest.get(end..).unwrap_or_default();
    }

    fn blanks(&mut self) {
        self.skip(" \t");
    }

    /// Reads one command with its addresses; none when it is not known to only read.
    fn command(&mut self) -> Option<()> {
        self.address()?;
        if starts(self.rest, ",") {
            self.next();
            self.blanks();
            if starts(self.rest, "+~") {
                self.next();
            }
            self.address()?;
        }
        self.blanks();
        self.skip("! ");
        match self.next()? {
            '{' | '=' | 'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | 'z' | 'F' => Some(()),
            'q' | 'Q' | 'l' | 'L' => {
                self.blanks();
                self.digits();
                Some(())
            }
            'a' | 'i' | 'c' if self.writes => {
                self.text_end();
                Some(())
            }
            'w' | 'W' if self.writes => self.line_end(),
            '#' | 'a' | 'i' | 'c' | 'r' | 'R' => self.line_end(),
            ':' | 'b' | 't' | 'T' => {
                self.blanks();
                let ends = |byte: u8| self.label_ends.as_bytes().contains(&byte);
                let end = self.rest.bytes().position(ends).unwrap_or(self.rest.len());
                self.rest = self.rest.get(end..).unwrap_or_default();
                Some(())
            }
            's' => {
                let delimiter = self.next()?;
                self.pattern(delimiter)?;
                self.part(delimiter)?;
                self.skip("gpiImM0123456789");
                // `w` and `e` are the flags that write and run.
                if self.writes && starts(self.rest, "w") {
                    return self.line_end();
                }
                let end = self.rest.is_empty() || starts(self.rest, " \t;\n}");
                self.blanks();
                let ended = self.rest.is_empty() || starts(self.rest, ";\n}#");
                (end && ended).then_some(())
            }
            'y' => {
                let delimiter = self.next()?;
                self.part(delimiter)?;
                self.part(delimiter)
            }
            _ => None,
        }
    }

    /// Reads a number, `$`, a pattern, or nothing.
    fn address(&mut self) -> Option<()> {
        self.blanks();
        match self.rest.chars().next() {
            Some('$') => {
                self.next();
            }
            Some('/') => {
                self.next();
                self.pattern('/')?;
                self.skip("IM");
            }
            Some('\\') => {
                self.next();
                let delimiter = self.next()?;
                self.pattern(delimiter)?;
                self.skip("IM");
            }
            _ => self.digits(),
        }
        self.blanks();
        Some(())
    }

    fn digits(&mut self) {
        self.skip("0123456789~");
    }

    /// Reads a pattern up to an unescaped delimiter outside of brackets.
    fn pattern(&mut self, delimiter: char) -> Option<()> {
        if matches!(delimiter, '\\' | '\n' | '[' | ']' | ':') {
            return None;
        }
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                '\n' => return None,
                letter if letter == delimiter => return Some(()),
                '[' => self.bracket()?,
                _ => {}
            }
        }
    }

    /// Reads the rest of a bracket, when every sed sees the same end of it.
    fn bracket(&mut self) -> Option<()> {
        if starts(self.rest, "^") {
            self.next();
        }
        let inside = self.rest;
        loop {
            match self.next()? {
                ']' => return (self.rest.len() + 1 < inside.len()).then_some(()),
                '[' => {
                    let (class, rest) = halves(self.rest.strip_prefix(':')?, b':')?;
                    if !class.bytes().all(|byte| byte.is_ascii_lowercase()) {
                        return None;
                    }
                    self.rest = rest.strip_prefix(']')?;
                }
                '\\' if starts(self.rest, "]\n") => return None,
                '\n' => return None,
                _ => {}
            }
        }
    }

    /// Reads up to an unescaped delimiter. Some keep brackets whole here too, so an open one before it is not known.
    fn part(&mut self, delimiter: char) -> Option<()> {
        if delimiter == '\\' || delimiter == '\n' {
            return None;
        }
        let mut bracket = false;
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                '[' => bracket = true,
                ']' => bracket = false,
                letter if letter == delimiter => return if bracket { None } else { Some(()) },
                _ => {}
            }
        }
    }

    /// Text ends with the line; the next line may go on with the text after a backslash.
    fn line_end(&mut self) -> Option<()> {
        match halves(self.rest, b'\n') {
            None => {
                self.rest = "";
                Some(())
            }
            Some((line, rest)) if !line.ends_with('\\') => {
                self.rest = rest;
                Some(())
            }
            Some(_) => None,
        }
    }

    /// Skips a text, which goes on behind a backslash at a line's end.
    fn text_end(&mut self) {
        let mut escaped = false;
        let end = self.rest.bytes().position(|byte| {
            let ends = byte == b'\n' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        self.rest = end.and_then(|end| self.rest.get(end + 1..)).unwrap_or_default();
    }
}
