//! End-to-end tests: one file per spec, one per rule that holds everywhere.
