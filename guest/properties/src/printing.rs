//! Writes a command as a line that a shell reads as that very command.

use shellward_syntax::{Command, Language, Operator, Part, Redirection, Target, Word};

/// Writes a command; none where something in it is not known, or has no spelling that fits into a line.
pub fn printed(command: &Command, language: Language) -> Option<String> {
    let assignments = command.assignments.iter().map(|assignment| {
        let operator = if assignment.append { "+=" } else { "=" };
        Some(format!("{}{operator}{}", assignment.name, word(&assignment.value)?))
    });
    let words = command.words.iter().map(word);
    let redirections = command.redirections.iter().map(|redirection| redirected(redirection, language));
    let parts: Option<Vec<String>> = assignments.chain(words).chain(redirections).collect();
    parts.map(|parts| parts.join(" ")).filter(|line| !line.is_empty())
}

fn word(word: &Word) -> Option<String> {
    if word.parts.is_empty() {
        return Some("''".into());
    }
    word.parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(format!("'{}'", text.replace('\'', "'\\''"))),
            Part::Home => Some("\"$HOME\"".into()),
            Part::User(name) => Some(format!("~{name}")),
            Part::Variable(name) => Some(format!("\"${{{name}}}\"")),
            Part::Glob(_) | Part::Dynamic => None,
        })
        .collect()
}

fn redirected(redirection: &Redirection, language: Language) -> Option<String> {
    let descriptor = redirection.descriptor.map(|number| number.to_string()).unwrap_or_default();
    let operator = match redirection.operator {
        Operator::Read => "<",
        Operator::Write => ">",
        Operator::Append => ">>",
        Operator::ReadWrite => "<>",
        // Nothing can stand in front of the other spelling.
        Operator::WriteBoth if redirection.descriptor.is_some() => ">&",
        Operator::WriteBoth => "&>",
        Operator::AppendBoth => "&>>",
        Operator::Duplicate => ">&",
        Operator::HereString if language == Language::Bash => "<<<",
        Operator::HereString | Operator::HereDocument => return None,
    };
    let target = match &redirection.target {
        Target::File(file) | Target::Body(file) => word(file)?,
        Target::Descriptor(Some(number)) => number.to_string(),
        Target::Descriptor(None) => "-".into(),
    };
    Some(format!("{descriptor}{operator}{target}"))
}
