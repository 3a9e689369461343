//! The lines that a cursor can reach.

use std::collections::VecDeque;

use super::row::Row;

/// A row that holds more is given away as far as it is: nobody edits so long a line.
const LONGEST_ROW: usize = 64 * 1024;

/// The lines of a screen and its cursor. Lines that scroll off the top are given to `out`, where there is one.
#[derive(Debug)]
pub(super) struct Grid {
    /// At least one, at most `height`.
    rows: VecDeque<Row>,
    height: usize,
    width: usize,
    row: usize,
    /// None is the end of the cursor's row, whose column need not be known.
    column: Option<usize>,
    saved: (usize, usize),
    /// The first and the last row that scroll.
    region: (usize, usize),
    /// The cursor has left its line by other ways than a line feed.
    roamed: bool,
    /// Lines that scroll away are kept.
    keeps: bool,
}

impl Grid {
    pub(super) fn new(height: usize, width: usize, keeps: bool) -> Self {
        let (height, width) = (height.max(1), width.max(1));
        Self {
            rows: VecDeque::from([Row::default()]),
            height,
            width,
            row: 0,
            column: None,
            saved: (0, 0),
            region: (0, height - 1),
            roamed: false,
            keeps,
        }
    }

    pub(super) fn resize(&mut self, height: usize, width: usize, out: &mut Vec<u8>) {
        (self.height, self.width) = (height.max(1), width.max(1));
        self.region = (0, self.height - 1);
        while self.rows.len() > self.height {
            self.give_first(out);
        }
    }

    /// Takes the first row out of reach.
    fn give_first(&mut self, out: &mut Vec<u8>) -> Row {
        let mut row = self.rows.pop_front().unwrap_or_default();
        if self.keeps {
            row.bytes(out);
            out.push(b'\n');
        }
        row.clear();
        self.row = self.row.saturating_sub(1);
        if self.rows.is_empty() {
            self.rows.push_back(Row::default());
            self.column = None;
        }
        row
    }

    fn current(&mut self) -> &mut Row {
        while self.rows.len() <= self.row {
            self.rows.push_back(Row::default());
        }
        &mut self.rows[self.row]
    }

    pub(super) fn column(&mut self) -> usize {
        match self.column {
            Some(column) => column,
            None => self.current().end(),
        }
    }

    /// True where text can simply be appended.
    pub(super) fn appends(&self) -> bool {
        self.column.is_none()
    }

    /// Appends a text without line ends; only where `appends`.
    pub(super) fn append(&mut self, text: &str, out: &mut Vec<u8>) {
        self.current().append(text);
        self.bound(out);
    }

    fn bound(&mut self, out: &mut Vec<u8>) {
        let (first, keeps) = (self.row == 0, self.keeps);
        if self.current().len() <= LONGEST_ROW {
            return;
        }
        if !keeps {
            return self.current().let_go(&mut Vec::new());
        }
        if !first {
            // What is above it comes before it.
            while self.row > 0 {
                self.give_first(out);
            }
        }
        self.current().let_go(out);
    }

    pub(super) fn print(&mut self, character: char, out: &mut Vec<u8>) {
        match self.column {
            None => self.current().push(character),
            Some(column) => {
                let next = self.current().put(column, character);
                self.column = if next == self.current().end() { None } else { Some(next) };
            }
        }
        self.bound(out);
    }

    pub(super) fn tab(&mut self, out: &mut Vec<u8>) {
        if self.column.is_none() {
            return self.print('\t', out);
        }
        let column = self.column();
        self.go_to_column(column + 8 - column % 8);
    }

    pub(super) fn carriage_return(&mut self) {
        self.go_to_column(0);
    }

    pub(super) fn backspace(&mut self) {
        let column = self.column();
        self.column = Some(column.saturating_sub(1));
    }

    /// Carriage return and line feed, from the end of the last row.
    pub(super) fn next_line(&mut self, out: &mut Vec<u8>) {
        self.go_to_column(0);
        self.line_feed(out);
        self.go_to_column(0);
    }

    pub(super) fn line_feed(&mut self, out: &mut Vec<u8>) {
        let column = self.column();
        if self.row == self.region.1 {
            self.scroll_up(out);
        } else if self.row + 1 < self.height {
            self.row += 1;
        }
        self.current();
        self.go_to_column(column);
    }

    fn scroll_up(&mut self, out: &mut Vec<u8>) {
        let (top, bottom) = self.region;
        let row = self.row;
        let spare = if top == 0 {
            self.give_first(out)
        } else {
            let mut spare = self.rows.remove(top).unwrap_or_default();
            spare.clear();
            spare
        };
        self.row = row;
        if self.rows.len() > bottom {
            self.rows.insert(bottom, spare);
        } else {
            while self.rows.len() < bottom {
                self.rows.push_back(Row::default());
            }
            self.rows.push_back(spare);
        }
    }

    /// Moves the lines of the region up (by `count`), or down.
    pub(super) fn scroll(&mut self, count: usize, up: bool, out: &mut Vec<u8>) {
        let (row, column) = (self.row, self.column());
        for _ in 0..count.min(self.height) {
            if up {
                self.row = self.region.1;
                self.scroll_up(out);
            } else {
                self.insert_rows_at(self.region.0, 1);
            }
        }
        self.roamed = true;
        self.row = row;
        self.current();
        self.go_to_column(column);
    }

    pub(super) fn reverse_line_feed(&mut self) {
        self.roamed = true;
        let column = self.column();
        if self.row == self.region.0 {
            self.insert_rows_at(self.region.0, 1)
        } else {
            self.row = self.row.saturating_sub(1)
        }
        self.go_to_column(column);
    }

    fn insert_rows_at(&mut self, at: usize, count: usize) {
        let bottom = self.region.1;
        for _ in 0..count.min(self.height) {
            if self.rows.len() > bottom {
                self.rows.remove(bottom);
            }
            while self.rows.len() < at {
                self.rows.push_back(Row::default());
            }
            self.rows.insert(at, Row::default());
        }
    }

    pub(super) fn insert_rows(&mut self, count: usize) {
        self.roamed = true;
        let at = self.row;
        if at >= self.region.0 && at <= self.region.1 {
            self.insert_rows_at(at, count);
        }
        self.go_to_column(0);
    }

    pub(super) fn delete_rows(&mut self, count: usize) {
        self.roamed = true;
        let (at, bottom) = (self.row, self.region.1);
        for _ in 0..count.min(self.height) {
            if at < self.rows.len() && at <= bottom {
                self.rows.remove(at);
                if self.rows.len() >= bottom {
                    self.rows.insert(bottom.min(self.rows.len()), Row::default());
                }
            }
        }
        self.current();
        self.go_to_column(0);
    }

    pub(super) fn set_region(&mut self, top: usize, bottom: usize) {
        let bottom = bottom.min(self.height - 1);
        self.region = if top < bottom { (top, bottom) } else { (0, self.height - 1) };
        self.go(0, 0);
    }

    /// Moves the cursor by rows, and stays on the screen.
    pub(super) fn up(&mut self, count: usize) {
        let column = self.column();
        self.roamed = true;
        self.row = self.row.saturating_sub(count);
        self.go_to_column(column);
    }

    pub(super) fn down(&mut self, count: usize) {
        let column = self.column();
        self.roamed = true;
        self.row = self.row.saturating_add(count).min(self.height - 1);
        self.current();
        self.go_to_column(column);
    }

    pub(super) fn forward(&mut self, count: usize) {
        let column = self.column();
        self.go_to_column(column.saturating_add(count).min(column.max(self.width - 1)));
    }

    pub(super) fn back(&mut self, count: usize) {
        let column = self.column();
        self.go_to_column(column.saturating_sub(count));
    }

    /// Puts the cursor into a column, which may be far right of the text.
    pub(super) fn go_to_column(&mut self, column: usize) {
        let end = self.current().end();
        self.column = if column == end { None } else { Some(column) };
    }

    pub(super) fn go_to_column_within(&mut self, column: usize) {
        self.go_to_column(column.min(self.width - 1));
    }

    pub(super) fn go_to_row(&mut self, row: usize) {
        let column = self.column();
        self.go(row, column);
    }

    pub(super) fn go(&mut self, row: usize, column: usize) {
        self.roamed = true;
        self.row = row.min(self.height - 1);
        self.go_to_column(column);
    }

    /// Puts the cursor where the screen is, as wide as it is.
    pub(super) fn go_within(&mut self, row: usize, column: usize) {
        self.go(row, column.min(self.width - 1));
    }

    pub(super) fn save(&mut self) {
        self.saved = (self.row, self.column());
    }

    pub(super) fn restore(&mut self) {
        let (row, column) = self.saved;
        self.go(row, column);
    }

    /// Erases in the cursor's line: what is behind it (0), before it (1), or all (2).
    pub(super) fn erase_line(&mut self, what: u16) {
        let column = self.column();
        match what {
            0 => self.current().erase(column, None),
            1 => self.current().erase(0, Some(column + 1)),
            2 => self.current().erase(0, None),
            _ => return,
        }
        self.go_to_column(column);
    }

    /// Erases what is below the cursor (0), above it (1), or all (2 and 3).
    pub(super) fn erase_screen(&mut self, what: u16) {
        let column = self.column();
        let row = self.row;
        if what != 0 || row + 1 < self.rows.len() {
            self.roamed = true;
        }
        match what {
            0 => {
                self.erase_line(0);
                self.rows.truncate(row + 1);
            }
            1 => {
                self.rows.iter_mut().take(row).for_each(Row::clear);
                self.erase_line(1);
            }
            2 | 3 => {
                self.rows.truncate(row + 1);
                self.rows.iter_mut().for_each(Row::clear);
            }
            _ => {}
        }
        self.go_to_column(column);
    }

    pub(super) fn erase_characters(&mut self, count: usize) {
        let column = self.column();
        self.current().erase(column, Some(column.saturating_add(count)));
        self.go_to_column(column);
    }

    pub(super) fn delete_characters(&mut self, count: usize) {
        let column = self.column();
        self.current().delete(column, count);
        self.go_to_column(column);
    }

    pub(super) fn insert_characters(&mut self, count: usize) {
        let column = self.column();
        let count = count.min(self.width);
        self.current().insert(column, count);
        self.go_to_column(column);
    }

    /// True where lines above the cursor's could be given away.
    pub(super) fn unsettled(&self) -> bool {
        self.keeps && !self.roamed && self.row > 0
    }

    /// Gives away the lines above the cursor's, as long as nothing has ever gone back to a line.
    pub(super) fn settle(&mut self, out: &mut Vec<u8>) {
        if self.unsettled() {
            let column = self.column;
            while self.row > 0 {
                self.give_first(out);
            }
            self.column = column;
        }
    }

    /// All lines as text.
    pub(super) fn view(&self, out: &mut Vec<u8>) {
        let mut count = self.rows.len();
        if self.roamed {
            while count > 1 && self.rows[count - 1].is_empty() && self.rows[count - 2].is_empty() {
                count -= 1;
            }
        }
        for (index, row) in self.rows.iter().take(count).enumerate() {
            if index > 0 {
                out.push(b'\n');
            }
            row.bytes(out);
        }
    }
}
