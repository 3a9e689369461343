//! Whether what is typed may be: by the same rules as a command line, where it is one.

use shellward_judge::basic::{Judge, Judgement, Objection, Rule};
use shellward_kit::contract::Language;
use shellward_syntax::Span;

use super::line::Line;
use super::reader::Reader;

/// What must be there before a line may be one of several.
const LONGEST_OPEN: usize = 32 << 10;

const DROP: &str = "Press Ctrl-C to drop the line, and type it out.";

/// What is judged, and who reads it.
#[derive(Clone, Copy, Debug)]
pub struct Typist<'a> {
    /// By which rules.
    pub judge: Judge,
    /// Who reads.
    pub reader: Reader,
    /// Whether it reads from a terminal.
    pub terminal: bool,
    /// What was given to a shell before, and is still open: a line that goes on.
    pub open: &'a str,
}

/// What is said of the lines, and what is open after them.
#[derive(Debug)]
pub struct Judged {
    /// What speaks against them.
    pub judgement: Judgement,
    /// What is open if they are typed.
    pub open: String,
}

impl Typist<'_> {
    /// Judges lines that are handed to the reader together.
    #[must_use]
    pub fn judge(&self, given: &[Line]) -> Judged {
        match self.reader {
            _ if given.is_empty() => Judged { judgement: Judgement::default(), open: self.open.to_owned() },
            Reader::Program => Judged { judgement: Judgement::default(), open: String::new() },
            Reader::Prompt(escapes) => self.escapes(given, escapes, false),
            Reader::Screen(escapes) => self.escapes(given, escapes, true),
            Reader::Shell(language, name) => self.shell(given, language, name),
        }
    }

    /// The lines of a shell, together, and behind what is still open.
    fn shell(&self, given: &[Line], language: Option<Language>, name: &str) -> Judged {
        let mut found: Vec<Objection> = given.iter().filter_map(|line| self.hidden(line, language)).collect();
        let lines: String = given.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect();
        let joined = [self.open, &lines].concat();
        for text in if self.open.is_empty() { vec![&lines] } else { vec![&lines, &joined] } {
            found.extend(self.judge.judge(without_join(text), language, name).objections);
        }
        let unread = found.iter().any(|objection| objection.rule == Rule::Unknown);
        let open = if unread || without_join(&lines).len() + 1 < lines.len() { joined } else { String::new() };
        if open.len() > LONGEST_OPEN {
            let what = "goes on over more lines than are kept".into();
            found.push(self.judge.unknown(String::new(), what, DROP, Span::default()));
            return Judged { judgement: Judgement::new(Vec::new(), found), open: String::new() };
        }
        Judged { judgement: Judgement::new(Vec::new(), found), open }
    }

    /// A line of which its text does not say what it is.
    fn hidden(&self, line: &Line, language: Option<Language>) -> Option<Objection> {
        let unknown = |what: &str, hint: &str| {
            let span = Span { start: 0, end: line.text.len() };
            let contains = shellward_judge::excerpt(&line.text, span, char::is_control);
            Some(self.judge.unknown(contains, what.into(), hint, span))
        };
        let expands = matches!(language, Some(Language::Bash | Language::Zsh) | None);
        if line.edited || line.recalled {
            return unknown("was typed with keys after which it cannot be known what the line holds", DROP);
        }
        if self.terminal && expands && recalls(&line.text) {
            return unknown(
                "brings in lines of the shell's history by `!` or `^`",
                "Write the command out, or put the `!` into single quotes by itself.",
            );
        }
        None
    }

    /// The lines of a program that runs what stands behind an escape.
    fn escapes(&self, given: &[Line], escapes: &[&str], screen: bool) -> Judged {
        let mut found = Vec::new();
        for line in given {
            let behind: Vec<&str> = escapes
                .iter()
                .flat_map(|escape| line.text.match_indices(escape).map(|(at, _)| &line.text[at + escape.len()..]))
                .filter(|command| !command.trim().is_empty())
                .collect();
            let holds = escapes.iter().any(|escape| line.text.contains(escape));
            // On a screen keys are commands of their own; before a prompt they may bring in a line of the history.
            if (line.edited || line.recalled) && holds || line.recalled && !screen {
                let span = Span { start: 0, end: line.text.len() };
                let contains = shellward_judge::excerpt(&line.text, span, char::is_control);
                let what = "was typed with keys after which it cannot be known what the line holds".into();
                found.push(self.judge.unknown(contains, what, DROP, span));
            }
            for command in behind {
                found.extend(self.judge.judge(command, Some(Language::Sh), "sh").objections);
            }
        }
        Judged { judgement: Judgement::new(Vec::new(), found), open: String::new() }
    }
}

/// Gives lines without the last end, and without the backslash that joins the next line to them.
fn without_join(lines: &str) -> &str {
    let whole = lines.strip_suffix('\n').unwrap_or(lines);
    let joins = whole.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
    if joins { &whole[..whole.len() - 1] } else { whole }
}

/// Tells whether a line has an interactive shell bring in its history. Quotes are not looked at: double ones do not
/// keep it from that.
fn recalls(text: &str) -> bool {
    let bang = text.match_indices('!').any(|(at, _)| {
        let next = text[at + 1..].chars().next();
        next.is_some_and(|next| next.is_alphanumeric() || "!?-$/*^:#{&".contains(next))
    });
    bang || text.trim_start().starts_with('^')
}
