//! The `text` of an answer: what became of the command, what to know about it, and a summary of its output.

use crate::cut;
use std::fmt::Write;

/// The longest command that the first line shows whole, in characters.
const COMMAND_SHOWN: usize = 2000;

/// A command that ran, as its text tells of it.
#[derive(Clone, Debug, Default)]
pub struct Story<'a> {
    /// The command, as written.
    pub command: &'a str,
    /// The code it returned.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<&'a str>,
    /// How long it ran.
    pub time_ms: u64,
    /// The timeout that ended it.
    pub timed_out: Option<u64>,
    /// Whether output is missing from the data.
    pub truncated: bool,
    /// Standard output and standard error.
    pub streams: [Stream<'a>; 2],
    /// How many characters of each stream the summary shows.
    pub summary: usize,
}

/// An output stream, as the text tells of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stream<'a> {
    /// Its name in the data.
    pub name: &'a str,
    /// What the data holds of it.
    pub text: &'a str,
    /// How many bytes the process wrote.
    pub bytes: u64,
    /// How many of them were not kept.
    pub dropped: u64,
    /// How many characters of what was kept the limit left out.
    pub cut: usize,
    /// Whether bytes were no UTF-8.
    pub invalid: bool,
    /// Whether something still held it open when the process had ended.
    pub leaked: bool,
}

impl Story<'_> {
    /// Words it.
    #[must_use]
    pub fn worded(&self) -> String {
        let shown: usize = self.streams.iter().map(|stream| stream.text.len().min(4 * self.summary)).sum();
        let mut text = String::with_capacity(shown + self.command.len().min(4 * COMMAND_SHOWN) + 512);
        let succeeded = self.exit_code == Some(0) && self.timed_out.is_none();
        text.push_str(if succeeded { "Command succeeded: " } else { "Command failed: " });
        shortened(&mut text, self.command, COMMAND_SHOWN, "data.command");
        text.push_str("\n(Exit code ");
        match self.exit_code {
            Some(code) => written(&mut text, format_args!("{code}")),
            None => text.push_str("none"),
        }
        written(&mut text, format_args!(". Took {}ms)", self.time_ms));
        self.warnings(&mut text);
        for stream in self.streams.iter().filter(|stream| !stream.text.is_empty()) {
            stream.section(&mut text, self.summary);
        }
        text
    }

    fn warnings(&self, text: &mut String) {
        if let Some(after) = self.timed_out {
            written(
                text,
                format_args!(
                    "\n[Timed out: stopped after {after}ms. The output up to then is kept. Raise timeout_ms (at most \
                     600000) or run less at once.]"
                ),
            );
        }
        if let Some(signal) = self.signal {
            written(text, format_args!("\n[Signal: ended by {signal}.]"));
        }
        if self.truncated {
            text.push_str("\n[Truncated: Output exceeded limit. Narrow command or redirect to file.]");
        }
        for stream in &self.streams {
            stream.warnings(text);
        }
    }
}

impl Stream<'_> {
    fn warnings(&self, text: &mut String) {
        let name = self.name;
        if self.dropped > 0 {
            let (dropped, bytes) = (self.dropped, self.bytes);
            written(text, format_args!("\n[{name}: {dropped} of {bytes} bytes, from the middle, were not kept.]"));
        }
        if self.cut > 0 {
            written(text, format_args!("\n[{name}: {} characters were left out of the middle.]", self.cut));
        }
        if self.invalid {
            written(text, format_args!("\n[{name}: some bytes were not UTF-8 and are shown as \u{fffd}.]"));
        }
        if self.leaked {
            written(
                text,
                format_args!(
                    "\n[{name}: a process left in the background still held it open; what it prints later is not here.]"
                ),
            );
        }
    }

    fn section(&self, text: &mut String, summary: usize) {
        written(text, format_args!("\n\n--- {} ({} bytes) ---\n", self.name.to_ascii_uppercase(), self.bytes));
        let shown = self.text.strip_suffix('\n').unwrap_or(self.text);
        let place = ["data.", self.name].concat();
        shortened(text, shown, summary, &place);
    }
}

/// Appends a text, its middle left out where it is longer than the limit.
fn shortened(out: &mut String, text: &str, limit: usize, whole: &str) {
    let Some(cut) = cut::middle(text, limit) else {
        out.push_str(text);
        return;
    };
    out.push_str(cut.head);
    if !cut.head.is_empty() && !cut.head.ends_with('\n') {
        out.push('\n');
    }
    let characters = cut.middle.chars().count();
    written(out, format_args!("... [{characters} characters left out here; {whole} has them] ...\n"));
    out.push_str(cut.tail);
}

fn written(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = out.write_fmt(arguments);
}

#[cfg(test)]
mod tests {
    use super::{Story, Stream};

    fn stream<'a>(name: &'a str, text: &'a str) -> Stream<'a> {
        Stream { name, text, bytes: text.len() as u64, ..Stream::default() }
    }

    fn story<'a>(command: &'a str, exit_code: Option<i32>, stdout: &'a str, stderr: &'a str) -> Story<'a> {
        Story {
            command,
            exit_code,
            time_ms: 1240,
            streams: [stream("stdout", stdout), stream("stderr", stderr)],
            summary: 30_000,
            ..Story::default()
        }
    }

    #[test]
    fn the_format_is_the_specifications() {
        for (story, expected) in [
            (story("true", Some(0), "", ""), "Command succeeded: true\n(Exit code 0. Took 1240ms)"),
            (
                story("pytest", Some(0), "42 passed\n", ""),
                "Command succeeded: pytest\n(Exit code 0. Took 1240ms)\n\n--- STDOUT (10 bytes) ---\n42 passed",
            ),
            (
                story("npm test", Some(1), "a\nb\n", "Error: x"),
                "Command failed: npm test\n(Exit code 1. Took 1240ms)\n\n--- STDOUT (4 bytes) ---\na\nb\n\n\
                 --- STDERR (8 bytes) ---\nError: x",
            ),
            (
                Story { signal: Some("SIGSEGV"), ..story("./crash", None, "", "") },
                "Command failed: ./crash\n(Exit code none. Took 1240ms)\n[Signal: ended by SIGSEGV.]",
            ),
        ] {
            assert_eq!(story.worded(), expected);
        }
    }

    #[test]
    fn warnings_stand_between_head_and_output() {
        let mut timed_out = story("make", Some(0), "x\n", "");
        timed_out.timed_out = Some(2000);
        timed_out.truncated = true;
        timed_out.streams[0].dropped = 7;
        timed_out.streams[0].bytes = 9;
        timed_out.streams[0].cut = 3;
        timed_out.streams[1].leaked = true;
        timed_out.streams[1].invalid = true;
        assert_eq!(
            timed_out.worded(),
            "Command failed: make\n(Exit code 0. Took 1240ms)\n\
             [Timed out: stopped after 2000ms. The output up to then is kept. Raise timeout_ms (at most 600000) or run \
             less at once.]\n\
             [Truncated: Output exceeded limit. Narrow command or redirect to file.]\n\
             [stdout: 7 of 9 bytes, from the middle, were not kept.]\n\
             [stdout: 3 characters were left out of the middle.]\n\
             [stderr: some bytes were not UTF-8 and are shown as \u{fffd}.]\n\
             [stderr: a process left in the background still held it open; what it prints later is not here.]\n\n\
             --- STDOUT (9 bytes) ---\nx"
        );
    }

    #[test]
    fn long_output_is_summarised_by_its_first_and_last_lines() {
        let output: String = (0..100).map(|number| format!("line {number}\n")).collect();
        let mut long = story("make", Some(0), &output, "");
        long.summary = 40;
        let worded = long.worded();
        assert!(
            worded.ends_with(
                "--- STDOUT (790 bytes) ---\nline 0\nline 1\n... [760 characters left out here; data.stdout has them] \
                 ...\nline 98\nline 99"
            ),
            "{worded}"
        );
    }
}
