//! What a user meets: the command line, and the reports.

mod command;
mod report;
mod sample;
#[cfg(feature = "reference-server")]
mod selftest;
