//! The words for what cannot be known.

use std::fmt;

use crate::script::{Unknown, What};

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.fmt(f)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(problem) => write!(f, "the shell could not read it: {problem}"),
            Self::Construct(construct) => write!(f, "{construct} could run anything; write it out"),
            Self::Dialect(construct) => write!(f, "{construct} means different things to different shells"),
            Self::TooDeep => f.write_str("it is nested too deeply; split it"),
            Self::DynamicProgram => f.write_str("the program's name is only computed when it runs; write the name"),
            Self::DynamicScript(runner) => {
                write!(f, "the script given to {runner} is only computed when it runs; write it out")
            }
            Self::WrapperOption { program, option } => {
                write!(f, "what {program} runs is not clear with the option {option}; leave it out")
            }
        }
    }
}
