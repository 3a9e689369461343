//! Where a policy comes from, and what is told from its first bytes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// A policy to be loaded: a built-in one by name, or a component in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// One of the policies inside this program.
    BuiltIn(&'static str, &'static [u8]),
    /// A file.
    File(PathBuf),
}

include!(concat!(env!("OUT_DIR"), "/policies.rs"));

/// The names of the built-in policies.
pub fn built_in() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

/// Why a source is not a component.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It is no built-in name, and no such file is there.
    #[error("no policy '{name}': neither a built-in one ({known}) nor a file")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The built-in names.
        known: String,
    },
    /// The file cannot be read.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, io::Error),
    /// The file is larger than any policy.
    #[error("{0} is larger than {1} MiB; that is neither a policy nor a guard")]
    TooLarge(PathBuf, u64),
    /// The file is not WebAssembly.
    #[error("{0} is not WebAssembly; policies and guards are components, built for wasm32-wasip2")]
    NotWasm(PathBuf),
    /// The file is a core module.
    #[error(
        "{0} is a core WebAssembly module, not a component; build it for wasm32-wasip2, or wrap it with `wasm-tools component new`"
    )]
    CoreModule(PathBuf),
    /// The file is compiled code.
    #[error("{0} is compiled code; only a component's own bytes are loaded, and compiled here")]
    Compiled(PathBuf),
}

/// No policy is anywhere near this size.
const LARGEST: u64 = 256;

impl Source {
    /// Reads what a user wrote: a built-in name, or a path.
    ///
    /// # Errors
    /// When it is neither.
    pub fn parse(name: &str) -> Result<Self, SourceError> {
        if let Some((name, bytes)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            return Ok(Self::BuiltIn(name, bytes));
        }
        let path = PathBuf::from(name);
        if path.exists() {
            return Ok(Self::File(path));
        }
        Err(SourceError::Unknown { name: name.to_owned(), known: built_in().collect::<Vec<_>>().join(", ") })
    }

    /// The name it goes by while its own is not known.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn(name, _) => (*name).to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// The SHA-256 of the component's bytes, in hexadecimal.
    ///
    /// # Errors
    /// When there is no component.
    pub fn digest(&self) -> Result<String, SourceError> {
        Ok(digest(&self.bytes()?))
    }

    /// The component's bytes.
    pub(super) fn bytes(&self) -> Result<std::borrow::Cow<'static, [u8]>, SourceError> {
        match self {
            Self::BuiltIn(_, bytes) => Ok((*bytes).into()),
            Self::File(path) => read(path).map(Into::into),
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, SourceError> {
    let unreadable = |error| SourceError::Unreadable(path.to_owned(), error);
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(unreadable(io::Error::other("it is not a file")));
    }
    if metadata.len() > LARGEST << 20 {
        return Err(SourceError::TooLarge(path.to_owned(), LARGEST));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    match bytes.get(..8) {
        Some([0, b'a', b's', b'm', 1, 0, 0, 0]) => Err(SourceError::CoreModule(path.to_owned())),
        Some([0, b'a', b's', b'm', ..]) => Ok(bytes),
        Some([0x7f, b'E', b'L', b'F', ..]) => Err(SourceError::Compiled(path.to_owned())),
        _ => Err(SourceError::NotWasm(path.to_owned())),
    }
}

/// The SHA-256 of bytes, in hexadecimal.
pub(super) fn digest(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_a_name_nor_a_file_is_said_with_the_names() {
        let error = Source::parse("no-such-policy").unwrap_err().to_string();
        assert!(error.contains("'no-such-policy'") && error.contains("bash"), "{error}");
    }

    #[test]
    fn the_first_bytes_tell_what_a_file_is() {
        let directory = tempfile::tempdir().unwrap();
        for (bytes, expected) in [
            (&b"hello world"[..], "not WebAssembly"),
            (b"\0asm\x01\0\0\0", "core WebAssembly module"),
            (b"\x7fELF\0\0\0\0", "compiled code"),
            (b"", "not WebAssembly"),
        ] {
            let path = directory.path().join("policy.wasm");
            fs::write(&path, bytes).unwrap();
            let error = Source::File(path).bytes().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
