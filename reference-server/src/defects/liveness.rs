//! What is wrong with the server itself, and shows in no single reply.

use std::sync::{Mutex, PoisonError};

use super::Fault;

/// How much is kept of every call, in bytes.
const KEPT: usize = 32 * 1024;

/// What is kept, for ever.
static EVERYTHING: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

pub(super) const FAULTS: &[(&str, Fault)] = &[(
    "liveness/memory-growth",
    Fault::Call(|_, _| {
        // Written to, or the system would give no memory for it.
        EVERYTHING.lock().unwrap_or_else(PoisonError::into_inner).push(vec![1; KEPT]);
    }),
)];
