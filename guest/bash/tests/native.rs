//! The scenarios, run against the policy as native code.

#[path = "scenarios.rs"]
mod scenarios;

use shellward_bash::Bash;
use shellward_kit::fake::Native;

#[test]
fn every_scenario_holds() {
    let subject = Native::<Bash>::new();
    for (name, scenario) in scenarios::ALL {
        println!("{name}");
        scenario(&subject);
    }
}
