//! `shellward policy test`: a policy or guard against commands whose verdicts are known.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use shellward::contract::rules::Verdict;
use shellward::contract::types::Decision;
use shellward::{Component, Guard, Host, Source, inspect};

use super::arguments::{Reads, Shared};
use super::error::{CliError, Exit};
use super::{output, setup};

/// A table of commands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "case")]
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    command: String,
    expect: Expected,
    language: Option<Reads>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Expected {
    Allow,
    Ask,
    Deny,
}

impl Expected {
    fn decision(self) -> Decision {
        match self {
            Self::Allow => Decision::Allow,
            Self::Ask => Decision::Ask,
            Self::Deny => Decision::Deny,
        }
    }
}

/// What judges.
enum Judge {
    /// A guard, which was held to its own examples when it was loaded, and the language in which it gets commands.
    Guard(Box<Guard>, Reads),
    /// A policy, at work in the project with the project's settings.
    Policy(Box<Host>),
}

impl Judge {
    fn judge(&self, case: &Case) -> Result<Verdict, CliError> {
        Ok(match self {
            Self::Guard(guard, reads) => guard.judge(&case.command, case.language.unwrap_or(*reads).language())?,
            Self::Policy(host) => host.check(&case.command)?.verdict,
        })
    }
}

pub(super) fn test(
    shared: &Shared,
    policy: &str,
    table: Option<&Path>,
    reads: Option<Reads>,
) -> Result<Exit, CliError> {
    let cases = table.map_or(Ok(Vec::new()), read)?;
    let (judge, own) = match inspect(Source::parse(policy)?, setup::cache(shared))?.component {
        Component::Guard(guard) => {
            let own = guard.examples();
            (Judge::Guard(Box::new(guard), reads.unwrap_or_default()), own)
        }
        Component::Policy(_) if reads.is_some() || cases.iter().any(|case| case.language.is_some()) => {
            return Err(CliError::Usage(format!(
                "a language is for guards; the policy {policy} reads commands as the shell does that its settings choose"
            )));
        }
        Component::Policy(_) => (Judge::Policy(Box::new(setup::passing_host_of(shared, Some(policy))?)), 0),
    };
    let (mut text, mut failed) = (String::new(), 0);
    for case in &cases {
        let verdict = judge.judge(case)?;
        let (is, must) = (verdict.decision, case.expect.decision());
        if is != must {
            failed += 1;
            // Writing to a string cannot fail.
            let _ = writeln!(text, "`{}` must be {} and is {}", case.command, must.word(), is.word());
            for finding in &verdict.findings {
                let _ = writeln!(text, "  {} [{}]", finding.message, finding.code);
            }
        }
    }
    let _ = writeln!(text, "{own} cases of its own and {} of the table: {failed} failed", cases.len());
    output::text(&text)?;
    Ok(if failed == 0 { Exit::Success } else { Exit::Failure })
}

fn read(path: &Path) -> Result<Vec<Case>, CliError> {
    let text = fs::read_to_string(path)
        .map_err(|error| CliError::Usage(format!("cannot read the cases {}: {error}", path.display())))?;
    let table: Table = toml::from_str(&text).map_err(|error| {
        CliError::Usage(format!(
            "{}: {error}write each case as `[[case]]` with `command = \"…\"` and `expect = \"allow\"`, `\"ask\"` or `\"deny\"`",
            path.display()
        ))
    })?;
    Ok(table.cases)
}
