//! `--baseline`, `--update-baseline` and `--accept-new`: the file of accepted findings, and what an update changes.
//!
//! The main type is [`BaselineFile`]. Which findings an entry accepts is the library's word.

use std::fmt::Display;
use std::io::Write as _;
use std::path::PathBuf;

use mcp_errconf::atomic_file::AtomicFile;
use mcp_errconf::baseline::Baseline;
use mcp_errconf::cause;
use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::finding::Finding;
use mcp_errconf::transcript::Transcript;

use super::failure::Failure;
use super::{Terminal, console, output};

/// How many names are listed; of more only the number is told.
const LISTED: usize = 20;

pub(crate) const UPDATE_BASELINE: &str = "--update-baseline";
pub(crate) const ACCEPT_NEW: &str = "--accept-new";

/// How the baseline is updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BaselineUpdate {
    /// What is fixed is removed.
    pub(crate) removes: bool,
    /// What is new is added.
    pub(crate) adds: bool,
}

impl BaselineUpdate {
    /// The option that asks for it; `None` if there is none.
    pub(crate) fn option(self) -> Option<&'static str> {
        if self.removes { Some(UPDATE_BASELINE) } else { self.adds.then_some(ACCEPT_NEW) }
    }
}

/// A baseline, and the path of its file.
pub(crate) struct BaselineFile {
    pub(crate) accepted: Baseline,
    pub(crate) path: Option<PathBuf>,
    pub(crate) update: BaselineUpdate,
}

impl BaselineFile {
    /// Refuses an update if no file is named.
    pub(crate) fn check_named(&self) -> Result<(), Failure> {
        match (self.update.option(), &self.path) {
            (Some(option), None) => Err(Failure::Usage(format!(
                "`{option}` needs a file to write: name it with `--baseline FILE`, or with `baseline` in the \
                 configuration"
            ))),
            _ => Ok(()),
        }
    }

    /// Opens the file for an update, so that a failure is reported before anything is run.
    pub(crate) fn open(&self) -> Result<Option<AtomicFile>, Failure> {
        match (&self.path, self.update.option()) {
            (Some(path), Some(_)) => output::open_file(path).map(Some),
            _ => Ok(None),
        }
    }

    /// Updates the baseline after a whole run.
    pub(crate) fn update(
        &mut self,
        file: AtomicFile,
        transcript: &Transcript,
        findings: &[Finding],
        terminal: &Terminal,
    ) -> Result<(), Failure> {
        let reduced = match self.update.removes {
            true => self.accepted.without_stale(transcript, findings),
            false => self.accepted.clone(),
        };
        let extended = reduced.extended(findings);
        let left_out = extended.not_in(&reduced).len();
        let next = if self.update.adds { extended } else { reduced };
        self.replace(file, next, terminal)?;
        if !self.update.adds && left_out > 0 && !terminal.quiet {
            let are = if left_out == 1 { "1 new entry is" } else { &format!("{left_out} new entries are") };
            console::remark(&format!("{are} not in the baseline: `{ACCEPT_NEW}` adds what is new"));
        }
        Ok(())
    }

    /// Adds the findings of a campaign. Nothing is removed, because what it did not find this time may still be
    /// there.
    pub(crate) fn extend(
        &mut self,
        file: AtomicFile,
        findings: &[Finding],
        terminal: &Terminal,
    ) -> Result<(), Failure> {
        self.replace(file, self.accepted.extended(findings), terminal)
    }

    /// Writes another baseline in the place of this one, if they differ, and prints how.
    fn replace(&mut self, mut file: AtomicFile, next: Baseline, terminal: &Terminal) -> Result<(), Failure> {
        let place = self.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let changes = [("removed", self.accepted.not_in(&next)), ("added", next.not_in(&self.accepted))];
        let is_changed = changes.iter().any(|(_, entries)| !entries.is_empty());
        if is_changed || self.path.as_ref().is_some_and(|path| !path.exists()) {
            file.write_all(next.render().as_bytes()).and_then(|()| file.flush()).map_err(|error| {
                Failure::Fault(format!("cannot write the baseline: {}", cause::describe(&error)))
            })?;
        }
        self.accepted = next;
        if terminal.quiet {
            return Ok(());
        }
        if !is_changed {
            console::remark(&format!("baseline `{place}`: nothing to change"));
        }
        for (done, entries) in changes.iter().filter(|(_, entries)| !entries.is_empty()) {
            let noun = if entries.len() == 1 { "entry" } else { "entries" };
            let title = format!("baseline `{place}`: {done} {} {noun}", entries.len());
            console::remark(&listed(&title, entries));
        }
        Ok(())
    }
}

/// Names under a title, each on a line of its own.
pub(super) fn listed<T: Display>(title: &str, names: &[T]) -> String {
    let mut text = title.to_owned();
    for name in names.iter().take(LISTED) {
        text.push_str(&format!("\n  {}", name.to_string().replace('\n', " ")));
    }
    if names.len() > LISTED {
        text.push_str(&format!("\n  and {} more", names.len() - LISTED));
    }
    text
}

/// Whether a run was complete, so that a baseline can be updated from it; says so if it was not.
pub(crate) fn is_whole(conclusion: &Conclusion) -> bool {
    let is_whole = conclusion.is_complete();
    if !is_whole {
        console::remark("the baseline is unchanged, because the run did not finish");
    }
    is_whole
}
