//! `cargo fuzz run read_contract`: whatever a reply holds, every contract reads it.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mcp_errconf_fuzz::any_reply_is_read_by_every_contract(bytes));

#[cfg(not(fuzzing))]
fn main() {}
