//! Watches: lines that hold a pattern, across the borders of what is printed.

use crate::contract::{Hit, StartError, Stdstream, Watch, WatchError};

use super::state::JobState;

/// What a job's watches have seen.
#[derive(Clone, Debug)]
pub(super) struct Watching {
    /// What each stream has printed of a line that has not ended.
    lines: [String; 2],
    /// The watches that still look.
    looking: Vec<Watch>,
}

/// Refuses a pattern that cannot be one.
pub(super) fn check(watches: &[Watch]) -> Result<(), StartError> {
    let wrong = |watch: &Watch| watch.pattern.find('(').filter(|_| !watch.pattern.contains(')'));
    match watches.iter().enumerate().find_map(|(index, watch)| Some((index, wrong(watch)?))) {
        None => Ok(()),
        Some((index, offset)) => Err(StartError::WatchInvalid(WatchError {
            index: index as u32,
            offset: offset as u32,
            message: "unclosed group".into(),
        })),
    }
}

impl Watching {
    pub(super) fn new(watches: &[Watch]) -> Self {
        Self { lines: [String::new(), String::new()], looking: watches.to_vec() }
    }

    /// Gives the names and lines of what matches in what was printed.
    fn look(&mut self, stream: Stdstream, text: &str) -> Vec<(String, String)> {
        let mut hits = Vec::new();
        let line = &mut self.lines[usize::from(stream == Stdstream::Stderr)];
        line.push_str(text);
        while let Some(end) = line.find('\n') {
            let whole: String = line.drain(..=end).collect();
            let whole = whole.trim_end_matches('\n');
            self.looking.retain(|watch| {
                let matches = watch.scope.is_none_or(|scope| scope == stream) && whole.contains(&watch.pattern);
                if matches {
                    hits.push((watch.event.clone(), whole.to_owned()));
                }
                !(matches && watch.once)
            });
        }
        hits
    }
}

impl JobState {
    /// Looks for hits in what was printed, and records them.
    pub(super) fn watch(&mut self, at: u64, stream: Stdstream, bytes: &[u8]) -> Vec<Hit> {
        let found = self.watching.look(stream, &String::from_utf8_lossy(bytes));
        let mut hits = Vec::new();
        for (event, line) in found {
            self.record_event(at, &event, serde_json::Value::from(line.as_str()).to_string());
            let seq = self.items.len() as u64;
            hits.push(Hit { event, printed_on: stream, line, seq, suppressed: 0 });
        }
        hits
    }
}
