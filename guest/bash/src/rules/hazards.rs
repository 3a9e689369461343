//! What would make words of this very line mean something else than they say.

use super::{Case, Objection, not_known};
use shellward_judge::hazards::{INSTEAD, renames};
use shellward_syntax::facts;

/// Variables that have the shell run or read more than the text.
const VARIABLES: &[&str] =
    &["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "BASH_ALIASES", "BASH_CMDS", "BASH_LOADABLES_PATH"];

/// Finds what changes the meaning of names.
pub fn check(case: &Case<'_>, found: &mut Vec<Objection>) {
    for (_, finding) in facts::hazards(case.script) {
        let matters = match finding.program.as_str() {
            "alias" | "enable" | "hash" | "shopt" | "set" => renames(case.script, &finding),
            _ => VARIABLES.contains(&finding.word.as_str()),
        };
        if matters {
            let message = format!("`{}` {}", case.excerpt(finding.command), finding.rule);
            found.push(not_known(case.settings, message, INSTEAD, finding.span).of(finding.command));
        }
    }
}
