//! Following a policy's file: what is written there is put in place, once it is whole.
//!
//! Editors and build tools replace a file, write it in place, or write it in parts. So nothing is read while somebody
//! writes it or it still changes, and what is read then must be a whole component: the rest is `Host::swap`'s to
//! judge. Directories are watched rather than the file, because a replaced file is another one: its own, and that of
//! each link on the way to it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, InotifyEvent, WatchDescriptor};
use nix::unistd::pipe2;

use super::swap::Swapper;
use crate::policy::Source;

/// How long a file must have been left alone before it is read.
const QUIET: Duration = Duration::from_millis(50);

/// How often a directory that is gone is looked for.
const AGAIN: Duration = Duration::from_secs(1);

/// How many links one path may lead through, as the system itself has it.
const LINKS: usize = 40;

/// How often in a row the way to a file is looked at that changes meanwhile.
const LOOKS: usize = 8;

/// Why a file cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// It is no path of a file.
    #[error("cannot follow {0}: it is not the path of a file")]
    NoFile(PathBuf),
    /// The system refuses to watch its directory, or a thread for it.
    #[error("cannot follow {0}: {1}")]
    System(PathBuf, io::Error),
}

/// A file that is followed until this is dropped.
#[derive(Debug)]
pub struct FileWatch {
    /// Closed with this, which the thread notices.
    _stop: OwnedFd,
    refused: Refused,
}

/// Why what was written last was not taken.
type Refused = Arc<Mutex<Option<String>>>;

impl FileWatch {
    /// Why what the file was found to hold is not in place; none once it holds what is.
    #[must_use]
    pub fn refused(&self) -> Option<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Swapper {
    /// Puts in place the component that a file holds, where it is another than the one in use, and whatever is written
    /// there from now on. What is of no use as a policy is logged with the reason, and the policy in use stays.
    ///
    /// # Errors
    /// When the file's directory cannot be watched.
    pub fn follow(&self, file: &Path) -> Result<FileWatch, WatchError> {
        let system = |error| WatchError::System(file.to_owned(), error);
        let file = std::path::absolute(file).map_err(system)?;
        if file.file_name().is_none() {
            return Err(WatchError::NoFile(file));
        }
        let (stopped, stop) = pipe2(OFlag::O_CLOEXEC).map_err(io::Error::from).map_err(system)?;
        let mut watched = Watched::open(file.clone(), stopped).map_err(system)?;
        watched.look().map_err(system)?;
        let swapper = self.clone();
        let refused = Refused::default();
        let told = Arc::clone(&refused);
        let thread = std::thread::Builder::new().name("shellward-follow".into());
        thread.spawn(move || follow(&swapper, watched, &told)).map_err(system)?;
        Ok(FileWatch { _stop: stop, refused })
    }
}

fn follow(swapper: &Swapper, mut watched: Watched, told: &Refused) {
    let tell = |reason| *told.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    let mut refused = None;
    // It may have changed since the policy was loaded, before it was watched.
    let mut seen = Seen { open: false, changed: true };
    loop {
        match watched.settled(seen) {
            Ok(Settled::Stopped) => return,
            Ok(Settled::Changed) => seen = Seen::default(),
            Err(error) => {
                tracing::error!(file = %watched.file.display(), %error, "the policy's file is followed no longer");
                return;
            }
        }
        let source = Source::File(watched.file.clone());
        // Gone for the moment, or not readable: when that changes, an event says so.
        let Ok(digest) = source.digest() else { continue };
        if swapper.policy().digest() == digest {
            refused = None;
            tell(None);
            continue;
        }
        if refused.as_ref() == Some(&digest) {
            continue;
        }
        match swapper.swap_now(&source) {
            Ok(_) => {
                refused = None;
                tell(None);
            }
            Err(error) => {
                let policy = swapper.policy().stamp();
                tracing::warn!(%policy, "the changed policy is not taken, and the one before stays: {error}");
                refused = Some(digest);
                tell(Some(error.to_string()));
            }
        }
    }
}

/// What was seen of the file since it was last quiet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    /// Somebody writes, and has not closed it.
    open: bool,
    /// It is not what it was.
    changed: bool,
}

impl Seen {
    fn note(&mut self, mask: AddWatchFlags) {
        if mask.contains(AddWatchFlags::IN_MODIFY) {
            self.open = true;
        }
        if mask.intersects(AddWatchFlags::IN_CLOSE_WRITE | AddWatchFlags::IN_MOVED_TO) {
            *self = Self { open: false, changed: true };
        }
        // A link has no writer; a new file has one, who is seen writing and closing.
        if mask.intersects(AddWatchFlags::IN_CREATE | AddWatchFlags::IN_ATTRIB) {
            self.changed = true;
        }
    }

    /// Nothing has come for a while: says whether the file can be read. While somebody has it open it cannot, and its
    /// end is an event.
    fn quiet(&mut self) -> bool {
        self.changed &= !self.open;
        self.changed
    }
}

/// What came of waiting.
enum Settled {
    /// The file has changed.
    Changed,
    /// It is followed no longer.
    Stopped,
}

/// The events of the directories that lead to a file.
#[derive(Debug)]
struct Watched {
    file: PathBuf,
    events: Inotify,
    /// Closed at the other end when the file is to be followed no longer.
    stopped: OwnedFd,
    /// What is watched: names in directories.
    names: Vec<(WatchDescriptor, OsString)>,
    /// A directory is gone, and is to be looked for.
    lost: bool,
}

impl Watched {
    fn open(file: PathBuf, stopped: OwnedFd) -> io::Result<Self> {
        let events = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC)?;
        Ok(Self { file, events, stopped, names: Vec::new(), lost: false })
    }

    /// Watches what leads to the file now, and nothing else.
    fn look(&mut self) -> io::Result<()> {
        let looked = self.look_until_still();
        self.lost = looked.is_err();
        looked
    }

    fn look_until_still(&mut self) -> io::Result<()> {
        let mut steps = steps(&self.file)?;
        for _ in 0..LOOKS {
            self.watch(&steps)?;
            let now = self::steps(&self.file)?;
            // Nothing has moved before it was watched.
            if steps == now {
                return Ok(());
            }
            steps = now;
        }
        Err(io::Error::other("the links that lead to it change all the time"))
    }

    fn watch(&mut self, steps: &[(PathBuf, OsString)]) -> io::Result<()> {
        let flags = AddWatchFlags::IN_CLOSE_WRITE
            | AddWatchFlags::IN_MODIFY
            | AddWatchFlags::IN_MOVED_TO
            | AddWatchFlags::IN_CREATE
            | AddWatchFlags::IN_ATTRIB
            | AddWatchFlags::IN_DELETE_SELF
            | AddWatchFlags::IN_MOVE_SELF
            | AddWatchFlags::IN_ONLYDIR;
        // A directory that is watched already is not watched twice, but has the same descriptor again.
        let watched = |(directory, name): &(PathBuf, OsString)| {
            self.events.add_watch(directory, flags).map(|watch| (watch, name.clone()))
        };
        let names = steps.iter().map(watched).collect::<Result<Vec<_>, _>>()?;
        for (old, _) in std::mem::replace(&mut self.names, names) {
            if !self.is_watched(old) {
                // One whose directory is gone is gone with it.
                let _ = self.events.rm_watch(old);
            }
        }
        Ok(())
    }

    fn is_watched(&self, watch: WatchDescriptor) -> bool {
        self.names.iter().any(|(now, _)| *now == watch)
    }

    /// Waits until the file has changed, and then has been left alone for a while.
    fn settled(&mut self, mut seen: Seen) -> io::Result<Settled> {
        loop {
            let patience = if self.lost { Some(AGAIN) } else { seen.changed.then_some(QUIET) };
            if self.wait(patience)? {
                return Ok(Settled::Stopped);
            }
            match self.events.read_events() {
                Ok(events) => events.iter().for_each(|event| self.note(event, &mut seen)),
                Err(Errno::EAGAIN) if self.lost => seen.changed |= self.look().is_ok(),
                Err(Errno::EAGAIN) if seen.quiet() => break,
                Err(Errno::EAGAIN) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        // It may be a link to somewhere else by now; what cannot be found is looked for by the next wait.
        let _ = self.look();
        Ok(Settled::Changed)
    }

    /// Waits for events, at most so long; true when the file is to be followed no longer.
    fn wait(&self, patience: Option<Duration>) -> io::Result<bool> {
        let timeout = patience.map_or(Ok(PollTimeout::NONE), PollTimeout::try_from).unwrap_or(PollTimeout::MAX);
        let mut polled =
            [PollFd::new(self.events.as_fd(), PollFlags::POLLIN), PollFd::new(self.stopped.as_fd(), PollFlags::POLLIN)];
        match poll(&mut polled, timeout) {
            Ok(_) | Err(Errno::EINTR) => Ok(polled[1].any().unwrap_or(true)),
            Err(errno) => Err(errno.into()),
        }
    }

    fn note(&mut self, event: &InotifyEvent, seen: &mut Seen) {
        // More came than the system could keep: anything may have happened.
        if event.mask.contains(AddWatchFlags::IN_Q_OVERFLOW) {
            *seen = Seen { open: false, changed: true };
        }
        // The rest is of a directory that leads there no more.
        if !self.is_watched(event.wd) {
            return;
        }
        let gone = AddWatchFlags::IN_DELETE_SELF | AddWatchFlags::IN_MOVE_SELF | AddWatchFlags::IN_IGNORED;
        if event.mask.intersects(gone) {
            self.lost = true;
        }
        if self.names.iter().any(|(watch, name)| *watch == event.wd && event.name.as_ref() == Some(name)) {
            seen.note(event.mask);
        }
    }
}

/// The names that lead to a file, each with its directory: of every link on the way, and the last. Where something is
/// missing, its name is the last.
fn steps(file: &Path) -> io::Result<Vec<(PathBuf, OsString)>> {
    let mut steps = Vec::new();
    let mut directory = PathBuf::new();
    let mut ahead: VecDeque<OsString> = components(file).collect();
    while let Some(name) = ahead.pop_front() {
        // Of a directory without links, which `..` leads out of as it says.
        if name == ".." {
            directory.pop();
            continue;
        }
        let path = directory.join(&name);
        let target = path.read_link();
        let missing = matches!(&target, Err(error) if error.kind() == io::ErrorKind::NotFound);
        if missing || target.is_ok() || ahead.is_empty() {
            steps.push((directory.clone(), name));
        }
        match target {
            Ok(_) if steps.len() > LINKS => return Err(io::Error::other("it leads through too many links")),
            // An absolute one starts at the root, which takes the place of what was before.
            Ok(target) => components(&target).rev().for_each(|name| ahead.push_front(name)),
            Err(_) if missing => break,
            Err(_) => directory = path,
        }
    }
    Ok(steps)
}

/// The parts of a path, `.` left out.
fn components(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    path.components().filter(|part| *part != Component::CurDir).map(|part| part.as_os_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(masks: &[AddWatchFlags]) -> Seen {
        let mut seen = Seen::default();
        masks.iter().for_each(|mask| seen.note(*mask));
        seen
    }

    #[test]
    fn a_file_that_is_being_written_is_not_read() {
        use AddWatchFlags as Flags;
        let (open, changed) = (true, true);
        for (masks, expected) in [
            (&[][..], Seen::default()),
            (&[Flags::IN_CREATE, Flags::IN_MODIFY], Seen { open, changed }),
            (&[Flags::IN_MODIFY, Flags::IN_CLOSE_WRITE], Seen { open: false, changed }),
            (&[Flags::IN_CLOSE_WRITE, Flags::IN_MODIFY], Seen { open, changed }),
            (&[Flags::IN_MODIFY], Seen { open, changed: false }),
            (&[Flags::IN_MOVED_TO], Seen { open: false, changed }),
        ] {
            assert_eq!(after(masks), expected, "{masks:?}");
        }
    }

    #[test]
    fn every_link_is_a_step() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        let found = |file: &str| {
            let steps = steps(&at(file)).unwrap();
            steps.iter().map(|(directory, name)| directory.join(name)).collect::<Vec<_>>()
        };
        std::fs::create_dir_all(at("releases/one")).unwrap();
        std::fs::write(at("releases/one/policy"), "").unwrap();
        symlink("releases/one", at("current")).unwrap();
        symlink(at("current/../one/./policy"), at("policy")).unwrap();
        symlink("nowhere/policy", at("dangling")).unwrap();
        symlink("circle", at("circle")).unwrap();
        assert_eq!(found("releases/one/policy"), [at("releases/one/policy")]);
        assert_eq!(found("current/policy"), [at("current"), at("releases/one/policy")]);
        assert_eq!(found("policy"), [at("policy"), at("current"), at("releases/one/policy")]);
        assert_eq!(found("dangling"), [at("dangling"), at("nowhere")]);
        assert_eq!(found("missing/policy"), [at("missing")]);
        assert!(steps(&at("circle")).is_err());
    }

    #[test]
    fn quiet_is_no_end_of_writing() {
        use AddWatchFlags as Flags;
        let mut seen = after(&[Flags::IN_MODIFY, Flags::IN_MODIFY]);
        assert!(!seen.quiet(), "half of it is written");
        seen.note(Flags::IN_ATTRIB);
        assert!(!seen.quiet(), "still open");
        seen.note(Flags::IN_MODIFY);
        seen.note(Flags::IN_CLOSE_WRITE);
        assert!(seen.quiet());
        assert!(!Seen::default().quiet());
    }
}
