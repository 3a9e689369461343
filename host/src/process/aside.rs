//! Small programs that the host runs for itself: for their answer, and never for long.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The first pause between two looks whether it has ended; each is longer than the one before.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// A program that is run for its answer. It reads nothing, and bears no job's marks.
#[derive(Clone, Debug)]
pub(crate) struct Aside {
    pub program: PathBuf,
    /// The whole environment.
    pub environment: Vec<(OsString, OsString)>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AsideError {
    /// It could not be started, or not be read.
    #[error("{program} cannot be run: {error}", program = program.display())]
    Failed { program: PathBuf, error: io::Error },
    /// It did not end in time, and was killed.
    #[error("{program} did not answer within {seconds} s", program = program.display())]
    Late { program: PathBuf, seconds: u64 },
}

/// What a program has answered.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The code it ended with; none where a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        self.code == Some(0)
    }
}

impl Aside {
    /// Runs it to its end, for at most `patience`, and gives its answer, which must be short: what does not fit into a
    /// pipe makes it late. Blocks.
    pub(crate) fn ask<A: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        patience: Duration,
    ) -> Result<Answer, AsideError> {
        let failed = |error| AsideError::Failed { program: self.program.clone(), error };
        let mut child =
            self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
        let code = match wait(&mut child, Instant::now() + patience) {
            Ok(Some(status)) => status.code(),
            outcome => {
                // It is ours and not waited for: nobody else has its number.
                let _ = child.kill();
                let _ = child.wait();
                let late = AsideError::Late { program: self.program.clone(), seconds: patience.as_secs() };
                return Err(outcome.map_or_else(failed, |_| late));
            }
        };
        let stdout = read(child.stdout.take()).map_err(failed)?;
        let stderr = read(child.stderr.take()).map_err(failed)?;
        Ok(Answer { code, stdout, stderr })
    }

    /// Starts it with a pipe to write to, and leaves it alone: it goes on when this program has ended, in a group of
    /// its own so that what a terminal sends does not reach it.
    pub(crate) fn leave<A: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Child, AsideError> {
        use std::os::unix::process::CommandExt;
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        command.spawn().map_err(|error| AsideError::Failed { program: self.program.clone(), error })
    }

    fn command<A: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).current_dir("/");
        command
    }
}

fn wait(child: &mut Child, deadline: Instant) -> io::Result<Option<std::process::ExitStatus>> {
    let mut pause = SHORTEST_PAUSE;
    loop {
        match child.try_wait()? {
            None if Instant::now() < deadline => std::thread::sleep(pause),
            outcome => return Ok(outcome),
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn read(pipe: Option<impl Read>) -> io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
