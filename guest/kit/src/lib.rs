//! What policies are made of: bindings, the Policy trait, arguments, the job machine and a fake host.
