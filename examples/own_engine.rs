//! A program with an engine and an import of its own: policies and guards run in that engine, and a policy that imports
//! `acme:audit/log` can tell the program something.
//!
//! ```sh
//! cargo run --release --example own_engine
//! ```

use serde_json::json;
use shellward::wasmtime::{Config, Engine};
use shellward::{Host, Source};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // The host refuses an engine whose code it could not end.
    let engine = Engine::new(Config::new().wasm_component_model(true).epoch_interruption(true))?;
    let host = Host::builder()
        .project(".")
        .policy(Source::parse("exec")?)
        .engine(engine)
        .import("acme:audit/log@1.0.0", |instance| {
            instance.func_wrap("note", |_, (text,): (String,)| {
                use std::io::Write;
                Ok(writeln!(std::io::stderr(), "audit: {text}")?)
            })
        })
        .build()?;
    let mut swaps = host.swaps();
    let reply = host.call("conversation-1", "exec", json!({"command": "echo from my own engine"})).await;
    show(&reply)?;
    // Another policy decides from now on; what runs goes on.
    host.swap(Source::parse("bash")?).await?;
    if let Some(policy) = swaps.next().await {
        show(&host.call("conversation-1", &policy.manifest().tools[0].name, json!({"command": "sudo ls"})).await)?;
    }
    host.shutdown().await;
    Ok(())
}

fn show(reply: &shellward::Reply) -> std::io::Result<()> {
    use std::io::Write;
    writeln!(std::io::stdout(), "{}: {}", reply.policy, reply.text)
}
