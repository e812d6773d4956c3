//! `cargo fuzz run reference_server`: whatever the sound reference server is called with, no reply of it breaks a rule.
//!
//! It writes into a temporary folder, which libFuzzer's end leaves behind: `TMPDIR` says where.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
thread_local!(
    static SERVER: std::cell::RefCell<mcp_errconf_fuzz::Reference> =
        std::cell::RefCell::new(mcp_errconf_fuzz::Reference::new())
);

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| SERVER.with_borrow_mut(|server| server.fuzz(bytes)));

#[cfg(not(fuzzing))]
fn main() {}
