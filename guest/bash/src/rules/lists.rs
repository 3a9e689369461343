//! The lists of programs that do not run, as data: each can be extended and relaxed by settings.

use super::Rule;

/// A list of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Programs that wait for a person.
    Interactive,
    /// Programs that destroy, end the machine or raise privileges.
    Dangerous,
    /// Programs that fetch from the network.
    Network,
    /// Programs that read, search or list files.
    Readers,
}

/// A program on a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name; with a `.` at the end every name that begins so.
    pub program: &'static str,
    /// The rule it falls under.
    pub rule: Rule,
    /// What it does, after its name in a sentence.
    pub does: &'static str,
    /// What to do instead.
    pub instead: &'static str,
}

const fn entry(program: &'static str, rule: Rule, does: &'static str, instead: &'static str) -> Entry {
    Entry { program, rule, does, instead }
}

const fn destroys(program: &'static str) -> Entry {
    entry(program, Rule::Destructive, "overwrites disks", "Disks are not an agent's to change; ask the user.")
}

const fn halts(program: &'static str) -> Entry {
    entry(program, Rule::Destructive, "stops the machine", "The machine has to stay up; ask the user.")
}

const fn raises(program: &'static str) -> Entry {
    entry(program, Rule::Privilege, "raises privileges", "Run the command without it, as the user you are.")
}

const fn reads(program: &'static str, does: &'static str, instead: &'static str) -> Entry {
    entry(program, Rule::Readers, does, instead)
}

const DANGEROUS: &[Entry] = &[
    destroys("mkfs"),
    destroys("mkfs."),
    destroys("mke2fs"),
    destroys("fdisk"),
    destroys("sfdisk"),
    destroys("cfdisk"),
    entry("dd", Rule::Destructive, "can overwrite disks", "Make files of a size with `truncate -s SIZE FILE`."),
    halts("shutdown"),
    halts("reboot"),
    halts("poweroff"),
    halts("halt"),
    raises("sudo"),
    raises("su"),
    raises("doas"),
    raises("pkexec"),
    raises("run0"),
];

const NETWORK: &[Entry] = &[
    entry(
        "curl",
        Rule::Network,
        "uses the network",
        "The user can allow it with `allow_network = true` or BASH_ALLOW_NETWORK=true.",
    ),
    entry(
        "wget",
        Rule::Network,
        "uses the network",
        "The user can allow it with `allow_network = true` or BASH_ALLOW_NETWORK=true.",
    ),
];

const LISTING: &str = "Use the LS tool.";
const READING: &str = "Use the Read tool.";
const SEARCHING: &str = "Use the Grep tool; `git grep` runs as well.";

const READERS: &[Entry] = &[
    reads("ls", "lists files", LISTING),
    reads("dir", "lists files", LISTING),
    reads("vdir", "lists files", LISTING),
    reads("cat", "reads files", "Use the Read tool; `tee FILE <<'EOF'` writes a text to a file."),
    reads("head", "reads files", READING),
    reads("tail", "reads files", READING),
    reads("grep", "searches files", SEARCHING),
    reads("egrep", "searches files", SEARCHING),
    reads("fgrep", "searches files", SEARCHING),
    reads("rg", "searches files", SEARCHING),
    reads("find", "finds files", "Use the Glob tool; `git ls-files` runs as well."),
];

impl List {
    /// Every list.
    pub const ALL: [Self; 4] = [Self::Interactive, Self::Dangerous, Self::Network, Self::Readers];

    /// Gives the key of the setting that adds programs.
    #[must_use]
    pub fn extra_key(self) -> &'static str {
        match self {
            Self::Interactive => "interactive_extra",
            Self::Dangerous => "dangerous_extra",
            Self::Network => "network_extra",
            Self::Readers => "readers_extra",
        }
    }

    /// Gives the key of the setting that takes programs off.
    #[must_use]
    pub fn allow_key(self) -> &'static str {
        match self {
            Self::Interactive => "interactive_allow",
            Self::Dangerous => "dangerous_allow",
            Self::Network => "network_allow",
            Self::Readers => "readers_allow",
        }
    }

    /// Gives the list's own entries. Those of interactive programs stand in the syntax library, with the forms in
    /// which they are interactive.
    #[must_use]
    pub fn entries(self) -> &'static [Entry] {
        match self {
            Self::Interactive => &[],
            Self::Dangerous => DANGEROUS,
            Self::Network => NETWORK,
            Self::Readers => READERS,
        }
    }

    /// Gives the entry under which a program stands that a setting has added.
    #[must_use]
    pub fn added(self) -> Entry {
        match self {
            Self::Interactive => entry("", Rule::Interactive, "waits for a person", super::interactive::INSTEAD),
            Self::Dangerous => entry("", Rule::Destructive, "is forbidden by the settings", "Ask the user."),
            Self::Network => entry("", Rule::Network, "uses the network", "Ask the user."),
            Self::Readers => {
                entry("", Rule::Readers, "has a tool of its own", "Use the tool for it: LS, Read, Grep or Glob.")
            }
        }
    }

    /// Tells whether a program is on the list as it comes.
    #[must_use]
    pub fn holds(self, program: &str) -> bool {
        match self {
            Self::Interactive => super::interactive::holds(program),
            _ => self.entries().iter().any(|entry| entry.is(program)),
        }
    }

    /// Gives the names on the list as it comes.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        match self {
            Self::Interactive => super::interactive::names(),
            _ => self.entries().iter().map(|entry| entry.program).filter(|name| !name.ends_with('.')).collect(),
        }
    }
}

impl Entry {
    /// Tells whether a program is the one meant.
    #[must_use]
    pub fn is(&self, program: &str) -> bool {
        program == self.program || self.program.ends_with('.') && program.starts_with(self.program)
    }
}

#[cfg(test)]
mod tests {
    use super::List;

    #[test]
    fn every_program_of_the_specification_is_on_its_list() {
        for (list, programs) in [
            (
                List::Interactive,
                &[
                    "vim", "vi", "nano", "less", "more", "top", "htop", "watch", "tmux", "screen", "ssh", "scp",
                    "sftp", "ftp",
                ][..],
            ),
            (
                List::Dangerous,
                &["mkfs", "mkfs.ext4", "fdisk", "dd", "shutdown", "reboot", "poweroff", "halt", "sudo", "su", "doas"],
            ),
            (List::Network, &["curl", "wget"]),
            (List::Readers, &["ls", "cat", "head", "tail", "grep", "find", "rg"]),
        ] {
            for program in programs {
                assert!(list.holds(program), "{program}");
                assert!(!list.holds(&format!("my{program}")), "{program}");
            }
        }
    }
}
