//! Descriptors that are kept free: with these the host finds and ends processes, and keeps what is to be kept, when
//! there are no others.

use std::os::fd::AsRawFd;

use nix::sys::resource::{Resource, getrlimit};

/// How many; of a host that has few, a quarter.
const RESERVE: u64 = 16;

/// Returns true for a descriptor that was opened just now and is among the last ones: let go of it.
///
/// A new one gets the lowest number that is free, so a number near the limit says that the others are taken.
pub(crate) fn is_reserved(opened: &impl AsRawFd) -> bool {
    // Where the limit cannot be asked for there is none to come near to.
    let Ok((limit, _)) = getrlimit(Resource::RLIMIT_NOFILE) else { return false };
    // One more is for the process that it is opened for.
    let number = u64::try_from(opened.as_raw_fd()).unwrap_or(0) + 1;
    number >= limit - RESERVE.min(limit / 4)
}
