//! The syntax library's result in the contract's words.

use std::collections::BTreeSet;

use shellward_syntax as syntax;

use super::contract::commands::{Analysis, Assignment, Command, Effect, Language, Obstacle, Redirection, Script, Word};
use super::contract::types::Span;

/// Says which commands a text would run.
pub(crate) fn analyse(text: &str, language: Language) -> Analysis {
    let language = match language {
        Language::Sh => syntax::Language::Sh,
        Language::Bash => syntax::Language::Bash,
        Language::Zsh => syntax::Language::Zsh,
        Language::Nu => syntax::Language::Nu,
    };
    match syntax::analyse(text, language) {
        Ok(found) => Analysis::Known(Script {
            commands: found.commands.iter().map(|found| command(text, found)).collect(),
            hazards: hazards(&found),
            functions: found.functions,
        }),
        Err(unknown) => Analysis::Unknown(Obstacle { message: unknown.to_string(), at: span(unknown.span) }),
    }
}

fn hazards(script: &syntax::Script) -> Vec<String> {
    let found: BTreeSet<_> =
        syntax::facts::hazards(script).iter().map(|found| format!("{}: {}", found.1.word, found.1.rule)).collect();
    found.into_iter().collect()
}

fn span(span: syntax::Span) -> Span {
    let offset = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
    Span { start: offset(span.start), end: offset(span.end) }
}

fn command(text: &str, found: &syntax::Command) -> Command {
    Command {
        program: syntax::facts::program(found).map(|name| name.to_string()).unwrap_or_default(),
        words: found.words.iter().map(|found| word(text, found)).collect(),
        assignments: found
            .assignments
            .iter()
            .map(|found| Assignment { name: found.name.clone(), value: word(text, &found.value) })
            .collect(),
        redirections: found.redirections.iter().map(|found| redirection(text, found)).collect(),
        at: span(found.span),
        nesting: found.nesting.iter().map(|nesting| nesting_name(*nesting).to_owned()).collect(),
        via: found.via.iter().map(|via| via.wrapper.clone()).collect(),
        pipe: found.pipe.and_then(|pipe| u32::try_from(pipe.position).ok()),
    }
}

fn word(text: &str, found: &syntax::Word) -> Word {
    Word {
        value: found.literal().map(std::borrow::Cow::into_owned),
        source: text.get(found.span.start..found.span.end).unwrap_or_default().to_owned(),
        at: span(found.span),
    }
}

fn redirection(text: &str, found: &syntax::Redirection) -> Redirection {
    let effect = match found.operator {
        syntax::Operator::Read => Effect::Read,
        syntax::Operator::Write | syntax::Operator::ReadWrite | syntax::Operator::WriteBoth => Effect::Write,
        syntax::Operator::Append | syntax::Operator::AppendBoth => Effect::Append,
        syntax::Operator::Duplicate => Effect::Duplicate,
        syntax::Operator::HereDocument | syntax::Operator::HereString => Effect::Text,
    };
    let target = match &found.target {
        syntax::Target::File(target) | syntax::Target::Body(target) => word(text, target),
        syntax::Target::Descriptor(number) => {
            let name = number.map_or_else(|| "-".to_owned(), |number| number.to_string());
            Word { value: Some(name.clone()), source: name, at: span(found.span) }
        }
    };
    Redirection { descriptor: found.descriptor, effect, target }
}

fn nesting_name(nesting: syntax::Nesting) -> &'static str {
    match nesting {
        syntax::Nesting::Subshell => "subshell",
        syntax::Nesting::Group => "group",
        syntax::Nesting::CommandSubstitution => "command-substitution",
        syntax::Nesting::ProcessSubstitution => "process-substitution",
        syntax::Nesting::Function => "function",
        syntax::Nesting::Condition => "condition",
        syntax::Nesting::Body => "body",
        syntax::Nesting::Pipeline => "pipeline",
        syntax::Nesting::Background => "background",
        syntax::Nesting::Trap => "trap",
    }
}
