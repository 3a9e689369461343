//! `types` and `commands`: no functions.

use crate::policy::Context;
use crate::policy::bindings::shellward::policy::{commands, types};

impl types::Host for Context {}

impl commands::Host for Context {}
