//! Shellward.
