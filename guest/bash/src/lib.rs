//! The `bash` policy.
