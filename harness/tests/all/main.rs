//! What a user meets: the command line, and the reports.

mod conclusion;
mod interrupt;
mod program;
mod readme;
mod refused;
mod report;
mod run;
mod sample;
#[cfg(feature = "reference-server")]
mod selftest;
mod session;
mod told;
mod wire;
