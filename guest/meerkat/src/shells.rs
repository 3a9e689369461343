//! Which shell runs the commands, and how it reads them.

use shellward_kit::Host;
use shellward_kit::contract::{Filter, Language, Level};

use crate::failure::Failure;
use crate::settings::Settings;

/// The specification's shell.
pub const NU: &str = "nu";
/// What runs commands where there is no Nushell and the settings ask for no shell.
const FALLBACK: &str = "/bin/sh";

/// The shell that the settings want, installed or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Its name or path as the settings have it.
    pub name: String,
    /// Its program, absolute; none where it is not installed.
    pub program: Option<String>,
    /// The language it reads; none where this policy does not know it.
    pub reads: Option<Language>,
    /// Whether it stands in for Nushell, which is not installed.
    pub fallback: bool,
}

impl Chosen {
    /// Gives the program, or says that it is not installed.
    ///
    /// # Errors
    /// There is no such program.
    pub fn installed(&self) -> Result<&str, Failure> {
        self.program.as_deref().ok_or_else(|| Failure::ShellNotInstalled(self.name.clone()))
    }

    /// Says in the host's log that another shell stands in.
    ///
    /// A policy keeps nothing between calls, so the session's first command says it.
    pub fn log<H: Host>(&self, host: &H) {
        if self.fallback && host.jobs(Filter { active: true, ended: true, limit: 1 }).is_empty() {
            let message = "nu is not installed, so /bin/sh runs the commands; install it from https://nushell.sh, or \
                           set `shell` in [tools.shell]";
            host.log(Level::Warning, message);
        }
    }
}

/// Chooses the shell.
#[must_use]
pub fn choose<H: Host>(host: &H, settings: &Settings) -> Chosen {
    let chosen = |name: &str, program, reads| Chosen { name: name.into(), program, reads, fallback: false };
    match (&settings.shell_path, &settings.shell) {
        (Some(path), name) => {
            let reads = reads(path).or_else(|| name.as_deref().and_then(reads));
            chosen(path, host.find_program(path), reads)
        }
        (None, Some(name)) => chosen(name, host.find_program(name), reads(name)),
        (None, None) => match (host.find_program(NU), host.find_program(FALLBACK)) {
            (None, Some(program)) => Chosen { fallback: true, ..chosen(FALLBACK, Some(program), reads(FALLBACK)) },
            (program, _) => chosen(NU, program, reads(NU)),
        },
    }
}

/// Gives the language that a shell of this name or path reads, where it is known.
#[must_use]
pub fn reads(shell: &str) -> Option<Language> {
    match shell.rsplit('/').next().unwrap_or(shell) {
        "nu" | "nushell" => Some(Language::Nu),
        "sh" | "dash" | "ash" => Some(Language::Sh),
        "bash" => Some(Language::Bash),
        "zsh" => Some(Language::Zsh),
        _ => None,
    }
}

/// Gives the name of a language for people.
#[must_use]
pub fn called(shell: &str) -> &str {
    match reads(shell) {
        Some(Language::Nu) => "Nushell",
        Some(Language::Sh) => "POSIX sh",
        Some(Language::Bash) => "Bash",
        Some(Language::Zsh) => "zsh",
        None => shell.rsplit('/').next().unwrap_or(shell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shellward_kit::fake::Fake;

    fn choice(host: &Fake, settings: &str) -> (String, Option<String>, Option<Language>, bool) {
        let Chosen { name, program, reads, fallback } = choose(host, &Settings::read(settings).unwrap());
        (name, program, reads, fallback)
    }

    #[test]
    fn nu_is_the_default_and_sh_stands_in() {
        let host = Fake::new();
        let sh = ("/bin/sh".to_owned(), Some("/bin/sh".to_owned()), Some(Language::Sh), true);
        assert_eq!(choice(&host, "{}"), sh);
        host.program("/opt/nu/nu");
        assert_eq!(choice(&host, "{}"), ("nu".into(), Some("/opt/nu/nu".into()), Some(Language::Nu), false));
        host.without_program("nu").without_program("sh");
        assert_eq!(choice(&host, "{}"), ("nu".into(), None, Some(Language::Nu), false));
    }

    #[test]
    fn an_explicit_shell_has_no_stand_in() {
        let host = Fake::new();
        assert_eq!(choice(&host, r#"{"shell":"nu"}"#), ("nu".into(), None, Some(Language::Nu), false));
        let settings = r#"{"shell":"bash"}"#;
        assert_eq!(choice(&host, settings), ("bash".into(), Some("/bin/bash".into()), Some(Language::Bash), false));
        let settings = r#"{"shell_path":"/opt/nu/nu"}"#;
        assert_eq!(choice(&host, settings), ("/opt/nu/nu".into(), None, Some(Language::Nu), false));
    }

    #[test]
    fn the_path_says_the_language_before_the_name_does() {
        let host = Fake::new();
        let language = |settings| choice(&host, settings).2;
        assert_eq!(language(r#"{"shell":"nu","shell_path":"/bin/bash"}"#), Some(Language::Bash));
        assert_eq!(language(r#"{"shell":"nu","shell_path":"/opt/nu-0.110"}"#), Some(Language::Nu));
        assert_eq!(language(r#"{"shell_path":"/usr/bin/fish"}"#), None);
        assert_eq!(language(r#"{"shell":"fish"}"#), None);
    }
}
