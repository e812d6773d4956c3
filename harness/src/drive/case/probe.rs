//! Driving one probe: the tool's control, once, and then the call with one change in it.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use crate::cause;
use crate::exchange::Step;
use crate::expression::expression;
use crate::judge::has_succeeded;
use crate::plan::{PlannedProbe, ProbedTool, role_call};
use crate::roles::Role;
use crate::suite::{Argument, Arguments, CaseId};
use crate::transcript::Course;

use super::footing::Footing;
use super::{Driver, Halt, Numbered, Position, Seen, lost};

/// So many ids that the server returned are tried.
const RETURNED: usize = 4;

/// What stands in the folders of a tool's probes, where nothing has touched them since they were made.
pub(super) struct Untouched {
    tool: String,
    seen: Seen,
}

impl Driver<'_> {
    /// Drives one probe.
    pub(in crate::drive) async fn probe(&mut self, tool: &ProbedTool, probe: &PlannedProbe) -> Course {
        let course = match self.footing(tool, &probe.id).await {
            Ok(footing) => self.broken_call(tool, probe, &footing).await,
            Err(halt) => Err(halt),
        };
        match course {
            Ok(course) => course,
            Err(Halt::Ungrounded(reason)) => Course::Ungrounded(reason),
            Err(Halt::Lost(index)) => lost(&self.pool.exchanges[index]),
            Err(Halt::Harness(cause)) => Course::Errored(cause),
        }
    }

    async fn broken_call(
        &mut self,
        tool: &ProbedTool,
        probe: &PlannedProbe,
        footing: &Footing,
    ) -> Result<Course, Halt> {
        let found = match footing {
            Footing::Found(found) => Some(self.tested(tool, &probe.id, found.clone()).await?),
            Footing::Unknown { .. } => None,
        };
        let (control, base) = match (&found, footing) {
            (Some(found), _) => (Some(found.control), self.base(tool, found)),
            (None, Footing::Unknown { refused, .. }) => (*refused, first_try(tool)),
            (None, Footing::Found(_)) => (None, first_try(tool)),
        };
        let folder = self.surroundings.sandbox.case_folder(&tool.folder);
        let before = self.untouched_files(tool, &folder)?;
        let mut numbered = self.process().await?;
        let call = self.addressed(&tool.broken(probe, &base));
        let at = Position { case: &probe.id, step: Step::Call, control, follows: None };
        let sent = self.send(&mut numbered, &call, at).await;
        let sent = self.kept(numbered, sent).await?;
        let after = self.snapshots(&folder);
        self.pool.exchanges[sent].changes = before.changes(&after);
        if before == after {
            self.untouched = Some(Untouched { tool: tool.name.clone(), seen: after });
        } else {
            self.surroundings.sandbox.reset_outside().map_err(|error| Halt::Harness(error.to_string()))?;
        }
        if let Some(what) = self.pool.exchanges[sent].wall.refused() {
            return Ok(Course::Ungrounded(what.to_owned()));
        }
        // Whatever is expected: a tool that refuses everything shows nothing of this value.
        let refused = match (found, footing) {
            (None, Footing::Unknown { why, .. }) => return Ok(Course::Ungrounded(why.clone())),
            (found, _) => found.and_then(|found| found.standing.refused()),
        };
        match refused.filter(|refused| self.are_refused_alike(*refused, sent)) {
            None => Ok(Course::Driven),
            Some(refused) => {
                self.pool.exchanges[sent].place.control = Some(refused);
                Ok(Course::Ungrounded(format!(
                    "`{}` refused this call in the words in which it refuses a call that it has accepted before: they \
                     tell nothing of the fault",
                    tool.name
                )))
            }
        }
    }

    /// Makes the files of a tool's probes, unless the last probe is known to have left them as they were, and tells what
    /// stands there.
    fn untouched_files(&mut self, tool: &ProbedTool, folder: &Path) -> Result<Seen, Halt> {
        if let Some(untouched) = self.untouched.take().filter(|untouched| untouched.tool == tool.name) {
            return Ok(untouched.seen);
        }
        self.lay_out_for(tool)?;
        self.surroundings.sandbox.reset_outside().map_err(|error| Halt::Harness(error.to_string()))?;
        Ok(self.snapshots(folder))
    }

    /// For the tool that tells the output of a background task: arguments with the ids that the server returns when a
    /// task is started. The task does nothing.
    pub(super) async fn returned_tasks(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
    ) -> Result<Vec<Value>, Halt> {
        static ID: LazyLock<Regex> = LazyLock::new(|| expression(r"[A-Za-z0-9][A-Za-z0-9_-]*"));
        let Some(parameter) = &tool.takes_task else { return Ok(Vec::new()) };
        let shell = self.head.bindings.iter().find(|binding| binding.role == Role::Shell);
        let nothing = [("command", json!("true")), ("background", json!(true))];
        let nothing = nothing.map(|(name, value)| (name.to_owned(), Argument::Json(value)));
        let Some(start) = shell.and_then(|shell| role_call(shell, &Arguments(nothing.into()))) else {
            return Ok(Vec::new());
        };
        let mut numbered = self.process().await?;
        let at = Position { case, step: Step::Prepare, control: None, follows: None };
        let sent = self.send(&mut numbered, &start, at).await;
        let index = self.kept(numbered, sent).await?;
        let started = &self.pool.exchanges[index];
        if !has_succeeded(started, self.contract) {
            return Ok(Vec::new());
        }
        let texts = started.outcome.texts();
        let words = texts.iter().flat_map(|text| ID.find_iter(text)).map(|found| found.as_str());
        let ids = words.filter(|id| id.contains(|letter: char| letter.is_ascii_digit())).take(RETURNED);
        Ok(ids.map(|id| json!({ parameter: id })).collect())
    }

    pub(super) fn lay_out_for(&self, tool: &ProbedTool) -> Result<(), Halt> {
        let made = self.surroundings.sandbox.lay_out(&tool.folder, &tool.files, 0, &str::to_owned);
        made.map(drop).map_err(|error| {
            Halt::Harness(format!("the files of {} could not be made: {}", tool.folder, cause::of(&error)))
        })
    }

    pub(super) async fn process(&mut self) -> Result<Numbered, Halt> {
        self.pool.shared().await.map_err(|cause| {
            let reason = format!("no further process could be started: {cause}");
            self.lost = Some(reason.clone());
            Halt::Harness(reason)
        })
    }

    /// Gives the process back, or ends it where the call was lost.
    pub(super) async fn kept(
        &mut self,
        numbered: Numbered,
        sent: Result<usize, Halt>,
    ) -> Result<usize, Halt> {
        match &sent {
            Err(Halt::Lost(_)) => numbered.session.kill().await,
            _ => self.pool.give_back(numbered),
        }
        sent
    }
}

/// The arguments that are tried first.
fn first_try(tool: &ProbedTool) -> Value {
    tool.tries.first().cloned().unwrap_or_else(|| json!({}))
}
