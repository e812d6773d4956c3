//! Driving one probe: the tool's control, once, and then the call with one change in it.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use crate::cause;
use crate::exchange::{Expected, Step};
use crate::expression::expression;
use crate::judge::has_succeeded;
use crate::plan::{PlannedProbe, ProbedTool, role_call};
use crate::roles::Role;
use crate::suite::{Argument, Arguments, CaseId};
use crate::transcript::Course;

use super::control::Paths;
use super::{Driver, Halt, Numbered, Position, Seen, lost};

/// So many ids that the server returned are tried.
const RETURNED: usize = 4;

/// What the probes of a tool stand on.
#[derive(Debug, Clone)]
pub(super) enum Footing {
    /// A call that succeeded: its exchange, and its arguments.
    Found { control: usize, arguments: Value },
    /// None is known, with the reason, and the first that was tried: a probe that is answered in the same words says
    /// nothing of its fault.
    Unknown { why: String, refused: Option<usize> },
}

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
        let (control, base) = match footing {
            Footing::Found { control, arguments } => (Some(*control), arguments.clone()),
            Footing::Unknown { refused, .. } => {
                (*refused, tool.tries.first().cloned().unwrap_or_else(|| json!({})))
            }
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
        // Whatever is expected: a tool that refuses everything shows nothing of this value.
        match footing {
            Footing::Unknown { why, .. } => Ok(Course::Ungrounded(why.clone())),
            Footing::Found { .. } => Ok(Course::Driven),
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

    /// The call of a tool that succeeded; looked for once.
    async fn footing(&mut self, tool: &ProbedTool, case: &CaseId) -> Result<Footing, Halt> {
        if let Some(footing) = self.footings.get(&tool.name) {
            return Ok(footing.clone());
        }
        self.untouched = None;
        let (mut why, mut refused) = (None, None);
        let returned = self.returned_tasks(tool, case).await?;
        let tries: Vec<Value> = returned.into_iter().chain(tool.tries.iter().cloned()).collect();
        let relative = self.relative_tries(tool, &tries);
        let tries = tries.into_iter().map(|arguments| (arguments, false));
        for (arguments, is_relative) in tries.chain(relative.into_iter().map(|arguments| (arguments, true))) {
            self.lay_out_for(tool)?;
            let mut numbered = self.process().await?;
            let call = self.addressed(&tool.call(arguments.clone(), Expected::Anything));
            let at = Position { case, step: Step::Control, control: None, follows: None };
            let sent = self.send(&mut numbered, &call, at).await;
            let (index, is_lost) = match self.kept(numbered, sent).await {
                Ok(index) => (index, false),
                Err(Halt::Lost(index)) => (index, true),
                Err(halt) => return Err(halt),
            };
            if has_succeeded(&self.pool.exchanges[index], self.contract) {
                if is_relative {
                    self.paths.insert(tool.name.clone(), Paths::Relative);
                }
                let footing = Footing::Found { control: index, arguments };
                self.footings.insert(tool.name.clone(), footing.clone());
                return Ok(footing);
            }
            refused = refused.or(Some(index));
            let reply = self.failed_in_words(index);
            why.get_or_insert_with(|| {
                format!(
                    "no valid call known for `{0}` (`[tools.{0}] valid` may name one): {reply}",
                    tool.name
                )
            });
            if is_lost {
                break;
            }
        }
        let why = why.unwrap_or_else(|| {
            format!(
                "no valid call known for `{}`: none may be sent to a tool of class {}",
                tool.name, tool.class
            )
        });
        let footing = Footing::Unknown { why, refused };
        self.footings.insert(tool.name.clone(), footing.clone());
        Ok(footing)
    }

    /// For the tool that tells the output of a background task: arguments with the ids that the server returns when a
    /// task is started. The task does nothing.
    async fn returned_tasks(&mut self, tool: &ProbedTool, case: &CaseId) -> Result<Vec<Value>, Halt> {
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

    fn lay_out_for(&self, tool: &ProbedTool) -> Result<(), Halt> {
        let made = self.surroundings.sandbox.lay_out(&tool.folder, &tool.files, 0, &str::to_owned);
        made.map(drop).map_err(|error| {
            Halt::Harness(format!("the files of {} could not be made: {}", tool.folder, cause::of(&error)))
        })
    }

    async fn process(&mut self) -> Result<Numbered, Halt> {
        self.pool.shared().await.map_err(|cause| {
            let reason = format!("no further process could be started: {cause}");
            self.lost = Some(reason.clone());
            Halt::Harness(reason)
        })
    }

    /// Gives the process back, or ends it where the call was lost.
    async fn kept(&mut self, numbered: Numbered, sent: Result<usize, Halt>) -> Result<usize, Halt> {
        match &sent {
            Err(Halt::Lost(_)) => numbered.session.kill().await,
            _ => self.pool.give_back(numbered),
        }
        sent
    }
}
