//! The scenarios, run against the policy as native code.

#[path = "scenarios.rs"]
mod scenarios;

use shellward_kit::fake::Native;
use shellward_meerkat::Meerkat;

#[test]
fn every_scenario_holds() {
    let subject = Native::<Meerkat>::new();
    for (name, scenario) in scenarios::ALL {
        println!("{name}");
        scenario(&subject);
    }
}

/// Every order of four events, each brought at its moment, for a job that heeds SIGTERM and one that does not.
#[test]
fn every_order_of_four_events_ends_a_job_once() {
    assert_eq!(scenarios::every_order(&Native::<Meerkat>::new(), 4), 2 * 6561);
}
