//! Writes the files of a campaign. What finds no space on the disk waits for it, and the campaign pauses meanwhile; what cannot
//! be written for another reason is reported once, with what to do about it.
//!
//! The main type is [`Unwritten`].

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::atomic_file;
use crate::cause;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// For the next campaign, which can do without.
    Corpus,
    /// For the other campaigns that share the folder.
    Sync,
    /// A finding, which the campaign is run for.
    Finding,
    /// For going on with the campaign once it was killed.
    Journal,
}

impl Purpose {
    fn option(self) -> &'static str {
        match self {
            Self::Corpus => "--corpus",
            Self::Sync => "--sync",
            Self::Finding | Self::Journal => "--findings",
        }
    }
}

/// Something to write.
#[derive(Debug)]
struct PendingWrite {
    path: PathBuf,
    purpose: Purpose,
    text: String,
    /// The file that the text is appended to; a whole file without it.
    appended: Option<Rc<File>>,
}

impl PendingWrite {
    fn perform(&self) -> io::Result<()> {
        let Some(mut file) = self.appended.as_deref() else {
            let write = match self.purpose {
                // The journal says that it is written.
                Purpose::Finding => atomic_file::write_synced,
                _ => atomic_file::write,
            };
            return write(&self.path, self.text.as_bytes());
        };
        let whole = file.metadata()?.len();
        file.write_all(self.text.as_bytes()).inspect_err(|_| {
            // Half a line that stays is cut off by whoever reads the file.
            let _ = file.set_len(whole);
        })
    }
}

/// The files that wait for space, and those that could not be written.
#[derive(Debug, Default)]
pub(super) struct Unwritten {
    /// In the order in which they came: the journal says of a finding that it was written only once it was.
    waiting: RefCell<VecDeque<PendingWrite>>,
    /// The message that is still to be reported.
    message: RefCell<Option<String>>,
    has_told_of_pause: Cell<bool>,
    count: Cell<usize>,
    findings: Cell<usize>,
}

impl Unwritten {
    /// Writes a file, or keeps the text until there is space. Whether it is not lost.
    pub(super) fn write(&self, path: &Path, purpose: Purpose, text: String) -> bool {
        self.attempt(PendingWrite { path: path.to_owned(), purpose, text, appended: None })
    }

    /// Appends lines to the journal, or keeps them until there is space. Whether they are not lost.
    pub(super) fn append(&self, path: &Path, file: &Rc<File>, text: String) -> bool {
        let (path, appended) = (path.to_owned(), Some(Rc::clone(file)));
        self.attempt(PendingWrite { path, purpose: Purpose::Journal, text, appended })
    }

    fn attempt(&self, pending: PendingWrite) -> bool {
        if !self.is_waiting() {
            match pending.perform() {
                Ok(()) => return true,
                Err(error) if is_full(&error) => self.tell_of_pause(&pending, &error),
                Err(error) => {
                    self.note(&pending.path, pending.purpose, &error);
                    return false;
                }
            }
        }
        self.waiting.borrow_mut().push_back(pending);
        true
    }

    /// Writes what waits for space, as far as there is some.
    pub(super) fn retry(&self) {
        let mut waiting = self.waiting.borrow_mut();
        while let Some(pending) = waiting.front() {
            match pending.perform() {
                Ok(()) => {}
                Err(error) if is_full(&error) => return,
                Err(error) => self.note(&pending.path, pending.purpose, &error),
            }
            waiting.pop_front();
        }
    }

    /// Whether something waits for space: then nothing is sent that would bring more.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.borrow().is_empty()
    }

    /// Records a file that could not be written.
    pub(super) fn note(&self, path: &Path, purpose: Purpose, error: &io::Error) {
        if self.count.get() == 0 {
            self.message.replace(Some(in_words(path, purpose, error)));
        }
        self.count.set(self.count.get() + 1);
        if purpose == Purpose::Finding {
            self.findings.set(self.findings.get() + 1);
        }
    }

    fn tell_of_pause(&self, pending: &PendingWrite, error: &io::Error) {
        if self.has_told_of_pause.replace(true) {
            return;
        }
        self.message.replace(Some(format!(
            "cannot write {}: {}. No calls are sent until there is space: free some there, and the campaign goes on; or stop \
             it with Ctrl-C, and give a folder on another disk with `{}`. If a finding or a report cannot be kept, the exit \
             code is 70",
            pending.path.display(),
            cause::describe(error),
            pending.purpose.option()
        )));
    }

    /// Takes the message that is still to be reported.
    pub(super) fn take(&self) -> Option<String> {
        self.message.take()
    }

    /// How many findings are not written.
    pub(super) fn findings(&self) -> usize {
        let waiting = self.waiting.borrow();
        self.findings.get() + waiting.iter().filter(|pending| pending.purpose == Purpose::Finding).count()
    }
}

/// Whether the disk, or the user's share of it, is full. A bound of this program's own has no number of the system.
fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
        && error.raw_os_error().is_some()
}

/// The message: place, cause and next step, and what follows for later files.
fn in_words(path: &Path, purpose: Purpose, error: &io::Error) -> String {
    let option = purpose.option();
    let step = match error.kind() {
        ErrorKind::QuotaExceeded => {
            "give more with `--max-disk`, or `mcp-errconf corpus minimise` the folder".to_owned()
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
        let bound = io::Error::new(ErrorKind::QuotaExceeded, "`--max-disk` is reached");
        unwritten.note(Path::new("corpus/a.json"), Purpose::Corpus, &bound);
        let denied = io::Error::from(ErrorKind::PermissionDenied);
        unwritten.note(Path::new("found/b.json"), Purpose::Finding, &denied);
        let warning = unwritten.take().unwrap();
        assert!(
            warning.starts_with("cannot write corpus/a.json: `--max-disk` is reached; give more"),
            "{warning}"
        );
        assert!(!warning.contains("found"), "{warning}");
        assert_eq!((unwritten.take(), unwritten.findings()), (None, 1));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_finds_no_space_waits_for_it_in_order_and_the_pause_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let (full, other) = (folder.path().join("found.json"), folder.path().join("other.json"));
        let journal = folder.path().join("journal");
        let file = Rc::new(File::options().append(true).create(true).open(&journal).unwrap());
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        let unwritten = Unwritten::default();
        assert!(unwritten.write(&full, Purpose::Finding, "1".to_owned()));
        assert!(unwritten.append(&journal, &file, "written\n".to_owned()));
        assert!(unwritten.write(&other, Purpose::Corpus, "2".to_owned()));
        unwritten.retry();
        let message = unwritten.take().unwrap();
        assert!(message.contains("found.json: no space left") && message.contains("--findings"), "{message}");
        assert_eq!((unwritten.take(), unwritten.findings(), unwritten.is_waiting()), (None, 1, true));
        assert!(
            !other.exists() && std::fs::read(&journal).unwrap().is_empty(),
            "nothing overtakes the first"
        );
        std::fs::remove_file(&full).unwrap();
        unwritten.retry();
        assert_eq!((unwritten.take(), unwritten.findings(), unwritten.is_waiting()), (None, 0, false));
        for (path, text) in [(&full, "1"), (&journal, "written\n"), (&other, "2")] {
            assert_eq!(std::fs::read_to_string(path).unwrap(), text);
        }
    }
}
