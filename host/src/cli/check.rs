//! `shellward check`: a verdict, and why, without running anything.

use std::fmt::Write;

use serde_json::{Value, json};
use shellward::contract::rules::{Judged, Verdict};
use shellward::contract::types::{Decision, Finding, Span};
use shellward::{Check, Objecting};
use unicode_width::UnicodeWidthStr;

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

/// How many lines of what a finding is about are shown.
const LINES: usize = 4;

/// Shows a finding under the lines it is about, with carets at the words.
fn point(text: &mut String, command: &str, finding: &Finding) {
    let lines = finding.span.and_then(|span| marked(command, span)).unwrap_or_default();
    for (at, (line, pad, carets)) in lines.iter().take(LINES).enumerate() {
        let before = if at == 0 { "\n" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{before}  {line}\n  {pad}{carets}\n");
    }
    if lines.len() > LINES {
        text.push_str("  …\n");
    }
    let _ = writeln!(text, "  {}: {} [{}]", finding.decision.word(), finding.message, finding.code);
    if let Some(hint) = &finding.hint {
        let _ = writeln!(text, "  {hint}");
    }
}

/// The lines that a span covers, at most one more than are shown: each with what stands before its carets, and them.
fn marked(command: &str, span: Span) -> Option<Vec<(&str, String, String)>> {
    let (start, end) = (usize::try_from(span.start).ok()?, usize::try_from(span.end).ok()?);
    let end = end.min(command.len());
    command.get(start..end)?;
    let mut at = command.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let mut lines = Vec::new();
    for line in command.get(at..)?.split('\n') {
        if !lines.is_empty() && at >= end || lines.len() > LINES {
            break;
        }
        let (before, rest) = line.split_at(start.saturating_sub(at));
        let (covered, _) = rest.split_at(end.saturating_sub(at + before.len()).min(rest.len()));
        // A tab is as wide as it is in the line above.
        let pad: Vec<_> = before.split('\t').map(|text| " ".repeat(text.width())).collect();
        lines.push((line, pad.join("\t"), "^".repeat(covered.width().max(1))));
        at += line.len() + 1;
    }
    Some(lines)
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

    fn drawn(command: &str, words: &str) -> String {
        let start = u32::try_from(command.find(words).unwrap()).unwrap();
        let end = start + u32::try_from(words.len()).unwrap();
        let lines = marked(command, Span { start, end }).unwrap();
        lines.iter().map(|(line, pad, carets)| format!("{line}\n{pad}{carets}\n")).collect()
    }

    #[test]
    fn a_caret_stands_under_the_words() {
        assert_eq!(drawn("echo ä\ncd /tmp && sudo ls", "sudo"), "cd /tmp && sudo ls\n           ^^^^\n");
        assert_eq!(drawn("echo ä; sudo ls", "sudo"), "echo ä; sudo ls\n        ^^^^\n");
        assert_eq!(drawn("\tx\tsudo ls", "sudo"), "\tx\tsudo ls\n\t \t^^^^\n");
        assert_eq!(drawn("echo 日本; sudo ls", "sudo"), "echo 日本; sudo ls\n           ^^^^\n");
        assert_eq!(drawn("rm 日本", "日本"), "rm 日本\n   ^^^^\n");
        assert_eq!(marked("echo ä", Span { start: 900, end: 901 }), None);
        assert_eq!(marked("echo ä", Span { start: 0, end: 900 }).unwrap()[0].2, "^^^^^^");
        assert_eq!(marked("echo ä", Span { start: 6, end: 7 }), None, "inside a character");
    }

    #[test]
    fn words_of_several_lines_are_marked_in_each() {
        let command = "ls\nbash -c 'echo ok\nsudo ls'; pwd\n";
        let expected = "bash -c 'echo ok\n        ^^^^^^^^\nsudo ls'; pwd\n^^^^^^^^\n";
        assert_eq!(drawn(command, "'echo ok\nsudo ls'"), expected);
        assert_eq!(drawn("cat <<A\nx\nA\n", "<<A\nx\nA\n"), "cat <<A\n    ^^^\nx\n^\nA\n^\n");
        assert_eq!(drawn("a\n", "\n"), "a\n ^\n");
        let lines = "x\n".repeat(100);
        assert_eq!(marked(&lines, Span { start: 0, end: 200 }).unwrap().len(), LINES + 1);
    }
}
