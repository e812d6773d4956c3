//! The control of a case, which must succeed before a verdict is fair. It also shows whether a tool takes
//! absolute paths, or only those relative to the server's own folder.

use std::path::Path;

use serde_json::Value;

use crate::class::Class;
use crate::condition::CaseId;
use crate::exchange::{Outcome, Step};
use crate::expectation::Expected;
use crate::judge::has_succeeded;
use crate::plan::{PlannedCall, PlannedScript, ProbedTool, relative};

use super::{Abort, Driver, NumberedSession, Position};
use crate::drive::pool::first_line;

/// The kind of paths that a tool accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paths {
    /// Absolute paths, or none at all: relative ones were tried once and did no better.
    AsTheyAre,
    /// Only paths relative to the server's own folder.
    Relative,
}

impl Driver<'_> {
    /// Sends a case's control; returns its exchange, and the reason if it was refused. A tool that only reads
    /// and refuses an absolute path is tried once more with a path relative to the workspace. A tool that
    /// writes is not: nobody knows into which folder such a path would lead.
    pub(super) async fn control(
        &mut self,
        numbered: &mut NumberedSession,
        call: &PlannedCall,
        case: &CaseId,
        folder: &Path,
    ) -> Result<(usize, Option<String>), Abort> {
        let at = Position { case, step: Step::Control, control: None, follows: None };
        let index = self.watched(numbered, &self.addressed(call), at, folder).await?;
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
        let second = self.watched(numbered, &relative, at, folder).await?;
        if !has_succeeded(&self.pool.exchanges[second], self.contract) {
            return Ok((index, Some(reason)));
        }
        self.tools.paths.insert(call.tool.clone(), Paths::Relative);
        Ok((second, None))
    }

    /// Sends a control and, if it must change a file, records what it changed.
    async fn watched(
        &mut self,
        numbered: &mut NumberedSession,
        call: &PlannedCall,
        at: Position<'_>,
        folder: &Path,
    ) -> Result<usize, Abort> {
        let before = (call.expected == Expected::Changing).then(|| self.snapshots(folder));
        let index = self.send(numbered, call, at).await?;
        if let Some(before) = before {
            self.pool.exchanges[index].changes = self.changes(&before, folder);
        }
        Ok(index)
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
