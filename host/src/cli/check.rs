//! `shellward check`: a verdict, and why, without running anything.

use std::fmt::Write;

use serde_json::{Value, json};
use shellward::contract::rules::{Judged, Verdict};
use shellward::contract::types::{Decision, Finding, Span};
use shellward::{Check, Objecting};

use super::arguments::{self, Shared, command_line};
use super::error::{CliError, Exit};
use super::{output, setup};

pub(super) fn check(shared: &Shared, check: &arguments::Check) -> Result<Exit, CliError> {
    let host = setup::passing_host(shared)?;
    let command = command_line(&check.command);
    let found = host.check(&command)?;
    if check.json {
        output::json(&as_json(&found))?;
    } else {
        output::text(&as_text(&command, &found.verdict))?;
    }
    Ok(match found.verdict.decision {
        Decision::Allow => Exit::Success,
        Decision::Ask => Exit::Ask,
        Decision::Deny => Exit::Failure,
    })
}

fn as_json(found: &Check) -> Value {
    let verdict = &found.verdict;
    let first = verdict.findings.first();
    json!({
        "verdict": verdict.decision.word(),
        "code": first.map(|finding| &finding.code),
        "reason": first.map(|finding| &finding.message),
        "hint": first.and_then(|finding| finding.hint.as_ref()),
        "findings": verdict.findings.iter().map(finding_json).collect::<Vec<_>>(),
        "commands": verdict.commands.iter().map(command_json).collect::<Vec<_>>(),
        "policy": found.policy,
        "objecting": found.objecting.iter().map(objecting_json).collect::<Vec<_>>(),
    })
}

fn objecting_json(by: &Objecting) -> Value {
    json!({"guard": by.guard, "verdict": by.decision.word()})
}

fn finding_json(finding: &Finding) -> Value {
    json!({
        "verdict": finding.decision.word(),
        "code": finding.code,
        "reason": finding.message,
        "hint": finding.hint,
        "span": finding.span.map(|span| [span.start, span.end]),
    })
}

fn command_json(command: &Judged) -> Value {
    json!({
        "argv": command.words,
        "verdict": command.decision.word(),
        "reason": command.reason,
        "via": command.via,
        "span": [command.at.start, command.at.end],
    })
}

fn as_text(command: &str, verdict: &Verdict) -> String {
    let mut text = format!("{}: {}\n", verdict.decision.word(), one_line(command));
    for finding in &verdict.findings {
        point(&mut text, command, finding);
    }
    if !verdict.commands.is_empty() {
        text.push_str("\ncommands that would run:\n");
    }
    for judged in &verdict.commands {
        line(&mut text, judged);
    }
    text
}

fn one_line(command: &str) -> String {
    let mut lines = command.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    if lines.next().is_some() { first + " …" } else { first }
}

/// Shows a finding under the line it is about, with a caret at the words.
fn point(text: &mut String, command: &str, finding: &Finding) {
    if let Some((line, before, marked)) = finding.span.and_then(|span| marked(command, span)) {
        let (pad, carets) = (" ".repeat(before), "^".repeat(marked.max(1)));
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {line}\n  {pad}{carets}\n");
    }
    let _ = writeln!(text, "  {}: {} [{}]", finding.decision.word(), finding.message, finding.code);
    if let Some(hint) = &finding.hint {
        let _ = writeln!(text, "  {hint}");
    }
}

/// The line a span begins in, the characters before it, and the characters it covers there.
fn marked(command: &str, span: Span) -> Option<(&str, usize, usize)> {
    let (start, end) = (usize::try_from(span.start).ok()?, usize::try_from(span.end).ok()?);
    let begin = command.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let stop = command.get(start..)?.find('\n').map_or(command.len(), |at| start + at);
    let covered = command.get(start..end.clamp(start, stop))?;
    Some((command.get(begin..stop)?, command.get(begin..start)?.chars().count(), covered.chars().count()))
}

fn line(text: &mut String, judged: &Judged) {
    let words: Vec<_> = judged.words.iter().map(|word| word.as_deref().map_or("<computed>".into(), shown)).collect();
    let via = if judged.via.is_empty() { String::new() } else { format!(" (through {})", judged.via.join(", ")) };
    let reason = judged.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  {:<5} {}{via}{reason}", judged.decision.word(), words.join(" "));
}

/// A word so that its ends can be seen.
fn shown(word: &str) -> String {
    if word.is_empty() || word.contains(char::is_whitespace) { format!("{word:?}") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caret_stands_under_the_words() {
        let command = "echo ä\ncd /tmp && sudo ls";
        let start = u32::try_from(command.find("sudo").unwrap()).unwrap();
        let found = marked(command, Span { start, end: start + 4 });
        assert_eq!(found, Some(("cd /tmp && sudo ls", 11, 4)));
        assert_eq!(marked(command, Span { start: 900, end: 901 }), None);
        assert_eq!(marked(command, Span { start: 6, end: 7 }), None, "inside a character");
    }
}
