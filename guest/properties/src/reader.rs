//! Choices and texts out of bytes.

/// Reads an input from its beginning; past its end everything is zero or empty.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Takes a byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    /// Chooses one of some things.
    ///
    /// # Panics
    /// When there is nothing to choose from.
    pub fn choose<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[usize::from(self.byte()) % things.len()]
    }

    /// Takes the text up to a line end.
    pub fn line(&mut self) -> String {
        let end = self.rest.iter().position(|byte| *byte == b'\n').unwrap_or(self.rest.len());
        let line = String::from_utf8_lossy(&self.rest[..end]).into_owned();
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        line
    }

    /// Takes all that is left.
    #[must_use]
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.rest).into_owned()
    }

    /// Takes all that is left.
    #[must_use]
    pub const fn bytes(self) -> &'a [u8] {
        self.rest
    }

    /// Tells whether anything is left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}
