//! Where components are built.

use std::path::{Path, PathBuf};

/// A target directory for components that the build scripts of one workspace share, so that what two of them need is
/// built once: `guests` in the outer build's target directory, or in `out` where that cannot be told.
#[must_use]
pub fn shared(out: &Path) -> PathBuf {
    // OUT_DIR is `TARGET/PROFILE/build/PACKAGE-HASH/out`, with the target's triple in between for a cross build.
    let known = out.ancestors().nth(2).and_then(Path::file_name).is_some_and(|name| name == "build");
    let target = out.ancestors().nth(4).filter(|_| known);
    target.unwrap_or(out).join("guests")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_layout_keeps_to_itself() {
        assert_eq!(shared(Path::new("/a/b/c/d/e/out")), Path::new("/a/b/c/d/e/out/guests"));
    }

    #[test]
    fn cargos_layout_leads_to_the_target_directory() {
        let out = Path::new("/project/target/release/build/shellward-0123/out");
        assert_eq!(shared(out), Path::new("/project/target/guests"));
    }
}
