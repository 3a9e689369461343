//! Being asked.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener as StdListener;
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;

use super::place::Place;
use super::{Answer, ControlError, LINE, REASON, Request};
use crate::host::{Host, Swapper};
use crate::policy::Source;
use crate::process::{Asker, asker};

/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);

/// A host's socket, until this is dropped.
#[derive(Debug)]
pub struct Control {
    place: Place,
    pid: u32,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Control {
    fn drop(&mut self) {
        self.task.abort();
        // If it cannot be removed, the next client finds that nobody listens, and tries.
        let _ = fs::remove_file(self.place.socket(self.pid));
    }
}

impl Control {
    /// Lets a host be told to replace its policy, by whoever may use the project's `.shellward/servers`.
    ///
    /// # Errors
    /// When the socket cannot be made, or others could use it.
    pub fn serve(host: &Host, project: &Path) -> Result<Self, ControlError> {
        let (place, pid, swapper) = (Place::make(project)?, std::process::id(), host.swapper());
        let listener = listen(&place, pid).map_err(|error| ControlError::Directory(place.path.clone(), error))?;
        let _entered = swapper.runtime().enter();
        let listener =
            UnixListener::from_std(listener).map_err(|error| ControlError::Directory(place.path.clone(), error))?;
        let task = swapper.runtime().spawn(accept(listener, swapper.clone()));
        Ok(Self { place, pid, task })
    }
}

fn listen(place: &Place, pid: u32) -> io::Result<StdListener> {
    let socket = place.socket(pid);
    match fs::remove_file(&socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = StdListener::bind(&socket)?;
    // Nobody else can enter the directory, so nobody was faster.
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

async fn accept(listener: UnixListener, swapper: Swapper) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(answer(stream, swapper.clone()))),
            Err(error) => {
                tracing::warn!(%error, "the host's socket took no connection");
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

async fn answer(mut stream: UnixStream, swapper: Swapper) {
    let refusal = refusal(asker(&stream));
    let (reader, mut writer) = stream.split();
    let mut line = String::new();
    let mut reader = BufReader::new(reader.take(LINE));
    let read = reader.read_line(&mut line);
    // One who says nothing gets no answer.
    let Ok(Ok(1..)) = timeout(PATIENCE, read).await else { return };
    let mut answer = match refusal {
        Some(why) => Answer::Refused(why.into()),
        None => act(&line, &swapper).await,
    };
    if let Answer::Refused(why) = &mut answer {
        why.truncate(why.floor_char_boundary(REASON));
    }
    let Ok(mut text) = serde_json::to_string(&answer) else { return };
    text.push('\n');
    // One who has gone needs no answer.
    let _ = timeout(PATIENCE, writer.write_all(text.as_bytes())).await;
}

async fn act(line: &str, swapper: &Swapper) -> Answer {
    let Request::Swap(policy) = match serde_json::from_str(line) {
        Ok(request) => request,
        Err(error) => return Answer::Refused(format!("this request is not known here: {error}")),
    };
    let source = match Source::parse(&policy) {
        Ok(source) => source,
        Err(error) => return Answer::Refused(error.to_string()),
    };
    match swapper.swap(source).await {
        Ok(swapped) => Answer::Swapped(swapped),
        Err(error) => {
            let kept = swapper.policy().stamp();
            tracing::warn!(policy = %kept, "another policy was asked for and is not taken: {error}");
            Answer::Refused(error.to_string())
        }
    }
}

/// Why somebody is told nothing; none for who may choose the rules.
fn refusal(asker: Asker) -> Option<&'static str> {
    match asker {
        Asker::Outside => None,
        Asker::OfAJob => Some("a command that a host has started may not choose its rules"),
        Asker::Unseen => Some(
            "a command may not choose its rules, and who asks might be one: it has ended, or runs in a container; \
             ask from outside any container, and stay until the answer is there",
        ),
        Asker::Alike => Some(
            "a command may not choose its rules, and nothing tells who asks from one: the server runs in a job of \
             another host's job, or one of the two under a limit of realtime CPU time; run both outside, with \
             `ulimit -R unlimited`",
        ),
    }
}
