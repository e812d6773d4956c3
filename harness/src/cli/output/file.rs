//! A report's file: opened before the run, written after it.

use std::path::Path;

use mcp_errconf::atomic_file::{self, AtomicFile};
use mcp_errconf::cause;

use crate::cli::failure::Failure;

/// Opens a file to be written, so that a failure is reported before anything is run.
pub(crate) fn open(path: &Path) -> Result<AtomicFile, Failure> {
    // A killed run may have left the beginning of its report there.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    atomic_file::remove_abandoned(folder.unwrap_or(Path::new(".")));
    AtomicFile::open(path).map_err(|error| {
        Failure::Usage(format!(
            "cannot write `{}`: {}; give a file in a folder that exists and that you can write to",
            path.display(),
            cause::describe(&error)
        ))
    })
}
