//! The directory a call names: where it is, and whether a command may run there.

use crate::errors::Failure;
use shellward_kit::Host;
use shellward_kit::contract::{Kind, PathError};

/// A directory in which a command may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    /// Its path, absolute, without links.
    pub absolute: String,
    /// The same relative to the root.
    pub relative: String,
}

/// Finds the directory that a call names.
///
/// # Errors
/// It leads out of the root, does not exist, is no directory, or may not be entered.
pub fn resolve<H: Host>(host: &H, path: &str) -> Result<Directory, Failure> {
    let place = host.resolve(path, None).map_err(|error| match error {
        PathError::Nul => Failure::Argument("Parameter 'directory' contains a NUL character; remove it.".to_owned()),
        PathError::TooLong => Failure::Argument("Parameter 'directory' is longer than the system takes.".to_owned()),
        PathError::Circular => Failure::Argument(format!("'{path}' leads through links that go in circles.")),
        PathError::PermissionDenied => {
            Failure::NotPermitted(format!("A directory on the way to '{path}' may not be entered."))
        }
        PathError::Other(message) => Failure::Execution(format!("'{path}' cannot be followed: {message}")),
    })?;
    let Some(relative) = place.relative else {
        return Err(Failure::OutsideRoot(format!("'{path}' is outside.")));
    };
    match place.kind {
        Kind::Missing => Err(Failure::DirectoryMissing(path.to_owned())),
        Kind::File | Kind::Other => Err(Failure::NotADirectory(path.to_owned())),
        Kind::Directory if !place.access.enter => {
            Err(Failure::NotPermitted(format!("The directory '{path}' may not be entered.")))
        }
        Kind::Directory => Ok(Directory { absolute: place.absolute, relative }),
    }
}
