//! Whether a sed script only reads.

/// Tells whether a script is made of commands that neither write a file nor run a command.
///
/// Anything that this small reader does not know counts as writing.
pub(super) fn only_reads(script: &str) -> bool {
    let mut reader = Reader { rest: script };
    loop {
        reader.rest = reader.rest.trim_start_matches([' ', '\t', '\n', ';', '}']);
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
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        Some(letter)
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Reads one command with its addresses; none when it is not known to only read.
    fn command(&mut self) -> Option<()> {
        self.address()?;
        if self.rest.starts_with(',') {
            self.next();
            self.blanks();
            if self.rest.starts_with(['+', '~']) {
                self.next();
            }
            self.address()?;
        }
        self.blanks();
        while self.rest.starts_with(['!', ' ']) {
            self.next();
        }
        match self.next()? {
            '{' | '=' | 'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | 'z' | 'F' => Some(()),
            'q' | 'Q' | 'l' | 'L' => {
                self.blanks();
                self.digits();
                Some(())
            }
            '#' | 'a' | 'i' | 'c' | ':' | 'b' | 't' | 'T' | 'r' | 'R' => self.line_end(),
            's' => {
                let delimiter = self.next()?;
                self.part(delimiter)?;
                self.part(delimiter)?;
                self.rest = self.rest.trim_start_matches(|c: char| "gpiImM0123456789".contains(c));
                // `w` and `e` are the flags that write and run.
                let end = self.rest.is_empty() || self.rest.starts_with([' ', '\t', ';', '\n', '}']);
                self.blanks();
                let ended = self.rest.is_empty() || self.rest.starts_with([';', '\n', '}', '#']);
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
                self.part('/')?;
                self.rest = self.rest.trim_start_matches(['I', 'M']);
            }
            Some('\\') => {
                self.next();
                let delimiter = self.next()?;
                self.part(delimiter)?;
                self.rest = self.rest.trim_start_matches(['I', 'M']);
            }
            _ => self.digits(),
        }
        self.blanks();
        Some(())
    }

    fn digits(&mut self) {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '~');
    }

    /// Reads up to an unescaped delimiter. A bracket may hold one, so a bracket before it is not known.
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

    /// Text and labels end with the line; the next line may go on with the text after a backslash.
    fn line_end(&mut self) -> Option<()> {
        match self.rest.split_once('\n') {
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
}
