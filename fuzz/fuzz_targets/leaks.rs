//! `cargo fuzz run leaks`: whatever an error reply says, leaks and signatures are found in linear time, on character borders.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mcp_errconf_fuzz::any_text_is_searched(bytes));

#[cfg(not(fuzzing))]
fn main() {}
