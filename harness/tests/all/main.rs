//! What a user meets: the command line, and the reports.

mod architecture;
mod background;
mod baseline;
#[cfg(unix)]
#[cfg(all(target_os = "linux", feature = "reference-server"))]
mod book;
mod campaign;
mod ci;
mod cleanup;
mod compare;
mod comparison;
mod conclusion;
mod config;
mod confine;
mod corpus;
mod doctor;
mod eight_faults;
#[cfg(unix)]
mod environment;
mod forms;
mod from;
#[cfg(all(target_os = "linux", feature = "reference-server"))]
mod full;
mod fuzz;
mod golden;
mod ground;
mod hint_corpus;
mod init_contract;
mod inputs;
mod interrupt;
#[cfg(target_os = "linux")]
mod killed;
mod learnt;
#[cfg(target_os = "linux")]
mod lives;
#[cfg(feature = "reference-server")]
mod log;
mod manual;
mod matrix;
mod mended;
mod merge;
mod own_contract;
mod page;
mod pairs;
#[cfg(all(target_os = "linux", feature = "reference-server"))]
mod picture;
mod program;
mod public;
mod published;
mod readme;
mod recording;
mod refused;
mod report;
#[cfg(feature = "reference-server")]
mod repro;
mod requests;
mod rerun;
mod reviewed;
mod run;
mod sample;
mod sarif;
#[cfg(target_os = "linux")]
mod scarce;
#[cfg(target_os = "linux")]
mod second_session;
mod self_description;
#[cfg(feature = "reference-server")]
mod selftest;
mod service;
mod session;
mod snapshots;
mod storage;
mod terminal;
mod testing;
mod texts;
mod twins;
#[cfg(target_os = "linux")]
mod unlisted;
mod unsandboxed;
mod unset;
mod wire;
mod wordings;
