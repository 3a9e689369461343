//! Where components are built.

use std::path::{Path, PathBuf};

/// A target directory for components that the build scripts of one workspace share, so that what two of them need is
/// built once: `guests` in the outer build's target directory, or in `out` where that cannot be told.
#[must_use]
pub fn shared(out: &Path) -> PathBuf {
    // OUT_DIR is `TARGET/PROFILE/build/PACKAGE-HASH/out`, with the target's triple in between for a cross build.
    let target = out.ancestors().nth(4).filter(|directory| directory.join("CACHEDIR.TAG").is_file());
    target.unwrap_or(out).join("guests")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_layout_keeps_to_itself() {
        assert_eq!(shared(Path::new("/a/b/c/d/e/out")), Path::new("/a/b/c/d/e/out/guests"));
    }
}
