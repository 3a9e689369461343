//! What an embedding program brings: its own engine, and imports of its own for policies.

use wasmtime::component::LinkerInstance;
use wasmtime::{Engine, Instance, Module, Store, Trap};

use super::engine::EntryState;

/// Links the functions of one imported interface.
type Link = Box<dyn FnOnce(&mut LinkerInstance<'_, EntryState>) -> wasmtime::Result<()> + Send>;

/// What the embedding program brings.
#[derive(Default)]
pub(crate) struct Own {
    pub engine: Option<Engine>,
    pub imports: Vec<(String, Link)>,
}

/// `(module (func (export "f")))`
const MODULE: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x07\x05\x01\x01f\0\0\x0a\x04\x01\x02\0\x0b";

/// Checks that code of an engine can be ended: a deadline that is over must end even a function that does nothing.
pub(super) fn check(engine: &Engine) -> wasmtime::Result<()> {
    let module = Module::new(engine, MODULE)?;
    let mut store = Store::new(engine, ());
    store.set_epoch_deadline(0);
    store.epoch_deadline_trap();
    let function = Instance::new(&mut store, &module, &[])?.get_typed_func::<(), ()>(&mut store, "f")?;
    match function.call(&mut store, ()) {
        Err(error) if error.downcast_ref() == Some(&Trap::Interrupt) => Ok(()),
        Err(error) => Err(error),
        Ok(()) => Err(wasmtime::format_err!(
            "the engine was made without `Config::epoch_interruption(true)`, so a policy that loops could not be ended"
        )),
    }
}

#[cfg(test)]
mod tests {
    use wasmtime::Config;

    use super::*;

    #[test]
    fn an_engine_whose_code_cannot_be_ended_is_noticed() {
        let error = check(&Engine::default()).unwrap_err().to_string();
        assert!(error.contains("epoch_interruption"), "{error}");
        check(&Engine::new(Config::new().epoch_interruption(true)).unwrap()).unwrap();
    }
}
