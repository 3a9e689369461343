//! Who reads what is typed: a shell, a program from which commands can be run, or something else.

use shellward_judge::syntax_language;
use shellward_kit::contract::Language;
use shellward_syntax::{Command, Survey, facts, survey};

/// Who reads what is typed into a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A shell: every line is a command line. Its language, where that is known, and its name.
    Shell(Option<Language>, &'static str),
    /// A program with a line editor of its own, which runs as commands what stands behind one of these.
    Prompt(&'static [&'static str]),
    /// The same for programs that take the whole screen, in which most keys are no text.
    Screen(&'static [&'static str]),
    /// A program that runs no commands from its input.
    Program,
}

/// Shells, and what reads like them.
const SHELLS: &[(&str, Option<Language>)] = &[
    ("sh", Some(Language::Sh)),
    ("dash", Some(Language::Sh)),
    ("ash", Some(Language::Sh)),
    ("ksh", Some(Language::Sh)),
    ("mksh", Some(Language::Sh)),
    ("yash", Some(Language::Sh)),
    ("bash", Some(Language::Bash)),
    ("rbash", Some(Language::Bash)),
    ("zsh", Some(Language::Zsh)),
    ("nu", Some(Language::Nu)),
    ("fish", None),
    ("csh", None),
    ("tcsh", None),
    ("pwsh", None),
    ("elvish", None),
    ("xonsh", None),
];

/// Programs that bring the agent to a shell somewhere: as another user, on another machine, in a container, in a
/// window.
const CARRIERS: &[&str] = &[
    "ssh",
    "mosh",
    "telnet",
    "su",
    "sudo",
    "doas",
    "login",
    "machinectl",
    "nsenter",
    "unshare",
    "chroot",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "lxc",
    "incus",
    "vagrant",
    "tmux",
    "screen",
    "zellij",
    "script",
    "expect",
    "adb",
    "wsl",
    "toolbox",
    "distrobox",
    "newgrp",
    "sg",
    "runuser",
    "at",
    "batch",
    "parallel",
];

/// Files that are what is typed.
const INPUTS: &[&str] = &["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/dev/tty", "/dev/pts/"];

const PROMPTS: &[(&str, &[&str])] = &[
    ("psql", &["\\!"]),
    ("mysql", &["\\!", "system "]),
    ("mariadb", &["\\!", "system "]),
    ("sqlite3", &[".shell ", ".system "]),
    ("ipython", &["!", "%sx ", "%system ", "%%bash", "%%sh"]),
    ("ipython3", &["!", "%sx ", "%system ", "%%bash", "%%sh"]),
    ("gdb", &["shell ", "!"]),
    ("lldb", &["shell "]),
    ("ghci", &[":!"]),
    ("pry", &["."]),
    ("sftp", &["!"]),
    ("ftp", &["!"]),
    ("lftp", &["!", "shell "]),
    ("ed", &["!"]),
    ("mail", &["!"]),
    ("octave", &["!"]),
    ("gnuplot", &["!", "shell", "system"]),
    ("tclsh", &["exec "]),
    ("wish", &["exec "]),
];

const SCREENS: &[(&str, &[&str])] = &[
    ("vim", &["!"]),
    ("vi", &["!"]),
    ("nvim", &["!"]),
    ("view", &["!"]),
    ("vimdiff", &["!"]),
    ("less", &["!", "|"]),
    ("more", &["!"]),
    ("most", &["!"]),
    ("man", &["!", "|"]),
    ("git", &["!", "|"]),
    ("journalctl", &["!", "|"]),
    ("systemctl", &["!", "|"]),
    ("crontab", &["!"]),
    ("visudo", &["!"]),
];

impl Reader {
    /// Finds out who reads what is typed into a run of this command.
    #[must_use]
    pub fn of(command: &str, language: Language) -> Self {
        let Ok(Survey { script, unknown }) = survey(command, syntax_language(language)) else {
            return Self::Shell(Some(language), "sh");
        };
        // What cannot be known could be a shell.
        if !unknown.is_empty() {
            return Self::Shell(Some(language), "sh");
        }
        let readers = script.commands.iter().map(Self::of_command);
        readers.max_by_key(|reader| reader.strictness()).unwrap_or(Self::Program)
    }

    fn of_command(command: &Command) -> Self {
        let Some(program) = facts::program(command) else { return Self::Program };
        let program = program.strip_prefix('-').unwrap_or(program);
        if let Some((name, language)) = SHELLS.iter().find(|(name, _)| *name == program)
            && reads_input(command)
        {
            return Self::Shell(*language, name);
        }
        let is_input = |text: &str| INPUTS.iter().any(|input| text.starts_with(input));
        let from_input = command.words.iter().any(|word| word.literal().is_some_and(|text| is_input(&text)));
        if from_input || CARRIERS.contains(&program) {
            return Self::Shell(Some(Language::Sh), "sh");
        }
        let among = |table: &'static [(&'static str, &'static [&'static str])]| {
            table.iter().find(|(name, _)| *name == program).map(|(_, escapes)| *escapes)
        };
        among(PROMPTS).map(Self::Prompt).or(among(SCREENS).map(Self::Screen)).unwrap_or(Self::Program)
    }

    fn strictness(&self) -> u8 {
        match self {
            Self::Program => 0,
            Self::Screen(_) => 1,
            Self::Prompt(_) => 2,
            Self::Shell(..) => 3,
        }
    }
}

/// Tells whether a shell reads commands from its input: it is given neither a script nor a file, or asked to.
fn reads_input(command: &Command) -> bool {
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else { return true };
        match text.as_ref() {
            "--" => return words.next().is_none(),
            "--rcfile" | "--init-file" | "-o" | "+o" | "-O" | "+O" => {
                words.next();
            }
            long if long.starts_with("--") => {}
            short if short.len() > 1 && short.starts_with(['-', '+']) => {
                if short.contains('s') || short.contains('i') {
                    return true;
                }
                if short.contains('c') {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::Reader;
    use shellward_kit::contract::Language;

    #[test]
    fn shells_are_found_wherever_they_stand() {
        let shell = |command: &str| matches!(Reader::of(command, Language::Bash), Reader::Shell(..));
        for command in [
            "bash",
            "bash -i",
            "bash --norc -i",
            "exec sh",
            "cd x && env A=1 zsh",
            "sudo -s",
            "ssh host",
            "fish",
            "docker exec -it c bash",
            "nice bash",
            "bash -s",
            "tmux",
            ". /dev/stdin",
            "bash -c 'exec sh'",
            "true; sh",
            "sh -o pipefail",
            "nu",
            "$SHELL",
            "su - other",
        ] {
            assert!(shell(command), "{command}");
        }
        for command in
            ["cat", "python3 -i", "bash build.sh", "bash -c 'make all'", "npm run dev", "sh -e ./x.sh", "node", "top"]
        {
            assert_eq!(Reader::of(command, Language::Bash), Reader::Program, "{command}");
        }
        assert!(matches!(Reader::of("psql -U me", Language::Bash), Reader::Prompt(_)));
        assert!(matches!(Reader::of("vim x", Language::Bash), Reader::Screen(_)));
    }
}
