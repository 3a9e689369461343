//! `workspace`: where paths lead.

use crate::policy::Context;
use crate::policy::bindings::shellward::policy::workspace::{Host, PathError, Place};

impl Host for Context {
    fn resolve(&mut self, path: String, base: Option<String>) -> wasmtime::Result<Result<Place, PathError>> {
        Ok(self.host()?.shared.workspace.resolve(&path, base.as_deref()))
    }

    fn home(&mut self) -> wasmtime::Result<Option<String>> {
        Ok(self.host()?.shared.workspace.home())
    }

    fn find_program(&mut self, name: String) -> wasmtime::Result<Option<String>> {
        Ok(self.host()?.shared.workspace.find_program(&name))
    }
}
