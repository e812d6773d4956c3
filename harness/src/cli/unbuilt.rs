//! What belongs to the command line and is not in this version: recognised, and refused, never ignored.

/// The words of every refusal.
pub(crate) fn message(what: &str) -> String {
    format!("{what} is not in this version ({}); `--help` lists what is", env!("CARGO_PKG_VERSION"))
}
