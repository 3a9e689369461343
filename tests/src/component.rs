//! A policy's component as a subject of the scenarios: its imports lead to the same fake host that the native policy
//! gets. A host of its own, so that the scenarios need nothing of ours.

use serde::Serialize;
use serde::de::DeserializeOwned;
use shellward_kit::Host;
use shellward_kit::contract as kit;
use shellward_kit::fake::{Fake, Subject};
use wasmtime::component::{Component, HasSelf, Linker, ResourceTable};
use wasmtime::{Engine, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

mod bindings {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "policy",
        additional_derives: [serde::Serialize, serde::Deserialize],
    });
}

use bindings::shellward::policy as imports;

/// Turns a value of one set of bindings into the same value of the other: both serialise alike.
fn same<A: Serialize, B: DeserializeOwned>(value: A) -> B {
    serde_json::from_value(serde_json::to_value(value).unwrap()).unwrap()
}

struct Context {
    fake: Fake,
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for Context {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl imports::types::Host for Context {}

impl imports::commands::Host for Context {}

impl imports::workspace::Host for Context {
    fn resolve(
        &mut self,
        path: String,
        base: Option<String>,
    ) -> Result<imports::workspace::Place, imports::workspace::PathError> {
        same(self.fake.resolve(&path, base.as_deref()))
    }

    fn home(&mut self) -> Option<String> {
        self.fake.home()
    }

    fn find_program(&mut self, name: String) -> Option<String> {
        self.fake.find_program(&name)
    }
}

impl imports::processes::Host for Context {
    fn start(&mut self, launch: imports::processes::Launch) -> Result<(), imports::processes::StartError> {
        same(self.fake.start(&same(launch)))
    }

    fn enqueue(&mut self, launch: imports::processes::Launch) -> Result<(), imports::processes::StartError> {
        same(self.fake.enqueue(&same(launch)))
    }
}

impl imports::signals::Host for Context {
    fn send(
        &mut self,
        job: String,
        signal: imports::signals::Signal,
        whom: imports::signals::Whom,
    ) -> Result<(), imports::signals::SignalError> {
        same(self.fake.send(&job, same(signal), same(whom)))
    }
}

impl imports::timers::Host for Context {
    fn arm(&mut self, job: String, name: String, after: u64) -> Result<(), imports::timers::TimerError> {
        same(self.fake.arm(&job, &name, after))
    }

    fn disarm(&mut self, job: String, name: String) {
        self.fake.disarm(&job, &name);
    }
}

impl imports::jobs::Host for Context {
    fn get(&mut self, id: String) -> Option<imports::types::Job> {
        same(self.fake.job(&id))
    }

    fn list(&mut self, filter: imports::jobs::Filter) -> Vec<imports::types::Job> {
        same(self.fake.jobs(same(filter)))
    }

    fn post(&mut self, id: String, name: String, data: String) -> Result<(), imports::jobs::PostError> {
        same(self.fake.post(&id, &name, &data))
    }
}

impl imports::output::Host for Context {
    fn read(
        &mut self,
        job: String,
        stream: imports::types::Stdstream,
        window: imports::output::Window,
    ) -> Result<imports::output::Excerpt, imports::output::OutputError> {
        same(self.fake.read(&job, same(stream), same(window)))
    }

    fn items(
        &mut self,
        job: String,
        since: u64,
        limit: u32,
        stream: Option<imports::types::Stdstream>,
    ) -> Result<imports::output::Page, imports::output::OutputError> {
        same(self.fake.items(&job, since, limit, same(stream)))
    }

    fn snippet(&mut self, job: String, max: u32) -> Result<String, imports::output::OutputError> {
        same(self.fake.snippet(&job, max))
    }

    fn stored(&mut self, job: String) -> Result<imports::output::Storage, imports::output::OutputError> {
        same(self.fake.stored(&job))
    }
}

impl imports::input::Host for Context {
    fn write(&mut self, job: String, bytes: Vec<u8>) -> Result<(), imports::input::InputError> {
        same(self.fake.write(&job, &bytes))
    }

    fn close(&mut self, job: String) -> Result<(), imports::input::InputError> {
        same(self.fake.close(&job))
    }

    fn resize(&mut self, job: String, size: imports::processes::Size) -> Result<(), imports::input::InputError> {
        same(self.fake.resize(&job, same(size)))
    }
}

impl imports::blocks::Host for Context {
    fn open(&mut self, job: String, label: String) -> Result<(), imports::blocks::BlockError> {
        same(self.fake.open_block(&job, &label))
    }

    fn pin(&mut self, label: String) -> Result<(), imports::blocks::BlockError> {
        same(self.fake.pin(&label))
    }

    fn unpin(&mut self, label: String) -> Result<(), imports::blocks::BlockError> {
        same(self.fake.unpin(&label))
    }

    fn read(
        &mut self,
        label: String,
        stream: imports::types::Stdstream,
        offset: u64,
        max: u32,
    ) -> Result<imports::blocks::Part, imports::blocks::BlockError> {
        same(self.fake.read_block(&label, same(stream), offset, max))
    }
}

impl imports::syntax::Host for Context {
    fn analyse(&mut self, text: String, _: imports::commands::Language) -> imports::commands::Analysis {
        panic!("a built-in policy brings its own analysis, and asked for one of {text:?}")
    }
}

impl imports::settings::Host for Context {
    fn get(&mut self) -> String {
        self.fake.settings()
    }
}

impl imports::diagnostics::Host for Context {
    fn log(&mut self, level: imports::diagnostics::Level, message: String) {
        self.fake.log(same(level), &message);
    }
}

/// A component, entered in a fresh instance each time.
pub struct Wasm {
    engine: Engine,
    pre: bindings::PolicyPre<Context>,
}

impl Wasm {
    /// Compiles a component.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let engine = Engine::default();
        let component = Component::new(&engine, bytes).unwrap();
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_sync(&mut linker).unwrap();
        bindings::Policy::add_to_linker::<Context, HasSelf<Context>>(&mut linker, |context| context).unwrap();
        let pre = bindings::PolicyPre::new(linker.instantiate_pre(&component).unwrap()).unwrap();
        Self { engine, pre }
    }

    fn enter<R>(
        &self,
        fake: &Fake,
        entry: impl FnOnce(&bindings::Policy, &mut Store<Context>) -> wasmtime::Result<R>,
    ) -> R {
        let context = Context { fake: fake.clone(), wasi: WasiCtx::builder().build(), table: ResourceTable::new() };
        let mut store = Store::new(&self.engine, context);
        let exports = self.pre.instantiate(&mut store).unwrap();
        entry(&exports, &mut store).unwrap()
    }
}

impl std::fmt::Debug for Wasm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wasm").finish_non_exhaustive()
    }
}

impl Subject for Wasm {
    fn describe(&self, settings: &str) -> Result<kit::Manifest, Vec<kit::SettingsError>> {
        let settings = settings.to_owned();
        same(
            self.enter(&Fake::new(), |exports, store| exports.shellward_policy_rules().call_describe(store, &settings)),
        )
    }

    fn review(&self, fake: &Fake, request: &kit::Request) -> kit::Verdict {
        same(self.enter(fake, |exports, store| exports.shellward_policy_rules().call_review(store, &same(request))))
    }

    fn call(&self, fake: &Fake, call: &kit::ToolCall) -> kit::Answer {
        same(self.enter(fake, |exports, store| exports.shellward_policy_conduct().call_call(store, &same(call))))
    }

    fn advance(&self, fake: &Fake, job: &kit::Job, event: &kit::Event) -> kit::Step {
        same(self.enter(fake, |exports, store| {
            exports.shellward_policy_conduct().call_advance(store, &same(job), &same(event))
        }))
    }

    fn settle(&self, fake: &Fake, call: &kit::ToolCall, job: &kit::Job) -> kit::Reply {
        same(self.enter(fake, |exports, store| {
            exports.shellward_policy_conduct().call_settle(store, &same(call), &same(job))
        }))
    }
}
