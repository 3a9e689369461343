//! Builds the policies and the guard that only the tests load.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use shellward_build::{Error, announce, build, shared};

/// Each package, what its component is called, and the variable that says where it is.
const POLICIES: [(&str, &str, &str); 3] = [
    ("shellward-guard", "guard", "TEST_GUARD"),
    ("shellward-hostile", "hostile", "HOSTILE_POLICY"),
    ("shellward-runner", "runner", "RUNNER_POLICY"),
];

fn main() -> Result<(), Error> {
    let workspace = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let built = build(&workspace, &POLICIES.map(|(package, _, _)| package), &shared(&out))?;
    for (_, name, variable) in POLICIES {
        announce(&format!("rerun-if-changed={}", workspace.join("tests").join(name).display()));
        let copy = out.join(name).with_extension("wasm");
        fs::copy(built.join(format!("shellward_{name}.wasm")), &copy)?;
        announce(&format!("rustc-env={variable}={}", copy.display()));
    }
    Ok(())
}
