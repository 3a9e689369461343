//! What a command reads on its standard input, as far as the text says.

use std::cell::OnceCell;
use std::rc::Rc;

use super::Doubt;
use super::words::{is, name, text};
use crate::script::{Command, Language, Nesting, Operator, Pipe, Redirection, Script, Span, Target, What, Word};
use crate::text::holds;

/// What a command reads on its standard input. Cheap to clone: many commands may share one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stdin {
    /// What the whole text gets: nothing in the text feeds it.
    Inherited,
    /// This text, taken from these bytes.
    Known(Rc<str>, Span),
    /// Something that is known only when it runs.
    Dynamic,
}

/// One script, before unwrapping, with what is asked of it more than once.
pub(crate) struct Level<'a> {
    /// The script as parsed.
    pub raw: &'a Script,
    /// The language it is in.
    pub language: Language,
    /// The command that runs this script; none for the text itself.
    outer: Option<&'a Source<'a>>,
    /// What that command reads, and with it each of this script's that nothing else feeds.
    inherited: OnceCell<Stdin>,
    /// The bytes of the text that it was read from, when it is not the text itself.
    span: Option<Span>,
    /// The first command and the number of commands at each place, by pipeline and place.
    places: Vec<Vec<(usize, usize)>>,
    /// Whether a compound command, or the shell itself through `exec`, has redirections of input.
    redirected: bool,
}

/// A command of a script, to ask for its input.
pub(crate) struct Source<'a> {
    /// The script.
    pub level: &'a Level<'a>,
    /// The command's index in it.
    pub index: usize,
}

impl<'a> Level<'a> {
    /// Begins with the text itself.
    pub(crate) fn text(raw: &'a Script, language: Language) -> Self {
        Self::new(raw, language, None, None)
    }

    /// Goes on with a script that a command runs, taken from these bytes of the text.
    pub(crate) fn inner(raw: &'a Script, language: Language, outer: &'a Source<'a>, span: Span) -> Self {
        Self::new(raw, language, Some(outer), Some(span))
    }

    fn new(raw: &'a Script, language: Language, outer: Option<&'a Source<'a>>, span: Option<Span>) -> Self {
        let mut places = Vec::new();
        let mut redirected = false;
        for (index, command) in raw.commands.iter().enumerate() {
            if let Some(pipe) = command.pipe {
                add(&mut places, pipe, index);
            }
            let shell_itself = command.words.first().is_none_or(|word| name(word) == Some("exec"));
            redirected |= shell_itself && command.redirections.iter().any(feeds);
        }
        Self { raw, language, outer, inherited: OnceCell::new(), span, places, redirected }
    }

    /// Returns one more than the highest number of a pipeline.
    pub(crate) fn pipelines(&self) -> usize {
        self.places.len()
    }
}

fn add(places: &mut Vec<Vec<(usize, usize)>>, pipe: Pipe, index: usize) {
    if places.len() <= pipe.pipeline {
        places.resize_with(pipe.pipeline + 1, Vec::new);
    }
    let Some(places) = places.get_mut(pipe.pipeline) else { return };
    if places.len() <= pipe.position {
        places.resize(pipe.position + 1, (index, 0));
    }
    if let Some((first, count)) = places.get_mut(pipe.position) {
        if *count == 0 {
            *first = index;
        }
        *count += 1;
    }
}

/// Tells whether a redirection replaces standard input.
fn feeds(redirection: &Redirection) -> bool {
    match redirection.operator {
        Operator::Read | Operator::ReadWrite | Operator::HereDocument | Operator::HereString => {
            redirection.descriptor.is_none_or(|descriptor| descriptor == 0)
        }
        // `0>file` and `0>&3` are rare but legal.
        Operator::Write | Operator::Append => redirection.descriptor == Some(0),
        Operator::Duplicate => {
            redirection.descriptor == Some(0) || (redirection.descriptor.is_none() && reads(redirection))
        }
        Operator::WriteBoth | Operator::AppendBoth => false,
    }
}

/// `<&3` and `>&3` are told apart by nothing but the descriptor: only 1 and 2 are surely output.
fn reads(redirection: &Redirection) -> bool {
    !matches!(redirection.target, Target::Descriptor(Some(1 | 2)))
}

impl Source<'_> {
    /// Returns what the command reads on its standard input.
    pub(crate) fn stdin(&self) -> Stdin {
        let Some(command) = self.level.raw.commands.get(self.index) else { return Stdin::Dynamic };
        if let Some(last) = command.redirections.iter().rev().find(|redirection| feeds(redirection)) {
            return self.placed(redirected(last));
        }
        let piped = command.pipe.is_some_and(|pipe| pipe.position > 0);
        if self.level.redirected || nested(&command.nesting) {
            return Stdin::Dynamic;
        }
        match (piped, self.level.outer) {
            (true, _) => self.placed(self.fed(command)),
            (false, Some(outer)) => self.level.inherited.get_or_init(|| outer.stdin()).clone(),
            (false, None) => Stdin::Inherited,
        }
    }

    /// Tells whether the command's input is that of the script it stands in.
    pub(crate) fn is_inherited(&self) -> bool {
        let fed = |command: &Command| command.pipe.is_some_and(|pipe| pipe.position > 0);
        let command = self.level.raw.commands.get(self.index);
        command.is_some_and(|command| !fed(command) && !command.redirections.iter().any(feeds))
    }

    /// Returns what the command reads at a descriptor; none but the input is looked for outside of its own words.
    pub(crate) fn descriptor(&self, number: u32) -> Stdin {
        if number == 0 {
            return self.stdin();
        }
        let command = self.level.raw.commands.get(self.index);
        let mut redirections = command.iter().flat_map(|command| command.redirections.iter().rev());
        let last = redirections.find(|redirection| redirection.descriptor == Some(number));
        last.map_or(Stdin::Dynamic, |last| self.placed(redirected(last)))
    }

    /// Moves the place of an input that was found in this script to that of the script in the whole text.
    fn placed(&self, stdin: Stdin) -> Stdin {
        match stdin {
            Stdin::Known(text, span) => Stdin::Known(text, self.level.span.unwrap_or(span)),
            Stdin::Inherited | Stdin::Dynamic => stdin,
        }
    }

    /// Returns the output of the command before in the pipeline, when both stand alone at their places.
    fn fed(&self, command: &Command) -> Stdin {
        let Some(pipe) = command.pipe else { return Stdin::Dynamic };
        let at = |position: usize| self.level.places.get(pipe.pipeline)?.get(position).copied();
        match (pipe.position.checked_sub(1).and_then(at), at(pipe.position)) {
            (Some((feeder, 1)), Some((_, 1))) => {
                let Some(feeder) = self.level.raw.commands.get(feeder) else { return Stdin::Dynamic };
                self.output(feeder).map_or(Stdin::Dynamic, |text| Stdin::Known(text.into(), feeder.span))
            }
            _ => Stdin::Dynamic,
        }
    }

    /// Returns what a command prints, when its words say all of it.
    fn output(&self, command: &Command) -> Option<String> {
        let (first, words) = command.words.split_first()?;
        let name = text(first)?;
        if self.level.raw.functions.iter().any(|function| function == name) || !command.assignments.is_empty() {
            return None;
        }
        match (name, command.redirections.as_slice()) {
            ("echo", []) => echo(words),
            ("printf", []) => printf(words),
            ("cat", [body]) if words.is_empty() => match redirected(body) {
                Stdin::Known(text, _) => Some(text.as_ref().to_owned()),
                Stdin::Inherited | Stdin::Dynamic => None,
            },
            _ => None,
        }
    }
}

/// Constructs whose input is not the script's: what feeds them stands elsewhere.
fn nested(nesting: &[Nesting]) -> bool {
    let mut pipelines = 0;
    nesting.iter().any(|nesting| match nesting {
        Nesting::CommandSubstitution
        | Nesting::ProcessSubstitution
        | Nesting::Function
        | Nesting::Background
        | Nesting::Trap => true,
        Nesting::Pipeline => {
            pipelines += 1;
            pipelines > 1
        }
        Nesting::Subshell | Nesting::Group | Nesting::Condition | Nesting::Body => false,
    })
}

fn redirected(redirection: &Redirection) -> Stdin {
    match &redirection.target {
        Target::Body(body) => match text(body) {
            Some(text) => Stdin::Known(text.into(), body.span),
            None => Stdin::Dynamic,
        },
        Target::File(file) if is(file, "/dev/null") => Stdin::Known("".into(), file.span),
        Target::File(_) | Target::Descriptor(_) => Stdin::Dynamic,
    }
}

fn echo(words: &[Word]) -> Option<String> {
    let mut line = String::new();
    let mut options = true;
    let mut newline = true;
    for word in words {
        let text = text(word)?;
        if options && text == "-n" {
            newline = false;
            continue;
        }
        // Shells differ in what they do with options and backslashes.
        if (options && text.starts_with('-')) || holds(text, "\\") {
            return None;
        }
        if !options {
            line.push(' ');
        }
        options = false;
        line.push_str(text);
    }
    if newline {
        line.push('\n');
    }
    Some(line)
}

fn printf(words: &[Word]) -> Option<String> {
    let (format, arguments) = words.split_first()?;
    let format = text(format)?;
    if format.starts_with('-') {
        return None;
    }
    let mut arguments = arguments.iter();
    let mut out = String::new();
    loop {
        let left = arguments.len();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '%' => match letters.next()? {
                    '%' => out.push('%'),
                    's' => out.push_str(arguments.next().map_or(Some(""), text)?),
                    _ => return None,
                },
                '\\' => out.push(match letters.next()? {
                    'n' => '\n',
                    't' => '\t',
                    '\\' => '\\',
                    '"' => '"',
                    _ => return None,
                }),
                other => out.push(other),
            }
        }
        // The format is used again while arguments are left, unless it takes none.
        if arguments.len() == 0 || arguments.len() == left {
            return Some(out);
        }
    }
}

/// Makes the report of a script that is known only when it runs.
#[cold]
#[inline(never)]
pub(crate) fn dynamic(program: &str) -> Doubt {
    Box::new(What::DynamicScript(program.to_owned()))
}
