//! The server from outside: over lines that these tests write themselves, and through the SDK's own client.

mod defect;
mod raw;
mod sdk;
mod session;
mod task;
