//! `rm -rf /` in every spelling, and removals of which nobody can say what they remove.

use super::{Case, Objection, Rule, not_known};
use shellward_judge::removal::{NOT_HOME, WRITE_OUT, computed};
use shellward_syntax::facts::{self, Removed};

/// Finds every command that removes the root, a home or the system, and every recursive one that might.
pub fn check(case: &Case<'_>, found: &mut Vec<Objection>) {
    for (removed, finding) in facts::removes(case.script) {
        let message = format!("`{}` {}", case.excerpt(finding.command), finding.rule);
        let hint = match removed {
            Removed::Root | Removed::System => "Name the directory of the project that is to go, relative to the root.",
            Removed::Home => NOT_HOME,
        };
        found.push(Objection::denied(Rule::RemovesRoot, message, hint, finding.span).of(finding.command));
    }
    for (index, word) in computed(case.script) {
        let message = format!("what `{}` removes is known only when it runs", case.excerpt(index));
        found.push(not_known(case.settings, message, WRITE_OUT, word.span).of(index));
    }
}
