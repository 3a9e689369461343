//! The policies under test, each with a host that it can work in.

use shellward_bash::Bash;
use shellward_exec::Exec;
use shellward_kit::fake::{Fake, Native, Subject};
use shellward_meerkat::Meerkat;

use crate::Reader;

/// A policy, its tools and the settings with which it does something.
pub struct Under {
    /// The policy.
    pub subject: Box<dyn Subject>,
    /// Its tools.
    pub tools: &'static [&'static str],
    settings: &'static str,
}

/// Chooses a policy.
pub fn policy(reader: &mut Reader<'_>) -> Under {
    match reader.byte() % 3 {
        0 => Under { subject: Box::new(Native::<Bash>::new()), tools: &["Bash"], settings: "{}" },
        1 => Under { subject: Box::new(Native::<Exec>::new()), tools: &["exec"], settings: "{}" },
        _ => Under {
            subject: Box::new(Native::<Meerkat>::new()),
            tools: &["shell", "shell_job_status", "shell_jobs", "shell_job_cancel"],
            settings: r#"{"enabled":true}"#,
        },
    }
}

impl Under {
    /// Makes a host with some files and the settings of this policy.
    #[must_use]
    pub fn host(&self) -> Fake {
        let host = Fake::new();
        host.directory("src").directory("docs/deep").file("notes.txt").link("out", "/tmp").settings_json(self.settings);
        host
    }
}
