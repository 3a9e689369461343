//! Examples of Shellward in use.
