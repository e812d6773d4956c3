//! `cargo fuzz run assemble_lines`: whatever lines come, none is lost, and what is seen of a broken one is true.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|stream: &[u8]| {
    mcp_errconf_fuzz::no_line_is_lost(stream);
    if let Ok(text) = std::str::from_utf8(stream) {
        mcp_errconf_fuzz::a_scanned_prefix_is_true(text);
    }
});

#[cfg(not(fuzzing))]
fn main() {}
