//! The server from outside: over lines that these tests write themselves, and through the SDK's own client.

// All of this is a test; clippy sees that in what is marked so, helpers included.
#![cfg(test)]

mod defect;
mod raw;
mod sdk;
mod session;
mod task;
