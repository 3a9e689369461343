//! Builds the built-in policies for wasm32-wasip2 and embeds them, and makes the C bindings that projects in C get.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use shellward_build::{Error, announce, build, shared};
use wit_bindgen_core::Files;
use wit_bindgen_core::wit_parser::Resolve;

/// The built-in policies: `guest/NAME`, package `shellward-NAME`.
const POLICIES: [&str; 5] = ["actions", "bash", "exec", "meerkat", "pattern"];

/// Where to find ready-built components, `NAME.wasm`, instead.
const READY: &str = "SHELLWARD_POLICIES";

fn main() -> Result<(), Error> {
    announce(&format!("rerun-if-env-changed={READY}"));
    announce("rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let workspace = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    bindings(&workspace.join("wit"), &out.join("c"))?;
    let components = match env::var_os(READY) {
        Some(ready) => POLICIES.map(|name| (name, Path::new(&ready).join(format!("{name}.wasm")))),
        None => {
            let packages = POLICIES.map(|name| format!("shellward-{name}"));
            let built = build(&workspace, &packages.each_ref().map(String::as_str), &shared(&out))?;
            POLICIES.map(|name| (name, built.join(format!("shellward_{name}.wasm"))))
        }
    };
    fs::write(out.join("policies.rs"), table(&out, &components)?)?;
    Ok(())
}

/// Copies the components to `out`, and gives a Rust table of them.
fn table(out: &Path, components: &[(&str, PathBuf)]) -> Result<String, Error> {
    let mut text = String::from("/// The built-in policies.\nconst BUILT_IN: &[(&str, &[u8])] = &[\n");
    for (name, from) in components {
        announce(&format!("rerun-if-changed={}", from.display()));
        let copy = out.join(format!("{name}.wasm"));
        fs::copy(from, &copy).map_err(|error| format!("no policy at {}: {error}", from.display()))?;
        writeln!(text, "    ({name:?}, include_bytes!({:?})),", copy.display().to_string())?;
    }
    text.push_str("];\n");
    Ok(text)
}

/// Writes what a guard in C is compiled and linked with.
fn bindings(wit: &Path, directory: &Path) -> Result<(), Error> {
    announce(&format!("rerun-if-changed={}", wit.display()));
    let mut contract = Resolve::default();
    let (package, _) = contract.push_dir(wit)?;
    let world = contract.select_world(&[package], Some("guard-with-cases"))?;
    let mut files = Files::default();
    let opts = wit_bindgen_c::Opts { rename_world: Some("shellward".into()), ..Default::default() };
    opts.build().generate(&mut contract, world, &mut files)?;
    fs::create_dir_all(directory)?;
    for (name, contents) in files.iter() {
        fs::write(directory.join(name), contents)?;
    }
    Ok(())
}
