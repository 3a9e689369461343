//! The result of an analysis: which simple commands would run, with which words, where and how nested.

/// The shell language in which a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// POSIX `sh` as dash reads it; bash's additions are unknown, because dash gives them another meaning.
    Sh,
    /// GNU bash 5.2.
    Bash,
    /// zsh: read as bash, with everything that zsh reads differently unknown.
    Zsh,
    /// Nushell 0.115, as `nu -c` reads it.
    Nu,
}

/// A range of bytes in the analysed text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

/// Every command that a text would run, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The simple commands, those of substitutions and those found by unwrapping included.
    pub commands: Vec<Command>,
    /// The shell environments the commands run in; index 0 is the outermost.
    pub scopes: Vec<Scope>,
    /// Names of functions that the text defines: they shadow programs of that name.
    pub functions: Vec<String>,
    /// The absolute path of the directory in which the text starts, for facts about what a relative path names. The
    /// analysis leaves it empty: who knows the directory sets it.
    pub start: String,
}

/// A shell environment: what `cd` and assignments in it change is not seen by its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The environment this one was copied from; none for the outermost.
    pub parent: Option<usize>,
}

/// One simple command: assignments, words and redirections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// `NAME=value` before the program; with no words they change the shell itself.
    pub assignments: Vec<Assignment>,
    /// The program and its arguments. Empty for a bare assignment, and for the redirections of a compound command.
    pub words: Vec<Word>,
    /// The redirections, in order.
    pub redirections: Vec<Redirection>,
    /// The bytes this command was read from; for an unwrapped command, those of the outer command's word.
    pub span: Span,
    /// The constructs around it, outermost first.
    pub nesting: Vec<Nesting>,
    /// The index in [`Script::scopes`] of the environment it runs in.
    pub scope: usize,
    /// Its place in a pipeline of more than one command.
    pub pipe: Option<Pipe>,
    /// The programs it was unwrapped from, outermost first; empty for a command of the text itself.
    pub via: Vec<Via>,
}

/// A place in a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipe {
    /// Which pipeline of the script.
    pub pipeline: usize,
    /// The position in it, from 0; commands of one compound member share a position.
    pub position: usize,
}

/// A program that runs another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Via {
    /// The wrapper's name as judged: `sudo`, `sh -c`, `find -exec`.
    pub wrapper: String,
}

/// A construct that holds a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nesting {
    /// `( … )`.
    Subshell,
    /// `{ …; }`.
    Group,
    /// `$( … )` or backticks.
    CommandSubstitution,
    /// `<( … )` or `>( … )`.
    ProcessSubstitution,
    /// The body of a function: it runs when the function is called.
    Function,
    /// A condition of `if`, `while` or `until`.
    Condition,
    /// A body of `if`, `for`, `while`, `until`, `select` or `case`.
    Body,
    /// A member of a pipeline of more than one command.
    Pipeline,
    /// Started with `&` or `coproc`.
    Background,
    /// Given to `trap`: it runs when the signal comes.
    Trap,
}

/// `NAME=value`, `NAME+=value` or `NAME[subscript]=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The variable's name, without a subscript.
    pub name: String,
    /// The value; for an array, one dynamic word.
    pub value: Word,
    /// Whether it appends (`+=`).
    pub append: bool,
}

/// A word: what it becomes when the shell has expanded it, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The pieces, adjacent texts joined. An empty list is the empty word.
    pub parts: Vec<Part>,
    /// The bytes it was read from.
    pub span: Span,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text that the shell passes on unchanged.
    Text(String),
    /// An unquoted pattern such as `*` or `[a-z]`: it becomes names of files, or stays as it is.
    Glob(String),
    /// The home directory: an unquoted leading `~`, or `$HOME`.
    Home,
    /// The home directory of a user: an unquoted leading `~name`; the name.
    User(String),
    /// The value of a variable, taken as it is; the name.
    Variable(String),
    /// What cannot be known before it runs; may become any number of words.
    Dynamic,
}

/// A redirection of one descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// The descriptor written before the operator, if one is.
    pub descriptor: Option<u32>,
    /// What is done.
    pub operator: Operator,
    /// To or from what.
    pub target: Target,
    /// The bytes of operator and target.
    pub span: Span,
}

/// What a redirection does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `<`.
    Read,
    /// `>` and `>|`.
    Write,
    /// `>>`.
    Append,
    /// `<>`: opens for both, creating the file.
    ReadWrite,
    /// `&>`: both output streams to a file.
    WriteBoth,
    /// `&>>`.
    AppendBoth,
    /// `<&` and `>&` with a descriptor or `-`.
    Duplicate,
    /// `<<` and `<<-`.
    HereDocument,
    /// `<<<`.
    HereString,
}

/// What a redirection is from or to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file named by a word.
    File(Word),
    /// Another descriptor, or none (`-`, closed).
    Descriptor(Option<u32>),
    /// The text of a here-document or here-string: known, or dynamic.
    Body(Word),
}

/// The analysis cannot know what would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What it is that cannot be known.
    pub what: What,
    /// Where.
    pub span: Span,
}

/// Why an analysis gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// The shell itself would report a syntax error, after perhaps running what stands before it.
    Syntax(&'static str),
    /// A construct that is not modelled, because a guess could miss a command.
    Construct(&'static str),
    /// A construct that this language reads differently from bash.
    Dialect(&'static str),
    /// Nested deeper than the analysis follows.
    TooDeep,
    /// The program's name is computed when the line runs.
    DynamicProgram,
    /// A script given to a shell is computed when the line runs.
    DynamicScript(String),
    /// An option of a program that runs programs is not in its table.
    WrapperOption {
        /// The program.
        program: String,
        /// The option.
        option: String,
    },
}

impl What {
    /// A word such as `${PIPESTATUS[0]}`: it may become an option and a name with a command in it.
    pub const UNQUOTED: Self = Self::Construct("an unquoted word for `test`");
}

impl Word {
    /// The text the shell would pass on, when all of it is known.
    #[must_use]
    pub fn literal(&self) -> Option<std::borrow::Cow<'_, str>> {
        match self.parts.as_slice() {
            [] => Some("".into()),
            [Part::Text(text)] => Some(text.as_str().into()),
            parts => parts
                .iter()
                .map(|part| match part {
                    Part::Text(text) => Some(text.as_str()),
                    _ => None,
                })
                .collect::<Option<String>>()
                .map(Into::into),
        }
    }
}
