//! Terminals: the master, which the host holds, and the slave, which a process controls.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc;
use nix::pty::{grantpt, posix_openpt, unlockpt};
use nix::sys::termios::{
    FlushArg, InputFlags, LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcflush, tcgetattr, tcsetattr,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::launch::{Size, Terminal};
use super::spawn;

/// What ends input where a program has not said otherwise: Ctrl-D.
const END_OF_INPUT: u8 = 4;

/// Makes a terminal: master and slave.
pub(super) fn open(terminal: Terminal) -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
    let master = posix_openpt(flags)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let slave = slave_of(&master)?;
    set_size(&master, terminal.size)?;
    let mut modes = tcgetattr(&slave)?;
    modes.input_flags.insert(InputFlags::IUTF8);
    modes.local_flags.set(LocalFlags::ECHO, terminal.echo);
    tcsetattr(&slave, SetArg::TCSANOW, &modes)?;
    Ok((master.into(), slave))
}

/// Finds out whether terminals can be had, for `shellward doctor`.
///
/// # Errors
/// Says what the system has against it.
pub fn try_terminal() -> io::Result<()> {
    open(Terminal { size: Size { rows: 24, columns: 80 }, echo: true, raw: false }).map(drop)
}

/// Opens the slave through the master: its path may lie in a file system that is not mounted here.
fn slave_of(master: &impl AsRawFd) -> io::Result<OwnedFd> {
    let flags = libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC;
    // SAFETY: takes integers; a result that is not -1 is a new descriptor that nobody else owns.
    unsafe {
        let fd = Errno::result(libc::ioctl(master.as_raw_fd(), libc::TIOCGPTPEER, flags))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

fn set_size(master: &impl AsRawFd, size: Size) -> io::Result<()> {
    let size = libc::winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: `size` is valid for reading during the call.
    Errno::result(unsafe { libc::ioctl(master.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) })?;
    Ok(())
}

/// The host's end of a terminal.
#[derive(Debug)]
pub struct Master {
    fd: AsyncFd<File>,
    size: Mutex<Size>,
}

impl Master {
    pub(super) fn new(fd: OwnedFd, size: Size) -> io::Result<Self> {
        let fd = spawn::register_for(File::from(fd), Interest::READABLE | Interest::WRITABLE)?;
        Ok(Self { fd, size: Mutex::new(size) })
    }

    /// Returns the size it was given last.
    #[must_use]
    pub fn size(&self) -> Size {
        *self.size.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the size; the system tells the programs in the foreground.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn resize(&self, size: Size) -> io::Result<()> {
        let mut current = self.size.lock().unwrap_or_else(PoisonError::into_inner);
        set_size(self.fd.get_ref(), size)?;
        *current = size;
        Ok(())
    }

    /// Returns the process group in the foreground.
    #[must_use]
    pub fn foreground(&self) -> Option<i32> {
        nix::unistd::tcgetpgrp(self.fd.get_ref()).ok().map(nix::unistd::Pid::as_raw).filter(|group| *group > 0)
    }

    /// Returns the modes that programs have set.
    pub(crate) fn modes(&self) -> Option<Termios> {
        tcgetattr(self.fd.get_ref()).ok()
    }

    /// Sets the modes, where they are not these.
    pub(crate) fn set_modes(&self, modes: &Termios) {
        if self.modes().as_ref() != Some(modes) {
            // A terminal that nobody holds any more needs none.
            let _ = tcsetattr(self.fd.get_ref(), SetArg::TCSANOW, modes);
        }
    }

    /// Forgets what was typed and nobody has read.
    pub(crate) fn forget_input(&self) {
        if let Ok(slave) = slave_of(self.fd.get_ref()) {
            // A terminal that nobody holds any more has nothing to forget.
            let _ = tcflush(&slave, FlushArg::TCIFLUSH);
        }
    }

    /// Reads what comes next; 0 is the end: nobody holds the terminal any more.
    pub(crate) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.fd.readable().await?;
            match self.try_read(buffer)? {
                Some(count) => return Ok(count),
                None => ready.clear_ready(),
            }
        }
    }

    /// True where there is nothing to read now.
    pub(crate) fn has_paused(&self) -> bool {
        let mut waiting: libc::c_int = 0;
        // SAFETY: `waiting` is valid for writing during the call.
        let asked = unsafe { libc::ioctl(self.fd.get_ref().as_raw_fd(), libc::FIONREAD, &raw mut waiting) };
        asked != 0 || waiting == 0
    }

    /// Reads what is there; `None` where there is nothing now.
    pub(crate) fn try_read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            let mut file = self.fd.get_ref();
            match file.read(buffer) {
                Ok(count) => return Ok(Some(count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // This is how Linux says that the other end is closed.
                Err(error) if error.raw_os_error() == Some(libc::EIO) => return Ok(Some(0)),
                Err(error) => return Err(error),
            }
        }
    }

    /// Types all of it, waiting while the programs read slower than it comes.
    pub(super) async fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let mut ready = self.fd.writable().await?;
            let mut file = self.fd.get_ref();
            match file.write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => ready.clear_ready(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What to type for the end of input after the byte `last`: in the middle of a line the first only hands over
    /// what there is of it. A program that reads key by key gets one.
    pub(super) fn end_of_input(&self, last: Option<u8>) -> Vec<u8> {
        let Some(modes) = self.modes() else { return vec![END_OF_INPUT] };
        let key = modes.control_chars[SpecialCharacterIndices::VEOF as usize];
        let by_line = modes.local_flags.contains(LocalFlags::ICANON);
        let in_line = last.is_some_and(|last| !matches!(last, b'\n' | b'\r') && last != key);
        vec![key; if by_line && in_line { 2 } else { 1 }]
    }
}
