//! `syntax`: the host's own copy of the analysis, for policies that do not bring it.

use crate::policy::Context;
use crate::policy::analysis::analyse;
use crate::policy::bindings::shellward::policy::commands::{Analysis, Language};
use crate::policy::bindings::shellward::policy::syntax::Host;

impl Host for Context {
    fn analyse(&mut self, text: String, language: Language) -> wasmtime::Result<Analysis> {
        Ok(analyse(&text, language))
    }
}
