//! What a shell command line would really run: parsed, unwrapped, never guessed.
//!
//! The rule of this crate: never miss a command that would run; say [`Unknown`] instead.
//! It does no I/O, reads no clock and no environment, and depends on nothing.

mod analyse;
pub mod facts;
mod nu;
mod paths;
mod reading;
mod script;
mod shell;
mod text;
mod unknown;
mod unwrap;

pub use analyse::{analyse, parse, survey, survey_without_nu};
pub use script::{
    Assignment, Command, Language, Nesting, Operator, Part, Pipe, Redirection, Scope, Script, Span, Target, Unknown,
    Via, What, Word,
};
pub use unwrap::Survey;
