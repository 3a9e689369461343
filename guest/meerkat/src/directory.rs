//! The directory a command runs in: where it is, and whether the settings let a command run there.

use shellward_kit::Host;
use shellward_kit::contract::{Kind, PathError, Place};

use crate::failure::Failure;
use crate::settings::Settings;

/// Finds the directory that a call names, absolute; the project's root where it names none.
///
/// # Errors
/// It leads out of the project while the settings keep commands inside, does not exist, or may not be entered.
pub fn resolve<H: Host>(host: &H, settings: &Settings, path: Option<&str>) -> Result<String, Failure> {
    let given = settings.project_root.as_deref().unwrap_or(".");
    let root = place(host, given, None)?;
    // A project root of the settings narrows the host's root; it never widens it.
    if settings.restrict_to_project && root.relative.is_none() {
        return Err(Failure::WorkingDirEscape(given.into()));
    }
    let Some(path) = path else { return usable(root, given) };
    let target = place(host, path, Some(&root.absolute))?;
    if settings.restrict_to_project && (target.relative.is_none() || !is_within(&target.absolute, &root.absolute)) {
        return Err(Failure::WorkingDirEscape(path.into()));
    }
    usable(target, path)
}

fn place<H: Host>(host: &H, path: &str, base: Option<&str>) -> Result<Place, Failure> {
    let missing = |why: &str| Failure::WorkingDirNotFound(format!("{path} ({why})"));
    host.resolve(path, base).map_err(|error| match error {
        PathError::Nul => missing("it holds a NUL"),
        PathError::TooLong => missing("the path is longer than the system takes"),
        PathError::Circular => missing("its links go in circles"),
        PathError::PermissionDenied => Failure::Io(format!("a directory on the way to '{path}' may not be entered")),
        PathError::Other(message) => Failure::Io(message),
    })
}

fn usable(place: Place, path: &str) -> Result<String, Failure> {
    match place.kind {
        Kind::Directory if place.access.enter => Ok(place.absolute),
        Kind::Directory => Err(Failure::Io(format!("the directory '{path}' may not be entered"))),
        Kind::Missing => Err(Failure::WorkingDirNotFound(path.into())),
        Kind::File | Kind::Other => Err(Failure::WorkingDirNotFound(format!("{path} (it is not a directory)"))),
    }
}

fn is_within(path: &str, root: &str) -> bool {
    let rest = path.strip_prefix(root.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::is_within;

    #[test]
    fn paths_are_compared_by_whole_names() {
        let cases = [
            ("/project", "/project", true),
            ("/project/src", "/project", true),
            ("/project-two", "/project", false),
            ("/", "/project", false),
            ("/etc", "/", true),
            ("/", "/", true),
        ];
        for (path, root, within) in cases {
            assert_eq!(is_within(path, root), within, "{path} in {root}");
        }
    }
}
