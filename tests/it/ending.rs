//! Rule 3: a job ends when its process ends, never when its pipes close.

use serde_json::{Value, json};
use shellward_tests::{Project, Survivors};

#[tokio::test]
async fn a_background_child_that_holds_the_pipes_delays_nobody() {
    let project = Project::new();
    let host = project.builder("exec").build().unwrap();
    let survivors = Survivors::new();
    let command = format!("echo before; sleep {} & echo after", survivors.mark());
    let reply = host.call("one", "exec", json!({"command": command})).await;
    assert!(reply.text.starts_with("[Exit Code: 0]\n\nbefore\nafter"), "{}", reply.text);
    // What was left running on purpose runs on.
    survivors.wait_for(1);
    host.shutdown().await;
    survivors.wait_for(0);
}

#[tokio::test]
async fn a_grandchild_that_never_stops_writing_delays_nobody() {
    let project = Project::new();
    let host = project.builder("exec").build().unwrap();
    let reply = host.call("one", "exec", json!({"command": "yes endless & echo $!; exit 7", "max_length": 100})).await;
    assert!(reply.text.starts_with("[Exit Code: 7]"), "{}", reply.text);
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_a_call_ends_what_it_waited_for() {
    let project = Project::new();
    let host = project.builder("bash").build().unwrap();
    let survivors = Survivors::new();
    let arguments = json!({"command": format!("setsid sleep {} & wait", survivors.mark())});
    let caller = host.caller();
    let call = tokio::spawn(async move { caller.call("one", "Bash", arguments).await });
    tokio::task::block_in_place(|| survivors.wait_for(1));
    call.abort();
    tokio::task::block_in_place(|| survivors.wait_for(0));
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_and_drop_leave_nothing_behind() {
    for in_good_order in [true, false] {
        let project = Project::new();
        let host = project.builder("exec").build().unwrap();
        let survivors = Survivors::new();
        // One that its command left in the background, in a session of its own and without our mark in its
        // environment; and one that is still waited for.
        let left = json!({"command": format!("env -i setsid sleep {} >/dev/null 2>&1 &", survivors.mark())});
        let reply = host.call("one", "exec", left).await;
        assert!(!reply.is_error, "{reply:?}");
        let (caller, mark) = (host.caller(), survivors.mark().to_owned());
        let call =
            tokio::spawn(async move { caller.call("one", "exec", json!({"command": format!("sleep {mark}")})).await });
        survivors.wait_for(2);
        if in_good_order {
            host.shutdown().await
        } else {
            drop(host)
        }
        survivors.wait_for(0);
        let reply = call.await.unwrap();
        assert!(reply.is_error || reply.text.contains("Exit Code"), "{reply:?}");
    }
}

#[test]
fn a_panic_of_the_program_that_holds_the_host_leaves_nothing_behind() {
    let (project, survivors) = (Project::new(), Survivors::new());
    let script = "trap '' TERM; env -i setsid sleep MARK & (setsid -f sleep MARK); sleep MARK";
    let script = script.replace("MARK", survivors.mark());
    let settings = json!({"enabled": true, "shell": "sh", "on_unknown": "allow"});
    let program = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let host = project.host("meerkat", "tools.shell", &settings);
            let reply = host.call("one", "shell", json!({"command": script, "background": true})).await;
            assert!(!reply.is_error, "{reply:?}");
            survivors.wait_for(3);
            std::panic::panic_any("on purpose");
        });
    };
    let panicked = std::thread::scope(|scope| scope.spawn(program).join()).unwrap_err();
    assert_eq!(panicked.downcast_ref(), Some(&"on purpose"));
    survivors.wait_for(0);
}

#[tokio::test]
async fn hosts_in_one_program_do_not_end_each_others_jobs() {
    let (one, two) = (Project::new(), Project::new());
    let (first, second) = (one.builder("exec").build().unwrap(), two.builder("exec").build().unwrap());
    let survivors = Survivors::new();
    let left = json!({"command": format!("sleep {} >/dev/null 2>&1 &", survivors.mark())});
    second.call("one", "exec", left).await;
    survivors.wait_for(1);
    first.shutdown().await;
    assert_eq!(survivors.alive().len(), 1);
    second.shutdown().await;
    survivors.wait_for(0);
}

#[tokio::test]
async fn a_host_works_from_any_runtime_and_from_none() {
    let project = Project::new();
    let host = project.builder("exec").build().unwrap();
    let caller = host.caller();
    let from_a_thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(caller.call("one", "exec", json!({"command": "echo there"})))
    });
    assert!(from_a_thread.join().unwrap().text.contains("there"));
    let reply = host.call("one", "exec", json!({"command": "echo here"})).await;
    assert!(reply.text.contains("here") && reply.structured.is_none());
    drop(host);
}

#[tokio::test]
async fn calls_run_at_the_same_time() {
    let project = Project::new();
    let host = project.builder("bash").build().unwrap();
    // Two commands that each wait for the other's file: neither could end if calls waited for each other.
    let command = |mine: &str, other: &str| json!({"command": format!("touch {mine}; until test -e {other}; do sleep 0.01; done; echo met")});
    let (caller, first, second) = (host.caller(), command("a", "b"), command("b", "a"));
    let other = tokio::spawn(async move { caller.call("two", "Bash", second).await });
    let one = host.call("one", "Bash", first).await;
    for reply in [one, other.await.unwrap()] {
        let envelope: Value = serde_json::from_str(reply.answer()).unwrap();
        assert_eq!(envelope["data"]["stdout"], "met\n", "{}", reply.text);
    }
    host.shutdown().await;
}
