//! The rules: what in a command line speaks against running it.
//!
//! The specification blocks four texts. Served here is what they are for: nothing removes the root, a home or the
//! system with all that is in it, and nothing writes over a disk. Rules judge the commands that would run, never the
//! text: `echo "rm -rf /"` runs nothing but `echo`.

use shellward_kit::contract::{Decision, Finding, Span as ContractSpan};
use shellward_syntax::facts::{self, Removed};
use shellward_syntax::{Command, Part, Script, Span, Unknown, What, Word};

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Removes the root, a home or the system.
    RemovesRoot,
    /// Writes to a device, past every file system on it.
    WritesDevice,
    /// Cannot be known.
    Unknown,
    /// Is more than is judged.
    TooMuch,
    /// Is typed into a program.
    Typed,
}

impl Rule {
    /// Gives the stable word for the rule.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::RemovesRoot => "removes-root",
            Self::WritesDevice => "writes-device",
            Self::Unknown => "unknown",
            Self::TooMuch => "too-much",
            Self::Typed => "typed-input",
        }
    }
}

/// What speaks against running a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Objection {
    /// The rule.
    pub rule: Rule,
    /// How strict it is.
    pub decision: Decision,
    /// The words that decided, as written, shortened.
    pub contains: String,
    /// What about them: goes on after "it ".
    pub what: String,
    /// What to do instead: whole sentences.
    pub hint: String,
    /// The bytes of the text it is about.
    pub span: Span,
    /// The command it is about, by its place in the script.
    pub command: Option<usize>,
}

impl Objection {
    /// Puts it into the contract's words.
    #[must_use]
    pub fn finding(&self) -> Finding {
        let message = match self.contains.is_empty() {
            true => format!("The command {}.", self.what),
            false => format!("`{}` {}.", self.contains, self.what),
        };
        let span = Some(contract_span(self.span));
        Finding { decision: self.decision, code: self.rule.code().into(), message, hint: Some(self.hint.clone()), span }
    }

    /// Says why, after the words that decided.
    #[must_use]
    pub fn why(&self) -> String {
        format!("It {}. {}", self.what, self.hint)
    }
}

/// A command line to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The command line.
    pub text: &'a str,
    /// What it would run, as far as that is known.
    pub script: &'a Script,
    /// What becomes of what cannot be known.
    pub on_unknown: Decision,
}

impl Case<'_> {
    /// Finds everything that speaks against running the commands that are known.
    #[must_use]
    pub fn objections(&self) -> Vec<Objection> {
        let mut found = Vec::new();
        for (removed, finding) in facts::removes(self.script) {
            let hint = match removed {
                Removed::Root | Removed::System => "Name the directory of the project that is to go.",
                Removed::Home => "Name the directory that is to go; a home directory is the user's own to remove.",
            };
            found.push(self.denied(Rule::RemovesRoot, &finding, hint));
        }
        if let Some(finding) = facts::writes_device(self.script) {
            found.push(self.denied(Rule::WritesDevice, &finding, "Disks are not an agent's to change; ask the user."));
        }
        for (index, command) in self.script.commands.iter().enumerate() {
            if let Some(word) = computed_removal(command) {
                let hint = "Write the path out, or let it begin with text, such as \"build/$NAME\".";
                found.push(self.unknown(index, word.span, "removes what is known only when it runs", hint));
            }
        }
        for (_, finding) in facts::hazards(self.script) {
            if self.renames(&finding) {
                found.push(self.unknown(
                    finding.command,
                    finding.span,
                    finding.rule,
                    "Call the program by its own name.",
                ));
            }
        }
        found
    }

    /// Words a place of which nothing is known.
    #[must_use]
    pub fn obstacle(&self, unknown: &Unknown) -> Objection {
        let (what, hint) = worded(&unknown.what);
        Objection {
            rule: Rule::Unknown,
            decision: self.on_unknown,
            contains: excerpt(self.text, unknown.span),
            what,
            hint: with_setting(hint),
            span: unknown.span,
            command: None,
        }
    }

    fn denied(&self, rule: Rule, finding: &facts::Finding, hint: &str) -> Objection {
        Objection {
            rule,
            decision: Decision::Deny,
            contains: self.written(finding.command),
            what: finding.rule.into(),
            hint: hint.into(),
            span: finding.span,
            command: Some(finding.command),
        }
    }

    fn unknown(&self, command: usize, span: Span, what: &str, hint: &str) -> Objection {
        Objection {
            rule: Rule::Unknown,
            decision: self.on_unknown,
            contains: self.written(command),
            what: what.into(),
            hint: with_setting(hint),
            span,
            command: Some(command),
        }
    }

    /// A command as it is written, shortened.
    fn written(&self, command: usize) -> String {
        let span = self.script.commands.get(command).map(|command| command.span).unwrap_or_default();
        excerpt(self.text, span)
    }

    /// Tells whether a hazard makes words of this very line mean something else than they say.
    ///
    /// Files that are sourced, and variables for programs, are let be: like any script that a command starts, what
    /// they bring is not in the text.
    fn renames(&self, finding: &facts::Finding) -> bool {
        match finding.program.as_str() {
            "alias" | "enable" | "hash" => true,
            "shopt" | "set" => {
                let words = self.script.commands.get(finding.command).map_or(&[][..], |command| &command.words);
                words
                    .iter()
                    .skip(1)
                    .any(|word| word.literal().is_none_or(|text| matches!(text.as_ref(), "expand_aliases" | "posix")))
            }
            _ => false,
        }
    }
}

/// Gives the first operand of a recursive removal that could be the root: nothing of its path is known.
fn computed_removal(command: &Command) -> Option<&Word> {
    if facts::program(command) != Some("rm") {
        return None;
    }
    let arguments = command.words.get(1..)?;
    let recursive = facts::has_short(arguments, 'r')
        || facts::has_short(arguments, 'R')
        || facts::has_long(arguments, "recursive", 1)
        || arguments.iter().any(|word| matches!(word.parts.first(), Some(Part::Dynamic)));
    let mut operands = facts::operands(arguments);
    if recursive { operands.find(|word| could_be_root(word)) } else { None }
}

fn could_be_root(word: &Word) -> bool {
    let mut computed = false;
    for part in &word.parts {
        match part {
            Part::Variable(_) | Part::Dynamic => computed = true,
            Part::Text(text) | Part::Glob(text) if text.chars().all(|letter| "/.*".contains(letter)) => {}
            Part::Text(_) | Part::Glob(_) | Part::Home => return false,
        }
    }
    computed
}

/// Says what stands in the way, and how to write it so that nothing does.
fn worded(what: &What) -> (String, &'static str) {
    match what {
        What::Syntax(problem) => {
            (format!("is a syntax error to the shell: {problem}"), "Correct the quoting or the construct.")
        }
        What::Construct(construct) => (
            format!("is {construct}, which could hide what would run"),
            "Write it with plain commands, or put it into a script file and run that.",
        ),
        What::Dialect(construct) => (
            format!("is {construct}, which means different things to different shells"),
            "Write it with plain commands, or put it into a script file and run that.",
        ),
        What::TooDeep => ("is nested too deeply".into(), "Split the command into several calls."),
        What::DynamicProgram => {
            ("runs a program whose name is known only when it runs".into(), "Write the program's name out.")
        }
        What::DynamicScript(runner) => (
            format!("gives `{runner}` a script that is known only when it runs"),
            "Write the inner command out, in quotes that expand nothing, or run it directly.",
        ),
        What::WrapperOption { program, option } => (
            format!("runs `{program}` with `{option}`, of which it is not known what it would run"),
            "Leave that option out, or run the inner command directly.",
        ),
        _ => ("cannot be read".into(), "Write it with plain commands."),
    }
}

/// Says in addition who else could let it pass.
pub(crate) fn with_setting(hint: &str) -> String {
    format!("{hint} Or the user sets `on_unknown` to \"ask\" or \"allow\" in [tools.shell].")
}

/// The longest excerpt in a message, in characters.
const EXCERPT: usize = 80;

/// Gives a part of a text on one line, shortened, for messages.
#[must_use]
pub fn excerpt(text: &str, span: Span) -> String {
    let part = text.get(span.start..span.end).unwrap_or_default().trim();
    let mut short: String =
        part.chars().take(EXCERPT).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if part.chars().nth(EXCERPT).is_some() {
        short.push('…');
    }
    short
}

/// Puts a range of bytes into the contract's numbers.
#[must_use]
pub fn contract_span(span: Span) -> ContractSpan {
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    ContractSpan { start: number(span.start), end: number(span.end) }
}
