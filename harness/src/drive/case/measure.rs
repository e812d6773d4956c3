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
use crate::expectation::{Authority, Expected};
use crate::generate::ToolFiles;
use crate::judge::{has_succeeded, repair_key, wrong_call};
use crate::plan::{PlannedCall, PlannedCase, PlannedScript, ProbedTool};
use crate::repair::{Basis, NextCall, Repair};
use crate::same_call::is_refused;
use crate::stock::laid_out;
use crate::suite::{File, FileContent};

use super::find_call::{RefusedTool, expected};
use super::probe_control::{Repeatability, Tried};
use super::{Abort, Driver, Position};

/// How many calls of the tool a reader has.
const CALLS: usize = 2;
/// At most this many different replies to one tool's probes are measured.
const REPLIES: usize = 12;

/// Where the calls that a reply leads to are sent.
#[derive(Clone, Copy)]
enum Site<'s> {
    /// Among a tool's probes.
    Probe(&'s ProbedTool),
    /// Within a case that is still running: what was planned, and its folder.
    Case(&'s PlannedCase, &'s PlannedScript, &'s Path),
}

/// A refused call whose reply is measured.
#[derive(Clone, Copy)]
struct MeasuredRefusal<'s> {
    index: usize,
    site: Site<'s>,
    asked: RefusedTool<'s>,
}

impl Driver<'_> {
    /// Measures the replies to a tool's probes, after all of them were driven.
    pub(in crate::drive) async fn measure(&mut self, tool: &ProbedTool) {
        // Failures show in the exchanges, and cost a figure at most.
        let _ = self.measured_probes(tool).await;
    }

    async fn measured_probes(&mut self, tool: &ProbedTool) -> Result<(), Abort> {
        let is_open = tool.class == Class::Read || self.draws.is_some();
        let Some(found) = self.tools.found_call(&tool.name).cloned() else { return Ok(()) };
        let is_spent =
            matches!(found.repeatability, Repeatability::Spent { .. } | Repeatability::Remade { .. });
        let chosen = if is_open && !is_spent { self.probes_to_measure(tool) } else { Vec::new() };
        let Some((_, case)) = chosen.first() else { return Ok(()) };
        self.case.clone_from(case);
        if tool.class != Class::Read {
            // Other tools may have changed what this call depends on.
            let base = self.base(tool, &found);
            if !matches!(self.tried(tool, &base).await?, Tried::Succeeded(_)) {
                return Ok(());
            }
        }
        for (index, case) in chosen {
            self.case = case;
            let meant = self.base(tool, &found);
            let ProbedTool { name, class, folder, .. } = tool;
            let asked = RefusedTool { tool: name, class: *class, folder, meant: Some(&meant) };
            self.followed(MeasuredRefusal { index, site: Site::Probe(tool), asked }).await?;
        }
        match tool.class == Class::Read && found.repeatability == Repeatability::Steady {
            true => self.judge_after_refusals(tool, found.control).await,
            false => Ok(()),
        }
    }

    /// Sends the control once more where it was refused after refused calls alone, and then in a fresh process. If only that
    /// one accepts it, it must succeed in the first one as well.
    async fn judge_after_refusals(&mut self, tool: &ProbedTool, control: usize) -> Result<(), Abort> {
        let Some((succeeded, case)) = self.refused_since(tool, control) else { return Ok(()) };
        self.case = case;
        let base = self.own_arguments(&tool.name, control);
        let call = || tool.call(base.clone(), Expected::Anything);
        let at = || Position { control: Some(succeeded), ..Step::Prepare.into() };
        let again = self.placed(tool, call(), at()).await?;
        let is_same = self.pool.exchanges[again].process == self.pool.exchanges[succeeded].process;
        if !is_same || !is_refused(&self.pool.exchanges[again], self.contract) {
            return Ok(());
        }
        self.renew().await;
        let fresh = self.placed(tool, call(), at()).await?;
        if has_succeeded(&self.pool.exchanges[fresh], self.contract) {
            let why = format!(
                "it succeeded before in the same process, and then calls were refused, the last one of `{}`",
                tool.name
            );
            let place = &mut self.pool.exchanges[again].place;
            (place.step, place.expected) = (Step::Again, Expected::success(&why, Authority::Before));
        }
        Ok(())
    }

    /// The last success of the control, and the case in which the same call was refused since, if all calls since were refused
    /// in the same process and nothing else was in their way.
    fn refused_since(&self, tool: &ProbedTool, control: usize) -> Option<(usize, CaseId)> {
        let exchanges = &self.pool.exchanges;
        let arguments = &exchanges[control].call.arguments;
        let is_same = |exchange: &&Exchange| {
            exchange.tool() == Some(tool.name.as_str()) && exchange.call.arguments == *arguments
        };
        let succeeded =
            exchanges.iter().rfind(|exchange| is_same(exchange) && has_succeeded(exchange, self.contract))?;
        let since = &exchanges[succeeded.index + 1..];
        let is_undisturbed = since.iter().all(|exchange| {
            exchange.process == succeeded.process
                && is_refused(exchange, self.contract)
                && exchange.environment.cause().is_none()
        });
        let refused = since.iter().find(is_same).filter(|_| is_undisturbed)?;
        Some((succeeded.index, refused.place.case.clone()?))
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
    pub(super) async fn measure_case(
        &mut self,
        planned: &PlannedCase,
        script: &PlannedScript,
        folder: &Path,
        index: usize,
    ) -> Result<(), Abort> {
        let Some(tool) = self.head.catalog.tool(&script.call.tool) else { return Ok(()) };
        let (Some(control), true) = (self.pool.exchanges[index].place.control, self.is_wrong(index)) else {
            return Ok(());
        };
        let (case, class) = (&planned.case.id, Class::from_tool(tool));
        let meant = self.own_arguments(&tool.name, control);
        let asked = RefusedTool { tool: &tool.name, class, folder: case, meant: Some(&meant) };
        let site = Site::Case(planned, script, folder);
        self.followed(MeasuredRefusal { index, site, asked }).await
    }

    /// Sends the reader's next calls until one succeeds or no attempt is left.
    async fn followed(&mut self, wrong: MeasuredRefusal<'_>) -> Result<(), Abort> {
        let (tool, control) = (wrong.asked.tool, self.pool.exchanges[wrong.index].place.control);
        let at = |follows| Position { step: Step::Mend, control, follows: Some(follows) };
        let (mut newest, mut refused) = (wrong.index, wrong.index);
        let mut sent = vec![self.own_arguments(tool, wrong.index)];
        let mut before: Vec<String> = Vec::new();
        let mut calls = 0;
        while calls < CALLS {
            let Some(Repair { next, words, basis }) = self.read(wrong.asked, refused, &before) else {
                self.pool.exchanges[refused].guidance = Some(Guidance::None);
                return Ok(());
            };
            let arguments = match next {
                NextCall::Before(first) => {
                    before.push(first.clone());
                    let Some(index) = self.sent_first(wrong.site, &first, refused, at(newest)).await? else {
                        return Ok(());
                    };
                    self.pool.exchanges[index].place.words = Some(words.clone());
                    newest = index;
                    if !has_succeeded(&self.pool.exchanges[index], self.contract) {
                        return Ok(());
                    }
                    self.own_arguments(tool, refused)
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
            if !self.may_send(wrong, &arguments) {
                return Ok(());
            }
            calls += 1;
            sent.push(arguments.clone());
            let expected = expected(basis, &words);
            let index = self.sent_next(wrong, arguments, expected, at(newest)).await?;
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
    fn may_send(&self, wrong: MeasuredRefusal<'_>, next: &Value) -> bool {
        let RefusedTool { tool, class, folder, meant } = wrong.asked;
        if class == Class::Read || self.draws.is_some() || matches!(wrong.site, Site::Probe(_)) {
            return true;
        }
        let refused = self.own_arguments(tool, wrong.index);
        let folder = self.tool_files(tool, folder).folder().to_owned();
        let is_known = |name: &String, value: &Value| {
            let is_it = |known: &Value| known.get(name) == Some(value);
            is_it(&refused) || meant.is_some_and(is_it)
        };
        let is_ours = |name: &String, value: &Value| match value {
            Value::String(text) => {
                is_known(name, value)
                    || text.strip_prefix(&folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Value::Array(_) | Value::Object(_) => is_known(name, value),
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        };
        next.as_object().is_some_and(|members| members.iter().all(|(name, value)| is_ours(name, value)))
    }

    /// Calls the tool that must come first; `None` if no call of it is known that may be sent.
    async fn sent_first(
        &mut self,
        site: Site<'_>,
        first: &str,
        refused: usize,
        at: Position,
    ) -> Result<Option<usize>, Abort> {
        match site {
            Site::Probe(tool) => {
                self.seek_first(tool, first).await?;
                let Some((other, found)) = self.valid_call(first) else { return Ok(None) };
                if !self.call_first(tool, first) {
                    return Ok(None);
                }
                let call = other.call(found.arguments, Expected::Anything);
                self.placed(&other, call, at).await.map(Some)
            }
            Site::Case(..) => {
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
                self.send(&call, at).await.map(Some)
            }
        }
    }

    /// Sends a call derived from a reply, after restoring the state in which the refused call was sent.
    async fn sent_next(
        &mut self,
        wrong: MeasuredRefusal<'_>,
        own: Value,
        expected: Expected,
        at: Position,
    ) -> Result<usize, Abort> {
        let (planned, script, folder) = match wrong.site {
            Site::Probe(tool) => return self.placed(tool, tool.call(own, expected), at).await,
            Site::Case(planned, script, folder) => (planned, script, folder),
        };
        let tool = wrong.asked.tool;
        let arguments = match self.head.catalog.tool(tool) {
            Some(listed) => listed.wrap(own),
            None => own,
        };
        let mut since = self.pool.exchanges[wrong.index..].iter();
        // What the control of a writing tool has changed was not recorded.
        if wrong.asked.class != Class::Read || since.any(|exchange| !exchange.changes.is_empty()) {
            self.lay_out(planned)?;
            let steps: Vec<_> = script.prepare.iter().chain(&script.meanwhile).cloned().collect();
            self.steps(folder, &steps).await?;
        }
        self.lay_out_what_is_named(wrong, &arguments, &planned.case.script.files)?;
        let call = self.addressed(&PlannedCall::plain(tool, arguments, expected));
        self.send_watched(&call, at, folder).await
    }

    /// Lays out the files that a call refers to and that are not there.
    fn lay_out_what_is_named(
        &self,
        wrong: MeasuredRefusal<'_>,
        arguments: &Value,
        there: &[File],
    ) -> Result<(), Abort> {
        let tool_files = self.tool_files(wrong.asked.tool, wrong.asked.folder);
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
            let made = self.resources.run_folders.lay_out(wrong.asked.folder, &files, 0, &str::to_owned);
            made.map_err(|error| Abort::Harness(crate::cause::describe(&error)))?;
        }
        Ok(())
    }
}
