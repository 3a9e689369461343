//! The scenarios against the policy itself; the end-to-end tests run the same against the component.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails where something is not as it should be")]

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
