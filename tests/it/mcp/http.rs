//! Over HTTP: who may come in, and what becomes of those who go without a word.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::{Value, json};
use shellward_tests::{Project, Survivors};

use super::server::{Listening, PATIENCE, command};

/// What is sent besides the body.
pub struct Headers<'a>(pub &'a [(&'a str, &'a str)]);

/// Opens a request, and leaves the connection open for whoever reads the answer.
pub fn open(server: &Listening, method: &str, headers: &Headers<'_>, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let mut head = format!(
        "{method} /mcp HTTP/1.1\r\nhost: {}\r\nconnection: close\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n",
        server.address(),
        body.len()
    );
    for (name, value) in headers.0 {
        head += &format!("{name}: {value}\r\n");
    }
    // In one piece, as clients do: a server that refuses does not wait for a second one.
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
    stream
}

/// Reads a whole answer: its status, and all of it.
pub fn read(mut stream: TcpStream) -> (u16, String) {
    let mut answer = Vec::new();
    // A refusal may have come before the server had heard all, which ends in an error.
    let read = stream.read_to_end(&mut answer);
    assert!(read.is_ok() && !answer.is_empty() || answer.starts_with(b"HTTP/1.1 503"), "{read:?}: {answer:?}");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}

pub fn hello() -> Value {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

pub fn bearer(server: &Listening) -> String {
    format!("Bearer {}", server.token)
}

/// Begins a session, and gives its id.
pub fn begin(server: &Listening) -> String {
    let (status, answer) = read(open(server, "POST", &Headers(&[("authorization", &bearer(server))]), &hello()));
    assert_eq!(status, 200, "{answer}");
    let id = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().trim().to_owned();
    let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let headers = [("authorization", &*bearer(server)), ("mcp-session-id", &id)];
    let (status, answer) = read(open(server, "POST", &Headers(&headers), &done));
    assert_eq!(status, 202, "{answer}");
    id
}

fn sleep(server: &Listening, session: &str, survivors: &Survivors) -> TcpStream {
    let arguments = json!({"command": format!("sleep {}", survivors.mark())});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "exec", "arguments": arguments}});
    let headers = [("authorization", &*bearer(server)), ("mcp-session-id", session)];
    let stream = open(server, "POST", &Headers(&headers), &call);
    survivors.wait_for(1);
    stream
}

#[test]
fn only_with_the_token_and_from_no_page_that_was_not_named() {
    let project = Project::new();
    let server = Listening::start(&project, &["--policy", "exec", "--origin", "https://app.example.com:443"]);
    let good = bearer(&server);
    for (headers, expected) in [
        (&[][..], 401),
        (&[("authorization", "Bearer something-else-entirely")], 401),
        (&[("authorization", good.as_str())], 200),
        (&[("authorization", &good), ("origin", "https://evil.example.com")], 403),
        (&[("authorization", &good), ("origin", "null")], 403),
        (&[("authorization", &good), ("origin", "https://app.example.com")], 200),
    ] {
        let (status, answer) = read(open(&server, "POST", &Headers(headers), &hello()));
        assert_eq!(status, expected, "{headers:?} {answer}");
    }
    assert_eq!(server.end(), 0);
}

#[test]
fn what_cannot_be_served_is_refused_with_what_helps() {
    let project = Project::new();
    let good = Some("a-token-only-for-tests");
    for (arguments, token, hints) in [
        (&["--http", "0.0.0.0:0"][..], None, &["--remote"][..]),
        (&["--http", "localhost:3920"], good, &["127.0.0.1:3920"]),
        (&["--http", "127.0.0.1:0", "--idle", "1e300"], good, &["seconds"]),
        (&["--http", "127.0.0.1:0"], Some(""), &["SHELLWARD_MCP_TOKEN", "0 characters"]),
        (&["--http", "127.0.0.1:0"], Some("sixteen and more with spaces"), &["SHELLWARD_MCP_TOKEN", "has spaces"]),
    ] {
        let mut command = command(&project, &[&["mcp", "--policy", "exec"], arguments].concat());
        match token {
            Some(token) => command.env("SHELLWARD_MCP_TOKEN", token),
            None => command.env_remove("SHELLWARD_MCP_TOKEN"),
        };
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(hints.iter().all(|hint| said.contains(hint)), "{said}");
        assert!(!said.contains("was made for now"), "a token for nothing: {said}");
    }
}

#[test]
fn a_session_s_jobs_end_when_it_is_ended() {
    let (project, survivors, others) = (Project::new(), Survivors::new(), Survivors::new());
    let server = Listening::start(&project, &["--policy", "exec"]);
    let (session, other) = (begin(&server), begin(&server));
    let stream = sleep(&server, &session, &survivors);
    let another = sleep(&server, &other, &others);
    let headers = [("authorization", &*bearer(&server)), ("mcp-session-id", &session)];
    let (status, answer) = read(open(&server, "DELETE", &Headers(&headers), &Value::Null));
    assert_eq!(status, 204, "{answer}");
    survivors.wait_for(0);
    assert_eq!(others.alive().len(), 1, "another session goes on");
    let (status, answer) = read(open(&server, "POST", &Headers(&headers), &hello()));
    assert_eq!(status, 404, "{answer}");
    drop((stream, another));
    assert_eq!(server.end(), 0);
    assert!(others.alive().is_empty());
}

#[test]
fn a_session_s_jobs_end_when_its_client_is_gone_for_long() {
    let (project, survivors, others) = (Project::new(), Survivors::new(), Survivors::new());
    let server = Listening::start(&project, &["--policy", "exec", "--idle", "3"]);
    let (session, other) = (begin(&server), begin(&server));
    // Whoever waits is there, however long nothing is said.
    let waiting = sleep(&server, &other, &others);
    drop(sleep(&server, &session, &survivors));
    survivors.wait_for(0);
    assert_eq!(others.alive().len(), 1);
    drop(waiting);
    others.wait_for(0);
    assert_eq!(server.end(), 0);
}

#[test]
fn a_page_that_was_named_may_ask_before_it_shows_the_token_and_read_the_answers() {
    let project = Project::new();
    let server = Listening::start(&project, &["--policy", "exec", "--origin", "https://app.example.com:443"]);
    let (page, wanted) = (("origin", "https://app.example.com"), "authorization, mcp-session-id");
    let asked = [page, ("access-control-request-method", "POST"), ("access-control-request-headers", wanted)];
    let (status, answer) = read(open(&server, "OPTIONS", &Headers(&asked), &Value::Null));
    let answer = answer.to_lowercase();
    assert_eq!(status, 204, "{answer}");
    let readable = ["access-control-allow-origin: https://app.example.com\r", "vary: origin\r"];
    let asking =
        [format!("access-control-allow-headers: {wanted}\r"), "access-control-allow-methods: get, post".into()];
    assert!(asking.iter().all(|header| answer.contains(header)), "{answer}");
    assert!(readable.iter().all(|header| answer.contains(header)), "{answer}");
    let good = bearer(&server);
    for (headers, expected) in [(&[page, ("authorization", &*good)][..], 200), (&[page], 401)] {
        let (status, answer) = read(open(&server, "POST", &Headers(headers), &hello()));
        let answer = answer.to_lowercase();
        assert!(status == expected && readable.iter().all(|header| answer.contains(header)), "{answer}");
        assert!(answer.contains("access-control-expose-headers: mcp-session-id\r"), "{answer}");
    }
    for (headers, expected) in [(&[("origin", "https://evil.example.com")][..], 403), (&[], 401)] {
        let (status, answer) = read(open(&server, "OPTIONS", &Headers(headers), &Value::Null));
        assert!(status == expected && !answer.to_lowercase().contains("access-control-"), "{answer}");
    }
    assert_eq!(server.end(), 0);
}

#[test]
fn the_address_that_is_told_is_one_to_call() {
    let project = Project::new();
    for address in ["127.0.0.2:0", "[::1]:0"] {
        let server = Listening::at(&project, address, "", &["--policy", "exec"]);
        begin(&server);
        assert_eq!(server.end(), 0);
    }
}

#[test]
fn who_does_not_show_the_token_is_put_out_and_who_has_shown_it_may_be_quiet() {
    let project = Project::new();
    let server = Listening::start(&project, &["--policy", "exec"]);
    let session = begin(&server);
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "exec", "arguments": {"command": "while [ ! -e go ]; do sleep 0.05; done; echo gone"}}});
    let headers = [("authorization", &*bearer(&server)), ("mcp-session-id", &session)];
    let quiet = open(&server, "POST", &Headers(&headers), &call);
    let connect = || TcpStream::connect(server.address()).unwrap();
    let (silent, mut half) = (connect(), connect());
    half.write_all(b"POST /mcp HTTP/1.1\r\nHost: ").unwrap();
    for mut unknown in [silent, half] {
        unknown.set_read_timeout(Some(PATIENCE)).unwrap();
        // Closed, with an answer or without, or cut off.
        let ended = unknown.read_to_end(&mut Vec::new()).map_err(|error| error.kind());
        assert!(ended.is_ok() || ended == Err(ErrorKind::ConnectionReset), "{ended:?}");
    }
    project.file("go", "");
    let (status, answer) = read(quiet);
    assert!(status == 200 && answer.contains("gone"), "{answer}");
    assert_eq!(server.end(), 0);
}
