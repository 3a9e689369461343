//! `settings`: what `describe` accepted.

use crate::policy::Context;
use crate::policy::bindings::shellward::policy::settings::Host;

impl Host for Context {
    fn get(&mut self) -> wasmtime::Result<String> {
        Ok(self.settings.to_string())
    }
}
