//! Many jobs at once: trees that do not want to die, a thousand that do their work, and more calls than may run.

use std::collections::BTreeSet;
use std::io::Write;

use serde_json::{Value, json};
use shellward::settings::Settings;
use shellward::{Host, HostLimits, Received};
use shellward_tests::{Project, Survivors};

/// A host of the `meerkat` policy whose own ceiling is out of the way.
fn host(project: &Project, settings: Value) -> Host {
    let mut all = json!({"enabled": true, "shell": "bash", "on_unknown": "allow"});
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let settings = Settings::default().given("tools.shell", all.as_object().unwrap().clone());
    let limits = HostLimits { running_jobs: 5000, ..HostLimits::default() };
    project.builder("meerkat").settings(settings).limits(limits).build().unwrap()
}

async fn start(host: &Host, command: &str) -> String {
    let reply = host.call("one", "shell", json!({"command": command, "background": true})).await;
    let answer: Value = serde_json::from_str(reply.answer()).unwrap();
    answer["job_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The trees, each with the number of sleepers that it has at least; `MARK` stands for the sleeper's argument. The
/// one that forks again and again does so a bounded number of times, should it be let.
const TREES: [(&str, usize); 6] = [
    ("trap '' TERM; sleep MARK & sleep MARK & wait; wait", 2),
    ("setsid sleep MARK & (setsid bash -c 'trap \"\" TERM; sleep MARK & sleep MARK' &) ; sleep MARK", 4),
    ("trap '' TERM HUP INT; for i in {1..100}; do (trap '' TERM; exec setsid sleep MARK) & sleep 0.02; done; wait", 1),
    ("env -i setsid sleep MARK & env -i setsid -f sleep MARK; wait", 2),
    ("bash -c 'exec -a innocent sleep MARK' & (exec -a [kworker/0:1] env -i nohup sleep MARK) & wait", 2),
    (
        // Stopped once it is the sleeper, and not still the shell that becomes it.
        "sleep MARK & until read -r name < /proc/$!/comm && [[ $name == sleep ]]; do :; done; kill -STOP $!; \
         (trap '' TERM; sleep MARK & kill -STOP $BASHPID) & kill -STOP $$",
        2,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn fifty_hostile_trees_cancelled_at_once_leave_nobody() {
    let project = Project::new();
    let host = host(&project, json!({"max_concurrent_processes": 100, "cancel_grace_secs": 1}));
    let mut jobs = Vec::new();
    for (script, least) in TREES.into_iter().cycle().take(50) {
        let survivors = Survivors::new();
        let id = start(&host, &script.replace("MARK", survivors.mark())).await;
        jobs.push((id, survivors, script, least));
    }
    for (_, survivors, script, least) in &jobs {
        let grown = || survivors.alive().len() >= *least;
        tokio::task::block_in_place(|| shellward_tests::until(&format!("{script} has its children"), grown));
    }
    let calls: Vec<_> = jobs
        .into_iter()
        .map(|(id, survivors, script, _)| {
            let caller = host.caller();
            let call = async move { caller.call("one", "shell_job_cancel", json!({"job_id": id})).await };
            (tokio::spawn(call), survivors, script)
        })
        .collect();
    for (call, survivors, script) in calls {
        let reply = call.await.unwrap();
        assert!(reply.text.contains("cancelled"), "{script}: {reply:?}");
        assert_eq!(survivors.alive(), Vec::<i32>::new(), "{script}: when the answer is there, the tree is gone");
    }
    assert_eq!(host.running_jobs(), 0);
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_jobs_run_side_by_side_and_each_is_told_once() {
    const JOBS: usize = 1000;
    let project = Project::new();
    let settings = json!({"max_concurrent_processes": 2000, "max_completed_jobs": 2000, "default_timeout_secs": 300});
    let host = host(&project, settings);
    let mut events = host.events();
    let gate = project.root().join("gate");
    nix::unistd::mkfifo(&gate, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut gate_keeper = std::fs::File::options().read(true).write(true).open(&gate).unwrap();
    // They all wait for a byte of their own from one pipe, so that a thousand run at once before the first ends.
    let mut started = BTreeSet::new();
    for number in 0..JOBS {
        let command = format!("read -rN1 < '{}'; echo {number}; exit {}", gate.display(), number % 7);
        started.insert((start(&host, &command).await, number));
    }
    assert_eq!(host.running_jobs(), JOBS);
    gate_keeper.write_all(&[b'x'; JOBS]).unwrap();
    let mut told = BTreeSet::new();
    while told.len() < JOBS {
        let Some(Received::Notice(notice)) = events.next().await else { panic!("events were missed") };
        let result = &notice.data["result"];
        assert_eq!(result["status"], "completed", "{}", notice.data);
        let number: usize = result["stdout"].as_str().unwrap().trim_end().parse().unwrap();
        assert_eq!(result["exit_code"], number % 7, "{}", notice.data);
        assert!(told.insert((notice.data["job_id"].as_str().unwrap().to_owned(), number)), "{}", notice.data);
    }
    assert_eq!(told, started);
    host.idle().await;
    assert_eq!(events.try_next(), None, "each was told once");
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_calls_at_once_never_run_more_than_the_policys_ceiling() {
    let project = Project::new();
    let host = host(&project, json!({"max_concurrent_processes": 10}));
    let survivors = Survivors::new();
    let arguments = json!({"command": format!("exec sleep {}", survivors.mark()), "background": true});
    let calls: Vec<_> = (0..200)
        .map(|_| {
            let (caller, arguments) = (host.caller(), arguments.clone());
            tokio::spawn(async move { caller.call("one", "shell", arguments).await })
        })
        .collect();
    let mut refused = 0;
    for call in calls {
        let reply = call.await.unwrap();
        if reply.is_error {
            assert!(reply.text.starts_with("Too many processes: 10 run already"), "{}", reply.text);
            refused += 1;
        }
    }
    assert_eq!((refused, host.running_jobs()), (190, 10));
    survivors.wait_for(10);
    host.shutdown().await;
    survivors.wait_for(0);
}
