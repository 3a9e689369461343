//! The `shellward` command.

fn main() {}
