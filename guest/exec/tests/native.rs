//! The scenarios against the policy compiled into this test.

mod scenarios;

use shellward_exec::Exec;
use shellward_kit::fake::Native;

#[test]
fn native() {
    for (name, scenario) in scenarios::ALL {
        println!("{name}");
        scenario(&Native::<Exec>::new());
    }
}
