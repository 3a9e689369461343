//! Examples of Shellward in use; see the `.rs` files beside this one.
