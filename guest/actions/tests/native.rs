//! The scenarios, run against the policy as native code.

#[path = "scenarios.rs"]
mod scenarios;

use shellward_actions::Actions;
use shellward_kit::fake::Native;

#[test]
fn every_scenario_holds() {
    let subject = Native::<Actions>::new();
    for (name, scenario) in scenarios::ALL {
        println!("{name}");
        scenario(&subject);
    }
}

/// Every order of four events, each brought at its moment, for a run that heeds SIGTERM and one that does not.
#[test]
fn every_order_of_four_events_ends_a_run_once() {
    assert_eq!(scenarios::every_order(&Native::<Actions>::new(), 4), 2 * 10_000);
}
