//! Tools that must be called before others, as a refusal says: "call `create_session` first".
//!
//! The main type is [`FirstCalls`].

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::class::Class;
use crate::condition::{CaseId, folder_name};
use crate::exchange::{Exchange, Step};
use crate::expectation::Expected;
use crate::generate::is_an_end;
use crate::judge::has_succeeded;
use crate::plan::ProbedTool;

use super::super::moved::moved;
use super::control_state::{ProbeControl, Repeatability, SuccessfulCall, Tried};
use super::{Abort, Driver, NumberedSession, Position};

/// When a call that succeeded is refused, at most this many tools are called again before it.
const RENEWED: usize = 3;

/// Which tools must be called before others, once in each process.
#[derive(Default)]
pub(super) struct FirstCalls {
    /// By tool, the tools that must be called before it.
    of: HashMap<String, Vec<String>>,
    /// By tool, the process in which it was called last.
    called_in: HashMap<String, usize>,
    /// The tools of this session that have been seen.
    met: HashMap<String, ProbedTool>,
    /// The tools of which a call has been looked for because of another one, and those others.
    sought: HashSet<String>,
}

impl FirstCalls {
    /// Records what is needed to call a tool before others.
    pub(super) fn meet(&mut self, tool: &ProbedTool) {
        if !self.met.contains_key(&tool.name) {
            let met =
                ProbedTool { probes: Vec::new(), faults: Vec::new(), obstacles: Vec::new(), ..tool.clone() };
            self.met.insert(tool.name.clone(), met);
        }
    }

    /// A tool of this session that has been seen.
    pub(super) fn known(&self, tool: &str) -> Option<&ProbedTool> {
        self.met.get(tool)
    }

    /// Whether any tool must be called before this one.
    pub(super) fn has_any(&self, tool: &str) -> bool {
        self.of.contains_key(tool)
    }

    /// The tools that must be called before this one.
    pub(super) fn before(&self, tool: &str) -> Vec<String> {
        self.of.get(tool).cloned().unwrap_or_default()
    }

    /// Replaces the tools that are called before this one.
    pub(super) fn restore(&mut self, tool: &str, firsts: Vec<String>) {
        match firsts.is_empty() {
            true => self.of.remove(tool),
            false => self.of.insert(tool.to_owned(), firsts),
        };
    }

    /// Records that `first` must be called before `tool`.
    fn put(&mut self, tool: &str, first: &str) {
        let firsts = self.of.entry(tool.to_owned()).or_default();
        if !firsts.iter().any(|known| known == first) {
            firsts.push(first.to_owned());
        }
        self.called_in.remove(first);
    }
}

impl Driver<'_> {
    /// Arranges that one tool is called before another; false if no successful call of it is known.
    pub(super) fn call_first(&mut self, tool: &ProbedTool, first: &str) -> bool {
        let is_known = self.valid_call(first).is_some();
        if is_known {
            // What must be called before that tool must be called before this one too.
            for before in self.firsts.of.get(first).cloned().unwrap_or_default() {
                if before != tool.name {
                    self.firsts.put(&tool.name, &before);
                }
            }
            self.firsts.put(&tool.name, first);
        }
        is_known
    }

    /// Looks for a call that succeeds of the tool that must be called first, if none is known yet.
    pub(super) async fn seek_first(
        &mut self,
        tool: &ProbedTool,
        first: &str,
        case: &CaseId,
    ) -> Result<(), Abort> {
        self.firsts.sought.insert(tool.name.clone());
        if self.tools.probe_controls.contains_key(first) || !self.firsts.sought.insert(first.to_owned()) {
            return Ok(());
        }
        if let Some(first) = self.firsts.known(first).cloned() {
            Box::pin(self.probe_control(&first, case)).await?;
        }
        Ok(())
    }

    /// A process for a call of a tool, in which the tools that must come before it have been called.
    pub(super) async fn process_for(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
    ) -> Result<NumberedSession, Abort> {
        let mut numbered = self.process().await?;
        let firsts = self.firsts.of.get(&tool.name).cloned().unwrap_or_default();
        for name in firsts {
            let Some((first, found)) = self.valid_call(&name) else { continue };
            let arguments = self.in_the_folder_of(tool, &first.folder, &found.arguments);
            // What it did in a folder is undone when that is laid out anew; what the process keeps stays.
            let is_elsewhere = arguments == found.arguments;
            // A thing that a tool ends must exist again each time.
            let is_kept = is_elsewhere && !is_an_end(&tool.name);
            if is_kept && self.firsts.called_in.get(&name) == Some(&numbered.process) {
                continue;
            }
            let place = if is_elsewhere { &first } else { tool };
            if self.supply(place, &arguments) || is_elsewhere {
                self.lay_out_for(place)?;
            }
            let call = self.addressed(&first.call(arguments, Expected::Anything));
            let at = Position { case, step: Step::Prepare, control: None, follows: None };
            match self.send(&mut numbered, &call, at).await {
                Ok(_) => {
                    self.firsts.called_in.insert(name, numbered.process);
                }
                Err(Abort::Lost(_)) => {
                    numbered.session.kill().await;
                    numbered = self.process().await?;
                }
                Err(abort) => return Err(abort),
            }
        }
        Ok(numbered)
    }

    /// For a call that succeeded and is refused now: calls the tools that had been called before it and were
    /// probed since, because their probes may have undone what the call depends on. If it succeeds again, that
    /// tool is called before it from then on.
    pub(super) async fn after_what_was_undone(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        before: Option<&SuccessfulCall>,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        let Some(before) = before else { return Ok(None) };
        let undone = self.undone(tool, before.control);
        self.after(undone, tool, case, before).await
    }

    /// Like [`Self::after_what_was_undone`], but for a process in which nothing that any tool had prepared is
    /// left.
    pub(super) async fn after_what_came_before(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        found: &SuccessfulCall,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        let earlier = self.successful_before(tool, found.control);
        self.after(earlier, tool, case, found).await
    }

    /// A call that succeeds again once one of these tools has been called.
    async fn after(
        &mut self,
        names: Vec<String>,
        tool: &ProbedTool,
        case: &CaseId,
        found: &SuccessfulCall,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        for name in names {
            let before = self.firsts.before(&tool.name);
            if !self.call_first(tool, &name) {
                continue;
            }
            match self.tried(tool, case, &found.arguments).await? {
                Tried::Succeeded(control) => {
                    return Ok(Some(SuccessfulCall {
                        control,
                        repeatability: Repeatability::Steady,
                        ..found.clone()
                    }));
                }
                Tried::Refused(_) => self.firsts.restore(&tool.name, before),
                Tried::Lost(index) => return Err(Abort::Lost(index)),
            }
        }
        Ok(None)
    }

    /// The tools that may have prepared what an exchange depends on and were called since, the newest first.
    fn undone(&self, tool: &ProbedTool, control: usize) -> Vec<String> {
        let mut undone: Vec<String> = Vec::new();
        for exchange in self.pool.exchanges[control..].iter().rev() {
            let Some(name) = exchange.call.tool.as_deref().filter(|name| *name != tool.name) else {
                continue;
            };
            let may_change = self.firsts.known(name).is_some_and(|known| known.class != Class::Read);
            if !may_change || is_an_end(name) || undone.iter().any(|known| known == name) {
                continue;
            }
            let is_of_it = |exchange: &&Exchange| exchange.call.tool.as_deref() == Some(name);
            let mut earlier = self.pool.exchanges[..control].iter().filter(is_of_it);
            if earlier.any(|exchange| has_succeeded(exchange, self.contract)) {
                undone.push(name.to_owned());
            }
        }
        undone.truncate(RENEWED);
        undone
    }

    /// The tools that may have prepared what an exchange depends on, the newest first.
    fn successful_before(&self, tool: &ProbedTool, control: usize) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for exchange in self.pool.exchanges[..control].iter().rev() {
            let Some(name) = exchange.call.tool.as_deref().filter(|name| *name != tool.name) else {
                continue;
            };
            let may_change = self.firsts.known(name).is_some_and(|known| known.class != Class::Read);
            let is_new = !found.iter().any(|known| known == name);
            if may_change && is_new && !is_an_end(name) && has_succeeded(exchange, self.contract) {
                found.push(name.to_owned());
            }
        }
        found.truncate(RENEWED);
        found
    }

    /// Whether another tool must be called before this one.
    pub(super) fn has_firsts(&self, tool: &ProbedTool) -> bool {
        self.firsts.has_any(&tool.name)
    }

    /// The arguments of another tool's call with this one's folder in the place of its own: both hold the same files.
    pub(super) fn in_the_folder_of(&self, tool: &ProbedTool, first: &CaseId, arguments: &Value) -> Value {
        let folder = |id: &CaseId| self.resources.run_folders.case_folder(id).to_string_lossy().into_owned();
        let below = moved(arguments, &folder(first), &folder(&tool.folder));
        moved(&below, &folder_name(first), &folder_name(&tool.folder))
    }

    /// A tool and its call that succeeded in this session. Only such a call may be sent because of a message.
    pub(super) fn valid_call(&self, name: &str) -> Option<(ProbedTool, SuccessfulCall)> {
        match (self.firsts.met.get(name), self.tools.probe_controls.get(name)) {
            (Some(tool), Some(ProbeControl::Found(found))) => Some((tool.clone(), found.clone())),
            _ => None,
        }
    }
}
