//! The answer's text: the specification's `formatOutput` line by line, and notes behind it for what it leaves unsaid.

use std::fmt::Write;

use shellward_kit::Host;
use shellward_kit::contract::{Exit, Job, Stdstream, Window};
use shellward_kit::exit::shell_code;

use crate::settings::Settings;

/// What the first line says.
#[derive(Clone, Debug)]
pub enum Header<'a> {
    /// The process ended so.
    Exit(&'a Exit),
    /// The process was killed after so many seconds.
    TimedOut {
        /// The timeout.
        seconds: u32,
        /// Whether it had not even ended some time after it was killed.
        abandoned: bool,
    },
}

/// What is shown of a stream.
struct Shown {
    text: String,
    /// Bytes in all, where not all of them are shown.
    cut_from: Option<u64>,
}

/// Words the answer for a job that ran.
pub fn format_output<H: Host>(host: &H, job: &Job, header: &Header<'_>, max_length: u32) -> String {
    let stdout = read(host, job, Stdstream::Stdout, max_length);
    let stderr = read(host, job, Stdstream::Stderr, max_length);
    let mut text = format(header, &stdout.text, &stderr.text);
    let notes = notes(host, job, header, &stdout, &stderr);
    if !notes.is_empty() {
        text.push_str("\n\n");
        text.push_str(&notes.join("\n"));
    }
    text
}

fn read<H: Host>(host: &H, job: &Job, stream: Stdstream, max_length: u32) -> Shown {
    // A job whose output the host does not keep printed nothing that could be shown.
    let Ok(mut excerpt) = host.read(&job.id, stream, Window::Head(max_length.into())) else {
        return Shown { text: String::new(), cut_from: None };
    };
    let cut = excerpt.gap.is_some() || excerpt.after > 0;
    if let Some(gap) = &excerpt.gap {
        // What follows a gap is no continuation.
        excerpt.text.truncate(usize::try_from(gap.at).unwrap_or(usize::MAX));
    }
    Shown { text: excerpt.text, cut_from: cut.then_some(excerpt.total) }
}

/// The specification's `formatOutput`.
fn format(header: &Header<'_>, stdout: &str, stderr: &str) -> String {
    let mut text = String::with_capacity(stdout.len() + stderr.len() + 160);
    // Writing to a string does not fail.
    let _ = match header {
        Header::TimedOut { seconds, .. } => writeln!(text, "[Exit Code: -1 (timeout after {seconds}s)]"),
        Header::Exit(exit) => writeln!(text, "[Exit Code: {}]", shell_code(exit)),
    };
    if !stdout.is_empty() {
        text.push('\n');
        push_lines(&mut text, stdout);
    }
    if !stderr.is_empty() {
        text.push_str("\n[stderr]\n");
        push_lines(&mut text, stderr);
    }
    match header {
        Header::TimedOut { seconds, .. } => {
            if stderr.is_empty() {
                text.push_str("\n[stderr]\n");
            }
            let _ = writeln!(text, "Process killed after {seconds} seconds timeout.");
        }
        Header::Exit(_) if stdout.is_empty() && stderr.is_empty() => text.push_str("\n(no output)\n"),
        Header::Exit(_) => {}
    }
    text.truncate(text.trim_end_matches(is_whitespace).len());
    text
}

fn push_lines(text: &mut String, lines: &str) {
    text.push_str(lines);
    if !lines.ends_with('\n') {
        text.push('\n');
    }
}

/// Whether Kotlin's `trim` takes a character off: almost Unicode's white space.
pub fn is_whitespace(character: char) -> bool {
    match character {
        '\u{1c}'..='\u{1f}' => true,
        '\u{85}' => false,
        other => other.is_whitespace(),
    }
}

/// The lines that the specification does not have: only where something would otherwise go unsaid.
fn notes<H: Host>(host: &H, job: &Job, header: &Header<'_>, stdout: &Shown, stderr: &Shown) -> Vec<String> {
    let mut notes = Vec::new();
    if let Header::TimedOut { abandoned: true, .. } = header {
        notes.push("[the process has not ended 5 seconds after SIGKILL]".to_owned());
    }
    let cut = stdout.cut_from.is_some() || stderr.cut_from.is_some();
    let leaked = job.stdout.leaked || job.stderr.leaked;
    if !cut && !leaked {
        return notes;
    }
    // Settings that cannot be read now are those of a policy swapped in meanwhile; what is unsaid is then said.
    let settings = Settings::read(&host.settings()).ok();
    let note_truncation = settings.as_ref().is_none_or(|settings| settings.note_truncation);
    let note_leaks = settings.as_ref().is_none_or(|settings| settings.note_leaks);
    for (name, shown, state) in [("stdout", stdout, &job.stdout), ("stderr", stderr, &job.stderr)] {
        if let Some(total) = shown.cut_from.filter(|_| note_truncation) {
            let characters = shown.text.chars().count();
            notes.push(format!(
                "[{name} truncated: the first {characters} characters are shown, of {total} bytes in all]"
            ));
        }
        if state.leaked && note_leaks {
            notes.push(format!("[{name} is still held open by a process that the command left running]"));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_what_kotlin_trims() {
        for character in [' ', '\t', '\n', '\r', '\u{1c}', '\u{1f}', '\u{a0}', '\u{2028}', '\u{3000}'] {
            assert!(is_whitespace(character), "{character:?}");
        }
        for character in ['\u{85}', '\u{200b}', '\0', 'x'] {
            assert!(!is_whitespace(character), "{character:?}");
        }
    }
}
