//! `cargo fuzz run decode_line`: any line at all decodes.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|line: &[u8]| mcp_errconf_fuzz::any_line_decodes_truly(line));

#[cfg(not(fuzzing))]
fn main() {}
