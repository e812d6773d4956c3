//! What a user meets: the command line, and the reports.

mod command;
mod report;
#[cfg(feature = "reference-server")]
mod selftest;
mod sample;
