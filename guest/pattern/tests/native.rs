//! The scenarios against the policy itself; the end-to-end tests run the same against the component.

mod scenarios;

use shellward_kit::fake::Native;
use shellward_pattern::Pattern;

#[test]
fn native() {
    let subject = Native::<Pattern>::new();
    for (_, scenario) in scenarios::ALL {
        scenario(&subject);
    }
}
