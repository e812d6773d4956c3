//! What surrounds the call of a case of the suite: its folder, the steps before it, the control, and what is sent so that
//! nothing of the case is left on the server.
//!
//! The control must succeed before a verdict is fair. It also shows whether a tool takes absolute paths, or only those
//! relative to the server's own folder.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::catalog::Tool;
use crate::cause;
use crate::class::Class;
use crate::drive::pool::first_line;
use crate::exchange::{FileChange, FileChangeKind, Outcome, Step};
use crate::expectation::Expected;
use crate::json::texts;
use crate::judge::{has_succeeded, lists_bounds};
use crate::placeholder::Tokens;
use crate::plan::{PlannedCall, PlannedCase, PlannedScript, PlannedStep, ProbedTool, relative};
use crate::server::Snapshot;
use crate::suite::{File, FileContent};
use crate::transcript::CaseOutcome;
use crate::wording::task_id;
use crate::words;

use super::{Abort, Driver, NumberedSession};

/// A shorter name could be that of any file.
const TELLING: usize = 4;

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

/// The kind of paths that a tool accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paths {
    /// Absolute paths, or none at all: relative ones were tried once and did no better.
    AsTheyAre,
    /// Only paths relative to the server's own folder.
    Relative,
}

impl Driver<'_> {
    /// Takes each step; returns the process, and the last task that was started in another session, if any.
    pub(super) async fn steps(
        &mut self,
        folder: &Path,
        steps: &[PlannedStep],
    ) -> Result<Option<(NumberedSession, String)>, Abort> {
        let mut elsewhere = None;
        for step in steps {
            match step {
                PlannedStep::Elsewhere(call, times) => {
                    elsewhere = Some(self.elsewhere(call, *times).await?);
                }
                PlannedStep::View(call) => {
                    self.send(call, Step::Prepare).await?;
                }
                PlannedStep::Call(call, times) => {
                    for _ in 0..*times {
                        let index = self.send(call, Step::Prepare).await?;
                        if !has_succeeded(&self.pool.exchanges[index], self.contract) {
                            return Err(self.unprepared(index));
                        }
                    }
                }
                PlannedStep::RemoveFile(path) => {
                    let removed = self.resources.run_folders.remove_file(&folder.join(path));
                    removed.map_err(|error| {
                        Abort::Harness(format!("cannot delete {path}: {}", cause::describe(&error)))
                    })?;
                }
            }
        }
        Ok(elsewhere)
    }

    /// Starts tasks in another session; returns its process, which keeps running, and the id of the last task.
    async fn elsewhere(
        &mut self,
        call: &PlannedCall,
        times: u64,
    ) -> Result<(NumberedSession, String), Abort> {
        let opened = self.pool.open().await;
        let (mut other, _) = opened
            .map_err(|cause| Abort::PreconditionFailed(format!("cannot open another session: {cause}")))?;
        let mut task = None;
        for _ in 0..times {
            let index = self.send_to(&mut other, call, Step::Prepare).await?;
            let exchange = &self.pool.exchanges[index];
            if !has_succeeded(exchange, self.contract) {
                return Err(self.unprepared(index));
            }
            task = task_id::in_reply(&exchange.outcome);
        }
        let task = task.ok_or_else(|| {
            Abort::PreconditionFailed(
                "the reply to starting a background task has no recognisable id".to_owned(),
            )
        })?;
        Ok((other, task))
    }

    fn unprepared(&self, index: usize) -> Abort {
        Abort::PreconditionFailed(self.reason("a preparation step did not succeed", index))
    }

    /// Calls the tool that lists the folders the server may touch, if there is one; once. The tool must be of class read and
    /// have no required parameter: one that sets bounds is not called.
    pub(super) async fn ask_for_bounds(&mut self) -> Result<(), Abort> {
        let only_lists = |tool: &Tool| lists_bounds(&tool.name) && tool.required().next().is_none();
        let Some(lister) = self.reader_that(only_lists).map(str::to_owned) else { return Ok(()) };
        if !self.pool.exchanges.iter().any(|exchange| exchange.tool() == Some(&lister)) {
            self.asked_for_list(&lister, Step::Prepare, Expected::Anything).await?;
        }
        Ok(())
    }

    /// Sends the calls that release what the case took from the server. State may outlive a process, so if it is gone they go
    /// to a new one.
    pub(super) async fn clean_up(&mut self, script: &PlannedScript, outcome: &Result<CaseOutcome, Abort>) {
        let is_gone = matches!(outcome, Err(Abort::Lost(_)));
        if is_gone {
            // It still runs if another session was lost.
            if let Some(numbered) = self.pool.running.take() {
                numbered.session.kill().await;
            }
            if script.cleanup.is_empty() {
                return;
            }
            let Ok((fresh, _)) = self.pool.open().await else { return };
            self.pool.running = Some(fresh);
        }
        for call in &script.cleanup {
            if self.send(&self.addressed(call), Step::Cleanup).await.is_err() {
                break;
            }
        }
        if is_gone {
            self.pool.renew().await;
        }
    }

    /// Deletes the folder of a case that contains links or bytes that are not text: a tool that walks through
    /// the workspace may stumble over them, and every later call would fail for that reason. A case whose fault
    /// is in these files sends nothing there again.
    pub(super) fn take_away(&self, planned: &PlannedCase) {
        let stumbling = |file: &File| matches!(file.content, FileContent::Link(_) | FileContent::Hex(_));
        if planned.case.script.files.iter().any(stumbling) {
            let run_folders = self.resources.run_folders;
            // What cannot be deleted costs a verdict at most, and goes with the workspace.
            let _ = run_folders.take_away(&run_folders.case_folder(&planned.case.id));
        }
    }

    /// Whether a case names the folder beside the root, in a call or as the target of a link.
    pub(super) fn reaches_outside(&self, planned: &PlannedCase, script: &PlannedScript) -> bool {
        let name = Path::new(&self.head.folders.outside).file_name().unwrap_or_default().to_string_lossy();
        script.calls().any(|call| call.text.contains(&*name)) || links(planned)
    }

    /// Makes the folder of a case with its files.
    pub(super) fn lay_out(&self, planned: &PlannedCase) -> Result<PathBuf, Abort> {
        let id = &planned.case.id;
        let run_folders = self.resources.run_folders;
        let folder = run_folders.case_folder(id);
        let name = folder.to_string_lossy();
        let denied = self.head.limits.denied_name();
        let tokens = Tokens { folders: &self.head.folders, case: Some(&name), denied: denied.as_deref() };
        let limit = self.head.limits.max_file_size.unwrap_or_default();
        let files = &planned.case.script.files;
        let made = run_folders.lay_out(id, files, limit, &|text| tokens.replace(text));
        made.map_err(|error| {
            Abort::Harness(format!("cannot create the files of {id}: {}", cause::describe(&error)))
        })
    }

    /// Makes the folder beside the root anew.
    pub(super) fn reset_outside(&self) -> Result<(), Abort> {
        self.resources.run_folders.reset_outside().map_err(|error| Abort::Harness(error.to_string()))
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

    /// The files of the workspace that are in no case's folder.
    pub(super) fn files_beside_cases(&self) -> Snapshot {
        self.resources.run_folders.look_beside_cases()
    }

    /// Records which of these files the call created or deleted, if its arguments name them. A server may change others for its own ends.
    pub(super) fn note_changes_beside(&mut self, before: &Snapshot, index: usize) {
        let changes = before.changes(&self.files_beside_cases(), "{workspace}", false);
        let exchange = &mut self.pool.exchanges[index];
        exchange
            .changes
            .extend(changes.into_iter().filter(|change| is_named(change, &exchange.call.arguments)));
    }

    /// Sends a case's control; returns its exchange, and the reason if it was refused. A tool that only reads
    /// and refuses an absolute path is tried once more with a path relative to the workspace. A tool that
    /// writes is not: nobody knows into which folder such a path would lead.
    pub(super) async fn control(
        &mut self,
        call: &PlannedCall,
        folder: &Path,
    ) -> Result<(usize, Option<String>), Abort> {
        let index = self.watched(&self.addressed(call), folder).await?;
        if has_succeeded(&self.pool.exchanges[index], self.contract) {
            return Ok((index, None));
        }
        let reason = match self.changed_nothing(index) {
            true => unseen(&call.tool),
            false => match self.untold(index) {
                Some(text) => left_undone(text, &self.pool.exchanges[index].outcome),
                None => self.reason("the control did not succeed", index),
            },
        };
        let relative = call.relative(&self.head.folders.workspace);
        if relative.arguments == call.arguments || !self.may_take_relative(&call.tool) {
            return Ok((index, Some(reason)));
        }
        self.tools.paths.insert(call.tool.clone(), Paths::AsTheyAre);
        let second = self.watched(&relative, folder).await?;
        if !has_succeeded(&self.pool.exchanges[second], self.contract) {
            return Ok((index, Some(reason)));
        }
        self.tools.paths.insert(call.tool.clone(), Paths::Relative);
        Ok((second, None))
    }

    /// Sends a control and, if it must change a file, records what it changed.
    async fn watched(&mut self, call: &PlannedCall, folder: &Path) -> Result<usize, Abort> {
        match call.expected {
            Expected::Changing => self.send_watched(call, Step::Control, folder).await,
            _ => self.send(call, Step::Control).await,
        }
    }

    /// Whether a control fails only because it changed no file.
    fn changed_nothing(&self, index: usize) -> bool {
        let mut exchange = self.pool.exchanges[index].clone();
        let is_watched = exchange.place.expected == Expected::Changing && exchange.changes.is_empty();
        exchange.place.expected = Expected::Anything;
        is_watched && has_succeeded(&exchange, self.contract)
    }

    /// The text that a control's reply lacks, if it fails only because of that.
    fn untold(&self, index: usize) -> Option<&str> {
        let exchange = &self.pool.exchanges[index];
        let Expected::Telling(text) = &exchange.place.expected else { return None };
        let mut bare = exchange.clone();
        bare.place.expected = Expected::Anything;
        has_succeeded(&bare, self.contract).then_some(text)
    }

    /// The call with its paths in the form that its tool accepts.
    pub(super) fn addressed(&self, call: &PlannedCall) -> PlannedCall {
        match self.tools.paths.get(&call.tool) {
            Some(Paths::Relative) => call.relative(&self.head.folders.workspace),
            Some(Paths::AsTheyAre) | None => call.clone(),
        }
    }

    /// The script with the paths of every call in the form that its tool accepts.
    pub(super) fn addressed_script(&self, script: &PlannedScript) -> PlannedScript {
        let mut script = script.clone();
        script.call = self.addressed(&script.call);
        for call in &mut script.again {
            *call = self.addressed(call);
        }
        script
    }

    /// The tries with relative paths, for a tool that only reads and may accept these.
    pub(super) fn relative_tries(&self, tool: &ProbedTool, tries: &[Value]) -> Vec<Value> {
        if !self.may_take_relative(&tool.name) {
            return Vec::new();
        }
        let differ =
            tries.iter().map(|arguments| (arguments, relative(arguments, &self.head.folders.workspace)));
        differ.filter(|(arguments, relative)| *arguments != relative).map(|(_, relative)| relative).collect()
    }

    /// Whether a tool only reads and nothing is known yet about the paths it accepts.
    fn may_take_relative(&self, tool: &str) -> bool {
        let only_reads = |name: &str| {
            self.head.catalog.tool(name).is_some_and(|tool| Class::from_tool(tool) == Class::Read)
        };
        !self.tools.paths.contains_key(tool) && only_reads(tool)
    }
}

/// Whether a file came or went that a call names, with or without its ending: for the title `alpha` `notes/alpha.md`.
fn is_named(change: &FileChange, arguments: &Value) -> bool {
    let name = change.path.rsplit('/').next().unwrap_or_default();
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let has_name = |text: &str| {
        let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
        last.len() >= TELLING && (last == name || last == stem)
    };
    let is_temporary = ending.split('.').any(|part| words!("names/temporary-endings").contains(&part));
    change.change != FileChangeKind::Modified && !is_temporary && texts(arguments).any(has_name)
}

/// Whether the files of a case include a link, which may lead anywhere.
fn links(planned: &PlannedCase) -> bool {
    planned.case.script.files.iter().any(|file| matches!(file.content, FileContent::Link(_)))
}

/// Why a control that succeeded without showing what it was asked for proves nothing.
fn left_undone(text: &str, outcome: &Outcome) -> String {
    let reply = first_line(outcome.texts().first().copied().unwrap_or("(no text)"));
    format!(
        "the control succeeded but its reply does not contain `{text}`, so that the tool did something else than it was \
         asked to, or does not show what came of it: {reply}"
    )
}

/// Why a control that succeeded without changing anything proves nothing.
fn unseen(tool: &str) -> String {
    format!(
        "the control succeeded but changed no file: either `{tool}` works on files that this program does \
         not see (in a container, or under a root of its own), or it does not do what it says"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_counts_that_came_or_went_and_that_the_call_names() {
        let made = FileChangeKind::Created { earlier_content: false };
        let named = |path: &str, kind| {
            let change = FileChange { path: format!("{{workspace}}/{path}"), change: kind, outside: false };
            is_named(&change, &json!({"title": "alpha", "path": "/w/probe/report.txt", "kind": "db"}))
        };
        for path in ["notes/alpha.md", "alpha", "report.txt"] {
            assert!(named(path, made) && named(path, FileChangeKind::Deleted), "{path}");
        }
        for path in ["alpha.md.tmp", "alpha.lock", "report.md", "db", "server.log", "alphabet.md"] {
            assert!(!named(path, made), "{path}");
        }
        assert!(!named("notes/alpha.md", FileChangeKind::Modified), "it may count how often it was tried");
    }
}
