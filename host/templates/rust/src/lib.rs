//! Judges commands on top of any Shellward policy.

wit_bindgen::generate!({ path: "wit", world: "guard-with-cases", generate_all });

use exports::shellward::policy::cases::{Example, Guest as Cases};
use exports::shellward::policy::rules::{
    Analysis, Decision, Finding, Guest as Rules, Manifest, Request, Retention, SettingsError, Verdict,
};
use shellward::policy::commands::Command;

struct Guard;

/// One rule: no forced pushes.
fn rule(command: &Command) -> Option<Finding> {
    let has = |wanted: &str| command.words.iter().any(|word| word.value.as_deref() == Some(wanted));
    let forced = command.program == "git" && has("push") && (has("-f") || has("--force"));
    forced.then(|| Finding {
        decision: Decision::Deny,
        code: "forced-push".into(),
        message: "a forced push overwrites what others have pushed".into(),
        hint: Some("push without --force".into()),
        span: Some(command.at),
    })
}

impl Rules for Guard {
    fn describe(_settings: String) -> Result<Manifest, Vec<SettingsError>> {
        Ok(Manifest {
            name: "{{name}}".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            summary: "Refuses forced pushes.".into(),
            tools: Vec::new(),
            settings_table: String::new(),
            settings_schema: "{}".into(),
            variables: Vec::new(),
            run: None,
            retention: Retention { jobs: 0, millis: 0 },
        })
    }

    fn review(request: Request) -> Verdict {
        // What cannot be known is the policy's to refuse; deny it here too where this guard must never be got round.
        let findings: Vec<_> = match &request.analysis {
            Analysis::Known(script) => script.commands.iter().filter_map(rule).collect(),
            Analysis::Unknown(_) => Vec::new(),
        };
        let decision = if findings.is_empty() { Decision::Allow } else { Decision::Deny };
        Verdict { decision, findings, commands: Vec::new(), language: None }
    }
}

/// The host runs these when it loads the guard, and refuses it if one comes out otherwise.
impl Cases for Guard {
    fn examples() -> Vec<Example> {
        let example = |command: &str, expect| Example { command: command.into(), expect };
        vec![
            example("git push --force origin main", Decision::Deny),
            example("cd src && sh -c 'git push -f'", Decision::Deny),
            example("git push origin main", Decision::Allow),
            example("echo git push --force", Decision::Allow),
        ]
    }
}

export!(Guard);
