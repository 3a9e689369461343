//! What a terminal would show, as lines of text.
//!
//! A line is as long as what was printed on it: nothing is wrapped at the terminal's width. The lines that a cursor
//! can still reach, as many as the terminal has, are held back; what scrolls off them is given away for good. When a
//! program has printed nothing for a moment and has never gone back to a line, all but the cursor's line is given
//! away too. The alternate screen, which editors and pagers use, is shown while it is in use and then forgotten.
//!
//! Parsing is `vte`'s; plain text does not pass through it. No I/O, no clock.

mod grid;
mod row;
#[cfg(test)]
mod tests;

use vte::{Params, Parser, Perform};

use self::grid::Grid;

/// A screen, fed with what a program prints.
pub(crate) struct Screen {
    parser: Parser,
    display: Display,
}

struct Display {
    main: Grid,
    alternate: Option<Grid>,
    size: (usize, usize),
    /// The parser is in no sequence and in no character.
    ground: bool,
    out: Vec<u8>,
}

impl Screen {
    pub(crate) fn new(rows: u16, columns: u16) -> Self {
        let size = (usize::from(rows), usize::from(columns));
        let main = Grid::new(size.0, size.1, true);
        Self { parser: Parser::new(), display: Display { main, alternate: None, size, ground: true, out: Vec::new() } }
    }

    pub(crate) fn resize(&mut self, rows: u16, columns: u16) {
        let display = &mut self.display;
        if display.size == (usize::from(rows), usize::from(columns)) {
            return;
        }
        display.size = (usize::from(rows), usize::from(columns));
        display.main.resize(display.size.0, display.size.1, &mut display.out);
        if let Some(alternate) = &mut display.alternate {
            alternate.resize(display.size.0, display.size.1, &mut Vec::new());
        }
    }

    /// Takes what was printed.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.display.ground {
                let plain = plain_prefix(bytes);
                if !plain.is_empty() {
                    self.display.plain(plain);
                    bytes = &bytes[plain.len()..];
                    continue;
                }
            }
            if bytes[0] == 0x1B || bytes[0] >= 0x80 {
                self.display.ground = false;
            }
            self.parser.advance(&mut self.display, &bytes[..1]);
            bytes = &bytes[1..];
        }
    }

    /// Gives away what will not change any more.
    pub(crate) fn take(&mut self) -> std::vec::Drain<'_, u8> {
        self.display.out.drain(..)
    }

    /// True where `settle` would give something away.
    pub(crate) fn unsettled(&self) -> bool {
        self.display.main.unsettled()
    }

    /// Takes a moment without output as a sign that what is printed will stay.
    pub(crate) fn settle(&mut self) {
        self.display.main.settle(&mut self.display.out);
    }

    /// What is shown and not given away.
    pub(crate) fn view(&self) -> Vec<u8> {
        let mut view = Vec::new();
        self.display.main.view(&mut view);
        if let Some(alternate) = &self.display.alternate {
            if !view.is_empty() && !view.ends_with(b"\n") {
                view.push(b'\n');
            }
            alternate.view(&mut view);
        }
        view
    }

    /// Gives away everything, as nothing more comes, and starts anew.
    pub(crate) fn end(&mut self) -> Vec<u8> {
        self.display.alternate = None;
        // A character that has begun will not be completed: the parser shows it as what it is.
        if !self.display.ground {
            self.parser.advance(&mut self.display, b"\x18");
        }
        let mut last = std::mem::take(&mut self.display.out);
        self.display.main.view(&mut last);
        *self = Self::new(
            u16::try_from(self.display.size.0).unwrap_or(u16::MAX),
            u16::try_from(self.display.size.1).unwrap_or(u16::MAX),
        );
        last
    }
}

/// The longest start that is text, tabs and whole line ends, and valid.
fn plain_prefix(bytes: &[u8]) -> &str {
    let mut at = 0;
    while at < bytes.len() {
        let fine = match bytes[at] {
            0x20..=0x7E | b'\t' => 1,
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
            // The controls U+0080 to U+009F.
            0xC2 if bytes.get(at + 1).is_none_or(|next| *next < 0xA0) => 0,
            0x80.. => 1,
            _ => 0,
        };
        if fine == 0 {
            break;
        }
        at += fine;
    }
    let bytes = &bytes[..at];
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

impl Display {
    fn parts(&mut self) -> (&mut Grid, &mut Vec<u8>) {
        match &mut self.alternate {
            Some(alternate) => (alternate, &mut self.out),
            None => (&mut self.main, &mut self.out),
        }
    }

    /// Shows text, tabs and line ends.
    fn plain(&mut self, text: &str) {
        let (grid, out) = self.parts();
        let mut lines = text.split("\r\n");
        if let Some(first) = lines.next() {
            show(grid, first, out);
        }
        for line in lines {
            grid.next_line(out);
            show(grid, line, out);
        }
    }

    fn sequence(&mut self, kind: u8, parameters: &Params, action: char) {
        let mut numbers = parameters.iter().map(|parameter| parameter.first().copied().unwrap_or(0));
        let first = numbers.next().unwrap_or(0);
        let second = numbers.next().unwrap_or(0);
        if kind == b'?' {
            return self.mode(parameters, action);
        }
        let count = usize::from(first.max(1));
        let other = usize::from(second.max(1));
        let (grid, out) = self.parts();
        match action {
            'A' => grid.up(count),
            'B' | 'e' => grid.down(count),
            'C' | 'a' => grid.forward(count),
            'D' => grid.back(count),
            'E' => {
                grid.down(count);
                grid.go_to_column(0);
            }
            'F' => {
                grid.up(count);
                grid.go_to_column(0);
            }
            'G' | '`' => grid.go_to_column_within(count - 1),
            'H' | 'f' => grid.go_within(count - 1, other - 1),
            'd' => grid.go_to_row(count - 1),
            'J' => grid.erase_screen(first),
            'K' => grid.erase_line(first),
            'L' => grid.insert_rows(count),
            'M' => grid.delete_rows(count),
            'P' => grid.delete_characters(count),
            'S' => grid.scroll(count, true, out),
            'T' => grid.scroll(count, false, out),
            'X' => grid.erase_characters(count),
            '@' => grid.insert_characters(count),
            'r' => grid.set_region(count - 1, if second == 0 { usize::MAX } else { other - 1 }),
            's' => grid.save(),
            'u' => grid.restore(),
            _ => {}
        }
    }

    /// Of the private modes only the alternate screen changes what is shown.
    fn mode(&mut self, parameters: &Params, action: char) {
        let alternate = parameters.iter().any(|parameter| matches!(parameter, [47 | 1047 | 1049]));
        match action {
            'h' if alternate && self.alternate.is_none() => {
                self.alternate = Some(Grid::new(self.size.0, self.size.1, false));
            }
            'l' if alternate => self.alternate = None,
            _ => {}
        }
    }
}

/// Shows a piece of a line.
fn show(grid: &mut Grid, text: &str, out: &mut Vec<u8>) {
    if text.is_empty() {
        return;
    }
    if grid.appends() {
        return grid.append(text, out);
    }
    for character in text.chars() {
        if character == '\t' { grid.tab(out) } else { grid.print(character, out) }
    }
}

impl Perform for Display {
    fn print(&mut self, character: char) {
        self.ground = true;
        if !matches!(character, '\u{7F}'..='\u{9F}') {
            let (grid, out) = self.parts();
            grid.print(character, out);
        }
    }

    fn execute(&mut self, byte: u8) {
        // These end whatever sequence or character has begun.
        if byte >= 0x80 || byte == 0x18 || byte == 0x1A {
            self.ground = true;
        }
        let (grid, out) = self.parts();
        match byte {
            b'\r' => grid.carriage_return(),
            b'\n' | 0x0B | 0x0C => grid.line_feed(out),
            0x08 => grid.backspace(),
            b'\t' => grid.tab(out),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, parameters: &Params, intermediates: &[u8], ignore: bool, action: char) {
        self.ground = true;
        if !ignore {
            match intermediates {
                [] => self.sequence(0, parameters, action),
                [b'?'] => self.sequence(b'?', parameters, action),
                _ => {}
            }
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _ignore: bool, byte: u8) {
        self.ground = true;
        let (grid, out) = self.parts();
        match (intermediates, byte) {
            ([], b'7') => grid.save(),
            ([], b'8') => grid.restore(),
            ([], b'D') => grid.line_feed(out),
            ([], b'E') => {
                grid.line_feed(out);
                grid.carriage_return();
            }
            ([], b'M') => grid.reverse_line_feed(),
            ([], b'c') => {
                self.alternate = None;
                self.main.erase_screen(2);
                self.main.go(0, 0);
            }
            _ => {}
        }
    }

    fn osc_dispatch(&mut self, _parameters: &[&[u8]], bell: bool) {
        // Ended by an escape, the parser is in that.
        self.ground = bell;
    }
}
