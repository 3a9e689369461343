//! Who owns a run: the host that has it in hand, for as long as that host lives.
//!
//! Each host holds a lock on a file of its own beside the database. The system lets it go when the host dies, however
//! it dies, and in whatever container; a number of a process would have to be looked up, and may be another's.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Attempts at a file that another host takes for a dead one's, in the moment between its making and its locking.
const ATTEMPTS: usize = 100;

/// A host's own lock, held until dropped.
#[derive(Debug)]
pub(super) struct Owner {
    directory: PathBuf,
    id: String,
    /// Locked; closing it lets go.
    _file: File,
}

fn path(directory: &Path, id: &str) -> PathBuf {
    directory.join(format!("{id}.lock"))
}

impl Owner {
    /// Begins to hold the lock of a host.
    pub(super) fn new(directory: &Path, id: &str) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let path = path(directory, id);
        for _ in 0..ATTEMPTS {
            let file = File::options().create(true).truncate(false).write(true).open(&path)?;
            let locked = match file.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => false,
                Err(TryLockError::Error(error)) => return Err(error),
            };
            // A lock on a file that was taken away meanwhile is none that others can see.
            let same = |there: fs::Metadata| file.metadata().is_ok_and(|ours| ours.ino() == there.ino());
            if locked && fs::metadata(&path).is_ok_and(same) {
                return Ok(Self { directory: directory.to_owned(), id: id.to_owned(), _file: file });
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Err(io::Error::new(io::ErrorKind::WouldBlock, format!("{} is locked by another program", path.display())))
    }
}

impl Drop for Owner {
    /// Takes the file away, so that hosts leave none; a host that was killed leaves its own to the next.
    fn drop(&mut self) {
        let _ = fs::remove_file(path(&self.directory, &self.id));
    }
}

/// Whether the host of that id is alive. One of which nothing can be known counts as alive.
pub(super) fn is_alive(directory: &Path, id: &str) -> bool {
    holds(&path(directory, id)).is_none()
}

/// Takes the lock of a host that is dead, so that nobody else takes it for alive or for dead meanwhile; none where it
/// is alive.
fn holds(path: &Path) -> Option<Option<File>> {
    match File::options().write(true).open(path) {
        Ok(file) => file.try_lock().is_ok().then_some(Some(file)),
        Err(error) => (error.kind() == io::ErrorKind::NotFound).then_some(None),
    }
}

/// Takes away the files of hosts that are dead.
pub(super) fn sweep(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in
        entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "lock"))
    {
        // Held while it is removed: a host that is about to lock it sees that it is not its own any more.
        if let Some(Some(_held)) = holds(&path) {
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_lives_as_long_as_it_holds_its_lock() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path().join("hosts");
        assert!(!is_alive(&directory, "one"));
        let owner = Owner::new(&directory, "one").unwrap();
        assert!(is_alive(&directory, "one") && !is_alive(&directory, "two"));
        assert!(Owner::new(&directory, "one").is_err(), "a lock is held once");
        sweep(&directory);
        assert!(is_alive(&directory, "one"));
        // As when it is killed: the file stays and nobody holds it.
        let file = path(&directory, "one");
        drop(owner);
        fs::write(&file, "").unwrap();
        assert!(!is_alive(&directory, "one"));
        sweep(&directory);
        assert!(!file.exists());
    }

    #[test]
    fn hosts_that_begin_while_others_sweep_hold_what_others_see() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        std::thread::scope(|scope| {
            let sweeping = scope.spawn(|| (0..2000).for_each(|_| sweep(directory)));
            for number in 0..200 {
                let id = number.to_string();
                let owner = Owner::new(directory, &id).unwrap();
                assert!(path(directory, &id).exists() && is_alive(directory, &id));
                drop(owner);
            }
            sweeping.join().unwrap();
        });
    }
}
