//! What holds of the syntax library and of every policy whatever the input, as functions of bytes.
//!
//! An input is a few bytes that choose and then text, so that seeds can be written by hand and mutations stay near
//! them. The fake host holds every answer to the contract and panics where one breaks it; a property panics where what
//! it says does not hold. Who brings the bytes is no matter of a property: `guest/fuzz` has libFuzzer bring them, a
//! test of this crate mutates the seeds, and an end-to-end test compares what policies and their components answer.

#![expect(clippy::panic, clippy::expect_used, reason = "a property that does not hold panics")]

mod advance;
mod call;
mod describe;
mod lifetime;
mod policies;
mod printing;

mod reader;
mod review;
mod settle;
mod shape;
mod syntax;

pub use policies::{Natives, Policy, Subjects};
pub use reader::Reader;

/// A property: takes an input, and the policies that it is to hold of.
pub type Property = fn(&[u8], &dyn Subjects);

/// Every property by its name, which is also that of its seeds in `guest/fuzz/seeds` and of its fuzz target.
pub const ALL: &[(&str, Property)] = &[
    ("syntax", |bytes, _| syntax::holds(bytes)),
    ("describe", describe::holds),
    ("review", review::holds),
    ("call", call::holds),
    ("advance", advance::holds),
    ("settle", settle::holds),
];

/// Holds the native policies to a property.
///
/// # Panics
/// When the property does not hold, or has no such name.
pub fn check(name: &str, bytes: &[u8]) {
    let Some((_, property)) = ALL.iter().find(|(known, _)| *known == name) else { panic!("no property {name:?}") };
    property(bytes, &Natives);
}
