//! The folder of a case and the one beside the root: made before the case's calls, compared between them.

use std::path::{Path, PathBuf};

use crate::cause;
use crate::exchange::FileChange;
use crate::placeholder::Tokens;
use crate::plan::{PlannedCase, PlannedScript, PlannedStep};
use crate::server::Snapshot;
use crate::suite::FileContent;

use super::{Abort, Driver, RunResources};

/// The contents of a case's own folder and of the one beside the root at one moment.
#[derive(PartialEq)]
pub(super) struct FolderSnapshots {
    folder: Snapshot,
    outside: Snapshot,
}

impl FolderSnapshots {
    pub(super) fn changes(&self, after: &Self) -> Vec<FileChange> {
        let mut changes = self.folder.changes(&after.folder, "{case}", false);
        changes.extend(self.outside.changes(&after.outside, "{outside}", true));
        changes
    }
}

impl Driver<'_> {
    /// Whether a case names the folder beside the root, in a call or as the target of a link.
    pub(super) fn reaches_outside(&self, planned: &PlannedCase, script: &PlannedScript) -> bool {
        let name = Path::new(&self.head.folders.outside).file_name().unwrap_or_default().to_string_lossy();
        let calls = [Some(&script.call), script.control.as_ref()].into_iter().flatten();
        let steps = script.prepare.iter().chain(&script.meanwhile).filter_map(|step| match step {
            PlannedStep::View(call) | PlannedStep::Call(call, _) | PlannedStep::Elsewhere(call, _) => {
                Some(call)
            }
            PlannedStep::RemoveFile(_) => None,
        });
        calls.chain(steps).chain(&script.cleanup).any(|call| call.text.contains(&*name)) || links(planned)
    }

    /// Makes the folder of a case with its files, or moves it into place if it was made ahead of time.
    pub(super) fn lay_out(&self, planned: &PlannedCase) -> Result<PathBuf, Abort> {
        let id = &planned.case.id;
        let RunResources { run_folders, prefetch, .. } = self.resources;
        let folder = run_folders.case_folder(id);
        if prefetch.place(id, &folder) {
            return Ok(folder);
        }
        let name = folder.to_string_lossy().into_owned();
        let denied = self.head.limits.denied_name();
        let tokens = Tokens { folders: &self.head.folders, case: Some(&name), denied: denied.as_deref() };
        let limit = self.head.limits.max_file_size.unwrap_or_default();
        let files = &planned.case.script.files;
        let made = run_folders.lay_out(id, files, limit, &|text| tokens.replace(text));
        made.map_err(|error| {
            Abort::Harness(format!("cannot create the files of {id}: {}", cause::describe(&error)))
        })
    }

    /// The present contents of both folders.
    pub(super) fn snapshots(&self, folder: &Path) -> FolderSnapshots {
        let run_folders = self.resources.run_folders;
        FolderSnapshots {
            folder: run_folders.look(folder),
            outside: run_folders.look(Path::new(&self.head.folders.outside)),
        }
    }

    /// What has changed since `before` in the case's own folder and beside the root.
    pub(super) fn changes(&self, before: &FolderSnapshots, folder: &Path) -> Vec<FileChange> {
        before.changes(&self.snapshots(folder))
    }
}

/// Whether the files of a case include a link, which may lead anywhere.
fn links(planned: &PlannedCase) -> bool {
    planned.case.script.files.iter().any(|file| matches!(file.content, FileContent::Link(_)))
}
