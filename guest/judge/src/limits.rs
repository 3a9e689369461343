//! How much is judged, so that a judgement ends soon.

/// The longest command line, in bytes: Linux gives a program no longer argument.
pub const LONGEST: usize = (128 << 10) - 1;

/// How many commands of a line are judged.
pub const COMMANDS: usize = 2000;

/// What to do instead of more.
pub const INSTEAD: &str = "Write it to a script file and run that.";
