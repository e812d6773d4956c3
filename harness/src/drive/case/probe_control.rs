//! The control of a tool's probes: a call that succeeded, whether it succeeds again, and what else a session has learnt
//! about each tool.
//!
//! The main types are [`ProbeControl`] and [`ToolMemory`].

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::class::Class;
use crate::exchange::{Outcome, Step};
use crate::expectation::Expected;
use crate::judge::{has_succeeded, no_valid_call};
use crate::plan::{PlannedCall, ProbedTool};
use crate::signature::reply_signature;
use crate::suite::File;
use crate::wording::vague::is_null;

use super::find_call::Search;
use super::learnt_values::LearntCall;
use super::scenario::Paths;
use super::{Abort, Driver, Position};

/// At most this many calls are derived from a tool's refusals.
const MAX_REPAIRS: usize = 5;

/// The control of a tool's probes.
#[derive(Debug, Clone)]
pub(super) enum ProbeControl {
    /// A call that succeeded.
    Found(SuccessfulCall),
    /// No successful call is known, with the reason and the first call tried: a probe refused in the same words
    /// as that one says nothing about its own fault.
    Unknown { why: String, refused: Option<usize> },
}

/// A call that succeeded.
#[derive(Debug, Clone)]
pub(super) struct SuccessfulCall {
    pub(super) control: usize,
    pub(super) arguments: Value,
    pub(super) repeatability: Repeatability,
}

impl SuccessfulCall {
    /// A call that has not been sent again yet.
    pub(super) fn new(control: usize, arguments: Value) -> Self {
        Self { control, arguments, repeatability: Repeatability::Untested }
    }
}

/// What a search for a call that succeeds found, if anything.
pub(super) type Found = Result<Option<SuccessfulCall>, Abort>;

/// Whether a call that succeeded succeeds again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeatability {
    /// It has not been sent again.
    Untested,
    /// It succeeds again.
    Steady,
    /// It succeeds with another name for the thing it creates. Sent again unchanged, it was refused.
    Renamed { refused: usize },
    /// It succeeds with a new thing created before it. `turn` is which value in the creator's reply names that
    /// thing.
    Remade { turn: usize },
    /// It does not succeed again; `refused` is the exchange that shows it.
    Spent { refused: usize },
}

impl Repeatability {
    /// The exchange in which a call that had succeeded before was refused.
    pub(super) fn refused(self) -> Option<usize> {
        match self {
            Self::Untested | Self::Steady | Self::Remade { .. } => None,
            Self::Renamed { refused } | Self::Spent { refused } => Some(refused),
        }
    }
}

/// The result of trying a control.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tried {
    Succeeded(usize),
    Refused(usize),
    /// The process was lost, as this exchange shows.
    Lost(usize),
}

impl Tried {
    /// The exchange of the call that succeeded, or else that of the refused one.
    ///
    /// # Errors
    /// When the process was lost.
    pub(super) fn unless_lost(self) -> Result<Result<usize, usize>, Abort> {
        match self {
            Self::Succeeded(index) => Ok(Ok(index)),
            Self::Refused(index) => Ok(Err(index)),
            Self::Lost(index) => Err(Abort::Lost(index)),
        }
    }
}

/// How far the repair of refused calls of a tool has come.
#[derive(Debug)]
pub(super) struct RepairProgress {
    pub(super) left: usize,
    /// The arguments that were sent, as text.
    pub(super) seen: HashSet<String>,
    /// The tools that refusals said must be called first.
    pub(super) followed: Vec<String>,
}

impl Default for RepairProgress {
    fn default() -> Self {
        Self { left: MAX_REPAIRS, seen: HashSet::new(), followed: Vec::new() }
    }
}

/// What a session has learnt about each tool.
#[derive(Default)]
pub(super) struct ToolMemory {
    /// By tool, the control of its probes.
    pub(super) probe_controls: HashMap<String, ProbeControl>,
    /// By tool, the exchanges in which a control was refused when it was sent again.
    pub(super) refused_again: HashMap<String, Vec<usize>>,
    /// Tools for which no more calls are drawn.
    pub(super) given_up: HashSet<String>,
    /// Tools that accepted a call that they had to refuse, without confinement: they get no more of these.
    pub(super) taken: HashSet<String>,
    /// By tool, the kind of paths that it accepts.
    pub(super) paths: HashMap<String, Paths>,
    /// By tool, the files laid out besides those of its probes, because its messages asked for them.
    pub(super) supplied: HashMap<String, Vec<File>>,
    /// By tool, how many unusual calls were sent without a known successful call.
    pub(super) baseless: HashMap<String, usize>,
    /// By tool, how many calls that ended a process were sent to a new one.
    pub(super) ended: HashMap<String, usize>,
    /// Whether a tool did not answer a call with a pipe to which nobody writes.
    pub(super) waits_for_pipe: bool,
}

impl ToolMemory {
    /// The call of a tool that succeeded, if one is known.
    pub(super) fn found_call(&self, tool: &str) -> Option<&SuccessfulCall> {
        match self.probe_controls.get(tool)? {
            ProbeControl::Found(found) => Some(found),
            ProbeControl::Unknown { .. } => None,
        }
    }

    /// The files in the folder of a tool.
    pub(super) fn files_of(&self, tool: &ProbedTool) -> Vec<File> {
        let supplied = self.supplied.get(&tool.name).into_iter().flatten();
        tool.files.iter().chain(supplied).cloned().collect()
    }
}

impl Driver<'_> {
    /// The successful call of a tool. It is looked for once, and if calls can be drawn, once more in a later
    /// turn when more of the server's values are known.
    pub(super) async fn probe_control(&mut self, tool: &ProbedTool) -> Result<ProbeControl, Abort> {
        self.firsts.meet(tool);
        let known = self.tools.probe_controls.get(&tool.name).cloned();
        match known {
            Some(ProbeControl::Unknown { why, refused })
                if self.draws.is_some() && !self.tools.given_up.contains(&tool.name) =>
            {
                self.tools.given_up.insert(tool.name.clone());
                let mut search = Search::later(tool, refused);
                return Ok(match self.found_by(tool, &mut search).await? {
                    Some(found) => self.keep(tool, ProbeControl::Found(found)),
                    None => ProbeControl::Unknown { why, refused },
                });
            }
            Some(ProbeControl::Found(found)) => {
                // What it depends on may be gone with the process in which it succeeded.
                if self.pool.number() != Some(self.pool.exchanges[found.control].process) {
                    self.doubt(tool);
                }
                return Ok(self.tools.probe_controls[&tool.name].clone());
            }
            Some(probe_control) => return Ok(probe_control),
            None => {}
        }
        let found = self.searched(tool).await?;
        Ok(self.keep(tool, found))
    }

    /// Looks for a call that succeeds.
    async fn searched(&mut self, tool: &ProbedTool) -> Result<ProbeControl, Abort> {
        self.untouched = None;
        let returned = self.returned_tasks(tool).await?;
        let mut tries: Vec<Value> = returned.into_iter().chain(tool.tries.iter().cloned()).collect();
        // The first try may be the user's own, and the only one that may be sent.
        let known = tries.first().and_then(|first| self.of_others(tool, first));
        let known = known.filter(|known| !tries.contains(known));
        let has_known = known.is_some();
        if let Some(known) = known {
            tries.insert(1, known);
        }
        let mut search = Search::at_first(tries, has_known);
        Ok(match self.found_by(tool, &mut search).await? {
            Some(found) => ProbeControl::Found(self.beyond_null(tool, found).await?),
            None => self.unknown(tool, &search.refused),
        })
    }

    /// A call with listed values in place of one that succeeded with `null`: that one may be about a thing that does not exist.
    async fn beyond_null(
        &mut self,
        tool: &ProbedTool,
        found: SuccessfulCall,
    ) -> Result<SuccessfulCall, Abort> {
        if tool.class != Class::Read || !is_null(&self.pool.exchanges[found.control].outcome) {
            return Ok(found);
        }
        for arguments in self.with_listed(tool, found.control) {
            match self.tried(tool, &arguments).await? {
                Tried::Succeeded(control) if !is_null(&self.pool.exchanges[control].outcome) => {
                    return Ok(SuccessfulCall::new(control, arguments));
                }
                Tried::Lost(_) => break,
                Tried::Succeeded(_) | Tried::Refused(_) => {}
            }
        }
        Ok(found)
    }

    /// The result if no successful call is known, with the reason taken from the first refusal.
    fn unknown(&self, tool: &ProbedTool, refused: &[usize]) -> ProbeControl {
        let first = refused.first().copied();
        let why = first.map_or_else(
            || {
                format!(
                    "`{}` is a tool of class {}, so no call that could succeed was sent",
                    tool.name, tool.class
                )
            },
            |index| self.no_valid_call(tool, index),
        );
        ProbeControl::Unknown { why, refused: first }
    }

    /// Why a tool's probes have no control, by the outcome of a call that was tried.
    fn no_valid_call(&self, tool: &ProbedTool, index: usize) -> String {
        if let Some(cause) = self.pool.exchanges[index].environment.cause() {
            return format!("no valid call is known for `{}`: {cause}", tool.name);
        }
        format!("{}{}", no_valid_call(&tool.name), self.failed_in_words(index))
    }

    pub(super) fn keep(&mut self, tool: &ProbedTool, probe_control: ProbeControl) -> ProbeControl {
        self.tools.probe_controls.insert(tool.name.clone(), probe_control.clone());
        probe_control
    }

    /// Sends one control; if calls are drawn, records the values in its reply.
    pub(super) async fn tried(&mut self, tool: &ProbedTool, arguments: &Value) -> Result<Tried, Abort> {
        self.check_allowance()?;
        let asked_before = self.asked();
        let sent = self.placed(tool, tool.call(arguments.clone(), Expected::Anything), Step::Control).await;
        self.note_asking(tool, arguments, asked_before);
        let index = match sent {
            Ok(index) => index,
            Err(Abort::Lost(index)) => return Ok(Tried::Lost(index)),
            Err(abort) => return Err(abort),
        };
        let exchange = &self.pool.exchanges[index];
        if !has_succeeded(exchange, self.contract) {
            return Ok(Tried::Refused(index));
        }
        if let Outcome::Result(reply) = &exchange.outcome {
            let call = LearntCall {
                folder: tool.folder.clone(),
                arguments: arguments.clone(),
                reply: reply.clone(),
            };
            self.learn(&tool.name, call);
        }
        self.note_made(tool, arguments);
        Ok(Tried::Succeeded(index))
    }

    /// Sends a call of a tool after laying out its files and calling the tools that must come first.
    pub(super) async fn placed(
        &mut self,
        tool: &ProbedTool,
        call: PlannedCall,
        at: impl Into<Position>,
    ) -> Result<usize, Abort> {
        self.untouched = None;
        self.supply(tool, &call.arguments);
        self.lay_out_for(tool)?;
        self.call_firsts(tool).await?;
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        let before = self.is_watched(tool).then(|| self.snapshots(&folder));
        let sent = self.send(&self.addressed(&call), at).await;
        self.makers.changes = before.map(|before| self.changes(&before, &folder)).unwrap_or_default();
        sent
    }

    /// The control with its repeatability tested: a call that creates or deletes something may not succeed
    /// twice.
    pub(super) async fn tested(
        &mut self,
        tool: &ProbedTool,
        found: SuccessfulCall,
    ) -> Result<SuccessfulCall, Abort> {
        if self.draws.is_none() || found.repeatability != Repeatability::Untested {
            return Ok(found);
        }
        let tested = match self.tried(tool, &found.arguments).await?.unless_lost()? {
            Ok(control) => SuccessfulCall { control, repeatability: Repeatability::Steady, ..found },
            Err(refused) => {
                self.note_refused_again(tool, refused);
                self.another(tool, found, refused).await?
            }
        };
        self.keep(tool, ProbeControl::Found(tested.clone()));
        Ok(tested)
    }

    /// Marks the control of a tool as doubtful, because a call was carried out that may have changed what it
    /// depends on. It is tested again before another refusal of the tool is judged.
    pub(super) fn doubt(&mut self, tool: &ProbedTool) {
        if let Some(ProbeControl::Found(found)) = self.tools.probe_controls.get_mut(&tool.name)
            && found.repeatability == Repeatability::Steady
        {
            found.repeatability = Repeatability::Untested;
        }
    }

    fn note_refused_again(&mut self, tool: &ProbedTool, refused: usize) {
        const KEPT: usize = 8;
        let known = self.tools.refused_again.entry(tool.name.clone()).or_default();
        known.push(refused);
        if known.len() > KEPT {
            known.remove(0);
        }
    }

    /// Another call that succeeds, for one that is refused when sent again.
    pub(super) async fn another(
        &mut self,
        tool: &ProbedTool,
        found: SuccessfulCall,
        refused: usize,
    ) -> Result<SuccessfulCall, Abort> {
        if let Some(found) = self.found_by(tool, &mut Search::again(&found, refused)).await? {
            return Ok(found);
        }
        Ok(SuccessfulCall { repeatability: Repeatability::Spent { refused }, ..found })
    }

    /// The arguments that a probe changes in one place.
    pub(super) fn base(&mut self, tool: &ProbedTool, found: &SuccessfulCall) -> Value {
        let renamed = match (found.repeatability, &mut self.draws) {
            (Repeatability::Renamed { .. }, Some(draws)) => draws.renamed(tool, &found.arguments),
            _ => None,
        };
        renamed.unwrap_or_else(|| found.arguments.clone())
    }

    /// Whether two calls were refused in the same words apart from values.
    pub(super) fn are_refused_alike(&self, one: usize, other: usize) -> bool {
        let words = |index: usize| reply_signature(&self.pool.exchanges[index], &self.head.folders);
        words(one).is_some_and(|words_of_one| words(other) == Some(words_of_one))
    }

    /// Looks for a successful call of the tool before any of its probes is sent, so that what it creates exists
    /// for other tools.
    pub(in crate::drive) async fn prepare(&mut self, tool: &ProbedTool) {
        if tool.probes.is_empty() && !tool.faults.is_empty() {
            return;
        }
        self.case.clone_from(tool.probes.first().map_or(&tool.folder, |probe| &probe.id));
        // The tool's first probe will report what went wrong.
        let _ = self.probe_control(tool).await;
    }
}
