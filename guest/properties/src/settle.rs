//! The answer to a call whose command prints anything: of an exact shape, and saying how much there was.

use serde_json::Value;
use shellward_kit::contract::{Reply, Stdstream};
use shellward_kit::fake::Behaviour;

use crate::policies::{Policy, Under};
use crate::shape::{fits, has_exactly};
use crate::{Reader, Subjects};

/// What a command printed on one stream.
type Printed<'a> = &'a [u8];

pub fn holds(bytes: &[u8], subjects: &dyn Subjects) {
    let mut reader = Reader::new(bytes);
    let under = Under::choose(&mut reader, subjects);
    let (code, times, split) = (i32::from(reader.byte()), usize::from(reader.byte()), usize::from(reader.byte()));
    let printed = reader.bytes().repeat(1 + times % 64);
    let (stdout, stderr) = printed.split_at((split * split).min(printed.len()));
    let host = under.host();
    host.otherwise(Behaviour::exits(code).stdout(stdout).stderr(stderr));
    let tool = under.policy.tools()[0];
    let reply = host.run(under.subject, tool, &under.policy.waits("make all"));
    fits(&under.subject.describe(&under.settings).expect("settings that were taken"), tool, &reply);
    host.finish(under.subject);
    let Some(job) = host.all_jobs().pop() else {
        assert!(reply.is_error, "nothing was started: {reply:?}");
        return;
    };
    assert_eq!(host.printed(&job.id, Stdstream::Stdout), stdout.len() as u64);
    let dropped = job.stdout.dropped + job.stderr.dropped;
    let body: Value = reply.structured.as_deref().map_or(Value::Null, |text| serde_json::from_str(text).expect("JSON"));
    match under.policy {
        Policy::Bash => envelope(&body, code, [stdout, stderr], dropped),
        Policy::Exec => plain(&reply, code, [stdout, stderr]),
        Policy::Meerkat => {
            has_exactly(&body, &["exit_code", "stdout", "stderr", "timed_out", "duration_secs"]);
            accounted(&body["stdout"], stdout);
            accounted(&body["stderr"], stderr);
            assert_eq!((&body["exit_code"], &body["timed_out"]), (&code.into(), &false.into()));
        }
        Policy::Actions => {
            let names = ["status", "exit_code", "stdout", "stderr", "truncated", "truncated_bytes", "duration_ms"];
            has_exactly(&body, &[&names[..], &["error_message"]].concat());
            accounted(&body["stdout"], stdout);
            accounted(&body["stderr"], stderr);
            assert_eq!((&body["exit_code"], &body["status"]), (&code.into(), &"completed".into()));
            assert_eq!((&body["truncated_bytes"], &body["truncated"]), (&dropped.into(), &(dropped > 0).into()));
        }
        Policy::Pattern => {
            has_exactly(&body, &["stdout", "stderr", "exit_code", "duration_ms", "session", "directory"]);
            accounted(&body["stdout"], stdout);
            accounted(&body["stderr"], stderr);
            assert_eq!(body["exit_code"], code);
        }
    }
}

fn envelope(body: &Value, code: i32, [stdout, stderr]: [Printed<'_>; 2], dropped: u64) {
    has_exactly(body, &["status", "data", "text", "stats", "context"]);
    let data = ["stdout", "stderr", "exit_code", "signal", "truncated", "command", "directory"];
    has_exactly(&body["data"], &data);
    assert_eq!(body["stats"]["stdout_bytes"], stdout.len());
    assert_eq!(body["stats"]["stderr_bytes"], stderr.len());
    assert_eq!(body["data"]["exit_code"], code);
    let truncated = body["data"]["truncated"] == true;
    assert!(truncated || dropped == 0, "bytes were dropped and nothing is said: {body}");
    assert_eq!(body["status"] == "success", code == 0 && !truncated);
    if !truncated {
        accounted(&body["data"]["stdout"], stdout);
        accounted(&body["data"]["stderr"], stderr);
    }
}

/// The answer of `exec` is text: the exit code first, and behind it what was printed or how much of it there was.
fn plain(reply: &Reply, code: i32, streams: [Printed<'_>; 2]) {
    assert!(reply.structured.is_none() && reply.text.starts_with(&format!("[Exit Code: {code}]")), "{reply:?}");
    for printed in streams {
        let text = String::from_utf8_lossy(printed);
        let shown = reply.text.contains(text.trim_end_matches(|letter: char| letter.is_whitespace() || letter < ' '));
        let counted = reply.text.contains(&format!("of {} bytes in all]", printed.len()));
        assert!(shown || counted, "neither shown nor counted: {reply:?}");
    }
}

/// Demands that a text is all that was printed, or its beginning and end with the number of bytes between them.
fn accounted(shown: &Value, printed: Printed<'_>) {
    const BEFORE: &str = "\n[... ";
    const AFTER: &str = " ...]\n";
    let shown = shown.as_str().expect("a text");
    let whole = String::from_utf8_lossy(printed);
    if shown == whole {
        return;
    }
    let marks = shown.match_indices(BEFORE).filter_map(|(at, _)| {
        let (note, tail) = shown[at + BEFORE.len()..].split_once(AFTER)?;
        let count: usize = note.split(' ').next()?.parse().ok()?;
        Some((&shown[..at], count, tail))
    });
    // A program may print such a mark itself; one of them must be ours. Of bytes that are no text only the ends agree.
    let text = std::str::from_utf8(printed).is_ok();
    let fits = |(head, count, tail): (&str, usize, &str)| match text {
        true => whole.starts_with(head) && whole.ends_with(tail) && head.len() + count + tail.len() == printed.len(),
        false => count > 0 && count <= printed.len(),
    };
    assert!(marks.into_iter().any(fits), "{} bytes were printed, and not all accounted for", printed.len());
}
