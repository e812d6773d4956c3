//! `cargo fuzz run shop`: a target as the author of a server writes one. The server has a fault, and this finds it.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
thread_local!(
    static SERVER: std::cell::RefCell<mcp_errconf::fuzzing::InProcess> =
        std::cell::RefCell::new(mcp_errconf::fuzzing::InProcess::serve(mcp_errconf_fuzz::shop::serve))
);

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| SERVER.with_borrow_mut(|server| server.fuzz(bytes)));

#[cfg(not(fuzzing))]
fn main() {}
