//! Finds a command's marks in what a shell prints.

/// What an end mark tells; nothing on standard error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct End {
    pub code: Option<i32>,
    /// The shell's options, a letter each.
    pub options: String,
    pub directory: String,
}

/// The longest directory that an end mark may name; what goes on longer is no mark.
const LONGEST: usize = 16 * 1024;

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found<'a> {
    /// Output of the command.
    Output(&'a [u8]),
    /// The command begins.
    Begin,
    /// It has ended.
    End(End),
}

/// Reads one stream of a shell: outside a command everything is dropped, inside all but the marks is its output.
#[derive(Debug, Default)]
pub(super) struct Marks {
    begin: Vec<u8>,
    end: Vec<u8>,
    close: Vec<u8>,
    stage: Stage,
    /// The start of what may become a mark.
    held: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Outside,
    Expecting,
    Inside,
    Ending,
}

impl Marks {
    /// Looks for the marks of a new command from now on.
    pub(super) fn expect(&mut self, secret: &str) {
        self.begin = format!("\x1b]133;C;{secret}\x1b\\").into_bytes();
        self.end = format!("\x1b]133;D;{secret};").into_bytes();
        self.close = format!(";{secret}\x1b\\").into_bytes();
        self.stage = Stage::Expecting;
        self.held.clear();
    }

    /// Takes what was read.
    pub(super) fn feed(&mut self, bytes: &[u8], found: &mut impl FnMut(Found<'_>)) {
        let joined;
        let mut bytes = if self.held.is_empty() {
            bytes
        } else {
            joined = [&std::mem::take(&mut self.held), bytes].concat();
            &joined
        };
        while !bytes.is_empty() {
            bytes = match self.stage {
                Stage::Outside => return,
                Stage::Expecting => self.before(bytes, found),
                Stage::Inside => self.within(bytes, found),
                Stage::Ending => self.at_the_end(bytes, found),
            };
        }
    }

    fn before<'a>(&mut self, bytes: &'a [u8], found: &mut impl FnMut(Found<'_>)) -> &'a [u8] {
        match search(bytes, &self.begin) {
            Search::Found(at) => {
                self.stage = Stage::Inside;
                found(Found::Begin);
                &bytes[at + self.begin.len()..]
            }
            Search::Perhaps(at) => {
                self.held = bytes[at..].to_vec();
                &[]
            }
            Search::Nowhere => &[],
        }
    }

    fn within<'a>(&mut self, bytes: &'a [u8], found: &mut impl FnMut(Found<'_>)) -> &'a [u8] {
        let (at, rest) = match search(bytes, &self.end) {
            Search::Found(at) => {
                self.stage = Stage::Ending;
                (at, &bytes[at + self.end.len()..])
            }
            Search::Perhaps(at) => {
                self.held = bytes[at..].to_vec();
                (at, &[][..])
            }
            Search::Nowhere => (bytes.len(), &[][..]),
        };
        if at > 0 {
            found(Found::Output(&bytes[..at]));
        }
        rest
    }

    fn at_the_end<'a>(&mut self, bytes: &'a [u8], found: &mut impl FnMut(Found<'_>)) -> &'a [u8] {
        let Some(at) = bytes.windows(self.close.len()).position(|window| window == self.close) else {
            if bytes.len() > LONGEST {
                // No shell is where no path can be; the secret is known to somebody it should not be known to.
                self.stage = Stage::Inside;
                found(Found::Output(&self.end));
                return bytes;
            }
            self.held = bytes.to_vec();
            return &[];
        };
        let content = String::from_utf8_lossy(&bytes[..at]);
        let mut parts = content.splitn(3, ';');
        let mut part = || parts.next().unwrap_or_default();
        let end = End { code: part().parse().ok(), options: part().to_owned(), directory: part().to_owned() };
        self.stage = Stage::Outside;
        found(Found::End(end));
        &bytes[at + self.close.len()..]
    }

    /// Gives what was held back, as nothing more comes.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        let rest = match self.stage {
            Stage::Inside => held,
            Stage::Ending => [std::mem::take(&mut self.end), held].concat(),
            Stage::Outside | Stage::Expecting => Vec::new(),
        };
        self.stage = Stage::Outside;
        rest
    }
}

enum Search {
    Found(usize),
    /// The bytes from there on may be the start of it.
    Perhaps(usize),
    Nowhere,
}

/// Looks for a mark, which begins with an escape and has no other in its first half.
fn search(bytes: &[u8], mark: &[u8]) -> Search {
    let mut from = 0;
    while let Some(offset) = bytes[from..].iter().position(|byte| *byte == 0x1B) {
        let at = from + offset;
        let rest = &bytes[at..];
        if rest.len() >= mark.len() {
            if rest.starts_with(mark) {
                return Search::Found(at);
            }
        } else if mark.starts_with(rest) {
            return Search::Perhaps(at);
        }
        from = at + 1;
    }
    Search::Nowhere
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> (Vec<u8>, Vec<End>) {
        let mut marks = Marks::default();
        marks.expect("s3cret");
        let (mut output, mut ends) = (Vec::new(), Vec::new());
        for piece in pieces {
            marks.feed(piece, &mut |found| match found {
                Found::Output(bytes) => output.extend_from_slice(bytes),
                Found::Begin => {}
                Found::End(end) => ends.push(end),
            });
        }
        (output, ends)
    }

    #[test]
    fn only_what_is_between_the_marks_is_output_however_it_is_cut() {
        let stream: &[u8] = b"prompt> \x1b[0m\x1b]133;C;s3cret\x1b\\out\x1b[1mput\x1b]133;D;other;0;/;other\x1b\\\
            \x1b]133;C;s3cret\x1b\\\x1b]133;D;s3cret;7;him;/tmp/a;b;s3cret\x1b\\prompt> \x1b]133;D;s3cret;0;/;s3cret\x1b\\";
        let expected: &[u8] = b"out\x1b[1mput\x1b]133;D;other;0;/;other\x1b\\\x1b]133;C;s3cret\x1b\\";
        for size in 1..stream.len() {
            let pieces: Vec<&[u8]> = stream.chunks(size).collect();
            let (output, ends) = read(&pieces);
            assert_eq!(String::from_utf8_lossy(&output), String::from_utf8_lossy(expected), "in pieces of {size}");
            assert_eq!(ends, [End { code: Some(7), options: "him".to_owned(), directory: "/tmp/a;b".to_owned() }]);
        }
    }

    #[test]
    fn an_end_that_does_not_come_is_output() {
        let mut marks = Marks::default();
        marks.expect("x");
        let mut output = Vec::new();
        let mut take = |found: Found<'_>| {
            if let Found::Output(bytes) = found {
                output.extend_from_slice(bytes);
            }
        };
        marks.feed(b"\x1b]133;C;x\x1b\\a\x1b]133;D;", &mut take);
        output.extend(marks.rest());
        assert_eq!(output, b"a\x1b]133;D;");
    }
}
