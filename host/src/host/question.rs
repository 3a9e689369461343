//! What a human is asked: always with the text that would run, whatever the policy thought of telling.

use serde_json::Value;

use crate::policy::contract::types::{Question, Reply, ToolCall};
use crate::policy::{Consent, GuardQuestion};

/// The id of a guard's question: policies that ask in a guard's name use the same.
pub(super) fn id_of(asked: &GuardQuestion) -> String {
    format!("guard-{}", asked.consent.by)
}

/// Puts what a guard leaves to a human into a question.
pub(super) fn of_guard(asked: &GuardQuestion, refusal: Reply) -> Question {
    let Consent { by, text, place } = &asked.consent;
    let reasons: Vec<_> = asked.findings.iter().map(|finding| format!("- {}", finding.message)).collect();
    let text = plain(&format!("{by} leaves this to you:\n\n{}\n\n{place}\n{}", indented(text), reasons.join("\n")));
    Question { id: id_of(asked), text, findings: asked.findings.clone(), refusal }
}

/// Adds to a policy's question what it is about: the tool and its arguments, as they were given.
pub(super) fn of_policy(question: Question, call: &ToolCall) -> Question {
    let text = plain(&format!("{}\n\n`{}` is called with\n{}", question.text, call.tool, arguments(&call.arguments)));
    Question { text, ..question }
}

/// A line or more for each argument: text as it stands, the rest as JSON.
fn arguments(json: &str) -> String {
    let Ok(Value::Object(arguments)) = serde_json::from_str(json) else { return indented(json) };
    let line = |(name, value): (&String, &Value)| match value {
        Value::String(text) if text.contains('\n') => format!("{name}:\n{}", indented(text)),
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    };
    indented(&arguments.iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Shows what a terminal would act upon, or a reader not see: a command could hide itself behind it.
fn plain(text: &str) -> String {
    let hides = |character: char| {
        character.is_control() && !matches!(character, '\n' | '\t')
            || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().fold(String::with_capacity(text.len()), |mut shown, character| {
        match hides(character) {
            true => shown.extend(character.escape_unicode()),
            false => shown.push(character),
        }
        shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_shows_what_it_is_about_and_nothing_hides() {
        let refusal = Reply { text: String::new(), structured: None, is_error: true, code: None };
        let question = Question { id: "q".into(), text: "Run this command?".into(), findings: Vec::new(), refusal };
        let call = ToolCall {
            id: "1".into(),
            session: "one".into(),
            tool: "sh".into(),
            arguments: r#"{"command":"rm x\r\u001b[2Kls \u202ex\nls","in":"sub","seconds":5}"#.into(),
            now: 0,
            approved: Vec::new(),
        };
        let shown = "Run this command?\n\n`sh` is called with\n  command:\n    rm x\\u{d}\\u{1b}[2Kls \\u{202e}x\n    ls\n  \
                     in: sub\n  seconds: 5";
        assert_eq!(of_policy(question.clone(), &call).text, shown);
        let call = ToolCall { arguments: "not json".into(), ..call };
        assert!(of_policy(question, &call).text.ends_with("\n  not json"));
    }
}
