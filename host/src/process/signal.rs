//! Signals by number and by name, both ways.

use std::borrow::Cow;
use std::fmt;

use nix::libc;

/// A signal number that this system knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signal(i32);

/// The classic signals, in the spelling that programs and people use.
const NAMED: [(&str, i32); 31] = [
    ("HUP", libc::SIGHUP),
    ("INT", libc::SIGINT),
    ("QUIT", libc::SIGQUIT),
    ("ILL", libc::SIGILL),
    ("TRAP", libc::SIGTRAP),
    ("ABRT", libc::SIGABRT),
    ("BUS", libc::SIGBUS),
    ("FPE", libc::SIGFPE),
    ("KILL", libc::SIGKILL),
    ("USR1", libc::SIGUSR1),
    ("SEGV", libc::SIGSEGV),
    ("USR2", libc::SIGUSR2),
    ("PIPE", libc::SIGPIPE),
    ("ALRM", libc::SIGALRM),
    ("TERM", libc::SIGTERM),
    ("STKFLT", libc::SIGSTKFLT),
    ("CHLD", libc::SIGCHLD),
    ("CONT", libc::SIGCONT),
    ("STOP", libc::SIGSTOP),
    ("TSTP", libc::SIGTSTP),
    ("TTIN", libc::SIGTTIN),
    ("TTOU", libc::SIGTTOU),
    ("URG", libc::SIGURG),
    ("XCPU", libc::SIGXCPU),
    ("XFSZ", libc::SIGXFSZ),
    ("VTALRM", libc::SIGVTALRM),
    ("PROF", libc::SIGPROF),
    ("WINCH", libc::SIGWINCH),
    ("IO", libc::SIGIO),
    ("PWR", libc::SIGPWR),
    ("SYS", libc::SIGSYS),
];

/// Older or shorter names of signals in `NAMED`.
const OTHER_NAMES: [(&str, i32); 4] =
    [("IOT", libc::SIGABRT), ("CLD", libc::SIGCHLD), ("POLL", libc::SIGIO), ("UNUSED", libc::SIGSYS)];

impl Signal {
    /// SIGHUP, the terminal is gone.
    pub const HUP: Self = Self(libc::SIGHUP);
    /// SIGINT, what Ctrl-C sends.
    pub const INT: Self = Self(libc::SIGINT);
    /// SIGQUIT, which asks for a core dump too.
    pub const QUIT: Self = Self(libc::SIGQUIT);
    /// SIGUSR1, which a program gives its own meaning.
    pub const USR1: Self = Self(libc::SIGUSR1);
    /// SIGUSR2, which a program gives its own meaning.
    pub const USR2: Self = Self(libc::SIGUSR2);
    /// SIGTERM, a request to end.
    pub const TERM: Self = Self(libc::SIGTERM);
    /// SIGKILL, which cannot be caught.
    pub const KILL: Self = Self(libc::SIGKILL);
    /// SIGSTOP, which freezes and cannot be caught.
    pub const STOP: Self = Self(libc::SIGSTOP);
    /// SIGCONT, which thaws.
    pub const CONT: Self = Self(libc::SIGCONT);

    /// Returns the signal with this number, or `None` where the system has no such signal.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        (1..=libc::SIGRTMAX()).contains(&number).then_some(Self(number))
    }

    /// Finds a signal by name (`SIGKILL`, `KILL`, `kill`, `SIGRTMIN+3`) or by its number in digits.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_uppercase();
        if let Ok(number) = name.parse() {
            return Self::from_number(number);
        }
        let short = name.strip_prefix("SIG").unwrap_or(&name);
        let named = NAMED.iter().chain(&OTHER_NAMES).find(|(known, _)| *known == short);
        named.map(|(_, number)| Self(*number)).or_else(|| realtime(short))
    }

    /// Returns the signal's number.
    #[must_use]
    pub fn number(self) -> i32 {
        self.0
    }

    /// Returns the signal's full name, such as `SIGKILL` or `SIGRTMIN+3`.
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        let (first, last) = (libc::SIGRTMIN(), libc::SIGRTMAX());
        if let Some((name, _)) = NAMED.iter().find(|(_, number)| *number == self.0) {
            return Cow::Owned(format!("SIG{name}"));
        }
        match self.0 {
            number if number == first => Cow::Borrowed("SIGRTMIN"),
            number if number == last => Cow::Borrowed("SIGRTMAX"),
            // Shells count from whichever end is nearer.
            number if number > first && number - first <= (last - first) / 2 => {
                Cow::Owned(format!("SIGRTMIN+{}", number - first))
            }
            number if number > first => Cow::Owned(format!("SIGRTMAX-{}", last - number)),
            // 32 and 33 belong to the C library's threads and have no name.
            number => Cow::Owned(format!("SIG{number}")),
        }
    }
}

/// Reads `RTMIN`, `RTMIN+n`, `RTMAX` and `RTMAX-n`.
fn realtime(short: &str) -> Option<Signal> {
    let (first, last) = (libc::SIGRTMIN(), libc::SIGRTMAX());
    let number = if let Some(offset) = short.strip_prefix("RTMIN") {
        match offset {
            "" => first,
            _ => first.checked_add(offset.strip_prefix('+')?.parse().ok()?)?,
        }
    } else {
        match short.strip_prefix("RTMAX")? {
            "" => last,
            offset => last.checked_sub(offset.strip_prefix('-')?.parse().ok()?)?,
        }
    };
    (first..=last).contains(&number).then_some(Signal(number))
}

impl fmt::Display for Signal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_survives_the_way_to_its_name_and_back() {
        for number in 1..=libc::SIGRTMAX() {
            let signal = Signal::from_number(number).unwrap();
            if (32..libc::SIGRTMIN()).contains(&number) {
                continue;
            }
            assert_eq!(Signal::from_name(&signal.name()), Some(signal), "{signal}");
        }
    }

    #[test]
    fn names_are_read_in_the_spellings_people_use() {
        let cases = [
            ("SIGKILL", 9),
            ("KILL", 9),
            ("sigterm", 15),
            (" term ", 15),
            ("9", 9),
            ("SIGIOT", libc::SIGABRT),
            ("SIGRTMIN", 34),
            ("RTMIN+3", 37),
            ("SIGRTMAX-1", 63),
            ("SIGRTMAX", 64),
        ];
        for (name, number) in cases {
            assert_eq!(Signal::from_name(name).map(Signal::number), Some(number), "{name}");
        }
    }

    #[test]
    fn what_is_no_signal_is_none() {
        for name in ["", "SIG", "SIGFOO", "0", "65", "-9", "RTMIN-1", "RTMIN+31", "RTMAX+1", "RTMIN+", "SIGRTMINX"] {
            assert_eq!(Signal::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn realtime_names_count_from_the_nearer_end() {
        assert_eq!(Signal::from_number(35).unwrap().name(), "SIGRTMIN+1");
        assert_eq!(Signal::from_number(49).unwrap().name(), "SIGRTMIN+15");
        assert_eq!(Signal::from_number(50).unwrap().name(), "SIGRTMAX-14");
        assert_eq!(Signal::from_number(9).unwrap().name(), "SIGKILL");
    }
}
