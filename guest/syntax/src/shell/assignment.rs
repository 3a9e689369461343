//! Assignments.

use super::word::{Builder, Place};
use super::{Parser, Step};
use crate::script::{Assignment, Part, Word};

impl Parser<'_> {
    /// Reads `NAME=value` for the command at an index, if one stands here.
    pub(super) fn assignment(&mut self, index: usize) -> Step<bool> {
        let start = self.pos;
        let end = self.name_end(start);
        if end == start {
            return Ok(false);
        }
        let append = match (self.at(end), self.at(end + 1)) {
            (b'=', _) => false,
            (b'+', b'=') => {
                self.not_in_sh("+=")?;
                true
            }
            (b'[', _) => return Err(self.construct("a subscript")),
            _ => return Ok(false),
        };
        let name = self.slice(start, end).to_owned();
        self.pos = end + 1 + usize::from(append);
        let value = self.assigned_value()?;
        self.values.give(name.clone(), !value.not_a_number);
        let value = value.finish(self.pos);
        self.push_assignment(index, Assignment { name, value, append });
        Ok(true)
    }

    fn push_assignment(&mut self, index: usize, assignment: Assignment) {
        let end = self.pos;
        if let Some(command) = self.script.commands.get_mut(index) {
            command.assignments.push(assignment);
            command.span.end = end;
        }
    }

    fn assigned_value(&mut self) -> Step<Builder> {
        if self.peek() == b'(' {
            return Err(self.construct("an array"));
        }
        self.word(Place::Value)
    }

    /// Reads `NAME=( … )` after a builtin that declares, if one stands here.
    pub(super) fn declared_array(&mut self, _index: usize) -> Step<bool> {
        Ok(false)
    }
}
