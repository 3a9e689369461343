//! The policies under test, each with a host that it can work in.

use shellward_actions::Actions;
use shellward_bash::Bash;
use shellward_exec::Exec;
use shellward_kit::contract::Job;
use shellward_kit::fake::{Fake, Native, Subject};
use shellward_meerkat::Meerkat;
use shellward_pattern::Pattern;

use crate::Reader;

/// A policy of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// `bash`.
    Bash,
    /// `exec`.
    Exec,
    /// `meerkat`.
    Meerkat,
    /// `actions`.
    Actions,
    /// `pattern`.
    Pattern,
}

impl Policy {
    /// Every one; inputs choose by the place.
    pub const ALL: [Self; 5] = [Self::Bash, Self::Exec, Self::Meerkat, Self::Actions, Self::Pattern];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Exec => "exec",
            Self::Meerkat => "meerkat",
            Self::Actions => "actions",
            Self::Pattern => "pattern",
        }
    }

    /// Its tools; the first takes commands.
    pub(crate) fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Bash => &["Bash"],
            Self::Exec => &["exec"],
            Self::Meerkat => &["shell", "shell_job_status", "shell_jobs", "shell_job_cancel"],
            Self::Actions | Self::Pattern => &["shell"],
        }
    }

    /// The settings with which it does something.
    fn settings(self) -> &'static str {
        match self {
            Self::Meerkat => r#"{"enabled":true}"#,
            Self::Bash | Self::Exec | Self::Actions | Self::Pattern => "{}",
        }
    }

    /// The arguments with which its first tool runs a command and waits for its end.
    pub(crate) fn waits(self, command: &str) -> String {
        self.arguments(command, r#"{"op":"execute"}"#, "{}")
    }

    /// The arguments with which it starts a command and lets it run; where it always waits, it waits.
    pub(crate) fn starts(self, command: &str) -> String {
        let actions = r#"{"action":"spawn","stdin":true,"watch":[{"regex":"done","event":"seen"}]}"#;
        let actions = if self == Self::Meerkat { r#"{"background":true}"# } else { actions };
        self.arguments(command, r#"{"op":"spawn"}"#, actions)
    }

    fn arguments(self, command: &str, pattern: &str, others: &str) -> String {
        let form = match self {
            Self::Bash | Self::Exec => "{}",
            Self::Meerkat | Self::Actions => others,
            Self::Pattern => pattern,
        };
        let mut arguments: serde_json::Value = serde_json::from_str(form).expect("a form that parses");
        arguments["command"] = command.into();
        arguments.to_string()
    }
}

/// Whatever answers for the policies: they themselves, or their components.
pub trait Subjects {
    /// Gives the one that answers for a policy.
    fn of(&self, policy: Policy) -> &dyn Subject;
}

/// The policies themselves.
#[derive(Clone, Copy, Debug)]
pub struct Natives;

impl Subjects for Natives {
    fn of(&self, policy: Policy) -> &dyn Subject {
        match policy {
            Policy::Bash => const { &Native::<Bash>::new() },
            Policy::Exec => const { &Native::<Exec>::new() },
            Policy::Meerkat => const { &Native::<Meerkat>::new() },
            Policy::Actions => const { &Native::<Actions>::new() },
            Policy::Pattern => const { &Native::<Pattern>::new() },
        }
    }
}

/// A policy that an input has chosen, and its settings.
pub(crate) struct Under<'s> {
    pub policy: Policy,
    pub subject: &'s dyn Subject,
    pub settings: String,
    nu: bool,
}

impl<'s> Under<'s> {
    /// Chooses a policy by one byte, whether there is a Nushell by the bit of 64, and by that of 128 settings: what
    /// stands up to a line end, where the policy takes that.
    pub fn choose(reader: &mut Reader<'_>, subjects: &'s dyn Subjects) -> Self {
        let byte = reader.byte();
        let policy = Policy::ALL[usize::from(byte & 63) % Policy::ALL.len()];
        let subject = subjects.of(policy);
        let given = if byte & 128 == 0 { String::new() } else { reader.line() };
        let settings =
            if is_json(&given) && subject.describe(&given).is_ok() { given } else { policy.settings().into() };
        Self { policy, subject, settings, nu: byte & 64 != 0 }
    }

    /// Makes a host with some files and these settings.
    pub fn host(&self) -> Fake {
        let host = Fake::new();
        host.directory("src")
            .directory("docs/deep")
            .file("notes.txt")
            .link("out", "/tmp")
            .settings_json(&self.settings);
        if self.nu {
            host.program("/usr/bin/nu");
        }
        host
    }

    /// Starts a command and lets it run; gives the job, where there is one.
    pub fn start(&self, host: &Fake, command: &str) -> Option<Job> {
        host.run(self.subject, self.policy.tools()[0], &self.policy.starts(command));
        host.all_jobs().pop()
    }
}

/// A host hands on what parses, and nothing else.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}
