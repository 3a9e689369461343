//! What a launch has asked to look for in the output: patterns, matched line by line, told no faster than is of use.

use std::time::{Duration, Instant};

use regex::bytes::{Regex, RegexBuilder};

use crate::policy::contract::processes::Watch as Wanted;
use crate::policy::contract::types::{Stdstream, WatchError};
use crate::process::Stream;

/// The longest line, in bytes; a longer one is matched in pieces of this length.
pub(crate) const LONGEST_LINE: usize = 64 << 10;

/// Watches of one job.
const MOST: usize = 64;

/// Bytes that one compiled pattern may take: what nested counts could otherwise make of a short text.
const COMPILED: usize = 1 << 20;

/// Hits of one watch that are told at once; then one for each `INTERVAL` that has passed.
const BURST: u32 = 20;
const INTERVAL: Duration = Duration::from_millis(100);

/// The longest excerpt of a line in a hit, in bytes.
const EXCERPT: usize = 4 << 10;

/// The watches of one job.
#[derive(Debug, Default)]
pub(crate) struct Watches(Vec<Watch>);

#[derive(Debug)]
struct Watch {
    pattern: Regex,
    event: String,
    once: bool,
    scope: Option<Stream>,
    /// Set when it had its only hit.
    done: bool,
    rate: Rate,
    /// The newest match that was not told, and how many before it were not.
    held: Option<(Stream, String, u64)>,
}

/// How many more hits may be told now.
#[derive(Debug)]
struct Rate {
    left: u32,
    since: Option<Instant>,
}

/// A match that is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub event: String,
    pub stream: Stream,
    pub line: String,
    pub suppressed: u64,
}

impl Watches {
    /// Compiles the patterns, or says which is wrong and where.
    pub(crate) fn compile(wanted: &[Wanted]) -> Result<Self, WatchError> {
        let error = |index: usize, offset: usize, message: String| WatchError {
            index: u32::try_from(index).unwrap_or(u32::MAX),
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            message,
        };
        if wanted.len() > MOST {
            return Err(error(MOST, 0, format!("a job may have {MOST} watches")));
        }
        let compile = |(index, wanted): (usize, &Wanted)| {
            let pattern = compile(&wanted.pattern).map_err(|(offset, message)| error(index, offset, message))?;
            Ok(Watch {
                pattern,
                event: wanted.event.clone(),
                once: wanted.once,
                scope: wanted.scope.map(native),
                done: false,
                rate: Rate { left: BURST, since: None },
                held: None,
            })
        };
        wanted.iter().enumerate().map(compile).collect::<Result<_, _>>().map(Self)
    }

    /// Whether any could still match.
    pub(crate) fn look(&self) -> bool {
        self.0.iter().any(|watch| !watch.done)
    }

    /// Whether a match waits to be told.
    pub(crate) fn holds_back(&self) -> bool {
        self.0.iter().any(|watch| watch.held.is_some())
    }

    /// Matches a line, without its end, and gives what is to be told of it; without `room` nothing is, and it counts.
    pub(crate) fn line(&mut self, stream: Stream, line: &[u8], room: bool, now: Instant) -> Vec<Hit> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let wanted = |watch: &&mut Watch| !watch.done && watch.scope.is_none_or(|scope| scope == stream);
        let matching = self.0.iter_mut().filter(wanted).filter(|watch| watch.pattern.is_match(line));
        matching.filter_map(|watch| watch.matched(stream, line, room, now)).collect()
    }

    /// Gives the newest of the matches that were held back, where they may be told again, or at the end all of them.
    pub(crate) fn held(&mut self, end: bool, now: Instant) -> Vec<Hit> {
        self.0.iter_mut().filter_map(|watch| watch.release(end, now)).collect()
    }
}

impl Watch {
    fn matched(&mut self, stream: Stream, line: &[u8], room: bool, now: Instant) -> Option<Hit> {
        self.done = self.once;
        let untold = self.held.take().map_or(0, |(_, _, before)| before + 1);
        if room && self.rate.allows(now) {
            return Some(Hit { event: self.event.clone(), stream, line: excerpt(line), suppressed: untold });
        }
        self.held = Some((stream, excerpt(line), untold));
        None
    }

    fn release(&mut self, end: bool, now: Instant) -> Option<Hit> {
        if self.held.is_none() || !(end || self.rate.allows(now)) {
            return None;
        }
        let (stream, line, suppressed) = self.held.take()?;
        Some(Hit { event: self.event.clone(), stream, line, suppressed })
    }
}

impl Rate {
    fn allows(&mut self, now: Instant) -> bool {
        let since = *self.since.get_or_insert(now);
        let earned = now.saturating_duration_since(since).as_millis() / INTERVAL.as_millis();
        if earned > 0 {
            let earned = u32::try_from(earned).unwrap_or(u32::MAX);
            self.left = self.left.saturating_add(earned).min(BURST);
            self.since = Some(since + INTERVAL.saturating_mul(earned));
        }
        let allowed = self.left > 0;
        self.left -= u32::from(allowed);
        allowed
    }
}

/// Compiles a pattern, or says at which byte it is wrong.
fn compile(pattern: &str) -> Result<Regex, (usize, String)> {
    // The engine's own error has no position, so the text is read once more by the library that reads it for the engine.
    let parsed = regex_syntax::ParserBuilder::new().utf8(false).build().parse(pattern);
    if let Err(error) = parsed {
        return Err(match error {
            regex_syntax::Error::Parse(error) => (error.span().start.offset, error.kind().to_string()),
            regex_syntax::Error::Translate(error) => (error.span().start.offset, error.kind().to_string()),
            other => (0, other.to_string()),
        });
    }
    RegexBuilder::new(pattern).size_limit(COMPILED).build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            (0, format!("it takes more than {} KiB when compiled; write smaller counts", COMPILED >> 10))
        }
        other => (0, other.to_string()),
    })
}

fn excerpt(line: &[u8]) -> String {
    let cut = String::from_utf8_lossy(&line[..line.len().min(EXCERPT)]);
    if line.len() <= EXCERPT {
        return cut.into_owned();
    }
    // What was cut inside a character ends in one that stands for its beginning.
    format!("{}…", cut.trim_end_matches(char::REPLACEMENT_CHARACTER))
}

fn native(stream: Stdstream) -> Stream {
    match stream {
        Stdstream::Stdout => Stream::Stdout,
        Stdstream::Stderr => Stream::Stderr,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(pattern: &str, once: bool, scope: Option<Stdstream>) -> Wanted {
        Wanted { pattern: pattern.into(), event: pattern.into(), once, scope }
    }

    fn error(patterns: &[&str]) -> (u32, u32, String) {
        let wanted: Vec<_> = patterns.iter().map(|pattern| wanted(pattern, false, None)).collect();
        let error = Watches::compile(&wanted).unwrap_err();
        (error.index, error.offset, error.message)
    }

    #[test]
    fn what_is_wrong_is_told_by_place() {
        assert_eq!(error(&["a", "b(c"]), (1, 1, "unclosed group".into()));
        assert_eq!(error(&["ä[z-a]"]).1, 3);
        assert!(error(&["(?=a)"]).2.contains("look-around"));
        assert!(error(&[r"(a)\1"]).2.contains("backreferences"));
        assert!(error(&["(?:a{1000}){1000}"]).2.contains("when compiled"));
        assert_eq!(error(&["a"; MOST + 1]).0, 64);
    }

    #[test]
    fn scope_and_once_are_kept_to() {
        let now = Instant::now();
        let wanted =
            [wanted("^err", false, Some(Stdstream::Stderr)), wanted("ready$", true, None), wanted("no", false, None)];
        let mut watches = Watches::compile(&wanted).unwrap();
        assert_eq!(watches.line(Stream::Stdout, b"error", true, now), []);
        assert_eq!(watches.line(Stream::Stderr, b"error", true, now).len(), 1);
        assert_eq!(watches.line(Stream::Stdout, b"it is ready\r", true, now)[0].line, "it is ready");
        assert_eq!(watches.line(Stream::Stdout, b"ready", true, now), []);
        assert_eq!(watches.line(Stream::Stderr, b"\xff no \xff", true, now)[0].line, "\u{fffd} no \u{fffd}");
        assert!(watches.look());
    }

    #[test]
    fn a_flood_is_told_in_part_and_counted_to_the_last() {
        let start = Instant::now();
        let mut watches = Watches::compile(&[wanted("x", false, None)]).unwrap();
        let mut hits = Vec::new();
        for number in 0..10_000_u64 {
            // A thousand a second.
            let now = start + Duration::from_millis(number);
            hits.extend(watches.line(Stream::Stdout, format!("x{number}").as_bytes(), true, now));
        }
        assert!((100..140).contains(&hits.len()), "{}", hits.len());
        assert!(watches.holds_back());
        hits.extend(watches.held(true, start + Duration::from_secs(10)));
        assert_eq!(hits.iter().map(|hit| 1 + hit.suppressed).sum::<u64>(), 10_000);
        assert_eq!(hits.last().unwrap().line, "x9999");
        assert!(!watches.holds_back());
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let mut watches = Watches::compile(&[wanted("x", false, None)]).unwrap();
        let line = format!("{}ä", "x".repeat(EXCERPT - 1));
        let hits = watches.line(Stream::Stdout, line.as_bytes(), true, Instant::now());
        assert_eq!(hits[0].line, format!("{}…", "x".repeat(EXCERPT - 1)));
    }
}
