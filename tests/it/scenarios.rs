//! The scenarios that each policy's own crate runs natively, run against its component.

use shellward_tests::{Wasm, component_of};

#[path = "../../guest/actions/tests/scenarios.rs"]
mod actions;
#[path = "../../guest/bash/tests/scenarios.rs"]
mod bash;
#[path = "../../guest/exec/tests/scenarios.rs"]
mod exec;
#[path = "../../guest/meerkat/tests/scenarios.rs"]
mod meerkat;
#[path = "../../guest/pattern/tests/scenarios.rs"]
mod pattern;

#[test]
fn actions_behaves_as_a_component_as_it_does_natively() {
    let subject = Wasm::new(&component_of("actions"));
    for (_, scenario) in actions::ALL {
        scenario(&subject);
    }
    actions::every_order(&subject, 1);
}

#[test]
fn bash_behaves_as_a_component_as_it_does_natively() {
    let subject = Wasm::new(&component_of("bash"));
    for (_, scenario) in bash::ALL {
        scenario(&subject);
    }
}

#[test]
fn exec_behaves_as_a_component_as_it_does_natively() {
    let subject = Wasm::new(&component_of("exec"));
    for (_, scenario) in exec::ALL {
        scenario(&subject);
    }
}

#[test]
fn meerkat_behaves_as_a_component_as_it_does_natively() {
    let subject = Wasm::new(&component_of("meerkat"));
    for (_, scenario) in meerkat::ALL {
        scenario(&subject);
    }
    meerkat::every_order(&subject, 2);
}

#[test]
fn pattern_behaves_as_a_component_as_it_does_natively() {
    let subject = Wasm::new(&component_of("pattern"));
    for (_, scenario) in pattern::ALL {
        scenario(&subject);
    }
}
