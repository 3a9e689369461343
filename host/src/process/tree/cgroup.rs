//! Cgroups of the second version, where this host may create some: one for each job.
//!
//! A process cannot leave its cgroup unless it may write to the cgroup tree itself, and all in
//! one are killed at once, those being forked included. They lie in a directory of this host's,
//! below the cgroup it is in itself, and are used again once empty: making and removing one takes
//! 50 µs.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use nix::libc;

use crate::process::vfork;

/// How many this host has at most, spare ones included; jobs beyond that have the limit mark alone.
/// A thousand made and removed at once took longer than starting a thousand processes.
const MOST: usize = 64;
/// How the directories of hosts begin; the process number and chance digits follow.
const PREFIX: &str = "shellward-";

/// Empty cgroups that are kept for later jobs.
static SPARE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// How many there are.
static MADE: AtomicUsize = AtomicUsize::new(0);

/// The cgroup of one job, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Cgroup {
    directory: PathBuf,
    /// Linux 6.14 and later may kill whoever is born into a cgroup that was once killed.
    spent: AtomicBool,
    /// Nobody was in it when nobody could be born into it any more.
    deserted: AtomicBool,
}

impl Cgroup {
    /// Takes a cgroup that nobody is in.
    pub(crate) fn take() -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let host = host_directory()?;
        if let Some(directory) = spare().pop() {
            return Some(Self::at(directory));
        }
        let one_more = |made| (made < MOST).then_some(made + 1);
        MADE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        let directory = host.join(format!("job-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        match fs::create_dir(&directory) {
            Ok(()) => Some(Self::at(directory)),
            Err(error) => {
                MADE.fetch_sub(1, Ordering::Relaxed);
                tracing::debug!(%error, directory = %directory.display(), "could not make a cgroup for a job");
                None
            }
        }
    }

    fn at(directory: PathBuf) -> Self {
        Self { directory, spent: AtomicBool::new(false), deserted: AtomicBool::new(false) }
    }

    /// A cgroup of a host that is no more.
    pub(crate) fn left_behind(directory: PathBuf) -> Self {
        // Spent, so that it is removed and never used again; counted, as its removal will be.
        MADE.fetch_add(1, Ordering::Relaxed);
        Self { directory, spent: AtomicBool::new(true), deserted: AtomicBool::new(false) }
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Opens it in the way that a process can be born into.
    pub(crate) fn open(&self) -> io::Result<OwnedFd> {
        open(&self.directory)
    }

    /// Kills all that are in it, and in those below it.
    pub(crate) fn kill(&self) -> io::Result<()> {
        self.spent.store(true, Ordering::Relaxed);
        kill_all_in(&self.directory)
    }

    /// Returns the numbers of the processes that are in it.
    pub(crate) fn processes(&self) -> Vec<i32> {
        let Ok(list) = fs::read_to_string(self.directory.join("cgroup.procs")) else { return Vec::new() };
        // Processes of another process namespace are listed as 0.
        list.lines().filter_map(|line| line.parse().ok()).filter(|pid| *pid > 0).collect()
    }

    /// Returns true where nobody is in it, nor below it.
    pub(crate) fn is_empty(&self) -> bool {
        is_empty(&self.directory)
    }

    /// Returns true where nobody is in it, now that its job's first process has ended: nobody comes to be in it then.
    pub(crate) fn is_deserted(&self) -> bool {
        if !self.deserted.load(Ordering::Relaxed) {
            self.deserted.store(self.is_empty(), Ordering::Relaxed);
        }
        self.deserted.load(Ordering::Relaxed)
    }
}

impl Drop for Cgroup {
    /// Leaves it where it is while somebody is in it; the host's end, or the next host, removes it.
    fn drop(&mut self) {
        if !self.is_deserted() {
            return;
        }
        if !self.spent.load(Ordering::Relaxed) {
            spare().push(std::mem::take(&mut self.directory));
        } else if fs::remove_dir(&self.directory).is_ok() {
            MADE.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Kills everything in all cgroups of this host and removes what is empty.
///
/// Returns false where somebody is left in them after `patience`.
pub(crate) fn end_host(patience: Duration) -> bool {
    let Some(Some(host)) = HOST.get() else { return true };
    let deadline = Instant::now() + patience;
    let _ = kill_all_in(host);
    while !is_empty(host) {
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut spare = spare();
    MADE.fetch_sub(spare.len(), Ordering::Relaxed);
    spare.clear();
    for directory in subdirectories(host) {
        remove_tree(&directory);
    }
    true
}

/// Returns where this host may make cgroups.
pub(crate) fn place() -> Option<PathBuf> {
    host_directory().cloned()
}

static HOST: OnceLock<Option<PathBuf>> = OnceLock::new();

fn host_directory() -> Option<&'static PathBuf> {
    HOST.get_or_init(|| {
        let own = own_cgroup()?;
        clear_dead_hosts(&own);
        use std::hash::{BuildHasher, RandomState};
        let chance = RandomState::new().hash_one(0) as u16;
        let directory = own.join(format!("{PREFIX}{}-{chance:04x}", std::process::id()));
        fs::create_dir(&directory).ok()?;
        // Linux 5.14 brought the kill; and a list that may not be written keeps all children out.
        let usable = ["cgroup.kill", "cgroup.procs"].iter().all(|name| may_write(&directory.join(name)));
        if usable && may_write(&own.join("cgroup.procs")) && may_be_born_into(&directory) {
            return Some(directory);
        }
        let _ = fs::remove_dir(&directory);
        None
    })
    .as_ref()
}

/// Tries it out: a container may forbid the call, and Linux 6.14 and later kill the newborn where
/// the cgroup this process is in was killed before this process came into it.
fn may_be_born_into(directory: &Path) -> bool {
    open(directory).is_ok_and(|directory| vfork::survives_birth_in(directory.as_fd()))
}

fn open(directory: &Path) -> io::Result<OwnedFd> {
    let flags = libc::O_PATH | libc::O_DIRECTORY;
    Ok(File::options().read(true).custom_flags(flags).open(directory)?.into())
}

/// Finds the directory of the cgroup that this process is in.
fn own_cgroup() -> Option<PathBuf> {
    let memberships = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = memberships.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mount = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let (_, place, kind) = (fields.next()?, fields.next()?, fields.next()?);
        (kind == "cgroup2").then_some(place)
    })?;
    Some(Path::new(mount).join(own))
}

/// Removes what hosts that are no more have left, as far as it is empty.
fn clear_dead_hosts(own: &Path) {
    let Ok(entries) = fs::read_dir(own) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).and_then(|rest| rest.split('-').next());
        if pid.is_some_and(|pid| pid.parse::<u32>().is_ok() && !Path::new("/proc").join(pid).exists()) {
            remove_tree(&entry.path());
        }
    }
}

/// Removes a directory of cgroups from the leaves up; the system keeps those that are in use.
fn remove_tree(directory: &Path) {
    for below in subdirectories(directory) {
        remove_tree(&below);
    }
    let _ = fs::remove_dir(directory);
}

fn subdirectories(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    directories.map(|entry| entry.path()).collect()
}

/// Returns true where nobody is in it or below it, or where it is no more.
fn is_empty(directory: &Path) -> bool {
    match fs::read_to_string(directory.join("cgroup.events")) {
        Ok(events) => events.contains("populated 0"),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

fn kill_all_in(directory: &Path) -> io::Result<()> {
    fs::write(directory.join("cgroup.kill"), "1")
}

fn may_write(path: &Path) -> bool {
    use nix::unistd::{AccessFlags, access};
    access(path, AccessFlags::W_OK).is_ok()
}

fn spare() -> MutexGuard<'static, Vec<PathBuf>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}
