//! Whether a reader who has only an error reply can repair the call: each next call follows the newest reply.
//!
//! The judge decides which replies are measured, the reader what is sent next; this module decides where that
//! may be sent and how often. Repairs go to tools that may get calls that succeed anyway: confined ones and
//! those that only read; in a case also what its own control sends. The verdict is again the judge's, from the
//! exchanges alone.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use crate::class::Class;
use crate::condition::CaseId;
use crate::contract::read;
use crate::exchange::{Exchange, Guidance, Step};
use crate::expectation::Expected;
use crate::generate::ToolFiles;
use crate::judge::{has_succeeded, repair_key, wrong_call};
use crate::plan::{PlannedCall, PlannedCase, PlannedScript, ProbedTool};
use crate::repair::{Basis, NextCall, Repair};
use crate::stock::laid_out;
use crate::suite::{File, FileContent};

use super::control_state::{ProbeControl, Repeatability, Tried};
use super::repairs::{RefusedTool, expected};
use super::{Abort, Driver, NumberedSession, Position};

/// How many calls of the tool a reader has.
const CALLS: usize = 2;
/// At most this many different replies to one tool's probes are measured.
const REPLIES: usize = 12;

/// Where the calls that a reply leads to are sent.
enum Site<'s> {
    /// Among a tool's probes.
    Probe(&'s ProbedTool),
    /// Within a case that is still running.
    Case(CaseSite<'s>),
}

/// A case that is still running.
pub(super) struct CaseSite<'s> {
    pub(super) numbered: &'s mut NumberedSession,
    pub(super) planned: &'s PlannedCase,
    pub(super) script: &'s PlannedScript,
    pub(super) folder: &'s Path,
}

/// A refused call whose reply is measured.
struct MeasuredRefusal {
    index: usize,
    /// The tool that was called.
    tool: String,
    class: Class,
    /// The case id that its folder is named after.
    folder: CaseId,
    /// The arguments that the caller intended.
    meant: Value,
}

impl Driver<'_> {
    /// Measures the replies to a tool's probes, after all of them were driven.
    pub(in crate::drive) async fn measure(&mut self, tool: &ProbedTool) {
        // Failures show in the exchanges, and cost a figure at most.
        let _ = self.measured_probes(tool).await;
    }

    async fn measured_probes(&mut self, tool: &ProbedTool) -> Result<(), Abort> {
        let is_open = tool.class == Class::Read || self.draws.is_some();
        let Some(ProbeControl::Found(found)) = self.tools.probe_controls.get(&tool.name).cloned() else {
            return Ok(());
        };
        let is_spent =
            matches!(found.repeatability, Repeatability::Spent { .. } | Repeatability::Remade { .. });
        let chosen = if is_open && !is_spent { self.probes_to_measure(tool) } else { Vec::new() };
        let Some((_, case)) = chosen.first() else { return Ok(()) };
        if tool.class != Class::Read {
            // Other tools may have changed what this call depends on.
            let base = self.base(tool, &found);
            if !matches!(self.tried(tool, case, &base).await?, Tried::Succeeded(_)) {
                return Ok(());
            }
        }
        for (index, case) in chosen {
            let meant = self.base(tool, &found);
            let (class, folder) = (tool.class, tool.folder.clone());
            let wrong = MeasuredRefusal { index, tool: tool.name.clone(), class, folder, meant };
            self.followed(&mut Site::Probe(tool), &case, &wrong).await?;
        }
        Ok(())
    }

    /// The refused probes of a tool, one for each condition and signature of the reply.
    fn probes_to_measure(&self, tool: &ProbedTool) -> Vec<(usize, CaseId)> {
        let mut keys = HashSet::new();
        let mut chosen = Vec::new();
        for exchange in &self.pool.exchanges {
            let place = &exchange.place;
            let is_probe = place.step == Step::Call && exchange.tool() == Some(&tool.name);
            let Some(case) = place.case.as_ref().filter(|_| is_probe) else { continue };
            let Some(probe) = tool.probes.iter().find(|probe| probe.id == *case) else { continue };
            if probe.change.of_wrapper || chosen.len() >= REPLIES || !self.is_wrong(exchange.index) {
                continue;
            }
            if keys.insert(repair_key(
                exchange,
                probe.condition().unwrap_or_default(),
                self.contract,
                self.head,
            )) {
                chosen.push((exchange.index, case.clone()));
            }
        }
        chosen
    }

    /// Whether the reply of this exchange is one that is measured.
    fn is_wrong(&self, index: usize) -> bool {
        let exchanges = &self.pool.exchanges;
        let control = exchanges[index].place.control.map(|control| &exchanges[control]);
        // The control of another tool does not show what a caller of this one intends.
        let is_own = |control: &&Exchange| control.tool() == exchanges[index].tool();
        control.filter(is_own).is_some_and(|control| has_succeeded(control, self.contract))
            && read(self.contract, &exchanges[index])
                .is_some_and(|error| wrong_call(&exchanges[index], &error, self.contract))
    }

    /// Measures the reply to a case's call, after everything else in the case is done.
    pub(super) async fn measure_case(&mut self, site: CaseSite<'_>, index: usize) -> Result<(), Abort> {
        let Some(tool) = self.head.catalog.tool(&site.script.call.tool) else { return Ok(()) };
        let (Some(control), true) = (self.pool.exchanges[index].place.control, self.is_wrong(index)) else {
            return Ok(());
        };
        let id = &site.planned.case.id;
        let wrong = MeasuredRefusal {
            index,
            tool: tool.name.clone(),
            class: Class::from_tool(tool),
            folder: id.clone(),
            meant: self.own_arguments(&tool.name, control),
        };
        self.followed(&mut Site::Case(site), id, &wrong).await
    }

    /// Sends the reader's next calls until one succeeds or no attempt is left.
    async fn followed(
        &mut self,
        site: &mut Site<'_>,
        case: &CaseId,
        wrong: &MeasuredRefusal,
    ) -> Result<(), Abort> {
        let control = self.pool.exchanges[wrong.index].place.control;
        let at = |follows| Position { case, step: Step::Mend, control, follows: Some(follows) };
        let (mut newest, mut refused) = (wrong.index, wrong.index);
        let mut sent = vec![self.own_arguments(&wrong.tool, wrong.index)];
        let mut before: Vec<String> = Vec::new();
        let mut calls = 0;
        while calls < CALLS {
            let asked = RefusedTool {
                tool: &wrong.tool,
                class: wrong.class,
                folder: &wrong.folder,
                meant: Some(&wrong.meant),
            };
            let Some(Repair { next, words, basis }) = self.read(asked, refused, &before) else {
                self.pool.exchanges[refused].guidance = Some(Guidance::None);
                return Ok(());
            };
            let arguments = match next {
                NextCall::Before(first) => {
                    before.push(first.clone());
                    let Some(index) = self.sent_first(site, &first, refused, at(newest)).await? else {
                        return Ok(());
                    };
                    self.pool.exchanges[index].place.words = Some(words.clone());
                    newest = index;
                    if !has_succeeded(&self.pool.exchanges[index], self.contract) {
                        return Ok(());
                    }
                    self.own_arguments(&wrong.tool, refused)
                }
                NextCall::Arguments(arguments) if sent.contains(&arguments) => {
                    self.pool.exchanges[refused].guidance = Some(match basis {
                        Basis::Stated => Guidance::Circular,
                        Basis::Inferred => Guidance::Spent,
                    });
                    return Ok(());
                }
                NextCall::Arguments(arguments) => arguments,
            };
            if !self.may_send(site, wrong, &arguments) {
                return Ok(());
            }
            calls += 1;
            sent.push(arguments.clone());
            let expected = expected(basis, &words);
            let index = self.sent_next(site, wrong, arguments, expected, at(newest)).await?;
            self.pool.exchanges[index].place.words = Some(words);
            if has_succeeded(&self.pool.exchanges[index], self.contract) {
                return Ok(());
            }
            (newest, refused) = (index, index);
        }
        Ok(())
    }

    /// Whether a call derived from a reply may be sent. Without confinement, a tool that may change something
    /// gets no value from a message.
    fn may_send(&self, site: &Site<'_>, wrong: &MeasuredRefusal, next: &Value) -> bool {
        if wrong.class == Class::Read || self.draws.is_some() || matches!(site, Site::Probe(_)) {
            return true;
        }
        let refused = self.own_arguments(&wrong.tool, wrong.index);
        let folder = self.tool_files(&wrong.tool, &wrong.folder).folder().to_owned();
        let is_ours = |name: &String, value: &Value| match value {
            Value::String(text) => {
                refused.get(name) == Some(value)
                    || wrong.meant.get(name) == Some(value)
                    || text.strip_prefix(&folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Value::Array(_) | Value::Object(_) => {
                refused.get(name) == Some(value) || wrong.meant.get(name) == Some(value)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        };
        next.as_object().is_some_and(|members| members.iter().all(|(name, value)| is_ours(name, value)))
    }

    /// Calls the tool that must come first; `None` if no call of it is known that may be sent.
    async fn sent_first(
        &mut self,
        site: &mut Site<'_>,
        first: &str,
        refused: usize,
        at: Position<'_>,
    ) -> Result<Option<usize>, Abort> {
        match site {
            Site::Probe(tool) => {
                self.seek_first(tool, first, at.case).await?;
                let Some((other, found)) = self.valid_call(first) else { return Ok(None) };
                if !self.call_first(tool, first) {
                    return Ok(None);
                }
                let call = other.call(found.arguments, Expected::Anything);
                self.placed(&other, call, at).await.map(Some)
            }
            Site::Case(site) => {
                let Some(tool) = self.head.catalog.tool(first) else { return Ok(None) };
                if Class::from_tool(tool) != Class::Read && self.draws.is_none() {
                    return Ok(None);
                }
                // Parameters of the same name in both tools mean the same thing.
                let called = self.pool.exchanges[refused].tool().unwrap_or_default().to_owned();
                let known = self.own_arguments(&called, refused);
                let values = tool.required().map(|name| Some((name.to_owned(), known.get(name)?.clone())));
                let Some(values) = values.collect::<Option<serde_json::Map<_, _>>>() else {
                    return Ok(None);
                };
                let arguments = tool.wrap(Value::Object(values));
                let call = self.addressed(&PlannedCall::plain(first, arguments, Expected::Anything));
                self.send(site.numbered, &call, at).await.map(Some)
            }
        }
    }

    /// Sends a call derived from a reply, after restoring the state in which the refused call was sent.
    async fn sent_next(
        &mut self,
        site: &mut Site<'_>,
        wrong: &MeasuredRefusal,
        own: Value,
        expected: Expected,
        at: Position<'_>,
    ) -> Result<usize, Abort> {
        match site {
            Site::Probe(tool) => self.placed(tool, tool.call(own, expected), at).await,
            Site::Case(site) => {
                let arguments = match self.head.catalog.tool(&wrong.tool) {
                    Some(tool) => tool.wrap(own),
                    None => own,
                };
                self.put_back(site, wrong, &arguments, at).await?;
                let call = self.addressed(&PlannedCall::plain(&wrong.tool, arguments, expected));
                let before = self.snapshots(site.folder);
                let index = self.send(site.numbered, &call, at).await?;
                self.pool.exchanges[index].changes = self.changes(&before, site.folder);
                Ok(index)
            }
        }
    }

    /// Restores the folder of a case to its state before the call, if a call has changed it since, and adds the
    /// files that the new call refers to.
    async fn put_back(
        &mut self,
        site: &mut CaseSite<'_>,
        wrong: &MeasuredRefusal,
        arguments: &Value,
        at: Position<'_>,
    ) -> Result<(), Abort> {
        let mut since = self.pool.exchanges[wrong.index..].iter();
        // What the control of a writing tool has changed was not recorded.
        if wrong.class != Class::Read || since.any(|exchange| !exchange.changes.is_empty()) {
            self.lay_out(site.planned)?;
            let steps: Vec<_> = site.script.prepare.iter().chain(&site.script.meanwhile).cloned().collect();
            self.steps(site.numbered, at.case, site.folder, &steps).await?;
        }
        let tool_files = self.tool_files(&wrong.tool, &wrong.folder);
        let there = &site.planned.case.script.files;
        let mut files = laid_out(arguments, &tool_files, there);
        let text = arguments.to_string();
        let leads = |path: &str| text.contains(&format!("{}/{path}", tool_files.folder()));
        for path in [ToolFiles::FILE.to_owned(), format!("{}/{}", ToolFiles::FOLDER, ToolFiles::FILE)] {
            let way = path.split('/').next().unwrap_or_default();
            if leads(way) && !there.iter().any(|file| file.path == path) {
                files.push(File { path, content: FileContent::Text(ToolFiles::TEXT.to_owned()) });
            }
        }
        if !files.is_empty() {
            let made = self.resources.run_folders.lay_out(at.case, &files, 0, &str::to_owned);
            made.map_err(|error| Abort::Harness(crate::cause::describe(&error)))?;
        }
        Ok(())
    }
}
