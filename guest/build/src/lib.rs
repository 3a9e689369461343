//! Builds policies to components, for build scripts.
//!
//! The build of a component is a build of its own: it knows nothing of the flags, wrappers and profiles that are set
//! for the program it is made for, and has a target directory of its own.

mod directory;
mod target;

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use directory::shared;

/// What policies are built for.
pub const TARGET: &str = "wasm32-wasip2";

/// Why a component was not built.
pub type Error = Box<dyn std::error::Error>;

/// Builds packages of a workspace, and gives the directory that their components are in.
///
/// # Errors
/// When the target cannot be had, or the build fails; the message says what to do.
pub fn build(workspace: &Path, packages: &[&str], directory: &Path) -> Result<PathBuf, Error> {
    for input in [".cargo/config.toml", "guest", "wit", "Cargo.toml", "Cargo.lock"] {
        announce(&format!("rerun-if-changed={}", workspace.join(input).display()));
    }
    target::require()?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--locked", "--profile", "policy", "--target", TARGET]);
    cargo.arg("--manifest-path").arg(workspace.join("Cargo.toml")).arg("--target-dir").arg(directory);
    for package in packages {
        cargo.args(["--package", package]);
    }
    forget_the_outer_build(&mut cargo);
    let status = cargo.status().map_err(|error| format!("cannot run cargo to build the policies: {error}"))?;
    if !status.success() {
        return Err("the policies could not be built; cargo says why above".into());
    }
    Ok(directory.join(TARGET).join("policy"))
}

/// Takes away what the outer build has set for its own target: flags, wrappers such as clippy's, profiles.
fn forget_the_outer_build(cargo: &mut Command) {
    for (name, _) in env::vars_os() {
        if belongs_to_the_outer_build(&name) {
            cargo.env_remove(name);
        }
    }
}

fn belongs_to_the_outer_build(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let prefixes =
        ["CARGO_ENCODED_", "CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_TARGET_", "CARGO_FEATURE_", "CARGO_CFG_"];
    let names = ["RUSTFLAGS", "RUSTDOCFLAGS", "RUSTC_WORKSPACE_WRAPPER", "RUSTC_LINKER", "TARGET", "PROFILE"];
    prefixes.iter().any(|prefix| name.starts_with(prefix)) || names.contains(&name)
}

/// Tells cargo something.
#[expect(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]
pub fn announce(message: &str) {
    println!("cargo:{message}");
}
