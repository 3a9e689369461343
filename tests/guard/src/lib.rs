//! A guard whose rules are its settings: `name`, `deny` and `ask` (programs), `typed` (texts that may not be typed),
//! and `do` for how it fails.

#![cfg(target_family = "wasm")]

use std::hint::black_box;

use serde_json::Value;

#[expect(missing_docs, reason = "generated from wit/, where every item is documented")]
mod bindings {
    wit_bindgen::generate!({ path: "../../wit", world: "guard-with-cases", generate_all });
}

use bindings::exports::shellward::policy::cases::{Example, Guest as Cases};
use bindings::exports::shellward::policy::rules::{
    Analysis, Decision, Finding, Guest as Rules, Manifest, Request, Retention, SettingsError, Subject, Verdict,
};

struct Guard;

/// What is to come of the guard's own example; a test changes it in the component's bytes.
const EXPECTED: &str = "test-guard-expects:allow";

impl Cases for Guard {
    fn examples() -> Vec<Example> {
        let expect = if black_box(EXPECTED).ends_with("allow") { Decision::Allow } else { Decision::Deny };
        vec![Example { command: "echo an-example".into(), expect }]
    }
}

impl Rules for Guard {
    fn describe(settings: String) -> Result<Manifest, Vec<SettingsError>> {
        let settings: Value = serde_json::from_str(&settings).unwrap_or_default();
        if word(&settings, "do") == "refuse" {
            return Err(vec![SettingsError { key: vec!["do".into()], message: "is not to my liking".into() }]);
        }
        Ok(Manifest {
            name: settings.get("name").and_then(Value::as_str).unwrap_or("test-guard").into(),
            version: "1".into(),
            summary: "Denies what its settings say.".into(),
            tools: Vec::new(),
            settings_table: String::new(),
            settings_schema: "{}".into(),
            variables: Vec::new(),
            run: None,
            retention: Retention { jobs: 0, millis: 0 },
        })
    }

    fn review(request: Request) -> Verdict {
        let settings: Value = serde_json::from_str(&request.settings).unwrap_or_default();
        match word(&settings, "do") {
            "panic" => misbehave(),
            "loop" => loop {
                black_box(0);
            },
            _ => {}
        }
        let mut findings = Vec::new();
        if let Subject::Typed(typed) = &request.subject {
            let texts = settings.get("typed").and_then(Value::as_array).into_iter().flatten();
            for text in texts.filter_map(Value::as_str).filter(|text| typed.text.contains(text)) {
                findings.push(finding(Decision::Deny, &format!("'{text}' may not be typed into {}", typed.reader)));
            }
            return verdict(findings);
        }
        match &request.analysis {
            Analysis::Unknown(obstacle) => findings.push(finding(Decision::Ask, &obstacle.message)),
            Analysis::Known(script) => {
                for program in script.commands.iter().map(|command| &command.program) {
                    for (list, decision) in [("deny", Decision::Deny), ("ask", Decision::Ask)] {
                        if has(&settings, list, program) {
                            findings.push(finding(decision, &format!("{program} is on the list `{list}`")));
                        }
                    }
                }
            }
        }
        verdict(findings)
    }
}

#[expect(clippy::panic, reason = "to panic is what it was told")]
fn misbehave() {
    panic!("told to panic");
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn has(settings: &Value, list: &str, program: &str) -> bool {
    settings.get(list).and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| one == program))
}

fn finding(decision: Decision, message: &str) -> Finding {
    Finding { decision, code: "listed".into(), message: message.into(), hint: None, span: None }
}

fn verdict(findings: Vec<Finding>) -> Verdict {
    let deny = findings.iter().any(|finding| finding.decision == Decision::Deny);
    let decision = match (deny, findings.is_empty()) {
        (true, _) => Decision::Deny,
        (false, false) => Decision::Ask,
        (false, true) => Decision::Allow,
    };
    Verdict { decision, findings, commands: Vec::new(), language: None }
}

bindings::export!(Guard with_types_in bindings);
