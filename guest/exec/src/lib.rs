//! The `exec` policy.
