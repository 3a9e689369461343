//! Embedding: the library in a program that has an engine, and imports, of its own.

use std::fs;

use serde_json::json;
use shellward::wasmtime::{Config, Engine};
use shellward_tests::{HOSTILE, Project};

fn engine(epochs: bool) -> Engine {
    Engine::new(Config::new().wasm_component_model(true).epoch_interruption(epochs)).unwrap()
}

#[tokio::test]
async fn an_engine_of_the_embedding_program_runs_policies_and_ends_those_that_loop() {
    let project = Project::new();
    let host = project.builder(HOSTILE).engine(engine(true)).build().unwrap();
    let looped = host.call("one", "hostile", json!({"do": "loop"})).await;
    assert!(looped.text.contains("ran for more than 100 ms"), "{looped:?}");
    let reply = host.call("one", "hostile", json!({"do": "run", "command": "exit 0"})).await;
    assert_eq!(reply.text, "settled", "{reply:?}");
    host.shutdown().await;
}

#[test]
fn an_engine_that_could_not_end_a_loop_is_refused() {
    let error = Project::new().builder("exec").engine(engine(false)).build().unwrap_err().to_string();
    assert!(error.contains("of no use here") && error.contains("epoch_interruption"), "{error}");
}

#[test]
fn an_import_of_the_embedding_program_is_offered_to_policies_by_name() {
    let project = Project::new();
    let path = project.root().join("policy.wasm");
    let text = r#"(component (import "acme:audit/log@1.0.0" (instance (export "note" (func (param "text" string))))))"#;
    fs::write(&path, wat::parse_str(text).unwrap()).unwrap();
    let builder = || project.builder(path.to_str().unwrap());
    let error = builder().build().unwrap_err().to_string();
    assert!(error.contains("asks for what no policy gets: acme:audit/log@1.0.0"), "{error}");
    // With the import it gets further: what it lacks now is a policy's functions.
    let offered = builder()
        .import("acme:audit/log@1.0.0", |instance| instance.func_wrap("note", |_, (_text,): (String,)| Ok(())));
    let error = offered.build().unwrap_err().to_string();
    assert!(error.contains("does not export"), "{error}");
    // A guard does nothing but judge, so it gets none.
    let offered = project.builder("exec").guard(shellward::GuardSpec::file(&path));
    let offered =
        offered.import("acme:audit/log@1.0.0", |instance| instance.func_wrap("note", |_, (_text,): (String,)| Ok(())));
    let error = offered.build().unwrap_err().to_string();
    assert!(error.contains("asks for what no guard gets"), "{error}");
}
