//! How a command ends, or never begins.

use serde_json::json;
use shellward_kit::contract::{
    Decision, Ending, Event, Exit, Exited, Finding, Happening, Job, Recovery, Refusal, Signal, StartError, Stdstream,
    Unwanted, Whom,
};
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{DENIED, FAILED, INVALID, assert_error, call, succeed};

pub fn start_errors(subject: &dyn Subject) {
    let finding = Finding {
        decision: Decision::Deny,
        code: "removes-root".into(),
        message: "rm -rf / removes everything".into(),
        hint: Some("name what is to go".into()),
        span: None,
    };
    let refusal = Refusal { by: "guard-rails".into(), decision: Decision::Deny, findings: vec![finding] };
    let cases = [
        (StartError::ProgramMissing("/bin/sh".into()), FAILED, "Failed to start process: there is no program /bin/sh"),
        (
            StartError::DirectoryMissing("/project/gone".into()),
            INVALID,
            "Working directory does not exist: /project/gone",
        ),
        (StartError::PermissionDenied("/bin/sh".into()), DENIED, "Permission denied: /bin/sh"),
        (
            StartError::TooMany(8),
            FAILED,
            "Failed to start process: 8 commands are running already, which is the most; wait for one to end",
        ),
        (
            StartError::Resources("no processes left".into()),
            FAILED,
            "Failed to start process: the system is short of resources: no processes left",
        ),
        (
            StartError::Refused(refusal),
            DENIED,
            "Permission denied: refused by guard-rails: rm -rf / removes everything (name what is to go)",
        ),
        (StartError::Unsupported("pipes".into()), FAILED, "Failed to start process: this host cannot do it: pipes"),
        (StartError::Invalid("job".into()), FAILED, "Failed to start process: the launch is wrong: job"),
        (StartError::Other("error=7".into()), FAILED, "Failed to start process: error=7"),
    ];
    for (error, code, message) in cases {
        for behaviour in [Behaviour::cannot_start(error.clone()), Behaviour::fails_to_start(error.clone())] {
            let fake = Fake::new();
            fake.otherwise(behaviour);
            assert_error(&call(&fake, subject, &json!({ "command": "x" })), code, message);
            fake.finish(subject);
        }
    }
}

fn signals(fake: &Fake) -> Vec<(u64, Signal)> {
    let sent = fake.signals();
    assert!(sent.iter().all(|sent| sent.whom == Whom::Tree), "{sent:?}");
    sent.into_iter().map(|sent| (sent.at, sent.signal)).collect()
}

pub fn kills_at_once(subject: &dyn Subject) {
    let fake = Fake::new();
    fake.otherwise(Behaviour::hangs().ignores_terminate().leaks(Stdstream::Stdout).stdout("part"));
    let answer = succeed(&fake, subject, &json!({ "timeout_seconds": 3 }));
    assert_eq!(
        answer,
        "[Exit Code: -1 (timeout after 3s)]\n\npart\n\n[stderr]\nProcess killed after 3 seconds timeout."
    );
    assert_eq!(signals(&fake), [(3000, Signal::Kill)]);
    let job = fake.all_jobs().remove(0);
    assert_eq!((job.ending, fake.elapsed()), (Some(Ending::TimedOut), 3000));
}

pub fn unkillable(subject: &dyn Subject) {
    let fake = Fake::new();
    fake.otherwise(Behaviour::hangs().unkillable().stdout("part"));
    let answer = succeed(&fake, subject, &json!({ "timeout_seconds": 3 }));
    assert_eq!(
        answer,
        "[Exit Code: -1 (timeout after 3s)]\n\npart\n\n[stderr]\nProcess killed after 3 seconds timeout.\n\n\
         [the process has not ended 5 seconds after SIGKILL]"
    );
    assert_eq!((fake.elapsed(), signals(&fake)), (8000, vec![(3000, Signal::Kill)]));
}

pub fn late_events(subject: &dyn Subject) {
    let timer = |name: &str| Happening::Timer(name.into());
    for stray in [timer("kill"), timer("abandon"), timer("other"), Happening::Started(5), Happening::AwaitsInput] {
        let fake = Fake::new();
        fake.otherwise(Behaviour::exits(0).stdout("fine").waits(1000)).at(500, stray.clone());
        assert_eq!(succeed(&fake, subject, &json!({})), "[Exit Code: 0]\n\nfine", "{stray:?}");
        assert_eq!(signals(&fake), [], "{stray:?}");
    }
    // The timeout fires while the exit is already on its way: the command was in time.
    let fake = Fake::new();
    fake.otherwise(Behaviour::exits(7).stdout("fine").waits(1000).leaks(Stdstream::Stderr)).at(1050, timer("timeout"));
    let answer = succeed(&fake, subject, &json!({}));
    assert!(answer.starts_with("[Exit Code: 7]\n\nfine\n\n[stderr is still held"), "{answer}");
    assert_eq!(signals(&fake), []);
    // Repeated, it changes nothing.
    let fake = Fake::new();
    fake.otherwise(Behaviour::hangs().unkillable()).at(1000, timer("timeout")).at(1500, timer("timeout"));
    succeed(&fake, subject, &json!({}));
    assert_eq!((fake.elapsed(), signals(&fake)), (6000, vec![(1000, Signal::Kill)]));
}

pub fn cancellation(subject: &dyn Subject) {
    let cases = [
        (Behaviour::hangs().stdout("part"), "[Exit Code: 143]\n\npart", vec![(1000, Signal::Terminate)]),
        (
            Behaviour::hangs().ignores_terminate(),
            "[Exit Code: 137]\n\n(no output)",
            vec![(1000, Signal::Terminate), (3000, Signal::Kill)],
        ),
        (Behaviour::hangs().ends_when_asked(50, 9), "[Exit Code: 9]\n\n(no output)", vec![(1000, Signal::Terminate)]),
    ];
    for (behaviour, output, sent) in cases {
        for why in [Unwanted::CallerGone, Unwanted::Shutdown, Unwanted::ByHand, Unwanted::SessionClosed] {
            let fake = Fake::new();
            fake.otherwise(behaviour.clone()).unwanted_at(1000, why);
            let reply = call(&fake, subject, &json!({ "command": "x" }));
            let message = format!("Error: the command was cancelled before it ended\n\n{output}");
            assert_error(&reply, FAILED, &message);
            assert_eq!(signals(&fake), sent);
            fake.finish(subject);
            assert_eq!(fake.all_jobs()[0].ending, Some(Ending::Cancelled));
        }
    }
    let fake = Fake::new();
    fake.otherwise(Behaviour::hangs().unkillable()).cancelled_at(1000);
    let reply = call(&fake, subject, &json!({ "command": "x" }));
    assert_error(&reply, FAILED, "Error: the command was cancelled; its process has not ended 5 seconds after SIGKILL");
    assert_eq!(fake.elapsed(), 8000);
}

pub fn restart(subject: &dyn Subject) {
    let fake = Fake::new();
    fake.otherwise(Behaviour::hangs()).at(10, Happening::Recovered(Recovery::WasRunning));
    let reply = call(&fake, subject, &json!({ "command": "x" }));
    assert_error(&reply, FAILED, "Error: the host was restarted while the command ran; how it ended is not known");
    assert_eq!(fake.all_jobs()[0].ending, Some(Ending::Lost));
}

pub fn foreign_memo(subject: &dyn Subject) {
    let fake = Fake::new();
    fake.otherwise(Behaviour::exits(0));
    call(&fake, subject, &json!({ "command": "x" }));
    let job = Job { memo: r#"{"another":"policy"}"#.into(), ending: None, ..fake.all_jobs().remove(0) };
    let exited = Event {
        at: 0,
        elapsed: 5,
        what: Happening::Exited(Exited {
            exit: Exit::Code(0),
            leaked: Vec::new(),
            directory: None,
            session_lost: false,
        }),
    };
    let step = subject.advance(&fake, &job, &exited);
    assert_eq!((step.ended, step.status.as_str()), (Some(Ending::Completed), "completed"));
    assert!(fake.logs().iter().any(|(_, text)| text.contains("not this policy's")), "{:?}", fake.logs());
}
