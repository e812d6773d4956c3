//! `cargo fuzz run load_document`: whatever a case, a contract or a configuration holds, a mistake in it is told with its place.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    mcp_errconf_fuzz::any_document_is_loaded_or_its_mistake_has_a_place(bytes)
});

#[cfg(not(fuzzing))]
fn main() {}
