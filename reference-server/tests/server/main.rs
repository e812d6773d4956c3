//! The server from outside: over lines that these tests write themselves, and through the SDK's own client.

mod defect;
// Marked as a test, though all of this is one: clippy takes a helper in an integration test for shipped code.
#[cfg(test)]
mod raw;
mod sdk;
mod session;
mod task;
