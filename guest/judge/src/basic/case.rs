//! A command line against the rules.

use shellward_kit::contract::Decision;
use shellward_syntax::facts::{self, Removed};
use shellward_syntax::{Script, Span, Unknown, What};

use super::{Judge, Objection, Rule, excerpt};
use crate::{Ground, hazards, removal, unknown};

/// A command line to be judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case<'a> {
    /// The command line.
    pub(super) text: &'a str,
    /// What it would run, as far as that is known.
    pub(super) script: &'a Script,
    /// Who judges.
    pub(super) judge: Judge,
}

impl Case<'_> {
    /// Finds everything that speaks against running the commands that are known.
    pub(super) fn objections(&self) -> Vec<Objection> {
        let mut found = Vec::new();
        for (removed, finding) in facts::removes(self.script) {
            let hint = match removed {
                Removed::Root | Removed::System => "Name the directory of the project that is to go.",
                Removed::Home => removal::NOT_HOME,
            };
            found.push(self.denied(Rule::RemovesRoot, &finding, hint));
        }
        if let Some(finding) = facts::writes_device(self.script) {
            found.push(self.denied(Rule::WritesDevice, &finding, "Disks are not an agent's to change; ask the user."));
        }
        for (index, word) in removal::computed(self.script) {
            let what = "removes what is known only when it runs";
            found.push(self.unknown(index, word.span, what, removal::WRITE_OUT));
        }
        for (_, finding) in facts::hazards(self.script) {
            if hazards::renames(self.script, &finding) {
                found.push(self.unknown(finding.command, finding.span, finding.rule, hazards::INSTEAD));
            }
        }
        found
    }

    /// Words a place of which nothing is known.
    pub(super) fn obstacle(&self, unknown: &Unknown) -> Objection {
        let hint = unknown::instead(&unknown.what);
        self.judge.unknown(excerpt(self.text, unknown.span), worded(&unknown.what), hint, unknown.span)
    }

    fn denied(&self, rule: Rule, finding: &facts::Finding, hint: &str) -> Objection {
        Objection {
            rule,
            ground: Ground { decision: Decision::Deny, span: finding.span, command: Some(finding.command) },
            contains: self.written(finding.command),
            what: finding.rule.into(),
            hint: hint.into(),
        }
    }

    fn unknown(&self, command: usize, span: Span, what: &str, hint: &str) -> Objection {
        let mut objection = self.judge.unknown(self.written(command), what.into(), hint, span);
        objection.ground.command = Some(command);
        objection
    }

    /// A command as it is written, shortened.
    fn written(&self, command: usize) -> String {
        let span = self.script.commands.get(command).map(|command| command.span).unwrap_or_default();
        excerpt(self.text, span)
    }
}

/// Says what stands in the way.
fn worded(what: &What) -> String {
    match what {
        What::Syntax(problem) => format!("is a syntax error to the shell: {problem}"),
        What::Construct(construct) => format!("is {construct}, which could hide what would run"),
        What::Dialect(construct) => format!("is {construct}, which means different things to different shells"),
        What::TooDeep => "is nested too deeply".into(),
        What::DynamicProgram => "runs a program whose name is known only when it runs".into(),
        What::DynamicScript(runner) => format!("gives `{runner}` a script that is known only when it runs"),
        What::WrapperOption { program, option } => {
            format!("runs `{program}` with `{option}`, of which it is not known what it would run")
        }
        _ => "cannot be read".into(),
    }
}
