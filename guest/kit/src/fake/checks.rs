//! What the contract demands of a policy's answers. Whoever breaks it fails the test, with a message.

use serde::de::IgnoredAny;

use crate::contract::{Answer, Happening, Job, Reply, Step, Unwanted};

fn must_be_json(what: &str, text: &str) {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        panic!("{what} is not valid JSON: {error}\n{text}");
    }
}

pub(super) fn reply(reply: &Reply) {
    if let Some(json) = &reply.structured {
        must_be_json("the structured answer", json);
    }
    assert!(!reply.text.is_empty() || reply.structured.is_some(), "the answer says nothing");
    assert!(reply.code.as_deref() != Some(""), "the answer's code is empty");
}

pub(super) fn answer(answer: &Answer, started: Option<&str>) {
    match answer {
        Answer::Reply(given) => reply(given),
        Answer::Ask(question) => {
            assert!(started.is_none(), "the policy asks a human and has launched job {started:?} already");
            assert!(!question.id.is_empty() && !question.text.is_empty(), "the question to the human is empty");
            reply(&question.refusal);
        }
        Answer::Wait(_) => {}
    }
}

pub(super) fn step(job: &Job, happening: &Happening, step: &Step) {
    must_be_json("the memo", &step.memo);
    assert!(!step.status.is_empty(), "the status of job {} is empty after {happening:?}", job.id);
    for notice in &step.notices {
        must_be_json("a notice's data", &notice.data);
        assert!(!notice.event_type.is_empty(), "a notice has no type");
    }
    if step.requeue {
        let may = match happening {
            Happening::Recovered(_) => true,
            Happening::Unwanted(Unwanted::Shutdown) => job.durable,
            _ => false,
        };
        assert!(may, "job {} is to run again after {happening:?}, which is neither a recovery nor a shutdown", job.id);
        assert!(step.ended.is_none(), "job {} has ended and is queued again", job.id);
    }
}
