//! The standard library for the target.

use std::env;
use std::path::Path;
use std::process::Command;

use super::{Error, TARGET, announce};

/// Sees to it that the target's standard library is there.
pub(super) fn require() -> Result<(), Error> {
    if is_there()? {
        return Ok(());
    }
    let advice = format!("run `rustup target add {TARGET}`");
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]);
    if let Some(toolchain) = env::var_os("RUSTUP_TOOLCHAIN") {
        rustup.arg("--toolchain").arg(toolchain);
    }
    match rustup.status() {
        Ok(status) if status.success() && is_there()? => {
            announce(&format!("warning=added the Rust target {TARGET} with rustup, as rust-toolchain.toml asks"));
            Ok(())
        }
        Ok(status) => Err(format!("rustup could not add the Rust target {TARGET} ({status}); {advice}").into()),
        Err(error) => Err(format!(
            "policies are built for the Rust target {TARGET}, which is not installed, and rustup is not there to add it \
             ({error}): install rustup and {advice}, or install the target by the means Rust was installed with"
        )
        .into()),
    }
}

fn is_there() -> Result<bool, Error> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output()?;
    let directory = String::from_utf8(output.stdout)?;
    Ok(output.status.success() && Path::new(directory.trim()).is_dir())
}
