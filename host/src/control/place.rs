//! The directory of the sockets.

use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::libc;
use nix::unistd::Uid;

use super::{ControlError, DIRECTORY};

/// The directory, held open: its sockets are named through it, since a socket's path may only be 107 bytes long.
#[derive(Debug)]
pub(super) struct Place {
    pub path: PathBuf,
    handle: fs::File,
}

impl Place {
    /// Opens the directory of a project, if it is there and this user's alone.
    pub(super) fn open(project: &Path) -> Result<Option<Self>, ControlError> {
        let path = project.join(DIRECTORY);
        let opened = fs::File::options().read(true).custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW).open(&path);
        let handle = match opened {
            Ok(handle) => handle,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ControlError::Directory(path, error)),
        };
        let metadata = handle.metadata().map_err(|error| ControlError::Directory(path.clone(), error))?;
        if metadata.uid() != Uid::effective().as_raw() || metadata.mode() & 0o077 != 0 {
            return Err(ControlError::Foreign(path));
        }
        Ok(Some(Self { path, handle }))
    }

    /// Opens it, making it where it is missing.
    pub(super) fn make(project: &Path) -> Result<Self, ControlError> {
        let path = project.join(DIRECTORY);
        let failed = |error| ControlError::Directory(path.clone(), error);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
        Self::open(project)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// A short path of a socket, good for as long as this is open.
    pub(super) fn socket(&self, pid: u32) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}/{pid}.sock", self.handle.as_raw_fd()))
    }

    /// The process numbers that have a socket.
    pub(super) fn pids(&self) -> io::Result<Vec<u32>> {
        let number =
            |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.strip_suffix(".sock")?.parse().ok();
        let mut pids: Vec<_> = fs::read_dir(&self.path)?.filter_map(number).collect();
        pids.sort_unstable();
        Ok(pids)
    }
}
