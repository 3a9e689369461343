//! How to write what the analysis could not know so that it can.

use shellward_syntax::What;

const PLAIN_OR_SCRIPT: &str = "Write it with plain commands, or put it into a script file and run that.";

/// Says how to write it so that nothing stands in the way.
#[must_use]
pub fn instead(what: &What) -> &'static str {
    match what {
        What::Syntax(_) => "Correct the quoting or the construct.",
        &What::UNQUOTED => "Put the word into double quotes, so that it stays one word.",
        What::Construct(_) | What::Dialect(_) => PLAIN_OR_SCRIPT,
        What::TooDeep => "Split the command into several calls.",
        What::DynamicProgram => "Write the program's name out.",
        What::DynamicScript(_) => "Write the inner command out, in quotes that expand nothing, or run it directly.",
        What::WrapperOption { .. } => "Leave that option out, or run the inner command directly.",
        _ => "Write it with plain commands.",
    }
}
