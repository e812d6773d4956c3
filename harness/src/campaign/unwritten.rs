//! Files of a campaign that could not be written: reported once, with what to do about it.
//!
//! The main type is [`Unwritten`].

use std::cell::{Cell, RefCell};
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::cause;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// For the next campaign, which can do without.
    Corpus,
    /// A finding, which the campaign is run for.
    Finding,
    /// For going on with the campaign once it was killed.
    Journal,
}

impl Purpose {
    fn option(self) -> &'static str {
        match self {
            Self::Corpus => "--corpus",
            Self::Finding | Self::Journal => "--findings",
        }
    }
}

/// The files that could not be written.
#[derive(Debug, Default)]
pub(super) struct Unwritten {
    /// The message on the first such file, until it is reported.
    first: RefCell<Option<String>>,
    count: Cell<usize>,
    findings: Cell<usize>,
}

impl Unwritten {
    /// Records a file that could not be written.
    pub(super) fn note(&self, path: &Path, purpose: Purpose, error: &io::Error) {
        if self.count.get() == 0 {
            self.first.replace(Some(in_words(path, purpose, error)));
        }
        self.count.set(self.count.get() + 1);
        if purpose == Purpose::Finding {
            self.findings.set(self.findings.get() + 1);
        }
    }

    /// Takes the message that is still to be reported.
    pub(super) fn take(&self) -> Option<String> {
        self.first.take()
    }

    /// How many findings could not be written.
    pub(super) fn findings(&self) -> usize {
        self.findings.get()
    }
}

/// The message: place, cause and next step, and what follows for later files.
fn in_words(path: &Path, purpose: Purpose, error: &io::Error) -> String {
    let option = purpose.option();
    let step = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("free some space there, or give a folder on another disk with `{option}`")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("make the folder writable, or give another one with `{option}`")
        }
        _ => format!("give another folder with `{option}`"),
    };
    format!(
        "cannot write {}: {}; {step}. The campaign goes on, and further files are not reported: if a finding \
         or a report cannot be kept, the exit code is 70",
        path.display(),
        cause::describe(error)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_file_is_reported_once_and_findings_are_counted() {
        let unwritten = Unwritten::default();
        assert_eq!(unwritten.take(), None);
        let full = io::Error::from(ErrorKind::StorageFull);
        unwritten.note(Path::new("corpus/a.json"), Purpose::Corpus, &full);
        unwritten.note(
            Path::new("found/b.json"),
            Purpose::Finding,
            &io::Error::from(ErrorKind::PermissionDenied),
        );
        let warning = unwritten.take().unwrap();
        assert!(
            warning.starts_with("cannot write corpus/a.json: no storage space; free some space"),
            "{warning}"
        );
        assert!(warning.contains("--corpus") && !warning.contains("found"), "{warning}");
        assert_eq!((unwritten.take(), unwritten.findings()), (None, 1));
    }
}
