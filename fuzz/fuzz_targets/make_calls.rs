//! `cargo fuzz run make_calls`: whatever schema a server lists, what is drawn from it is bounded, and the same each time.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mcp_errconf_fuzz::any_schema_is_drawn_from_within_bounds(bytes));

#[cfg(not(fuzzing))]
fn main() {}
