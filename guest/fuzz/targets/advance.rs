#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| shellward_properties::check("advance", bytes));
