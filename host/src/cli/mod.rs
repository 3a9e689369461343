//! The command line: what the library leaves to its users. It prints, reads the home directory and the terminal.

mod arguments;
mod call;
mod check;
mod doctor;
mod error;
mod interrupt;
mod jobs;
mod log;
mod mcp;
mod new;
mod output;
mod policy;
mod prompt;
mod run;
mod setup;
mod spinner;
mod swap;
mod tools;
mod trial;

use std::process::ExitCode;

use clap::Parser;

use self::arguments::{Arguments, Command};
use self::error::{CliError, Exit};

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse();
    log::start(arguments.shared.log.as_deref());
    match act(arguments) {
        Ok(exit) => exit.into(),
        Err(error) => {
            error.print();
            error.exit().into()
        }
    }
}

fn act(arguments: Arguments) -> Result<Exit, CliError> {
    let Arguments { shared, command } = arguments;
    match command {
        Command::Run(run) => run::run(&shared, &run),
        Command::Call(call) => call::call(&shared, &call),
        Command::Check(check) => check::check(&shared, &check),
        Command::Tools(tools) => tools::tools(&shared, &tools),
        Command::Doctor(doctor) => doctor::doctor(&shared, &doctor),
        Command::Mcp(mcp) => mcp::mcp(&shared, &mcp),
        Command::Jobs(command) => jobs::jobs(&shared, &command),
        Command::Logs(command) => jobs::logs(&shared, &command),
        Command::Kill(command) => jobs::kill(&shared, &command),
        Command::Policy(command) => policy::policy(&shared, command),
    }
}
