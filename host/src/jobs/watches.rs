//! What a launch has asked to look for in the output: patterns, matched line by line, told no faster than is of use.

use std::ops::Range;
use std::time::{Duration, Instant};

use regex::bytes::{Regex, RegexBuilder};

use super::lines::Window;
use crate::policy::contract::processes::Watch as Wanted;
use crate::policy::contract::types::{Stdstream, WatchError};
use crate::process::Stream;

/// Watches of one job: a bit each in what is remembered of a line.
const MOST: usize = u64::BITS as usize;

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

    /// Matches a line, or a window of one, and gives what is to be told of it and who has matched; without `room`
    /// nothing is told, and it counts.
    pub(super) fn read(&mut self, stream: Stream, window: Window<'_>, room: bool, now: Instant) -> (Vec<Hit>, u64) {
        let (mut hits, mut matched) = (Vec::new(), 0);
        for (index, watch) in self.0.iter_mut().enumerate() {
            let bit = 1 << index;
            if watch.done || watch.scope.is_some_and(|scope| scope != stream) {
                continue;
            }
            if let Some(line) = watch.find(&window, window.matched & bit != 0) {
                matched |= bit;
                hits.extend(watch.matched(stream, line, room, now));
            }
        }
        (hits, matched)
    }

    /// Gives the newest of the matches that were held back, where they may be told again, or at the end all of them.
    pub(crate) fn held(&mut self, end: bool, now: Instant) -> Vec<Hit> {
        self.0.iter_mut().filter_map(|watch| watch.release(end, now)).collect()
    }
}

impl Watch {
    /// Looks for a match, and gives the line as it is told. What has matched in the window before is told once.
    fn find(&self, window: &Window<'_>, before: bool) -> Option<String> {
        let from = if before { window.new } else { window.from };
        if (window.goes_on() && from == window.text.len()) || !self.pattern.is_match_at(window.searched, from) {
            return None;
        }
        let at = match window.text.len() > EXCERPT {
            true => self.pattern.find_at(window.searched, from).map_or(0..0, |found| found.range()),
            false => 0..0,
        };
        Some(excerpt(window, at))
    }

    fn matched(&mut self, stream: Stream, line: String, room: bool, now: Instant) -> Option<Hit> {
        self.done = self.once;
        let untold = self.held.take().map_or(0, |(_, _, before)| before + 1);
        if room && self.rate.allows(now) {
            return Some(Hit { event: self.event.clone(), stream, line, suppressed: untold });
        }
        self.held = Some((stream, line, untold));
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

/// A line as it is told: whole, or the part of it around the match.
fn excerpt(window: &Window<'_>, found: Range<usize>) -> String {
    let text = window.text;
    let start = if found.end <= EXCERPT { 0 } else { found.start.saturating_sub(EXCERPT / 4).min(text.len()) };
    let end = text.len().min(start + EXCERPT);
    let shown = String::from_utf8_lossy(&text[start..end]);
    let mut shown = shown.as_ref();
    let (mut before, mut after) = ("", "");
    // What was cut inside a character begins or ends with one that stands for the rest of it.
    if start > 0 || window.goes_on() {
        (before, shown) = ("…", shown.trim_start_matches(char::REPLACEMENT_CHARACTER));
    }
    if end < text.len() || window.is_cut() {
        (after, shown) = ("…", shown.trim_end_matches(char::REPLACEMENT_CHARACTER));
    }
    format!("{before}{shown}{after}")
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

    fn line(watches: &mut Watches, stream: Stream, line: &[u8], now: Instant) -> Vec<Hit> {
        watches.read(stream, Window::whole(line), true, now).0
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
        assert_eq!(line(&mut watches, Stream::Stdout, b"error", now), []);
        assert_eq!(line(&mut watches, Stream::Stderr, b"error", now).len(), 1);
        assert_eq!(line(&mut watches, Stream::Stdout, b"it is ready", now)[0].line, "it is ready");
        assert_eq!(line(&mut watches, Stream::Stdout, b"ready", now), []);
        assert_eq!(line(&mut watches, Stream::Stderr, b"\xff no \xff", now)[0].line, "\u{fffd} no \u{fffd}");
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
            hits.extend(line(&mut watches, Stream::Stdout, format!("x{number}").as_bytes(), now));
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
        let text = format!("{}ä", "x".repeat(EXCERPT - 1));
        let hits = line(&mut watches, Stream::Stdout, text.as_bytes(), Instant::now());
        assert_eq!(hits[0].line, format!("{}…", "x".repeat(EXCERPT - 1)));
        let text = format!("{}x{}", "ä".repeat(EXCERPT), "ö".repeat(EXCERPT));
        let hits = line(&mut watches, Stream::Stdout, text.as_bytes(), Instant::now());
        let shown = &hits[0].line;
        assert!(shown.starts_with("…ä") && shown.contains("äxö") && shown.ends_with("ö…"), "around the match: {shown}");
        assert!(shown.len() <= EXCERPT + 6);
    }
}
