//! Terminals, open input and lasting shells, through a policy.

use serde_json::{Value, json};
use shellward::Host;
use shellward_tests::{Project, Survivors, until};

/// Runs a command of a session as the arguments say, and gives what the policy tells of it.
async fn run(host: &Host, session: &str, mut arguments: Value) -> Value {
    arguments["advance"] = json!("terminal");
    let reply = host.call(session, "hostile", arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    serde_json::from_str(reply.answer()).unwrap()
}

async fn shell(host: &Host, command: &str) -> Value {
    run(host, "one", json!({"command": command, "place": "shell"})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shell_lasts_from_call_to_call_and_each_session_has_its_own() {
    let project = Project::new();
    let host = project.hostile();
    for (place, shell) in [("shell", "bash"), ("apart", "bash"), ("shell", "sh"), ("apart", "sh")] {
        let arguments = |command: &str| json!({"command": command, "place": place, "shell": shell, "name": format!("{place} {shell}")});
        let went = run(&host, "one", arguments("cd /usr; X=kept; false")).await;
        assert_eq!(
            (went["exit"].as_str(), went["directory"].as_str()),
            (Some("Some(Exit::Code(1))"), Some("/usr")),
            "{went}"
        );
        let went = run(&host, "one", arguments("pwd; echo $X; echo err >&2")).await;
        let (out, err) = if place == "apart" { ("/usr\nkept\n", "err\n") } else { ("/usr\nkept\nerr\n", "") };
        assert_eq!((went["stdout"].as_str(), went["stderr"].as_str()), (Some(out), Some(err)), "{went}");
        let other = run(&host, "two", arguments("pwd; echo \"[$X]\"")).await;
        assert_eq!(other["stdout"], "/\n[]\n", "{other}");
        let moved = json!({"command": "pwd", "place": place, "shell": shell, "name": format!("{place} {shell}"), "directory": "/tmp"});
        assert_eq!(run(&host, "one", moved).await["stdout"], "/tmp\n");
    }
    assert_eq!(host.shells(), 8);
    host.end_session("two").await;
    assert_eq!(host.shells(), 4);
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_waits_is_told_of_and_answered() {
    let project = Project::new();
    let host = project.hostile();
    for place in ["shell", "terminal"] {
        let command = "printf 'Sure? '; read -r answer; echo \"you said $answer\"";
        let went = run(&host, "one", json!({"command": command, "place": place, "answer": "yes\n"})).await;
        assert_eq!(went["awaited"], 1, "{went}");
        assert!(went["stdout"].as_str().unwrap().ends_with("you said yes\n"), "{went}");
    }
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_input_is_written_to_and_closed() {
    let project = Project::new();
    let host = project.hostile();
    let went = run(&host, "one", json!({"command": "cat; echo over", "stdin": "open", "input": "typed\n"})).await;
    assert_eq!((went["stdout"].as_str(), went["typed"].as_str()), (Some("typed\nover\n"), Some("Ok(()) Ok(())")));
    let went = run(&host, "one", json!({"command": "cat; echo over", "place": "terminal", "input": "typed\n"})).await;
    assert_eq!(went["stdout"], "typed\ntyped\nover\n", "a terminal echoes");
    let went = run(&host, "one", json!({"command": "cat; echo over", "input": "typed\n"})).await;
    assert!(went["typed"].as_str().unwrap().contains("Unavailable"), "{went}");
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_ends_the_command_and_not_the_shell() {
    let project = Project::new();
    let host = project.hostile();
    for place in ["shell", "apart"] {
        let run_in = |command: String, timeout: u64| {
            run(&host, "one", json!({"command": command, "place": place, "name": place, "timeout": timeout}))
        };
        run_in("X=kept".to_owned(), 60_000).await;
        let survivors = Survivors::new();
        let command = format!("echo partial; (setsid sleep {0} &); sleep {0}", survivors.mark());
        let went = run_in(command, 2000).await;
        assert_eq!((went["stopped"].as_bool(), went["lost"].as_bool()), (Some(true), Some(false)), "{went}");
        assert!(went["stdout"].as_str().unwrap().starts_with("partial\n"), "{went}");
        survivors.wait_for(0);
        assert_eq!(run_in("echo $X".to_owned(), 60_000).await["stdout"], "kept\n");
    }
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shell_runs_one_command_at_a_time_and_may_end() {
    let project = Project::new();
    let host = project.hostile();
    let survivors = Survivors::new();
    let sleeper = json!({"do": "background", "command": format!("sleep {}", survivors.mark()), "place": "shell",
        "advance": "terminal"});
    let first = host.call("one", "hostile", sleeper).await;
    assert!(!first.is_error, "{}", first.text);
    survivors.wait_for(1);
    let second = host.call("one", "hostile", json!({"command": "true", "place": "shell"})).await;
    assert!(second.is_error && second.text.contains("TooMany(1)"), "{}", second.text);
    let mixed = host.call("one", "hostile", json!({"command": "true", "place": "apart"})).await;
    assert!(mixed.is_error && mixed.text.contains("another way"), "{}", mixed.text);
    let looked = host.call("one", "hostile", json!({"do": "look", "job": first.text})).await;
    assert!(looked.text.ends_with("sent: true"), "{}", looked.text);
    survivors.wait_for(0);
    host.idle().await;
    let went = shell(&host, "echo bye; exit 9").await;
    assert_eq!((went["lost"].as_bool(), went["exit"].as_str()), (Some(true), Some("Some(Exit::Code(9))")), "{went}");
    assert_eq!(shell(&host, "echo new").await["stdout"], "new\n");
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_shell_outlives_its_session_or_its_host() {
    let project = Project::new();
    let survivors = Survivors::new();
    let background = format!("sleep {0} & (setsid sleep {0} &)", survivors.mark());
    let host = project.hostile();
    shell(&host, &background).await;
    survivors.wait_for(2);
    host.end_session("one").await;
    survivors.wait_for(0);
    assert_eq!(host.shells(), 0);
    shell(&host, &background).await;
    survivors.wait_for(2);
    host.shutdown().await;
    survivors.wait_for(0);
    let dropped = project.hostile();
    let went = shell(&dropped, &background).await;
    survivors.wait_for(2);
    drop(dropped);
    survivors.wait_for(0);
    let pid = went["pid"].as_u64().unwrap();
    until("the shell is gone", || !std::path::Path::new(&format!("/proc/{pid}/cwd")).exists());
}
