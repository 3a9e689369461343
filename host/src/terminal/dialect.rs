//! What is written to shells of each kind.

use crate::policy::contract::commands::Language;

/// A kind of shell that can last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// POSIX sh; dash, mostly.
    Sh,
    /// GNU bash.
    Bash,
    /// zsh.
    Zsh,
}

/// A command in the terms of the line that runs it.
pub(super) struct Line<'a> {
    /// The command as written.
    pub command: &'a str,
    /// The secret of its marks.
    pub secret: &'a str,
    /// The shell ends at the first failure (`set -e`), a syntax error included.
    pub strict: bool,
    /// What `$?` is to be when it begins.
    pub status: i32,
    /// Where the shell is to go first.
    pub directory: Option<&'a str>,
    /// It has no terminal: standard error is apart, and input is empty.
    pub apart: bool,
}

impl Dialect {
    pub(crate) fn of(language: Language) -> Option<Self> {
        match language {
            Language::Sh => Some(Self::Sh),
            Language::Bash => Some(Self::Bash),
            Language::Zsh => Some(Self::Zsh),
            Language::Nu => None,
        }
    }

    /// The arguments that make it read commands from its standard input as an interactive shell does.
    pub(super) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Sh => &["-i"],
            Self::Bash => &["--noediting", "-i"],
            Self::Zsh => &["+Z", "-i"],
        }
    }

    /// What it is told once: that these commands are nobody's history, that it must not leave by itself, and that
    /// nobody sees its prompts, one of which comes before the end mark where a command was interrupted.
    pub(super) fn opening(self) -> &'static str {
        match self {
            Self::Sh => "{ unset TMOUT; PS1= PS2=; } 2>/dev/null\n",
            Self::Bash => "{ set +o history; set +H; unset HISTFILE TMOUT; history -c; PS1= PS2=; } 2>/dev/null\n",
            Self::Zsh => {
                "{ unset HISTFILE TMOUT; unsetopt zle banghist beep prompt_cr prompt_sp; setopt no_check_jobs no_hup; \
                 PS1= PS2= RPS1=; } 2>/dev/null\n"
            }
        }
    }

    /// Names a builtin so that no alias, and where the shell can no function, stands in front of it.
    fn builtin(self, name: &str) -> String {
        match self {
            Self::Sh => format!("command {name}"),
            Self::Bash | Self::Zsh => format!("\\builtin {name}"),
        }
    }

    /// The line that runs a command between its marks. The shell's own steps are silent even while it traces: only
    /// what is evaluated has the standard error.
    pub(super) fn line(self, line: &Line<'_>) -> String {
        let Line { secret, apart, .. } = *line;
        let (begin, eval) = (self.begin(secret, apart), self.builtin("eval"));
        let status = if line.status == 0 { String::new() } else { format!("(exit {}) && :; ", line.status) };
        let input = if apart { "</dev/null" } else { "<&8" };
        let command = self.quote(line.command);
        // A trace goes where the standard error of zsh's compound commands does, and not where that of its builtins does.
        let run = if self == Self::Zsh { format!("{{ {eval} {command}; }}") } else { format!("{eval} {command}") };
        let run = format!("{status}{run} {input} 1>&8 2>&9 8>&- 9>&-");
        let run = match line.directory {
            None => run,
            Some(directory) => {
                format!("if {} -- {} 2>&9; then {run}; else ! :; fi", self.builtin("cd"), self.quote(directory))
            }
        };
        let end = self.end(secret, apart);
        let reset = if line.strict { "" } else { self.reset() };
        format!("{reset}{{ {begin}; {run}; {end}; }} 8>&1 9>&2 >/dev/null 2>&1\n")
    }

    /// The line that does nothing between its marks: a shell that prints them has come to terms with its interrupts.
    pub(super) fn settling(self, secret: &str, strict: bool, apart: bool) -> String {
        let reset = if strict { "" } else { self.reset() };
        format!("{reset}{{ {}; {}; }} 8>&1 9>&2 >/dev/null 2>&1\n", self.begin(secret, apart), self.end(secret, apart))
    }

    /// What brings the shell's parser to its senses.
    ///
    /// After an `eval` of a text whose quotes are not closed bash 5.2 misreads the next line; a plain syntax error,
    /// whose message nobody sees, has it start afresh.
    /// zsh throws away the next line it reads where an interrupt has come while it waited for one.
    /// Under `set -e` neither is needed: such an `eval`, or interrupt, ends the shell.
    fn reset(self) -> &'static str {
        match self {
            Self::Sh => "",
            Self::Bash => ")\n",
            Self::Zsh => "\n",
        }
    }

    /// The line that asks for the end mark of a command that was left by an interrupt.
    pub(super) fn recovery(self, secret: &str, apart: bool) -> String {
        let reset = if self == Self::Zsh { self.reset() } else { "" };
        format!("{reset}{{ {}; }} 8>&1 9>&2 >/dev/null 2>&1\n", self.end(secret, apart))
    }

    fn begin(self, secret: &str, apart: bool) -> String {
        let (print, mark) = (self.builtin("printf"), escaped(&format!("C;{secret}")));
        let begin = format!("{print} '{mark}' >&8");
        if apart { format!("{begin}; {print} '{mark}' >&9") } else { begin }
    }

    fn end(self, secret: &str, apart: bool) -> String {
        let print = self.builtin("printf");
        let mark = escaped(&format!("D;{secret};%s;%s;%s;{secret}"));
        let end = format!("{print} '{mark}' \"$?\" \"$-\" \"${{PWD-}}\" >&8");
        if apart { format!("{end}; {print} '{mark}' '' '' '' >&9") } else { end }
    }

    /// Quotes a text. A line of bash's or zsh's stays one line, so that no shell asks for the rest of it.
    fn quote(self, text: &str) -> String {
        match self {
            Self::Sh => format!("'{}'", text.replace('\'', r"'\''")),
            Self::Bash | Self::Zsh => {
                let mut quoted = String::with_capacity(text.len() + 8);
                quoted.push_str("$'");
                for character in text.chars() {
                    match character {
                        '\'' => quoted.push_str(r"\'"),
                        '\\' => quoted.push_str(r"\\"),
                        '\n' => quoted.push_str(r"\n"),
                        '\r' => quoted.push_str(r"\r"),
                        // A history expansion would be one before quotes are looked at.
                        '!' => quoted.push_str(r"\041"),
                        other => quoted.push(other),
                    }
                }
                quoted.push('\'');
                quoted
            }
        }
    }
}

/// A mark as `printf` is told it.
fn escaped(content: &str) -> String {
    format!(r"\033]133;{content}\033\\")
}
