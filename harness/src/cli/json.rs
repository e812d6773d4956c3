//! JSON documents that commands read and write.

use std::path::Path;

use mcp_errconf::cause;
use mcp_errconf::report::json;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::failure::Failure;

/// A value as a document for standard output or a file.
pub(super) fn document(value: &impl Serialize) -> Result<String, Failure> {
    json::document(value).map_err(|error| Failure::Fault(format!("cannot serialize a document: {error}")))
}

/// Reads a file that this program wrote, such as "a report written by `--report json`"; `next` says where to get one.
pub(super) fn read<T: DeserializeOwned>(file: &Path, what: &str, next: &str) -> Result<T, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| Failure::of_file("read", file, &error, next))?;
    serde_json::from_str(&text).map_err(|error| {
        let (place, line, column) = (file.display(), error.line(), error.column());
        Failure::Usage(format!("{place}:{line}:{column}: not {what}: {}", cause::of_json(&error)))
    })
}
