//! `shellward policy new`: a project for a guard, in a language of its author's choice.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::arguments::Language;
use super::error::{CliError, Exit};
use super::output;

/// A file of a project: its name, and what is in it. `{{name}}` stands for the guard's name.
type Template = (&'static str, &'static [u8]);

macro_rules! template {
    ($path:literal) => {
        include_bytes!(concat!("../../templates/", $path))
    };
}

/// What `build.rs` has generated from the contract.
macro_rules! generated {
    ($name:literal) => {
        (concat!("bindings/", $name), include_bytes!(concat!(env!("OUT_DIR"), "/c/", $name)))
    };
}

const COMMON: [Template; 2] =
    [("README.md", template!("common.README.md")), ("cases.toml", template!("common.cases.toml"))];

const RUST: [Template; 4] = [
    ("Cargo.toml", template!("rust/Cargo.toml.in")),
    ("src/lib.rs", template!("rust/src/lib.rs")),
    ("build", template!("rust/build")),
    (".gitignore", b"target\nguard.wasm\n"),
];

const JS: [Template; 4] = [
    ("package.json", template!("js/package.json.in")),
    ("guard.js", template!("js/guard.js")),
    ("build", template!("js/build")),
    (".gitignore", b"node_modules\nguard.wasm\n"),
];

const PYTHON: [Template; 3] = [
    ("guard.py", template!("python/guard.py")),
    ("build", template!("python/build")),
    (".gitignore", b"venv\n__pycache__\nguard.wasm\n"),
];

const C: [Template; 6] = [
    ("guard.c", template!("c/guard.c")),
    ("build", template!("c/build")),
    generated!("shellward.h"),
    generated!("shellward.c"),
    generated!("shellward_component_type.o"),
    (".gitignore", b"node_modules\ncore.wasm\nguard.wasm\n"),
];

/// What is said where the project cannot be built yet.
const NO_CLANG: &str = "\nclang does not build for WebAssembly here yet. On Debian and Ubuntu:

  apt install clang lld wasi-libc libclang-rt-dev-wasm32

Elsewhere the WASI SDK has all of it: CC=/opt/wasi-sdk/bin/clang TARGET=wasm32-wasip1 ./build\n";

macro_rules! wit {
    ($($name:literal),*) => {
        [$((concat!("wit/", $name, ".wit"), include_bytes!(concat!("../../../wit/", $name, ".wit")))),*]
    };
}

/// The contract, as the project builds against it.
const WIT: [Template; 16] = wit!(
    "blocks",
    "commands",
    "conduct",
    "diagnostics",
    "input",
    "jobs",
    "output",
    "processes",
    "rules",
    "settings",
    "signals",
    "syntax",
    "timers",
    "types",
    "workspace",
    "world"
);

pub(super) fn new(language: Language, directory: &Path) -> Result<Exit, CliError> {
    let name = directory.file_name().and_then(|name| name.to_str()).filter(|name| is_name(name)).ok_or_else(|| {
        CliError::Usage(format!(
            "'{}' is no name for a guard; write small letters, digits and single hyphens, such as no-forced-push",
            directory.display()
        ))
    })?;
    let failed = |path: &Path, error: io::Error| CliError::Usage(format!("cannot make {}: {error}", path.display()));
    if let Some(parent) = directory.parent() {
        fs::create_dir_all(parent).map_err(|error| failed(parent, error))?;
    }
    fs::create_dir(directory).map_err(|error| failed(directory, error))?;
    let own: &[Template] = match language {
        Language::Rust => &RUST,
        Language::Js => &JS,
        Language::Python => &PYTHON,
        Language::C => &C,
    };
    for (file, contents) in COMMON.iter().chain(own).chain(&WIT) {
        let path = directory.join(file);
        let named = str::from_utf8(contents).map(|text| text.replace("{{name}}", name));
        write(&path, named.as_deref().map_or(contents, str::as_bytes)).map_err(|error| failed(&path, error))?;
    }
    let shown = directory.display();
    let hint = if matches!(language, Language::C) && !clang_builds() { NO_CLANG } else { "" };
    output::text(&format!("made {shown}\n\n  {shown}/build\n  shellward policy test {shown}/guard.wasm\n{hint}"))?;
    Ok(Exit::Success)
}

/// Whether clang is there with all that a guard is built with, tried on a program without a line.
fn clang_builds() -> bool {
    let clang = env::var_os("CC").unwrap_or_else(|| "clang".into());
    let mut build = Command::new(clang);
    build.args(["--target=wasm32-wasi", "-mexec-model=reactor", "-o", "/dev/null", "-xc", "/dev/null"]);
    build.output().is_ok_and(|output| output.status.success())
}

/// A name that every language's tools take.
fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(plain)
        && !name.contains("--")
        && !name.ends_with('-')
}

fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, contents)?;
    if contents.starts_with(b"#!") {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_has_the_whole_contract() {
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit");
        let mut there: Vec<_> = fs::read_dir(wit)
            .unwrap()
            .map(|entry| format!("wit/{}", entry.unwrap().file_name().to_str().unwrap()))
            .filter(|name| name.ends_with(".wit"))
            .collect();
        there.sort();
        assert_eq!(there, WIT.map(|(name, _)| name));
    }

    #[test]
    fn names_are_such_as_tools_take() {
        for (name, good) in
            [("no-push", true), ("a1", true), ("No", false), ("a--b", false), ("-a", false), ("a b", false)]
        {
            assert_eq!(is_name(name), good, "{name}");
        }
    }
}
