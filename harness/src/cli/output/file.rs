//! A report's file: opened before the run, written after it.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use mcp_errconf::cause;

use crate::cli::fault::Failure;

/// A report's file. What stood in it stays until the report is there; a new one that was never written is taken away.
pub(crate) struct ReportFile {
    file: File,
    path: PathBuf,
    state: FileState,
}

#[derive(PartialEq, Eq)]
enum FileState {
    /// It was not there before.
    New,
    /// It was there, or is no plain file.
    Existing,
    /// The report, or its beginning, stands in it.
    Written,
}

impl ReportFile {
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let new = OpenOptions::new().write(true).create_new(true).open(path);
        let (file, state) = match new {
            Ok(file) => (Ok(file), FileState::New),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                (OpenOptions::new().write(true).open(path), FileState::Existing)
            }
            Err(error) => (Err(error), FileState::New),
        };
        let file = file.map_err(|error| {
            Failure::Usage(format!(
                "`{}` cannot be written: {}; name a file in a folder that exists and may be \
                 written",
                path.display(),
                cause::of(&error)
            ))
        })?;
        Ok(Self { file, path: path.to_owned(), state })
    }
}

impl Write for ReportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.state == FileState::Existing && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.state = FileState::Written;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for ReportFile {
    fn drop(&mut self) {
        if self.state == FileState::New {
            // It is empty and was made a moment ago; that it stays is no reason to fail.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
