//! The one judgement of a command line, for `review` and `call` alike.

use crate::errors::Failure;
use crate::rules::{Case, Objection, Rule, hazards, interactive, moves, programs, removal, size, unknown};
use crate::settings::Settings;
use shellward_judge::Rule as _;
use shellward_kit::Host;
use shellward_syntax::{Language, Script, Survey, facts, survey_without_nu};

/// How many objections a message names.
const NAMED: usize = 4;

/// What speaks against a command line, and what it would run.
pub type Judgement = shellward_judge::Judgement<Objection>;

/// Judges a command line that would run in a directory.
#[must_use]
pub fn judge<H: Host>(host: &H, settings: &Settings, language: Language, text: &str, directory: &str) -> Judgement {
    let Survey { mut script, unknown: obstacles } = match survey_without_nu(text, language) {
        Ok(survey) => survey,
        Err(unknown) => Survey { script: Script::default(), unknown: vec![unknown] },
    };
    directory.clone_into(&mut script.start);
    if let Some(objection) = size::check(&script) {
        return Judgement::of(objection);
    }
    let case = Case { text, script: &script, settings };
    let mut objections = Vec::new();
    let found = &mut objections;
    interactive::check(&case, found);
    programs::check(&case, found);
    removal::check(&case, found);
    remote(&case, found);
    device(&case, found);
    hazards::check(&case, found);
    moves::check(host, &case, directory, found);
    objections.extend(obstacles.iter().map(|obstacle| unknown::objection(settings, text, obstacle)));
    Judgement::new(script.commands, objections)
}

/// Finds a script from the network that would run.
fn remote(case: &Case<'_>, found: &mut Vec<Objection>) {
    if let Some(finding) = facts::remote_script(case.script) {
        let hint = "Save what it fetches to a file and let the user look at it.";
        found.push(of_fact(case, Rule::RemoteScript, &finding, hint));
    }
}

/// Finds a write to a disk past its file system.
fn device(case: &Case<'_>, found: &mut Vec<Objection>) {
    if let Some(finding) = facts::writes_device(case.script) {
        let hint = "Disks are not an agent's to change; ask the user.";
        found.push(of_fact(case, Rule::Destructive, &finding, hint));
    }
}

fn of_fact(case: &Case<'_>, rule: Rule, finding: &facts::Finding, hint: &str) -> Objection {
    let message = format!("`{}` {}", case.excerpt(finding.command), finding.rule);
    Objection::denied(rule, message, hint, finding.span).of(finding.command)
}

/// Gives the failure of a call that is not let through.
#[must_use]
pub fn failure(judgement: &Judgement) -> Failure {
    let against: Vec<&Objection> = judgement.against().collect();
    let mut more = against.iter().take(NAMED).map(|objection| worded(objection)).collect::<Vec<_>>().join(" ");
    if against.len() > NAMED {
        more.push_str(&format!(" And {} more.", against.len() - NAMED));
    }
    if !against.is_empty() && against.iter().all(|objection| objection.rule == Rule::OutsideRoot) {
        Failure::OutsideRoot(more)
    } else {
        Failure::Blocked(more)
    }
}

fn worded(objection: &Objection) -> String {
    let Objection { message, rule, hint, .. } = objection;
    format!("{message} (rule {}). {hint}", rule.code()).trim_end().to_owned()
}
