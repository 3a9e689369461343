//! A verdict on any text: the strictest of its findings, each about a place in the text, and binding for `call`.

use shellward_kit::bindings::shellward::policy::commands::Obstacle;
use shellward_kit::contract::{Analysis, Decision, Request, ReviewSubject, Span, Typed, Verdict};
use shellward_kit::fake::{Behaviour, Human};

use crate::policies::Under;
use crate::{Reader, Subjects};

pub fn holds(bytes: &[u8], subjects: &dyn Subjects) {
    let mut reader = Reader::new(bytes);
    let under = Under::choose(&mut reader, subjects);
    let typed = match reader.byte() % 4 {
        0 => Some(reader.line()),
        _ => None,
    };
    let text = reader.text();
    let subject = match typed {
        Some(reader) => ReviewSubject::Typed(Typed { text: text.clone(), reader }),
        None => ReviewSubject::CommandLine(text.clone()),
    };
    let whole = Span { start: 0, end: u32::try_from(text.len()).expect("a short text") };
    let request = Request {
        session: "session".into(),
        tool: under.policy.tools()[0].into(),
        // The policies read commands themselves; the one that does not judges nothing.
        analysis: Analysis::Unknown(Obstacle { message: "not read".into(), at: whole }),
        subject,
        directory: "/project".into(),
        root: "/project".into(),
        environment: Vec::new(),
        settings: under.settings.clone(),
    };
    let host = under.host();
    let verdict = host.review(under.subject, &request);
    assert_eq!(verdict, host.review(under.subject, &request), "asked twice");
    consistent(&verdict, &text);
    if let ReviewSubject::CommandLine(text) = &request.subject {
        binding(&under, &verdict, text);
    }
}

fn rank(decision: Decision) -> u8 {
    match decision {
        Decision::Allow => 0,
        Decision::Ask => 1,
        Decision::Deny => 2,
    }
}

fn consistent(verdict: &Verdict, text: &str) {
    let strictness: Vec<u8> = verdict.findings.iter().map(|finding| rank(finding.decision)).collect();
    assert_eq!(rank(verdict.decision), strictness.first().copied().unwrap_or(0), "{verdict:?}");
    assert!(strictness.is_sorted_by(|one, other| one >= other), "{verdict:?}");
    let inside =
        |span: Span| assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?}: {verdict:?}");
    for finding in &verdict.findings {
        assert!(!finding.code.is_empty() && !finding.message.is_empty(), "{verdict:?}");
        finding.span.into_iter().for_each(inside);
    }
    for command in &verdict.commands {
        inside(command.at);
        assert!(rank(command.decision) <= rank(verdict.decision), "{verdict:?}");
        assert!(command.reason.is_some() || command.decision == Decision::Allow, "{verdict:?}");
    }
}

/// What is denied does not start, whatever a human says, and what is to be asked not without one.
fn binding(under: &Under<'_>, verdict: &Verdict, text: &str) {
    for (human, may_start) in
        [(Human::Absent, verdict.decision == Decision::Allow), (Human::Approves, verdict.decision != Decision::Deny)]
    {
        let host = under.host();
        host.human(human).otherwise(Behaviour::exits(0));
        let reply = host.run(under.subject, under.policy.tools()[0], &under.policy.waits(text));
        let started = !host.launches().is_empty();
        assert!(may_start || !started, "{verdict:?} and yet it was started: {reply:?}");
        assert!(started || reply.is_error, "nothing was started, and {reply:?} is no error");
        host.finish(under.subject);
    }
}
