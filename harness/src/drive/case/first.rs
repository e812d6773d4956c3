//! Tools that must be called before others, as a refusal says: "call `create_session` first"; and tools that make what
//! others work on, called first if nothing else has made the other tool's call succeed.
//!
//! The main types are [`FirstCalls`] and [`CreatedFiles`]. What a tool has made is found by comparing folders, not taken from
//! its reply: a file that was not laid out, or that has changed.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::class::Class;
use crate::condition::{CaseId, folder_name};
use crate::exchange::{Exchange, FileChange, FileChangeKind, Step};
use crate::expectation::Expected;
use crate::generate::{are_about_the_same, belong_together, is_an_end, is_path, makes, plain_name};
use crate::judge::has_succeeded;
use crate::plan::ProbedTool;
use crate::suite::FileContent;

use super::super::moved::moved;
use super::find_call::own_schema;
use super::probe_control::{Found, RepairProgress, Repeatability, SuccessfulCall, Tried};
use super::{Abort, Driver};

/// When a call that succeeded is refused, at most this many tools are called again before it.
const RENEWED: usize = 3;

/// At most this many tools are tried as makers of what another tool works on.
const TRIED: usize = 3;
/// After a maker was called, at most this many refusals are read.
const MAX_REPAIRS: usize = 3;

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

/// The parameter that takes the new file, and the file's path; `None` if what was made is not a file.
type Place = Option<(String, String)>;

/// The files that tools have made.
#[derive(Default)]
pub(super) struct CreatedFiles {
    made: Vec<Made>,
    /// What the latest call changed in the folder of a watched tool.
    pub(super) changes: Vec<FileChange>,
}

/// A file made by a call.
struct Made {
    tool: String,
    /// The parameter that gave its path; `None` if the tool chose the name.
    parameter: Option<String>,
    path: String,
}

impl Driver<'_> {
    /// Arranges that one tool is called before another; false if no successful call of it is known.
    pub(super) fn call_first(&mut self, tool: &ProbedTool, first: &str) -> bool {
        let is_known = self.valid_call(first).is_some();
        if is_known {
            // What must be called before that tool must be called before this one too.
            for before in self.firsts.before(first) {
                if before != tool.name {
                    self.firsts.put(&tool.name, &before);
                }
            }
            self.firsts.put(&tool.name, first);
        }
        is_known
    }

    /// Looks for a call that succeeds of the tool that must be called first, if none is known yet.
    pub(super) async fn seek_first(&mut self, tool: &ProbedTool, first: &str) -> Result<(), Abort> {
        self.firsts.sought.insert(tool.name.clone());
        if self.tools.probe_controls.contains_key(first) || !self.firsts.sought.insert(first.to_owned()) {
            return Ok(());
        }
        if let Some(first) = self.firsts.known(first).cloned() {
            Box::pin(self.probe_control(&first)).await?;
        }
        Ok(())
    }

    /// Calls the tools that must come before this one, in the process that gets its call.
    pub(super) async fn call_firsts(&mut self, tool: &ProbedTool) -> Result<(), Abort> {
        let mut process = self.ready().await?;
        for name in self.firsts.before(&tool.name) {
            let Some((first, found)) = self.valid_call(&name) else { continue };
            let arguments = self.in_the_folder_of(tool, &first.folder, &found.arguments);
            // What it did in a folder is undone when that is laid out anew; what the process keeps stays.
            let is_elsewhere = arguments == found.arguments;
            // A thing that a tool ends must exist again each time.
            let is_kept = is_elsewhere && !is_an_end(&tool.name);
            if is_kept && self.firsts.called_in.get(&name) == Some(&process) {
                continue;
            }
            let place = if is_elsewhere { &first } else { tool };
            if self.supply(place, &arguments) || is_elsewhere {
                self.lay_out_for(place)?;
            }
            let call = self.addressed(&first.call(arguments, Expected::Anything));
            match self.send(&call, Step::Prepare).await {
                Ok(index) => {
                    process = self.pool.exchanges[index].process;
                    self.firsts.called_in.insert(name, process);
                }
                Err(Abort::Lost(_)) => process = self.ready().await?,
                Err(abort) => return Err(abort),
            }
        }
        Ok(())
    }

    /// For a call that succeeded and is refused now: calls the tools that had been called before it and were
    /// probed since, because their probes may have undone what the call depends on. If it succeeds again, that
    /// tool is called before it from then on.
    pub(super) async fn after_what_was_undone(
        &mut self,
        tool: &ProbedTool,
        before: Option<&SuccessfulCall>,
    ) -> Found {
        let Some(before) = before else { return Ok(None) };
        let since = self.pool.exchanges[before.control..].iter();
        let undone = self.preparing(tool, before.control, since);
        self.after(undone, tool, before).await
    }

    /// Like [`Self::after_what_was_undone`], but for a process in which nothing that any tool had prepared is
    /// left.
    pub(super) async fn after_what_came_before(
        &mut self,
        tool: &ProbedTool,
        found: &SuccessfulCall,
    ) -> Found {
        let before = self.pool.exchanges[..found.control].iter();
        let succeeded = before.filter(|exchange| has_succeeded(exchange, self.contract));
        let earlier = self.preparing(tool, found.control, succeeded);
        self.after(earlier, tool, found).await
    }

    /// A call that succeeds again once one of these tools has been called.
    async fn after(&mut self, names: Vec<String>, tool: &ProbedTool, found: &SuccessfulCall) -> Found {
        for name in names {
            let before = self.firsts.before(&tool.name);
            if !self.call_first(tool, &name) {
                continue;
            }
            if let Ok(control) = self.tried(tool, &found.arguments).await?.unless_lost()? {
                let repeatability = Repeatability::Steady;
                return Ok(Some(SuccessfulCall { control, repeatability, ..found.clone() }));
            }
            self.firsts.restore(&tool.name, before);
        }
        Ok(None)
    }

    /// The tools among those of these calls that may have prepared what an exchange depends on, the newest first.
    fn preparing<'e>(
        &self,
        tool: &ProbedTool,
        control: usize,
        calls: impl DoubleEndedIterator<Item = &'e Exchange>,
    ) -> Vec<String> {
        let succeeded_before = |name: &str| {
            let mut earlier = self.pool.exchanges[..control].iter();
            earlier.any(|exchange| exchange.tool() == Some(name) && has_succeeded(exchange, self.contract))
        };
        let may_prepare = |name: &str| {
            let may_change = self.firsts.known(name).is_some_and(|known| known.class != Class::Read);
            name != tool.name && may_change && !is_an_end(name) && succeeded_before(name)
        };
        let mut found: Vec<String> = Vec::new();
        for name in calls.rev().filter_map(Exchange::tool) {
            if found.len() < RENEWED && !found.iter().any(|known| known == name) && may_prepare(name) {
                found.push(name.to_owned());
            }
        }
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
        Some((self.firsts.known(name)?.clone(), self.tools.found_call(name)?.clone()))
    }

    /// Whether the folder of this tool is compared before and after its calls.
    pub(super) fn is_watched(&self, tool: &ProbedTool) -> bool {
        self.draws.is_some() && tool.class != Class::Read && !is_an_end(&tool.name)
    }

    /// Records the files that a successful call has made in the tool's folder, by the changes seen there.
    pub(super) fn note_made(&mut self, tool: &ProbedTool, arguments: &Value) {
        let changes = std::mem::take(&mut self.makers.changes);
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        let laid = self.tools.files_of(tool);
        let is_text = |path: &str| {
            laid.iter().any(|file| file.path == path && matches!(file.content, FileContent::Text(_)))
        };
        let mut new: Vec<&str> = changes
            .iter()
            .filter_map(|change| {
                let path = change.path.strip_prefix("{case}/")?;
                match change.change {
                    FileChangeKind::Created { .. } => Some(path),
                    FileChangeKind::Modified if is_text(path) => Some(path),
                    FileChangeKind::Modified | FileChangeKind::Lost | FileChangeKind::Deleted => None,
                }
            })
            .collect();
        new.sort_unstable();
        let whole = |path: &str| folder.join(path).to_string_lossy().into_owned();
        let named = arguments.as_object().into_iter().flatten().filter_map(|(name, value)| {
            let path = value.as_str().filter(|path| new.iter().any(|new| whole(new) == **path))?;
            Some((Some(name.clone()), path.to_owned()))
        });
        let from_schema =
            new.iter().filter(|path| !path.contains('/')).take(TRIED).map(|path| (None, whole(path)));
        for (parameter, path) in named.chain(from_schema) {
            if !self.makers.made.iter().any(|known| known.tool == tool.name && known.path == path) {
                self.makers.made.push(Made { tool: tool.name.clone(), parameter, path });
            }
        }
    }

    /// A call that succeeds once another tool has made what it works on; that tool is called before it from
    /// then on. `known` are arguments that succeeded before, if there are any.
    pub(super) async fn after_a_maker(
        &mut self,
        tool: &ProbedTool,
        refused: Option<usize>,
        known: Option<&Value>,
    ) -> Found {
        if self.draws.is_none() {
            return Ok(None);
        }
        let Some(first) = known.or(tool.tries.first()) else { return Ok(None) };
        let usual = match known {
            Some(known) => known.clone(),
            None => self.of_others(tool, first).unwrap_or_else(|| first.clone()),
        };
        for (maker, place) in self.candidates(tool) {
            let Some(arguments) = self.with_made(tool, &maker, place, &usual) else { continue };
            let before = self.firsts.before(&tool.name);
            if !self.call_first(tool, &maker) {
                continue;
            }
            let succeeded = match self.tried(tool, &arguments).await? {
                Tried::Succeeded(control) => Some(SuccessfulCall::new(control, arguments)),
                Tried::Lost(_) => return Ok(None),
                // A refusal in other words is progress, and is read in turn.
                Tried::Refused(index)
                    if refused.is_none_or(|first| !self.are_refused_alike(first, index)) =>
                {
                    let mut progress = RepairProgress { left: MAX_REPAIRS, ..RepairProgress::default() };
                    self.repaired(tool, &[index], &mut progress).await?
                }
                Tried::Refused(_) => None,
            };
            if succeeded.is_some() {
                return Ok(succeeded);
            }
            self.firsts.restore(&tool.name, before);
        }
        Ok(None)
    }

    /// The tools that may have made what a tool works on, each with the parameter that takes the file and its
    /// path. The likeliest come first: a parameter of the same name, then related tool names, and among these
    /// tools about the same thing before those that only share a parameter name.
    fn candidates(&self, tool: &ProbedTool) -> Vec<(String, Place)> {
        let Some(listed) = self.head.catalog.tool(&tool.name) else { return Vec::new() };
        let takes_path = |name: &str| {
            let schema = own_schema(listed, name);
            let description = schema.as_ref().and_then(|schema| schema.get("description")?.as_str());
            is_path(&plain_name(name), &description.unwrap_or_default().to_lowercase())
        };
        let paths: Vec<&str> = listed.required().filter(|name| takes_path(name)).collect();
        let mut found: Vec<(usize, String, Place)> = Vec::new();
        for made in self.makers.made.iter().filter(|made| made.tool != tool.name) {
            let same = made.parameter.as_deref().filter(|name| listed.parameter(name).is_some());
            let Some(parameter) = same.or_else(|| paths.first().copied()) else { continue };
            let rank = usize::from(same.is_none());
            found.push((rank, made.tool.clone(), Some((parameter.to_owned(), made.path.clone()))));
        }
        if paths.is_empty() {
            for other in self.head.catalog.tools.iter().filter(|other| other.name != tool.name) {
                let is_known = self.firsts.known(&other.name).is_some();
                if is_known && makes(&other.name) && belong_together(listed, other) {
                    let rank = if are_about_the_same(&tool.name, &other.name) { 2 } else { 3 };
                    found.push((rank, other.name.clone(), None));
                }
            }
        }
        found.sort_by_key(|(rank, ..)| *rank);
        let mut candidates: Vec<(String, Place)> =
            found.into_iter().map(|(_, maker, place)| (maker, place)).collect();
        candidates.dedup();
        candidates.truncate(TRIED);
        candidates
    }

    /// The arguments with the file that a maker has made, in the tool's own folder, or with the values of the
    /// maker's call.
    fn with_made(&self, tool: &ProbedTool, maker: &str, place: Place, usual: &Value) -> Option<Value> {
        let maker = self.firsts.known(maker)?;
        let mut arguments = usual.clone();
        if let Some((parameter, path)) = place {
            let moved = self.in_the_folder_of(tool, &maker.folder, &Value::String(path));
            arguments.as_object_mut()?.insert(parameter, moved);
        }
        Some(arguments)
    }
}
