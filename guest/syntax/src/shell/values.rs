//! Values that the shell reads as code.
//!
//! `x='a[$(cmd)]'; echo $((x))` runs `cmd`: arithmetic evaluates what a variable holds, and so do some builtins with
//! names they are given. What is evaluated must therefore not be given, anywhere in the text, a value that may be no
//! number. What comes from outside the text, as its environment does, is taken on trust.

use std::collections::BTreeMap;

use super::assignment::declares;
use super::condition::is_plain_name;
use super::word::Builder;
use super::{Parser, Step};
use crate::script::{Command, Language, Part, Span, What, Word};

/// Which variables are evaluated, and which are given values.
#[derive(Debug, Default)]
pub(super) struct Values {
    evaluated: Vec<(String, usize)>,
    /// Variables that are given a value which may be no number.
    texts: Vec<String>,
    /// The starts of words, of commands not yet finished, that may become several.
    splitting: Vec<usize>,
}

impl Values {
    pub(super) fn evaluate(&mut self, name: &str, position: usize) {
        self.evaluated.push((name.to_owned(), position));
    }

    /// Whether a word of the command just read may become several. Starts stand in order, so the search is short.
    fn may_split(&self, word: &Word) -> bool {
        self.splitting.binary_search(&word.span.start).is_ok()
    }

    pub(super) fn give(&mut self, name: &str, number: bool) {
        if !number {
            self.texts.push(name.to_owned());
        }
    }
}

/// Whether a text is a plain number.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

const EVALUATES: &str = "a value that bash evaluates and that this text may fill with a command";

impl Parser<'_> {
    /// Compares what is evaluated with what is given, at the end of the text.
    pub(super) fn judge_values(&mut self) -> Step {
        if self.values.evaluated.is_empty() || self.language == Language::Sh {
            return Ok(());
        }
        let evaluated: BTreeMap<String, usize> = std::mem::take(&mut self.values.evaluated).into_iter().collect();
        let found = self.values.texts.iter().find_map(|name| evaluated.get_key_value(name));
        let doubtful = found.or_else(|| {
            let unknown = self.script.commands.iter().any(runs_text) || self.script.functions.iter().any(|name| counts(name));
            evaluated.iter().next().filter(|_| unknown)
        });
        match doubtful.map(|(name, at)| (name.len(), *at)) {
            None => Ok(()),
            Some((length, start)) => {
                Err(self.stop_at(Span { start, end: start + length }, What::Construct(EVALUATES)))
            }
        }
    }

    pub(super) fn note_word(&mut self, word: &Builder) {
        if word.splits && word.not_a_number {
            self.values.splitting.push(word.start);
        }
    }

    /// Refuses arguments that a builtin of bash would evaluate, and notes the variables it gives values.
    pub(super) fn judge_builtin(&mut self, index: usize) -> Step {
        let commands = std::mem::take(&mut self.script.commands);
        let mut result = Ok(());
        if let Some(command) = commands.get(index) {
            if self.language != Language::Sh {
                result = self.judge_arguments(&command.words);
            }
            let start = command.span.start;
            while self.values.splitting.last().is_some_and(|position| *position >= start) {
                self.values.splitting.pop();
            }
        }
        self.script.commands = commands;
        result
    }

    fn judge_arguments(&mut self, words: &[Word]) -> Step {
        let Some((first, arguments)) = words.split_first() else { return Ok(()) };
        let [Part::Text(name)] = first.parts.as_slice() else { return Ok(()) };
        match name.as_str() {
            "builtin" | "command" => self.judge_arguments(arguments),
            "[" | "test" => self.judge_test(arguments),
            "let" => self.judge_let(arguments),
            "printf" => self.judge_printf(arguments),
            "read" | "mapfile" | "readarray" | "getopts" | "unset" | "wait" => self.judge_names(name, arguments),
            "eval" | "trap" => self.judge_scripts(arguments),
            "set" => self.judge_set(arguments),
            name if declares(name) => self.judge_declaration(arguments, name == "export"),
            _ => Ok(()),
        }
    }

    fn evaluates(&mut self, word: &Word) -> Step {
        Err(self.stop_at(word.span, What::Construct(EVALUATES)))
    }

    /// `test -v NAME` evaluates a subscript in the name; an unquoted word may become that option.
    fn judge_test(&mut self, arguments: &[Word]) -> Step {
        let mut after_option = false;
        for word in arguments {
            let literal = word.literal();
            if after_option && !literal.as_deref().is_some_and(|text| is_plain_name(text) || text == "]") {
                return self.evaluates(word);
            }
            after_option = matches!(literal.as_deref(), Some("-v" | "-R"));
            if literal.as_deref().is_some_and(|text| text.contains('[') && text.contains(['$', '`'])) {
                return self.evaluates(word);
            }
            if self.values.may_split(word) {
                match self.plain_variable(word.span.start).map(str::to_owned) {
                    Some(name) => self.values.evaluate(&name, word.span.start),
                    None => return self.evaluates(word),
                }
            }
        }
        match arguments {
            [first, second, rest @ ..] if rest.len() <= 1 && first.literal().is_none() => {
                let compares = matches!(second.literal().as_deref(), Some("]" | "=" | "==" | "!=" | "<" | ">"))
                    || second.literal().is_some_and(|text| text.len() == 3 && text.starts_with('-'));
                if compares || rest.len() == 1 && rest.iter().all(|word| word.literal().as_deref() != Some("]")) {
                    Ok(())
                } else {
                    self.evaluates(first)
                }
            }
            _ => Ok(()),
        }
    }

    fn judge_let(&mut self, arguments: &[Word]) -> Step {
        for word in arguments {
            let Some(text) = word.literal() else { return self.evaluates(word) };
            if text.contains(['[', '$', '`', '\\', '\'', '"']) {
                return self.evaluates(word);
            }
            for name in text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_') {
                if is_plain_name(name) {
                    self.values.evaluate(name, word.span.start);
                }
            }
        }
        Ok(())
    }

    fn judge_printf(&mut self, arguments: &[Word]) -> Step {
        let first = arguments.first().map(Word::literal);
        match (first, arguments) {
            (Some(Some(option)), [_, name, ..]) if option == "-v" => self.judge_name(name),
            (Some(Some(option)), [word, ..]) if option.starts_with("-v") => self.evaluates(word),
            (Some(None), _) => match arguments.iter().find(|word| carries(word)) {
                Some(word) => self.evaluates(word),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// A builtin that gives a value to the variable a word names.
    fn judge_name(&mut self, word: &Word) -> Step {
        match word.literal() {
            Some(name) if is_plain_name(&name) => {
                self.values.give(&name, false);
                Ok(())
            }
            _ => self.evaluates(word),
        }
    }

    fn judge_names(&mut self, builtin: &str, arguments: &[Word]) -> Step {
        let mut value_of_option = false;
        for word in arguments {
            match word.literal() {
                Some(text) if builtin == "mapfile" && text.starts_with("-C") => return self.evaluates(word),
                Some(text) if text.starts_with('-') => {
                    let takes_value = text.ends_with(['d', 'i', 'n', 'N', 'p', 't', 'u', 's', 'O', 'c']);
                    value_of_option = builtin != "unset" && takes_value;
                    continue;
                }
                Some(text) if text.contains('[') => return self.evaluates(word),
                Some(text) if is_plain_name(&text) => self.values.give(&text, false),
                Some(_) => {}
                None if value_of_option && !self.values.may_split(word) => {}
                None if builtin == "wait" => {}
                None => return self.evaluates(word),
            }
            value_of_option = false;
        }
        Ok(())
    }

    /// Refuses scripts to run later that evaluate variables, because their values are given here.
    fn judge_scripts(&mut self, arguments: &[Word]) -> Step {
        for word in arguments {
            let Some(text) = word.literal() else { continue };
            let subscript = text.as_bytes().windows(2).any(|pair| {
                matches!(pair, [name, b'['] if super::cursor::is_name(*name)) || matches!(pair, b"((" | b"$[" | b"[[")
            });
            if subscript || text.contains("let ") || text.contains("declare") || text.contains("typeset") {
                return self.evaluates(word);
            }
        }
        Ok(())
    }

    /// Refuses options of `set` that change how later words are read.
    fn judge_set(&mut self, arguments: &[Word]) -> Step {
        for word in arguments {
            let Some(text) = word.literal() else { continue };
            let letters = text.strip_prefix(['-', '+']).unwrap_or("");
            if letters.contains(['k', 'B']) || matches!(&*text, "keyword" | "braceexpand" | "posix") {
                return Err(self.stop_at(word.span, What::Construct("an option of set that changes how words are read")));
            }
        }
        Ok(())
    }

    /// `declare -i` evaluates every later value, `-n` makes a name stand for another, and arrays read their value.
    fn judge_declaration(&mut self, arguments: &[Word], exports: bool) -> Step {
        let mut array = false;
        for word in arguments {
            let first = match word.parts.first() {
                Some(Part::Text(text)) => text.as_str(),
                _ => return self.evaluates(word),
            };
            if let Some(options) = first.strip_prefix(['-', '+']) {
                if word.parts.len() > 1 || options.contains('i') || (options.contains('n') && !exports) {
                    return self.evaluates(word);
                }
                array |= options.contains(['a', 'A']);
                continue;
            }
            let (name, value) = match first.split_once('=') {
                Some((name, value)) => (name.strip_suffix('+').unwrap_or(name), Some(value)),
                None => (first, None),
            };
            // An array written as such was read already: its name alone is text.
            let written = value == Some("") && matches!(word.parts.get(1), Some(Part::Dynamic)) && self.is_array(word);
            let opens = value.is_some_and(|value| value.starts_with('('));
            if !is_plain_name(name) || opens || (array && value.is_some() && !written) || (value.is_none() && word.parts.len() > 1) {
                return self.evaluates(word);
            }
            if value.is_some() && !written {
                let number = word.parts.len() == 1 && value.is_some_and(is_number);
                self.values.give(name, number);
            }
        }
        Ok(())
    }

    fn is_array(&self, word: &Word) -> bool {
        let text = self.slice(word.span.start, word.span.end);
        text.split_once('=').is_some_and(|(_, value)| value.starts_with('('))
    }

    /// Whether the commands of a substitution, which start at an index, print nothing but numbers.
    pub(super) fn prints_a_number(&self, first: usize) -> bool {
        let Some((last, before)) = self.script.commands.get(first..).and_then(<[Command]>::split_last) else {
            return false;
        };
        let piped = |command: &Command| match (command.pipe, last.pipe) {
            (Some(pipe), Some(end)) => pipe.pipeline == end.pipeline && pipe.position < end.position,
            _ => false,
        };
        prints_number(&last.words) && before.iter().all(piped)
    }
}

/// Whether a word's text holds a command and could be evaluated.
fn carries(word: &Word) -> bool {
    word.parts.iter().any(|part| matches!(part, Part::Text(text) if text.contains(['$', '`'])))
}

/// Whether a command runs text that may give variables any value.
fn runs_text(command: &Command) -> bool {
    let [Part::Text(name)] = command.words.first().map_or(&[][..], |word| word.parts.as_slice()) else { return false };
    matches!(name.as_str(), "eval" | "source" | "." | "alias" | "trap")
}

/// Whether a program of this name is trusted to print numbers.
fn counts(name: &str) -> bool {
    matches!(name, "date" | "wc" | "nproc" | "id" | "stat" | "seq" | "grep")
}

fn prints_number(words: &[Word]) -> bool {
    let literals: Vec<_> = words.iter().map(|word| word.literal()).collect();
    let texts: Vec<&str> = literals.iter().map(|text| text.as_deref().unwrap_or("")).collect();
    match texts.as_slice() {
        ["date", format] => ["%s", "%N", "%Y", "%m", "%d", "%H", "%M", "%S", "%j", "%u"]
            .iter()
            .fold(format.strip_prefix('+').map(str::to_owned), |rest, sign| rest.map(|rest| rest.replace(sign, "")))
            .is_some_and(|rest| rest.is_empty()),
        ["wc", "-l" | "-c" | "-w" | "-m"] | ["nproc"] | ["id", "-u" | "-g"] => true,
        ["stat", "-c", "%s" | "%Y" | "%X" | "%Z" | "%a", _] => true,
        ["grep", option, pattern] => option.starts_with('-') && option.ends_with('c') && !pattern.starts_with('-'),
        ["seq", numbers @ ..] => numbers.iter().all(|number| is_number(number)),
        _ => false,
    }
}
