//! Whether somebody waits for what is typed into a terminal.

use std::fs;

use nix::libc;
use nix::sys::termios::LocalFlags;

use super::pty::Master;
use super::tree::survey;

/// Returns true where a program in the foreground is stopped in a read of its terminal, or reads it key by key and
/// waits for events.
///
/// What a process is doing is the system's secret where it runs as another user: then this says false.
pub(crate) fn waits_for_input(terminal: &Master) -> bool {
    let Some(group) = terminal.foreground() else { return false };
    let by_key = terminal.modes().is_some_and(|modes| !modes.local_flags.contains(LocalFlags::ICANON));
    if waits(group, by_key) {
        return true;
    }
    let Ok(numbers) = survey::numbers() else { return false };
    numbers
        .filter_map(survey::entry)
        .any(|entry| entry.group == group && entry.pid != group && waits(entry.pid, by_key))
}

fn waits(pid: i32, by_key: bool) -> bool {
    let Ok(line) = fs::read_to_string(format!("/proc/{pid}/syscall")) else { return false };
    let mut words = line.split_whitespace();
    let Some(call) = words.next().and_then(|word| word.parse::<i64>().ok()) else { return false };
    if call == libc::SYS_read {
        let descriptor = words.next().and_then(|word| i32::from_str_radix(word.trim_start_matches("0x"), 16).ok());
        return descriptor.is_some_and(|descriptor| is_terminal(pid, descriptor));
    }
    by_key && EVENTS.contains(&call)
}

fn is_terminal(pid: i32, descriptor: i32) -> bool {
    let Ok(target) = fs::read_link(format!("/proc/{pid}/fd/{descriptor}")) else { return false };
    let target = target.to_string_lossy();
    target.starts_with("/dev/pts/") || target == "/dev/tty" || target == "/dev/console"
}

/// The calls in which programs wait for one of several things.
#[cfg(target_arch = "x86_64")]
const EVENTS: [i64; 6] = [
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_select,
    libc::SYS_pselect6,
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
];
/// The calls in which programs wait for one of several things.
#[cfg(not(target_arch = "x86_64"))]
const EVENTS: [i64; 3] = [libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_pwait];
