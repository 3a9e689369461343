//! Where a path leads, links followed one by one.
//!
//! Not `canonicalize`, because what is missing must resolve too: a `..` behind a link is told from one behind a
//! name, and the rest of a path that does not exist is judged by where it would be.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use nix::libc::{ELOOP, ENAMETOOLONG};
use nix::unistd::{AccessFlags, access};

use crate::policy::contract::workspace::{Access, Kind, PathError, Place};

/// As many links as the system itself follows.
const LINKS: u32 = 40;

/// As long as the system takes.
const LENGTH: usize = 4096;

pub(super) fn place(root: &Path, path: &str, base: Option<&str>) -> Result<Place, PathError> {
    let whole = match base {
        Some(base) => root.join(base).join(path),
        None => root.join(path),
    };
    if whole.as_os_str().as_bytes().contains(&0) {
        return Err(PathError::Nul);
    }
    if whole.as_os_str().len() >= LENGTH {
        return Err(PathError::TooLong);
    }
    let found = follow(&whole)?;
    let kind = kind(&found)?;
    let access = Access {
        read: access(&found, AccessFlags::R_OK).is_ok(),
        write: access(&found, AccessFlags::W_OK).is_ok(),
        enter: access(&found, AccessFlags::X_OK).is_ok(),
    };
    Ok(Place { relative: relative(root, &found), absolute: text(&found)?, kind, access })
}

/// Follows a path to its end.
fn follow(path: &Path) -> Result<PathBuf, PathError> {
    let mut found = PathBuf::from("/");
    // What is still to be walked, last first.
    let mut rest: Vec<OsString> = steps(path);
    let mut links = 0;
    while let Some(step) = rest.pop() {
        if step == ".." {
            found.pop();
            continue;
        }
        let next = found.join(&step);
        match next.read_link() {
            Ok(target) => {
                links += 1;
                if links > LINKS {
                    return Err(PathError::Circular);
                }
                if target.is_absolute() {
                    found = PathBuf::from("/");
                }
                rest.extend(steps(&target));
            }
            // Not a link, or nothing there: either way it is the next name.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::InvalidInput | io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                found = next;
            }
            Err(error) => return Err(explain(&error)),
        }
    }
    Ok(found)
}

/// A path's names, last first, without `.` and the root.
fn steps(path: &Path) -> Vec<OsString> {
    let name = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsStr::new("..").to_owned()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    };
    path.components().rev().filter_map(name).collect()
}

fn kind(path: &Path) -> Result<Kind, PathError> {
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(Kind::Directory),
        Ok(metadata) if metadata.is_file() => Ok(Kind::File),
        Ok(_) => Ok(Kind::Other),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Kind::Missing)
        }
        Err(error) => Err(explain(&error)),
    }
}

fn relative(root: &Path, path: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?.to_str()?;
    Some(if inside.is_empty() { ".".to_owned() } else { inside.to_owned() })
}

fn text(path: &Path) -> Result<String, PathError> {
    path.to_str().map(str::to_owned).ok_or_else(|| PathError::Other("the path it leads to is not UTF-8".into()))
}

fn explain(error: &io::Error) -> PathError {
    match (error.kind(), error.raw_os_error()) {
        (io::ErrorKind::PermissionDenied, _) => PathError::PermissionDenied,
        (_, Some(ELOOP)) => PathError::Circular,
        (_, Some(ENAMETOOLONG)) => PathError::TooLong,
        _ => PathError::Other(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn project() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let outside = directory.path().canonicalize().unwrap();
        let root = outside.join("root");
        fs::create_dir_all(root.join("sub/deep")).unwrap();
        fs::create_dir(outside.join("elsewhere")).unwrap();
        fs::write(root.join("file"), "x").unwrap();
        symlink("../elsewhere", root.join("out")).unwrap();
        symlink("sub/deep", root.join("in")).unwrap();
        symlink("/", root.join("top")).unwrap();
        symlink("b", root.join("a")).unwrap();
        symlink("a", root.join("b")).unwrap();
        symlink("nowhere/at/all", root.join("dangling")).unwrap();
        (directory, root)
    }

    #[test]
    fn paths_lead_where_the_system_would_go() {
        let (_directory, root) = project();
        for (path, base, relative, kind) in [
            (".", None, Some("."), Kind::Directory),
            ("", None, Some("."), Kind::Directory),
            ("file", None, Some("file"), Kind::File),
            ("sub/../sub/./deep", None, Some("sub/deep"), Kind::Directory),
            ("in", None, Some("sub/deep"), Kind::Directory),
            ("in/..", None, Some("sub"), Kind::Directory),
            ("..", Some("sub/deep"), Some("sub"), Kind::Directory),
            ("..", Some("in"), Some("sub"), Kind::Directory),
            ("new/dir", None, Some("new/dir"), Kind::Missing),
            ("new/../file", None, Some("file"), Kind::File),
            ("dangling", None, Some("nowhere/at/all"), Kind::Missing),
            ("file/below", None, Some("file/below"), Kind::Missing),
            ("..", None, None, Kind::Directory),
            ("out", None, None, Kind::Directory),
            ("out/x", None, None, Kind::Missing),
            ("top/etc", None, None, Kind::Directory),
            ("/dev/null", None, None, Kind::Other),
            ("../../../../../../../..", None, None, Kind::Directory),
        ] {
            let place = place(&root, path, base).unwrap();
            assert_eq!((place.relative.as_deref(), place.kind), (relative, kind), "{path:?} from {base:?}");
        }
    }

    #[test]
    fn the_root_by_its_absolute_name_is_inside() {
        let (_directory, root) = project();
        let place = place(&root, root.join("sub").to_str().unwrap(), None).unwrap();
        assert_eq!(place.relative.as_deref(), Some("sub"));
        assert!(place.access.read && place.access.enter);
    }

    #[test]
    fn a_name_that_only_begins_like_the_root_is_outside() {
        let (_directory, root) = project();
        let sibling = format!("{}-sibling", root.display());
        fs::create_dir(&sibling).unwrap();
        assert_eq!(place(&root, &sibling, None).unwrap().relative, None);
    }

    #[test]
    fn what_leads_nowhere_is_said() {
        let (_directory, root) = project();
        assert_eq!(place(&root, "a", None), Err(PathError::Circular));
        assert_eq!(place(&root, "x\0y", None), Err(PathError::Nul));
        assert_eq!(place(&root, &"x/".repeat(4000), None), Err(PathError::TooLong));
        assert_eq!(place(&root, &"x".repeat(300), None), Err(PathError::TooLong));
    }
}
