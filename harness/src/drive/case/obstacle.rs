//! The successful call of a tool, sent again while the server can write nothing, open nothing, or not use a file that the
//! call names.
//!
//! A refusal is judged only if the same call succeeds before and after, or if it tells what the system said.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::class::Class;
use crate::exchange::{EnvironmentEffect, FileChange, FileChangeKind, Outcome, Step};
use crate::expectation::Expected;
use crate::json::texts;
use crate::judge::has_succeeded;
use crate::pattern;
use crate::plan::{Obstacle, PlannedProbe, ProbedTool};
use crate::server::{Barred, BarredFiles, LoweredLimit, Scarce, ServerProcesses};
use crate::signature::have_the_same_result;
use crate::suite::FileContent;
use crate::transcript::CaseOutcome;

use super::super::pool::in_words;
use super::find_call::Search;
use super::probe_control::{Found, ProbeControl, Repeatability, SuccessfulCall, Tried};
use super::{Abort, CallBasis, Driver, NumberedSession, Position, unread};

/// A server may write a little later than it answers.
const LATER: Duration = Duration::from_millis(300);

/// What came of the call of one tool.
pub(in crate::drive) enum ObstacleResult {
    /// It is no case: no call is known that succeeds at present, or it succeeds all the same.
    Untold,
    /// The system does not let this program put that in a server's way.
    Impossible,
    Driven(CaseOutcome),
    /// The process had to be replaced, and nothing can be judged. It has an outcome only if the call counts as a case.
    Lost(Option<CaseOutcome>),
}

/// What is in a server's way until this is dropped.
type Put = (Option<LoweredLimit>, Option<BarredFiles>);

impl Driver<'_> {
    /// Sends the successful call of a tool while something is in its way.
    pub(in crate::drive) async fn obstacle(
        &mut self,
        tool: &ProbedTool,
        planned: &PlannedProbe<Obstacle>,
    ) -> ObstacleResult {
        self.case.clone_from(&planned.id);
        let since = self.pool.exchanges.len();
        let (judged, result) = match self.call_meanwhile(tool, planned).await {
            Ok(driven) => driven,
            Err(Abort::Harness(cause)) => (None, ObstacleResult::Driven(CaseOutcome::Errored(cause))),
            Err(Abort::Lost(_) | Abort::PreconditionFailed(_)) => (None, ObstacleResult::Untold),
        };
        self.excuse(since, judged, planned.change);
        if self.pool.exchanges.len() == since {
            return result;
        }
        // What failed halfway, or was killed, leaves files behind that others would run into.
        match self.lay_out_for(tool) {
            Err(Abort::Harness(cause)) => ObstacleResult::Driven(CaseOutcome::Errored(cause)),
            _ => result,
        }
    }

    /// Sends it; also returns the exchange that is judged, if any is.
    async fn call_meanwhile(
        &mut self,
        tool: &ProbedTool,
        planned: &PlannedProbe<Obstacle>,
    ) -> Result<(Option<usize>, ObstacleResult), Abort> {
        let obstacle = planned.change;
        let Some(stand) = self.usable_stand(tool).await? else {
            return Ok((None, ObstacleResult::Untold));
        };
        let (index, has_started) = match self.sent_meanwhile(tool, planned, &stand).await {
            Ok(Ok(sent)) => sent,
            Ok(Err(result)) => return Ok((None, result)),
            Err(Abort::Lost(index)) => {
                let words = in_words(&self.pool.exchanges[index].outcome);
                let why = format!("while {}, {words}", obstacle.says());
                return Ok((None, ObstacleResult::Lost(Some(CaseOutcome::PreconditionFailed(why)))));
            }
            Err(abort) => return Err(abort),
        };
        let exchange = &mut self.pool.exchanges[index];
        // The server was meant to run into this, so it is not the confinement's doing.
        exchange.environment = EnvironmentEffect::None;
        let succeeds = has_succeeded(exchange, self.contract);
        if succeeds && !has_started && self.is_untrue(tool, planned, &stand, index).await? {
            return Ok((Some(index), ObstacleResult::Driven(CaseOutcome::Driven)));
        }
        let exchange = &mut self.pool.exchanges[index];
        // A library that is loaded on first use is opened by no code of the server.
        let is_of_library =
            exchange.outcome.words().into_iter().any(|text| pattern!("cause/library-file").is_match(text));
        if succeeds || is_of_library || unread(&exchange.outcome).is_some() {
            exchange.changes.clear();
            exchange.place.step = Step::Prepare;
            exchange.place.expected = Expected::Anything;
            return Ok((Some(index), ObstacleResult::Untold));
        }
        let succeeds_again = match self.succeeded_now(tool).await {
            Err(Abort::Lost(_)) => false,
            again => again?.is_some(),
        };
        let tells = obstacle == Obstacle::FullDisk && self.tells_of_storage(index);
        if !tells && has_started {
            let why = format!(
                "a program that `{}` starts may have been killed at the limit, where on a full disk it says what is \
                 wrong",
                tool.name
            );
            return Ok((None, ObstacleResult::Driven(CaseOutcome::PreconditionFailed(why))));
        }
        if succeeds_again || tells {
            if succeeds_again {
                self.mark_what_is_kept(tool, index);
            } else {
                // What it keeps may be ruined; a new process may begin anew.
                self.renew().await;
            }
            return Ok((Some(index), ObstacleResult::Driven(CaseOutcome::Driven)));
        }
        let last = self.pool.exchanges.len() - 1;
        self.renew().await;
        if self.are_refused_alike(index, last) {
            // It was refused for what was so before.
            return Ok((None, ObstacleResult::Lost(None)));
        }
        let why = format!(
            "`{}` refused the same call once nothing was in its way, so its refusal may have another cause",
            tool.name
        );
        Ok((None, ObstacleResult::Lost(Some(CaseOutcome::PreconditionFailed(why)))))
    }

    /// Sends the call while that is in its way, and looks for the files that it names. Returns its exchange, and whether a
    /// program of the server was started or ended meanwhile; or the result if nothing could be put in its way.
    async fn sent_meanwhile(
        &mut self,
        tool: &ProbedTool,
        planned: &PlannedProbe<Obstacle>,
        stand: &CallBasis,
    ) -> Result<Result<(usize, bool), ObstacleResult>, Abort> {
        self.untouched = None;
        self.supply(tool, &stand.base);
        self.lay_out_for(tool)?;
        self.call_firsts(tool).await?;
        let mut numbered = self.process().await?;
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        let before = self.snapshots(&folder);
        let files = self.named_files(tool, &stand.base);
        let processes = numbered.session.processes().filter(|_| planned.change == Obstacle::FullDisk);
        let programs = processes.map(ServerProcesses::programs);
        let put = match (planned.change, &files[..]) {
            (Obstacle::Unreadable | Obstacle::Unwritable, []) => Err(ObstacleResult::Untold),
            _ => self.put(planned.change, &numbered, &files).ok_or(ObstacleResult::Impossible),
        };
        let put = match put {
            Ok(put) => put,
            Err(result) => {
                self.pool.running = Some(numbered);
                return Ok(Err(result));
            }
        };
        let call = self.addressed(&tool.call(stand.base.clone(), planned.expected.clone()));
        let at = Position { control: stand.control, ..Step::Call.into() };
        let sent = self.send_to(&mut numbered, &call, at).await;
        drop(put);
        let has_started = programs != processes.map(ServerProcesses::programs);
        let index = self.kept(numbered, sent).await?;
        if !has_started {
            let changes = self.changes(&before, &folder);
            self.pool.exchanges[index].changes = to_what_is_named(changes, &call.arguments);
        }
        Ok(Ok((index, has_started)))
    }

    /// Puts that in the server's way; `None` if the system does not let this program do that.
    fn put(&self, obstacle: Obstacle, numbered: &NumberedSession, files: &[PathBuf]) -> Option<Put> {
        let lowered = |what| numbered.session.processes()?.lower(what).map(|limit| (Some(limit), None));
        let barred = |what| self.resources.run_folders.bar(files, what).ok().map(|files| (None, Some(files)));
        match obstacle {
            Obstacle::NoDescriptors => lowered(Scarce::Descriptors),
            Obstacle::FullDisk => lowered(Scarce::Space),
            Obstacle::Unreadable => barred(Barred::Reading),
            Obstacle::Unwritable => barred(Barred::Writing),
        }
    }

    /// The files in a tool's folder that arguments name.
    fn named_files(&self, tool: &ProbedTool, arguments: &Value) -> Vec<PathBuf> {
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        let is_named =
            |path: &&Path| path.starts_with(&folder) && self.resources.run_folders.text(path).is_some();
        texts(arguments).map(Path::new).filter(is_named).map(Path::to_owned).collect()
    }

    /// Whether other calls show that a success meanwhile is none.
    async fn is_untrue(
        &mut self,
        tool: &ProbedTool,
        planned: &PlannedProbe<Obstacle>,
        stand: &CallBasis,
        index: usize,
    ) -> Result<bool, Abort> {
        let Some(control) = stand.control else { return Ok(false) };
        let shows = |index| self.shows_what_is_in_a_file(tool, stand, index);
        match planned.change {
            Obstacle::FullDisk | Obstacle::Unwritable if tool.class == Class::Write => {
                self.only_claims_to_write(tool, index).await
            }
            Obstacle::FullDisk | Obstacle::Unwritable => Ok(false),
            Obstacle::Unreadable if !shows(control) || shows(index) => Ok(false),
            Obstacle::Unreadable | Obstacle::NoDescriptors => {
                self.has_another_result(tool, [control, index]).await
            }
        }
    }

    /// Whether a call has another result than it had before and has now, as it was then. What changes by itself shows
    /// nothing.
    async fn has_another_result(
        &mut self,
        tool: &ProbedTool,
        [control, index]: [usize; 2],
    ) -> Result<bool, Abort> {
        if self.are_the_same(control, index) {
            return Ok(false);
        }
        let mut now = Vec::new();
        for _ in 0..2 {
            match self.succeeded_now(tool).await {
                Ok(Some(again)) => now.push(again),
                Ok(None) | Err(Abort::Lost(_)) => return Ok(false),
                Err(abort) => return Err(abort),
            }
        }
        let is_steady = self.are_the_same(control, now[0]) && self.are_the_same(now[0], now[1]);
        Ok(is_steady && !self.are_the_same(now[0], index))
    }

    fn are_the_same(&self, one: usize, other: usize) -> bool {
        let exchange = |index: usize| &self.pool.exchanges[index];
        have_the_same_result([exchange(one), exchange(other)], &self.head.folders)
    }

    /// Whether a reply has a line of a file that the call names.
    fn shows_what_is_in_a_file(&self, tool: &ProbedTool, stand: &CallBasis, index: usize) -> bool {
        let reply = self.pool.exchanges[index].outcome.words().concat();
        let files = self.named_files(tool, &stand.base);
        files
            .iter()
            .filter_map(|file| self.resources.run_folders.text(file))
            .any(|text| text.lines().any(|line| !line.trim().is_empty() && reply.contains(line.trim())))
    }

    /// Whether a call that succeeded while nothing could be written has left a file that it names as it was, or empty, and
    /// the same call changes that file now. A server that writes a little later has written it.
    async fn only_claims_to_write(&mut self, tool: &ProbedTool, index: usize) -> Result<bool, Abort> {
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        let exchange = &self.pool.exchanges[index];
        let named: Vec<PathBuf> = texts(&exchange.call.arguments)
            .map(PathBuf::from)
            .filter(|path| path.starts_with(&folder) && *path != folder)
            .collect();
        let has_changed = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            exchange.changes.iter().any(|change| change.path.rsplit('/').next() == Some(&*name))
        };
        let is_changed: Vec<bool> = named.iter().map(|path| has_changed(path)).collect();
        if named.is_empty() {
            return Ok(false);
        }
        tokio::time::sleep(LATER).await;
        let read = |driver: &Self| -> Vec<Option<String>> {
            named.iter().map(|path| driver.resources.run_folders.text(path)).collect()
        };
        let before = read(self);
        if matches!(self.succeeded_now(tool).await, Err(_) | Ok(None)) {
            return Ok(false);
        }
        let after = read(self);
        let is_written = |number: usize| {
            let was = before[number].as_deref().unwrap_or_default();
            let is = after[number].as_deref().unwrap_or_default();
            (was.is_empty() || !is_changed[number]) && !is.is_empty() && is != was
        };
        Ok((0..named.len()).any(is_written))
    }

    /// Marks the files that a refused call has emptied or cut, and of whose contents a call that succeeds keeps some. Its
    /// success has just been seen in the tool's folder.
    fn mark_what_is_kept(&mut self, tool: &ProbedTool, index: usize) {
        let laid = self.tools.files_of(tool);
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        let exchange = &mut self.pool.exchanges[index];
        for change in &mut exchange.changes {
            let Some(path) = change.path.strip_prefix("{case}/") else { continue };
            let text = laid.iter().find_map(|file| match &file.content {
                FileContent::Text(text) if file.path == path => Some(text),
                _ => None,
            });
            let after = self.resources.run_folders.text(&folder.join(path));
            if let (Some(before), Some(after)) = (text, after)
                && keeps_a_line(before, &after, &exchange.call.arguments)
            {
                change.change = FileChangeKind::Lost;
            }
        }
    }

    /// The call to send: one that succeeds at present, if that is known. A server that has lost what it kept may find
    /// it again in a new process.
    async fn usable_stand(&mut self, tool: &ProbedTool) -> Result<Option<CallBasis>, Abort> {
        let Some(found) = self.tools.found_call(&tool.name).cloned() else { return Ok(None) };
        match found.repeatability {
            Repeatability::Spent { .. } => return Ok(None),
            // Each call of it needs another thing, or another name.
            Repeatability::Renamed { .. } | Repeatability::Remade { .. } => {}
            Repeatability::Steady | Repeatability::Untested => {
                if self.succeeded_now(tool).await?.is_none() {
                    let Some(found) = self.succeeds_otherwise(tool, found).await? else {
                        return Ok(None);
                    };
                    self.keep(tool, ProbeControl::Found(found));
                }
            }
        }
        let Some(probe_control) = self.tools.probe_controls.get(&tool.name).cloned() else { return Ok(None) };
        Ok(Some(self.stand(tool, &probe_control).await?))
    }

    /// The tool's call, which has just been refused, as it succeeds in the running process, or as it is in a new one.
    async fn succeeds_otherwise(&mut self, tool: &ProbedTool, found: SuccessfulCall) -> Found {
        let anew = self.found_by(tool, &mut Search::gone(&found)).await?;
        // What a call reads that changes nothing was taken away by another one.
        if anew.is_some() || tool.class == Class::Read {
            return Ok(anew);
        }
        self.renew().await;
        match self.succeeded_now(tool).await? {
            Some(control) => {
                Ok(Some(SuccessfulCall { control, repeatability: Repeatability::Steady, ..found }))
            }
            None => self.found_by(tool, &mut Search::gone(&found)).await,
        }
    }

    /// Sends the tool's call as it can be repeated; the exchange if it succeeds.
    async fn succeeded_now(&mut self, tool: &ProbedTool) -> Result<Option<usize>, Abort> {
        let Some(found) = self.tools.found_call(&tool.name).cloned() else { return Ok(None) };
        let arguments = match found.repeatability {
            Repeatability::Remade { turn } => self.remade(tool, &found, turn).await?,
            _ => self.base(tool, &found),
        };
        let Tried::Succeeded(control) = self.tried(tool, &arguments).await? else { return Ok(None) };
        if found.repeatability == Repeatability::Untested {
            let found = SuccessfulCall { control, repeatability: Repeatability::Steady, ..found };
            self.keep(tool, ProbeControl::Found(found));
        }
        Ok(Some(control))
    }

    /// Whether a refusal, or what the server wrote to its log meanwhile, has the system's words.
    fn tells_of_storage(&self, index: usize) -> bool {
        let exchange = &self.pool.exchanges[index];
        let texts = exchange.outcome.words().into_iter().chain([exchange.stderr.as_str()]);
        texts.into_iter().any(|text| pattern!("cause/disk-full").is_match(text))
    }

    /// Marks what failed since then, but for the exchange that is judged: the server may have lost what it kept.
    fn excuse(&mut self, since: usize, judged: Option<usize>, obstacle: Obstacle) {
        let meanwhile = format!("{} at the time, or shortly before", obstacle.says());
        for exchange in &mut self.pool.exchanges[since..] {
            let is_gone = matches!(exchange.outcome, Outcome::Ended(_) | Outcome::NoReply { .. });
            let is_judged = judged == Some(exchange.index) && !is_gone;
            if !is_judged && !has_succeeded(exchange, self.contract) {
                exchange.environment = EnvironmentEffect::Storage(meanwhile.clone());
            }
        }
    }
}

/// Of these changes those that a call did to files that were there and that it names.
fn to_what_is_named(changes: Vec<FileChange>, arguments: &Value) -> Vec<FileChange> {
    let is_named = |change: &FileChange| {
        let name = change.path.rsplit('/').next().unwrap_or_default();
        texts(arguments).any(|text| text.rsplit(['/', '\\']).next() == Some(name))
    };
    let is_new = |change: &FileChange| matches!(change.change, FileChangeKind::Created { .. });
    changes.into_iter().filter(|change| !is_new(change) && is_named(change)).collect()
}

/// Whether a file still has a line that it had before, and that the call did not send.
fn keeps_a_line(before: &str, after: &str, arguments: &Value) -> bool {
    let is_sent = |line: &str| texts(arguments).any(|text| text.contains(line));
    let lines = || before.lines().map(str::trim).filter(|line| !line.is_empty());
    lines().any(|line| after.lines().any(|kept| kept.trim() == line) && !is_sent(line))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_count_that_were_there_and_that_the_call_names() {
        let change =
            |path: &str, change| FileChange { path: format!("{{case}}/{path}"), change, outside: false };
        let changes = vec![
            change("a.txt", FileChangeKind::Modified),
            change("sub/b.txt", FileChangeKind::Deleted),
            change("server.log", FileChangeKind::Modified),
            change("a.txt.new", FileChangeKind::Created { earlier_content: false }),
        ];
        let call = json!({"path": "/w/a.txt", "edits": [{"file": "sub/b.txt"}], "note": "see server.log."});
        let named = to_what_is_named(changes, &call);
        let paths: Vec<&str> = named.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["{case}/a.txt", "{case}/sub/b.txt"]);
    }

    #[test]
    fn a_call_that_keeps_a_line_it_does_not_send_is_an_edit() {
        let before = "alpha\nbeta\ngamma\n";
        assert!(keeps_a_line(before, "alpha\nBETA\ngamma\n", &json!({"old": "beta", "new": "BETA"})));
        assert!(!keeps_a_line(before, "alpha\n", &json!({"content": "alpha\n"})), "it was sent");
        assert!(!keeps_a_line(before, "", &json!({"content": ""})));
        assert!(!keeps_a_line("\n\n", "\nx\n", &json!({"content": "x"})), "an empty line says nothing");
    }

    #[test]
    fn the_systems_words_for_a_file_that_cannot_be_written_are_known() {
        for text in [
            "[Errno 27] File too large: '/w/notes.json'",
            "EFBIG: file too large, write",
            "(sqlite3.OperationalError) disk I/O error",
            "database or disk is full",
            "cannot save: File too large (os error 27)",
        ] {
            assert!(pattern!("cause/disk-full").is_match(text), "{text}");
        }
        for text in ["no note 27", "the title is too long", "Errno 270", "internal error"] {
            assert!(!pattern!("cause/disk-full").is_match(text), "{text}");
        }
    }
}
