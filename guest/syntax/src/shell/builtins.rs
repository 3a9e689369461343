//! Builtins of bash that evaluate what they are given: a name such as `a[$(cmd)]` runs `cmd`.

use super::condition::is_plain_name;
use super::values::{is_number, known};
use super::{Parser, Step};
use crate::script::{Language, Part, What, Word};
use crate::text::{among, halves, holds};

impl Parser<'_> {
    /// Refuses arguments that a builtin would evaluate, and notes the variables it gives values.
    pub(super) fn judge_builtin(&mut self, index: usize) -> Step {
        let Some(command) = self.script.commands.get_mut(index) else { return Ok(()) };
        let start = command.span.start;
        // Taken out, so that the parser can be told what is found.
        let words = std::mem::take(&mut command.words);
        let result = if self.language == Language::Sh { Ok(()) } else { self.judge_arguments(&words) };
        self.values.forget(start);
        if let Some(command) = self.script.commands.get_mut(index) {
            command.words = words;
        }
        result
    }

    fn judge_arguments(&mut self, words: &[Word]) -> Step {
        let mut words = words;
        while let [first, rest @ ..] = words
            && known(first).is_some_and(|text| among("builtin command", text))
        {
            words = rest;
        }
        let Some((name, arguments)) = words.split_first() else { return Ok(()) };
        let Some(name) = known(name) else { return Ok(()) };
        match name {
            "[" | "test" => self.judge_test(arguments),
            "let" => self.judge_let(arguments),
            "printf" => self.judge_printf(arguments),
            "read" | "mapfile" | "readarray" | "getopts" | "unset" | "wait" => self.judge_names(name, arguments),
            "eval" | "trap" => self.judge_scripts(arguments),
            "set" => self.judge_set(arguments),
            "compgen" | "complete" => arguments.first().map_or(Ok(()), |word| Err(self.evaluates(word.span))),
            "jobs" => match arguments.iter().find(|word| known(word).is_none_or(|text| holds(text, "x"))) {
                Some(word) => Err(self.evaluates(word.span)),
                None => Ok(()),
            },
            name if super::assignment::declares(name) => self.judge_declaration(arguments, name == "export"),
            _ => Ok(()),
        }
    }

    /// `test -v NAME` evaluates a subscript in the name; an unquoted word may become that option.
    fn judge_test(&mut self, arguments: &[Word]) -> Step {
        let mut after_option = false;
        for word in arguments {
            let text = known(word);
            let subscript = text.is_some_and(|text| holds(text, "[") && carries(text));
            if subscript || (after_option && !text.is_some_and(|text| is_plain_name(text) || text == "]")) {
                return Err(self.evaluates(word.span));
            }
            after_option = matches!(text, Some("-v" | "-R"));
            if self.values.may_split(word) {
                match self.plain_variable(word.span.start).map(str::to_owned) {
                    Some(name) => self.values.evaluate(&name, word.span.start),
                    None => return Err(self.stop_at(word.span, What::UNQUOTED)),
                }
            }
        }
        match arguments {
            // `[ "$operator" "$operand" ]`.
            [first, second] | [first, second, _] if known(first).is_none() && !compares(second) => {
                if arguments.len() == 3 && known(&arguments[2]) != Some("]") {
                    Ok(())
                } else {
                    Err(self.evaluates(first.span))
                }
            }
            _ => Ok(()),
        }
    }

    fn judge_let(&mut self, arguments: &[Word]) -> Step {
        for word in arguments {
            let text = known(word).filter(|text| !text.bytes().any(|byte| b"[$`\\'\"".contains(&byte)));
            let Some(text) = text else { return Err(self.evaluates(word.span)) };
            for name in text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_') {
                if is_plain_name(name) {
                    self.values.evaluate(name, word.span.start);
                }
            }
        }
        Ok(())
    }

    fn judge_printf(&mut self, arguments: &[Word]) -> Step {
        let doubtful = match arguments {
            [] => None,
            [option, name, ..] if known(option) == Some("-v") => match known(name) {
                Some(text) if is_plain_name(text) => {
                    self.values.give(text, false);
                    None
                }
                _ => Some(name),
            },
            [option, ..] if known(option).is_some() => {
                known(option).filter(|text| text.starts_with("-v")).map(|_| option)
            }
            // What the first word becomes may be `-v`.
            _ => arguments
                .iter()
                .find(|word| word.parts.iter().any(|part| matches!(part, Part::Text(text) if carries(text)))),
        };
        doubtful.map_or(Ok(()), |word| Err(self.evaluates(word.span)))
    }

    fn judge_names(&mut self, builtin: &str, arguments: &[Word]) -> Step {
        let mut value_of_option = false;
        for word in arguments {
            let doubtful = match known(word) {
                Some(text) if text.starts_with('-') => {
                    // The options of all these builtins that take a value.
                    value_of_option =
                        builtin != "unset" && text.bytes().last().is_some_and(|byte| b"dinNptusOc".contains(&byte));
                    if builtin != "unset" && text.starts_with("-C") {
                        return Err(self.evaluates(word.span));
                    }
                    continue;
                }
                Some(text) if is_plain_name(text) => {
                    self.values.give(text, false);
                    false
                }
                // A prompt is no name.
                Some(text) => holds(text, "[") && !(builtin == "read" && value_of_option),
                None => builtin != "wait" && (!value_of_option || self.values.may_split(word)),
            };
            if doubtful {
                return Err(self.evaluates(word.span));
            }
            value_of_option = false;
        }
        Ok(())
    }

    /// Refuses scripts to run later that evaluate variables, because their values are given here.
    fn judge_scripts(&mut self, arguments: &[Word]) -> Step {
        for word in arguments {
            let text = known(word).unwrap_or("").as_bytes();
            let subscript = |pair: &[u8]| match pair {
                [name, b'['] => super::cursor::is_name(*name) || matches!(name, b'$' | b'['),
                pair => pair == b"((",
            };
            if text.windows(2).any(subscript) || text.windows(4).any(|four| matches!(four, b"let " | b"decl" | b"type"))
            {
                return Err(self.evaluates(word.span));
            }
        }
        Ok(())
    }

    /// Refuses options of `set` that change how later words are read.
    fn judge_set(&mut self, arguments: &[Word]) -> Step {
        for word in arguments {
            let text = known(word).unwrap_or("");
            let letters = text.starts_with('-') || text.starts_with('+');
            let changes = letters && text.bytes().any(|byte| matches!(byte, b'k' | b'B'));
            if changes || among("keyword braceexpand posix", text) {
                return Err(
                    self.stop_at(word.span, What::Construct("an option of set that changes how words are read"))
                );
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
                _ => return Err(self.evaluates(word.span)),
            };
            if first.starts_with('-') || first.starts_with('+') {
                let evaluates = |byte: u8| byte == b'i' || (byte == b'n' && !exports);
                if word.parts.len() > 1 || first.bytes().any(evaluates) {
                    return Err(self.evaluates(word.span));
                }
                array |= first.bytes().any(|byte| matches!(byte, b'a' | b'A'));
            } else if !self.is_plain_declaration(word, first, array) {
                return Err(self.evaluates(word.span));
            }
        }
        Ok(())
    }

    /// Whether an argument is `NAME` or `NAME=value` with a value that is only kept; notes that it is given.
    fn is_plain_declaration(&mut self, word: &Word, first: &str, array: bool) -> bool {
        let Some((name, value)) = halves(first, b'=') else {
            return word.parts.len() == 1 && is_plain_name(first);
        };
        let name = name.strip_suffix('+').unwrap_or(name);
        // An array written as such was read already.
        let source = self.slice(word.span.start, word.span.end);
        if value.is_empty() && source.len() > first.len() && source.as_bytes().get(first.len()) == Some(&b'(') {
            return is_plain_name(name);
        }
        self.values.give(name, word.parts.len() == 1 && is_number(value));
        is_plain_name(name) && !array && !value.starts_with('(')
    }
}

/// Whether a text could run a command if it were evaluated.
fn carries(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'$' | b'`'))
}

/// Whether a word is an operator of `test` between two operands, or its end.
fn compares(word: &Word) -> bool {
    match known(word).map(str::as_bytes) {
        Some(b"]" | b"=" | b"==" | b"!=" | b"<" | b">") => true,
        Some(text) => text.len() == 3 && text.first() == Some(&b'-'),
        None => false,
    }
}
