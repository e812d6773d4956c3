//! `cargo fuzz run judge_recording`: whatever a recording holds, it is judged, or its mistake is told with its line.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    mcp_errconf_fuzz::any_recording_is_judged_or_its_mistake_has_a_line(bytes)
});

#[cfg(not(fuzzing))]
fn main() {}
