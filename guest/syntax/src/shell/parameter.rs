//! Parameter expansion: `${…}`.

use super::arithmetic::Close;
use super::cursor::is_name_start;
use super::quotes::Quoted;
use super::word::Builder;
use super::{Parser, Step};
use crate::script::{Language, Part};

impl Parser<'_> {
    /// Reads `${…}`; its `$` stands here.
    pub(super) fn parameter(&mut self, word: &mut Builder, quoted: Quoted) -> Step {
        self.descend()?;
        self.pos += 2;
        match self.peek() {
            b'#' => self.parameter_length(word)?,
            b'!' => self.indirect_parameter(word)?,
            _ => self.named_parameter(word, quoted)?,
        }
        self.depth -= 1;
        Ok(())
    }

    /// Reads `#name}` and `#}`.
    fn parameter_length(&mut self, word: &mut Builder) -> Step {
        self.pos += 1;
        match self.peek() {
            b'}' => {}
            b'@' | b'*' => self.pos += 1,
            byte if is_name_start(byte) => {
                self.pos = self.name_end(self.pos);
                self.subscript_of_parameter()?;
            }
            _ => return Err(self.construct("a length of something that is no variable")),
        }
        word.number();
        self.close_parameter()
    }

    /// Reads `!name[@]}` and `!name*}`, which give names. `!name}` evaluates what the variable holds.
    fn indirect_parameter(&mut self, word: &mut Builder) -> Step {
        self.not_in_sh("${!")?;
        self.not_in_zsh("${!")?;
        self.pos += 1;
        let start = self.pos;
        self.pos = self.name_end(start);
        let rest = self.rest();
        self.pos += match rest {
            _ if self.pos == start => 0,
            [b'@' | b'*', b'}', ..] => 1,
            [b'[', b'@' | b'*', b']', b'}', ..] => 3,
            _ => 0,
        };
        if self.at(self.pos.wrapping_sub(1)) == b'!' || super::cursor::is_name(self.at(self.pos - 1)) {
            return Err(self.construct("${!name}, which evaluates what the variable holds"));
        }
        word.splits = true;
        word.part(Part::Dynamic);
        self.close_parameter()
    }

    fn named_parameter(&mut self, word: &mut Builder, quoted: Quoted) -> Step {
        let start = self.pos;
        let mut several = false;
        match self.peek() {
            byte if is_name_start(byte) => self.pos = self.name_end(start),
            b'0'..=b'9' => {
                while self.peek().is_ascii_digit() {
                    self.pos += 1;
                }
            }
            b'@' | b'*' => {
                several = true;
                self.pos += 1;
            }
            b'?' | b'$' | b'-' if self.peek_after(1) == b'}' => self.pos += 1,
            _ => return Err(self.construct("a ${ } that is no plain parameter")),
        }
        let end = self.pos;
        several |= self.subscript_of_parameter()?;
        word.splits |= quoted == Quoted::Bare || several;
        if self.peek() != b'}' {
            word.part(Part::Dynamic);
            return self.parameter_operator(word, quoted, start, end);
        }
        self.pos += 1;
        let name = self.text.get(start..end).unwrap_or("");
        let plain = self.pos == end + 1 && is_name_start(self.at(start));
        word.part(match name {
            "HOME" if plain => Part::Home,
            _ if plain && quoted != Quoted::Bare => Part::Variable(name.to_owned()),
            _ => Part::Dynamic,
        });
        Ok(())
    }

    /// Reads `[…]` after a name; says whether it stands for all elements.
    fn subscript_of_parameter(&mut self) -> Step<bool> {
        if self.peek() != b'[' {
            return Ok(false);
        }
        self.not_in_sh("an array")?;
        self.pos += 1;
        if matches!(self.peek(), b'@' | b'*') && self.peek_after(1) == b']' {
            self.pos += 2;
            return Ok(true);
        }
        self.arithmetic(Close::Bracket)?;
        Ok(false)
    }

    fn close_parameter(&mut self) -> Step {
        if self.peek() != b'}' {
            return Err(self.construct("a ${ } that is no plain parameter"));
        }
        self.pos += 1;
        Ok(())
    }

    /// Reads an operator, its word and the `}`.
    fn parameter_operator(&mut self, word: &mut Builder, quoted: Quoted, start: usize, end: usize) -> Step {
        let rest = self.rest();
        match rest {
            [b':', b'=', ..] | [b'=', ..] => self.values.give(self.text.get(start..end).unwrap_or(""), false),
            [b':', b'-' | b'?' | b'+', ..] | [b'-' | b'?' | b'+' | b'#' | b'%', ..] => {}
            [b':', ..] => {
                self.not_in_sh("a part of a parameter")?;
                self.not_in_zsh("a part of a parameter")?;
                self.pos += 1;
                return self.arithmetic(Close::Brace);
            }
            [b'/', ..] => self.not_in_sh("a replacement in a parameter")?,
            [b'^' | b',', ..] => {
                self.not_in_sh("a change of case in a parameter")?;
                self.not_in_zsh("a change of case in a parameter")?;
            }
            [b'@', b'Q' | b'U' | b'u' | b'L' | b'E' | b'A' | b'a' | b'K' | b'k', ..] => {
                self.not_in_sh("@ in a parameter")?;
                self.not_in_zsh("@ in a parameter")?;
                self.pos += 2;
                return self.close_parameter();
            }
            [] => return Err(self.syntax("a ${ that is not closed")),
            _ => return Err(self.construct("a ${ } whose operator is not known")),
        }
        self.pos += if self.peek() == b':' { 2 } else { 1 };
        self.parameter_word(word, quoted)
    }

    /// Reads the word after an operator, to its `}`. What it would become is not kept.
    fn parameter_word(&mut self, word: &mut Builder, quoted: Quoted) -> Step {
        let mut inner = Builder::new(self.pos);
        loop {
            match self.peek() {
                0 => return Err(self.syntax("a ${ that is not closed")),
                b'}' => break,
                b'$' => self.dollar(&mut inner, quoted)?,
                b'`' => self.backquotes(&mut inner, if quoted == Quoted::Bare { quoted } else { Quoted::Body })?,
                b'{' => return Err(self.construct("a { inside ${ }")),
                b'\\' => self.escape_in_parameter(quoted)?,
                b'\'' if quoted == Quoted::Bare => self.single_quotes(&mut inner)?,
                b'\'' => return Err(self.construct("a ' inside ${ } in quotes")),
                b'"' if quoted == Quoted::Body => return Err(self.construct("a \" inside ${ } in a here-document")),
                b'"' if quoted == Quoted::Double && self.language != Language::Bash => {
                    return Err(self.dialect("quotes inside ${ } in quotes"));
                }
                b'"' => self.double_quotes(&mut inner)?,
                b'<' | b'>' if matches!(self.peek_after(1), b'(' | b'\\') => {
                    return Err(self.construct("<( or >( inside ${ }"));
                }
                _ => self.pos += 1,
            }
        }
        self.pos += 1;
        word.substitutes |= inner.substitutes;
        Ok(())
    }

    fn escape_in_parameter(&mut self, quoted: Quoted) -> Step {
        let next = self.slice(self.pos + 1, self.end).chars().next();
        match next {
            None => return Err(self.syntax("a ${ that is not closed")),
            Some('\'' | '"' | '\n') if quoted != Quoted::Bare => {
                return Err(self.construct("an escaped quote inside ${ } in quotes"));
            }
            Some(character) => self.pos += 1 + character.len_utf8(),
        }
        Ok(())
    }
}
