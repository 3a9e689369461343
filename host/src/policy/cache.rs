//! Compiled code on disk, so that a policy is compiled once per machine and not once per start.
//!
//! Compiled code is run as it is, so only our own is loaded: the directory must be ours alone (mode 0700), each file
//! ours too, and its contents must have the digest it carries. Anything else is ignored and compiled anew.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::Uid;
use sha2::{Digest, Sha256};
use wasmtime::component::Component;

/// The length of the digest in front of the code.
const DIGEST: usize = 32;

/// Only the owner may read, write or list.
const OTHERS: u32 = 0o077;

/// A directory of compiled components.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: PathBuf,
}

/// Why a cache directory is not used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// It could not be made or looked at.
    #[error("cannot use {0} as a cache of compiled policies: {1}")]
    Unusable(PathBuf, io::Error),
    /// Others could put code there.
    #[error(
        "will not use {0} as a cache of compiled policies: it is not a directory of this user's alone; `chmod 700` it, or remove it"
    )]
    Foreign(PathBuf),
}

impl Cache {
    /// Opens a cache directory, making it where it is missing.
    ///
    /// # Errors
    /// When it cannot be made, or others than its owner, who must be this user, can use it.
    pub fn open(directory: &Path) -> Result<Self, CacheError> {
        let unusable = |error| CacheError::Unusable(directory.to_owned(), error);
        if let Some(parent) = directory.parent() {
            fs::create_dir_all(parent).map_err(unusable)?;
        }
        match fs::DirBuilder::new().mode(0o700).create(directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(unusable(error)),
            _ => {}
        }
        let metadata = fs::symlink_metadata(directory).map_err(unusable)?;
        if !metadata.is_dir() || !ours(&metadata) || metadata.mode() & OTHERS != 0 {
            return Err(CacheError::Foreign(directory.to_owned()));
        }
        Ok(Self { directory: directory.to_owned() })
    }

    /// Where it is.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn file(&self, engine: &wasmtime::Engine, digest: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        self.directory.join(format!("{digest}-{:016x}.cwasm", hasher.finish()))
    }

    /// Gives the compiled component, if a sound one is here.
    pub(super) fn load(&self, engine: &wasmtime::Engine, digest: &str) -> Option<Component> {
        let path = self.file(engine, digest);
        match read_own(&path) {
            Ok(bytes) => sound(&path, &bytes).and_then(|code| deserialize(engine, &path, code)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "ignoring a compiled policy in the cache");
                None
            }
        }
    }

    /// Keeps a compiled component. A cache that cannot be written is a slower start, not an error.
    pub(super) fn store(&self, engine: &wasmtime::Engine, digest: &str, component: &Component) {
        let path = self.file(engine, digest);
        let kept = component.serialize().map_err(io::Error::other).and_then(|code| write_own(&path, &code));
        if let Err(error) = kept {
            tracing::warn!(path = %path.display(), %error, "a compiled policy could not be kept in the cache");
        }
    }
}

fn ours(metadata: &fs::Metadata) -> bool {
    metadata.uid() == Uid::effective().as_raw()
}

/// Reads a file of this user's that nobody else could have written, without following a link.
fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::options().read(true).custom_flags(nix::libc::O_NOFOLLOW).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || !ours(&metadata) || metadata.mode() & 0o022 != 0 {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not this user's alone"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The code in a cache file, if it has the digest it carries.
fn sound<'a>(path: &Path, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let sound = bytes.split_at_checked(DIGEST).filter(|(digest, code)| Sha256::digest(code)[..] == **digest);
    if sound.is_none() {
        tracing::warn!(path = %path.display(), "a compiled policy in the cache is damaged; compiling it anew");
    }
    sound.map(|(_, code)| code)
}

fn deserialize(engine: &wasmtime::Engine, path: &Path, code: &[u8]) -> Option<Component> {
    // SAFETY: the code was serialised by this program: it stands under its digest in a file and a directory that only
    // this user can write, and the engine checks that it was compiled by the same version with the same settings.
    match unsafe { Component::deserialize(engine, code) } {
        Ok(component) => Some(component),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "a compiled policy in the cache is of no use; compiling it anew");
            None
        }
    }
}

/// Writes a file that is never seen half-written.
fn write_own(path: &Path, code: &[u8]) -> io::Result<()> {
    let draft = path.with_extension(format!("{}.draft", ulid::Ulid::generate()));
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&draft)?;
    let written = file
        .write_all(&Sha256::digest(code))
        .and_then(|()| file.write_all(code))
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // The draft is of no use; if it cannot be removed either, it is only a file too many.
        let _ = fs::remove_file(&draft);
    }
    written
}
