//! More clients than anybody expects.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;
use shellward_tests::{Project, until};

use crate::mcp::http::{Headers, bearer, begin, hello, open, read};
use crate::mcp::server::Listening;

/// How many, and how many of them ask at the same time.
const CLIENTS: usize = 500;
const AT_ONCE: usize = 20;

/// A client's call in its session: what it is answered, and whether that is its own.
fn answered(server: &Listening, session: &str, number: usize) -> (String, bool) {
    let arguments = json!({"command": format!("echo number $(({number} + 1000))")});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "exec", "arguments": arguments}});
    let headers = [("authorization", &*bearer(server)), ("mcp-session-id", session)];
    let (status, answer) = read(open(server, "POST", &Headers(&headers), &call));
    let own = status == 200 && answer.contains(&format!("number {}\"", number + 1000));
    (answer, own)
}

fn call(server: &Listening, session: &str, number: usize) {
    let (answer, own) = answered(server, session, number);
    assert!(own, "{number}: {answer}");
}

#[test]
fn five_hundred_clients_each_get_their_own_answers() {
    let project = Project::new();
    let server = Listening::start(&project, &["--policy", "exec"]);
    let sessions: Vec<_> = (0..CLIENTS).map(|_| begin(&server)).collect();
    std::thread::scope(|scope| {
        for (first, sessions) in sessions.chunks(CLIENTS / AT_ONCE).enumerate() {
            let server = &server;
            scope.spawn(move || {
                for (number, session) in sessions.iter().enumerate() {
                    call(server, session, first * CLIENTS + number);
                }
            });
        }
    });
    assert_eq!(server.end(), 0);
}

#[test]
fn clients_for_whom_there_is_no_room_are_told_so_and_those_inside_are_served() {
    let project = Project::new();
    let server = Listening::after(&project, "ulimit -n 64;", &["--policy", "exec"]);
    let session = begin(&server);
    call(&server, &session, 1);
    // They connect and say nothing, until a quarter of the descriptors is left.
    let mut silent: Vec<TcpStream> = Vec::new();
    let refusal = loop {
        silent.push(TcpStream::connect(server.address()).unwrap());
        assert!(silent.len() < 64, "nobody is refused");
        let headers = [("authorization", &*bearer(&server))];
        let stream = open(&server, "POST", &Headers(&headers), &hello());
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let (status, answer) = read(stream);
        if status != 200 {
            break (status, answer);
        }
    };
    assert!(refusal.0 == 503 && refusal.1.contains("ulimit -n"), "{refusal:?}");
    drop(silent);
    // Their places are free once the server has seen that they are gone, one after the other.
    until("there is room again", || answered(&server, &session, 2).1);
    assert_eq!(server.end(), 0);
}
