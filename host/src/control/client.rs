//! Asking running hosts.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::place::Place;
use super::{ANSWER, Answer, ControlError, Request};
use crate::host::Swapped;

/// How long an answer may take; a policy is compiled meanwhile.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running host that can be told something.
#[derive(Debug)]
pub struct Server {
    /// Its process.
    pub pid: u32,
    stream: UnixStream,
}

/// The running hosts of a project that can be told something. The sockets of hosts that are gone are removed.
///
/// # Errors
/// When the directory of the sockets cannot be used.
pub fn servers(project: &Path) -> Result<Vec<Server>, ControlError> {
    let Some(place) = Place::open(project)? else { return Ok(Vec::new()) };
    let pids = place.pids().map_err(|error| ControlError::Directory(place.path.clone(), error))?;
    let mut servers = Vec::new();
    for pid in pids {
        let socket = place.socket(pid);
        match UnixStream::connect(&socket) {
            Ok(stream) => servers.push(Server { pid, stream }),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                // Left by a host that was killed; if it cannot be removed it only stays.
                let _ = fs::remove_file(&socket);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(ControlError::Unreachable(pid, error)),
        }
    }
    Ok(servers)
}

impl Server {
    /// Has it replace its policy by a built-in one or the component at an absolute path.
    ///
    /// # Errors
    /// When it does not answer, or keeps its policy; it says why.
    pub fn swap(self, policy: &str) -> Result<Swapped, ControlError> {
        let pid = self.pid;
        let answer = self.ask(&Request::Swap(policy.to_owned()));
        match answer.map_err(|error| ControlError::Unreachable(pid, error))? {
            Answer::Swapped(swapped) => Ok(swapped),
            Answer::Refused(why) => Err(ControlError::Refused(pid, why)),
        }
    }

    fn ask(mut self, request: &Request) -> io::Result<Answer> {
        self.stream.set_read_timeout(Some(PATIENCE))?;
        self.stream.set_write_timeout(Some(PATIENCE))?;
        let mut line = serde_json::to_string(request)?;
        line.push('\n');
        self.stream.write_all(line.as_bytes())?;
        let mut answer = String::new();
        BufReader::new(self.stream.take(ANSWER)).read_line(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }
}
