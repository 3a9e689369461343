//! Finding programs.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

/// Finds a program: a path with a slash as it is, from `root`; a name in the directories of `search`.
pub(super) fn find(name: &str, search: Option<&OsStr>, root: &Path) -> Option<PathBuf> {
    if name.is_empty() || name.contains('\0') {
        return None;
    }
    if name.contains('/') {
        return Some(root.join(name)).filter(|path| runs(path));
    }
    // An empty entry means the current directory, which the shells still honour; a policy never wants that.
    env::split_paths(search?).filter(|entry| entry.is_absolute()).map(|entry| entry.join(name)).find(|path| runs(path))
}

/// Whether a path is a program that this user may run.
pub(super) fn runs(path: &Path) -> bool {
    path.is_file() && access(path, AccessFlags::X_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_searched_and_paths_are_taken() {
        let root = Path::new("/");
        let search = Some(OsStr::new("relative:/nowhere:/bin"));
        assert_eq!(find("sh", search, root), Some("/bin/sh".into()));
        assert_eq!(find("bin/sh", None, root), Some("/bin/sh".into()));
        for absent in ["", "no-such-program", "/etc/passwd", "/bin", "s\0h"] {
            assert_eq!(find(absent, search, root), None, "{absent:?}");
        }
    }
}
