//! Birth straight into a cgroup, which only the system call clone3 can do.
//!
//! The C library has no function for it. Moving a process later would leave it time to fork, and
//! takes 120 µs where this takes next to nothing.

use std::arch::asm;
use std::os::fd::{AsRawFd, BorrowedFd};

use nix::errno::Errno;
use nix::libc::{self, c_int, c_void};

const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// The kernel's `struct clone_args`, in its second version.
#[repr(C)]
#[derive(Default)]
struct Arguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// Does what `libc::clone` does, with the child in the given cgroup.
///
/// # Safety
/// What holds for `libc::clone` with these flags. They must hold CLONE_VM, CLONE_VFORK and
/// CLONE_PIDFD; `stack` must be valid for `stack_size` bytes and its end a multiple of 16; `entry`
/// must not return.
pub(super) unsafe fn clone_into(
    cgroup: BorrowedFd<'_>,
    flags: c_int,
    stack: (*mut u8, usize),
    entry: extern "C" fn(*mut c_void) -> c_int,
    argument: *mut c_void,
    pidfd: *mut c_int,
) -> Result<i32, Errno> {
    let arguments = Arguments {
        flags: flags as u32 as u64 | CLONE_INTO_CGROUP,
        pidfd: pidfd as u64,
        exit_signal: libc::SIGCHLD as u64,
        stack: stack.0 as u64,
        stack_size: stack.1 as u64,
        cgroup: cgroup.as_raw_fd() as u64,
        ..Arguments::default()
    };
    // SAFETY: as promised by the caller; `arguments` is valid and of the size given.
    let result = unsafe { system_call(&arguments, entry, argument) };
    if result < 0 { Err(Errno::from_raw(-result as i32)) } else { Ok(result as i32) }
}

/// Makes the call. The child, on its empty stack, must not come back here: it calls `entry`.
#[cfg(target_arch = "x86_64")]
unsafe fn system_call(arguments: &Arguments, entry: extern "C" fn(*mut c_void) -> c_int, argument: *mut c_void) -> i64 {
    let result: i64;
    // SAFETY: the parent goes on with `result` and the registers named as outputs changed; the
    // child has its own stack, ends its frames with a zero, and never returns from `entry`.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r8",
            "call r9",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone3 => result,
            in("rdi") arguments,
            in("rsi") size_of::<Arguments>(),
            in("r8") argument,
            in("r9") entry,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    result
}

/// Makes the call. The child, on its empty stack, must not come back here: it calls `entry`.
#[cfg(target_arch = "aarch64")]
unsafe fn system_call(arguments: &Arguments, entry: extern "C" fn(*mut c_void) -> c_int, argument: *mut c_void) -> i64 {
    let result: i64;
    // SAFETY: the parent goes on with `result` alone changed; the child has its own stack, ends its
    // frames with a zero, and never returns from `entry`.
    unsafe {
        asm!(
            "svc #0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x9",
            "blr x10",
            "brk #1",
            "2:",
            inlateout("x0") arguments as *const Arguments as i64 => result,
            in("x1") size_of::<Arguments>(),
            in("x8") libc::SYS_clone3,
            in("x9") argument,
            in("x10") entry,
        );
    }
    result
}
