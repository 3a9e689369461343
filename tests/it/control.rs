//! Who may have a running host swap its policy: nobody whom a host has started.

use serde_json::{Value, json};
use shellward::control::Control;
use shellward_tests::Project;

use super::cli::{program, run};
use super::mcp::server::Server;

/// Asks for another policy, out of the group and session of whoever runs it.
fn swap() -> String {
    format!("setsid --wait '{}' policy swap meerkat", program().display())
}

fn exec(command: &str) -> Value {
    json!({"command": command})
}

/// The server's own command has asked for another policy in vain.
fn assert_refused(server: &mut Server, words: &str) {
    let answer = server.call("exec", exec(&swap())).to_string();
    assert!(answer.contains(words), "{answer}");
    assert_eq!(server.request("tools/list", json!({}))["result"]["tools"][0]["name"], "exec");
}

#[tokio::test]
async fn a_command_of_the_host_may_not_choose_its_rules() {
    let project = Project::new();
    let host = project.builder("exec").build().unwrap();
    let _control = Control::serve(&host, &project.root()).unwrap();
    let reply = host.call("one", "exec", exec(&swap())).await;
    assert!(reply.text.contains("may not choose its rules"), "{reply:?}");
    assert_eq!(host.policy().manifest().name, "exec");
    host.shutdown().await;
}

#[tokio::test]
async fn a_command_may_not_choose_the_rules_of_another_host_either() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "exec"]);
    let neighbour = project.builder("exec").build().unwrap();
    let reply = neighbour.call("one", "exec", exec(&swap())).await;
    assert!(reply.text.contains("may not choose its rules"), "{reply:?}");
    assert_refused(&mut server, "may not choose its rules");
    // Whoever is of no job may.
    let (code, told, _) = run(&project, &["policy", "swap", "meerkat"]);
    assert!(code == 0 && told.contains("-> meerkat@"), "{code}: {told}");
    neighbour.shutdown().await;
}

#[test]
fn a_host_that_cannot_mark_its_jobs_knows_them_by_their_ancestors() {
    let project = Project::new();
    // A limit of its own, which its jobs have too.
    let mut server = Server::after(&project, "ulimit -R 1000000 || exit;", &["--policy", "exec"]);
    server.hello("2025-11-25", json!({}));
    assert_refused(&mut server, "may not choose its rules");
    // An orphan is nobody's descendant.
    let orphan = "setsid -f sh -c 'while [ \"$(ps -o ppid= -p $$)\" -eq \"$0\" ]; do sleep 0.01; done; \
        PROGRAM policy swap meerkat > answer 2>&1; touch answered' $$; exit 0";
    server.call("exec", exec(&orphan.replace("PROGRAM", &program().display().to_string())));
    let read = "for i in $(seq 3000); do [ -e answered ] && break; sleep 0.01; done; cat answer";
    let answer = server.call("exec", exec(read)).to_string();
    assert!(answer.contains("nothing tells who asks"), "{answer}");
}

#[tokio::test]
async fn a_host_inside_a_job_knows_its_own_jobs() {
    let project = Project::new();
    let request = |id: u32, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    let client = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let requests = [
        request(1, "initialize", hello),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
        request(2, "tools/call", json!({"name": "exec", "arguments": exec(&swap())})),
    ];
    project.file("requests", &(requests.join("\n") + "\n"));
    let cache = program().parent().unwrap().join("cli-test-cache");
    let script = format!(
        "export HOME=$PWD XDG_CACHE_HOME='{}'
        (cat requests; until [ -e over ]; do sleep 0.01; done) | '{program}' mcp --policy exec > answers &
        until grep -q '\"id\":2' answers; do sleep 0.01; done
        # This is of the same job as the server itself.
        '{program}' policy swap meerkat
        touch over; wait; cat answers",
        cache.display(),
        program = program().display(),
    );
    let host = project.builder("exec").build().unwrap();
    let reply = host.call("one", "exec", exec(&script)).await;
    assert!(reply.text.contains("may not choose its rules"), "{reply:?}");
    assert!(reply.text.contains(" -> meerkat@"), "{reply:?}");
    host.shutdown().await;
}
