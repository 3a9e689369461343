//! Settings, from files and variables to the policy's decision.

use serde_json::{Value, json};
use shellward::settings::{PROJECT_FILE, Settings, Source};
use shellward_tests::Project;

fn build(project: &Project) -> Result<shellward::Host, String> {
    let settings = Settings::default().file(Source::Project, &project.root().join(PROJECT_FILE));
    let settings = settings.map_err(|error| error.to_string())?;
    project.builder("bash").settings(settings).build().map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_project_relaxes_a_rule() {
    let project = Project::new();
    project.file("a.txt", "contents\n");
    let host = build(&project).unwrap();
    let reply = host.call("one", "Bash", json!({"command": "cat a.txt"})).await;
    assert_eq!(reply.code.as_deref(), Some("INVALID_PARAM"), "{}", reply.text);
    host.shutdown().await;
    project.file(PROJECT_FILE, "[tools.Bash]\nreaders_allow = [\"cat\"]\n");
    let host = build(&project).unwrap();
    let reply = host.call("one", "Bash", json!({"command": "cat a.txt"})).await;
    let envelope: Value = serde_json::from_str(reply.answer()).unwrap();
    assert_eq!(envelope["data"]["stdout"], "contents\n");
    host.shutdown().await;
}

#[test]
fn what_is_wrong_is_named_with_file_line_and_key() {
    let project = Project::new();
    let path = project.root().join(PROJECT_FILE);
    for (text, line, key) in [
        ("[tools.Bash]\n\nno_such_setting = 1\n", 3, "tools.Bash.no_such_setting"),
        ("[tools.Bash]\ndefault_timeout_ms = \"long\"\n", 2, "tools.Bash.default_timeout_ms"),
        ("[tools.Bash]\ndefault_timeout_ms = -5\n", 2, "tools.Bash.default_timeout_ms"),
        ("[tools.Bash]\non_unknown = \"perhaps\"\n", 2, "tools.Bash.on_unknown"),
    ] {
        project.file(PROJECT_FILE, text);
        let error = build(&project).unwrap_err();
        let start = format!("{}:{line}: `{key}`: ", path.display());
        assert!(error.starts_with(&start), "{error:?} does not start with {start:?}");
    }
}

#[tokio::test]
async fn a_variable_that_the_policy_names_opens_the_network() {
    let project = Project::new();
    let environment = |value: &str| {
        let mut all: Vec<_> = std::env::vars_os().collect();
        all.push(("BASH_ALLOW_NETWORK".into(), value.into()));
        all
    };
    for (value, allowed) in [("true", true), ("false", false)] {
        let host = project.builder("bash").environment(environment(value)).build().unwrap();
        let verdict = host.check("curl --version").unwrap().verdict;
        assert_eq!(verdict.findings.is_empty(), allowed, "{value}: {verdict:?}");
        host.shutdown().await;
    }
    let error = project.builder("bash").environment(environment("perhaps")).build().unwrap_err().to_string();
    assert!(error.contains("BASH_ALLOW_NETWORK") && error.contains("must be true or false"), "{error}");
}
