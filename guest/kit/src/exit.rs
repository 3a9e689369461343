//! How shells and Java say that a signal ended a process.

use crate::contract::{Exit, Job};

/// The signals of Linux on most processors, from 1.
const SIGNALS: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
    "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO",
    "PWR", "SYS",
];

/// Gives the number of a signal by its name, such as `SIGKILL`.
pub fn signal_number(name: &str) -> Option<i32> {
    let name = name.strip_prefix("SIG")?;
    if let Some(index) = SIGNALS.iter().position(|known| *known == name) {
        return Some(index as i32 + 1);
    }
    // Of the real-time signals two are the C library's own, and the first left is 34.
    match name.strip_prefix("RTMIN")? {
        "" => Some(34),
        offset => offset.strip_prefix('+')?.parse::<i32>().ok().map(|offset| 34 + offset),
    }
}

/// Gives the exit code as a shell would: 128 and the signal's number where a signal ended the process.
pub fn shell_code(exit: &Exit) -> i32 {
    match exit {
        Exit::Code(code) => *code,
        // A signal without a number has no better code than the one that only says "a signal".
        Exit::Signal(name) => 128 + signal_number(name).unwrap_or(0),
    }
}

/// Gives the exit code of a job's process; none where a signal ended it, or nothing is known of its end.
pub fn code(job: &Job) -> Option<i32> {
    match &job.exit {
        Some(Exit::Code(code)) => Some(*code),
        Some(Exit::Signal(_)) | None => None,
    }
}

/// Gives the signal that ended a job's process, where one did.
pub fn signal(job: &Job) -> Option<&str> {
    match &job.exit {
        Some(Exit::Signal(name)) => Some(name),
        Some(Exit::Code(_)) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_a_shell() {
        let cases = [
            ("SIGHUP", 129),
            ("SIGKILL", 137),
            ("SIGSEGV", 139),
            ("SIGTERM", 143),
            ("SIGSYS", 159),
            ("SIGRTMIN+2", 164),
            ("SIGNEW", 128),
        ];
        for (name, code) in cases {
            assert_eq!(shell_code(&Exit::Signal(name.into())), code, "{name}");
        }
        assert_eq!(shell_code(&Exit::Code(42)), 42);
    }
}
