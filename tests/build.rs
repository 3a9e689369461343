//! Builds the hostile policy that the tests load.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use shellward_build::{Error, announce, build, shared};

fn main() -> Result<(), Error> {
    let workspace = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    announce(&format!("rerun-if-changed={}", workspace.join("tests/hostile").display()));
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let built = build(&workspace, &["shellward-hostile"], &shared(&out))?;
    let copy = out.join("hostile.wasm");
    fs::copy(built.join("shellward_hostile.wasm"), &copy)?;
    announce(&format!("rustc-env=HOSTILE_POLICY={}", copy.display()));
    Ok(())
}
