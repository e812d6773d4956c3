//! Finding a call of a tool that succeeds, from what the refusals of other calls say.

use serde_json::Value;

use crate::class::Class;
use crate::condition::CaseId;
use crate::exchange::{Exchange, Outcome, Step};
use crate::expectation::{Authority, Expected};
use crate::generate::ToolFiles;
use crate::generate::executable::bound_executable_kind;
use crate::json_schema::flattened;
use crate::plan::ProbedTool;
use crate::repair::{Basis, CalledTool, NextCall, Reader, Repair};
use crate::server::repository;
use crate::signature::are_alike;
use crate::stock::laid_out;

use super::control_state::{RepairProgress, SuccessfulCall, Tried};
use super::{Abort, Driver};

/// After the tool that must come first was called, at most this many calls are tried again.
const AGAIN: usize = 4;

/// The tool whose refusal is read, its class, the id that its folder is named after, and what the caller
/// intends.
#[derive(Clone, Copy)]
pub(super) struct RefusedTool<'a> {
    pub(super) tool: &'a str,
    pub(super) class: Class,
    pub(super) folder: &'a CaseId,
    pub(super) meant: Option<&'a Value>,
}

impl Driver<'_> {
    /// Looks for a call that succeeds by following these refusals: each call is derived from the newest
    /// refusal. Only for tools that may get calls that succeed in this session.
    pub(super) async fn repaired(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        refused: &[usize],
        progress: &mut RepairProgress,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        if tool.class != Class::Read && self.draws.is_none() {
            return Ok(None);
        }
        for start in refused {
            progress.seen.insert(self.own_arguments(&tool.name, *start).to_string());
        }
        for start in refused {
            let mut newest = *start;
            // What made a difference to an earlier call makes it to this one too.
            let sent = self.own_arguments(&tool.name, newest);
            let known = self.learnt.of_progress(&tool.name, &sent);
            if progress.left > 0 && known != sent && progress.seen.insert(known.to_string()) {
                match self.tried(tool, case, &known).await? {
                    Tried::Succeeded(control) => return Ok(Some(SuccessfulCall::new(control, known))),
                    Tried::Refused(index) => newest = index,
                    Tried::Lost(_) => return Ok(None),
                }
            }
            // What refused in the same words as the newest: of a set that it names another member may do.
            let mut alike: Vec<usize> = Vec::new();
            while progress.left > 0 {
                let Some((read, repair)) = self.next_way(tool, newest, &alike, progress) else { break };
                let arguments = match &repair.next {
                    NextCall::Before(first) => {
                        progress.followed.push(first.clone());
                        self.seek_first(tool, first, case).await?;
                        if !self.call_first(tool, first) {
                            continue;
                        }
                        self.own_arguments(&tool.name, newest)
                    }
                    NextCall::Arguments(arguments) => {
                        progress.seen.insert(arguments.to_string());
                        arguments.clone()
                    }
                };
                progress.left -= 1;
                match self.tried(tool, case, &arguments).await? {
                    Tried::Succeeded(control) => {
                        self.pool.exchanges[control].place.words = Some(repair.words);
                        return Ok(Some(SuccessfulCall::new(control, arguments)));
                    }
                    Tried::Refused(index) => {
                        if self.are_refused_in_the_same_words(read, index) {
                            // Of a set that is refused one member shows it.
                            if !alike.contains(&read) {
                                self.note_vain(read, index, &repair);
                            }
                            alike.retain(|other| *other != read);
                            alike.push(read);
                        } else {
                            let before = self.own_arguments(&tool.name, read);
                            self.learnt.keep_progress(&tool.name, &before, &arguments);
                            alike.clear();
                        }
                        newest = index;
                    }
                    Tried::Lost(_) => return Ok(None),
                }
            }
        }
        Ok(None)
    }

    /// What a reader does next, and whose words he goes by: those of the newest refusal, or of an earlier one in the same words
    /// that said more than what was done.
    fn next_way(
        &self,
        tool: &ProbedTool,
        newest: usize,
        alike: &[usize],
        progress: &RepairProgress,
    ) -> Option<(usize, Repair)> {
        let is_new = |repair: &Repair| match &repair.next {
            NextCall::Before(_) => true,
            NextCall::Arguments(arguments) => !progress.seen.contains(&arguments.to_string()),
        };
        let folder = &tool.folder;
        let asked = RefusedTool { tool: &tool.name, class: tool.class, folder, meant: None };
        std::iter::once(newest).chain(alike.iter().rev().copied()).find_map(|refused| {
            let ways = self.ways(asked, refused, &progress.followed);
            Some((refused, ways.into_iter().find(is_new)?))
        })
    }

    /// Whether two calls were refused in the same words but for the values of both.
    fn are_refused_in_the_same_words(&self, one: usize, other: usize) -> bool {
        let exchanges = [&self.pool.exchanges[one], &self.pool.exchanges[other]];
        let texts = exchanges.map(|exchange| exchange.outcome.words().first().copied());
        let [Some(text), Some(then)] = texts else { return false };
        are_alike([(text, exchanges[0]), (then, exchanges[1])], &self.head.folders)
    }

    /// Keeps of a call that did exactly what a refusal said, and was refused in the same words, that it was to succeed.
    fn note_vain(&mut self, earlier: usize, then: usize, repair: &Repair) {
        if repair.basis == Basis::Stated && matches!(repair.next, NextCall::Arguments(_)) {
            let place = &mut self.pool.exchanges[then].place;
            place.expected = expected(repair.basis, &repair.words);
            place.follows = Some(earlier);
            place.words = Some(repair.words.clone());
        }
    }

    /// The call that succeeds after a tool that an earlier refusal puts first, where no call of that one was known then.
    pub(super) async fn after_what_is_known_now(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        refused: Option<usize>,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        let Some(refused) = refused else { return Ok(None) };
        let asked = RefusedTool { tool: &tool.name, class: tool.class, folder: &tool.folder, meant: None };
        let known = self.ways(asked, refused, &[]).into_iter().find_map(|repair| match repair.next {
            NextCall::Before(first) => self.valid_call(&first).map(|_| first),
            NextCall::Arguments(_) => None,
        });
        let Some(first) = known.filter(|first| self.call_first(tool, first)) else { return Ok(None) };
        let is_control = |exchange: &Exchange| {
            exchange.place.step == Step::Control && exchange.call.tool.as_deref() == Some(&*tool.name)
        };
        let tries: Vec<Value> = (refused..self.pool.exchanges.len())
            .filter(|index| is_control(&self.pool.exchanges[*index]))
            .map(|index| self.own_arguments(&tool.name, index))
            .take(AGAIN)
            .collect();
        let mut refusals = Vec::new();
        for arguments in tries {
            match self.tried(tool, case, &arguments).await? {
                Tried::Succeeded(control) => return Ok(Some(SuccessfulCall::new(control, arguments))),
                Tried::Refused(index) => refusals.push(index),
                Tried::Lost(_) => return Ok(None),
            }
        }
        let mut progress = RepairProgress { followed: vec![first], ..RepairProgress::default() };
        self.repaired(tool, case, &refusals, &mut progress).await
    }

    /// The repair that a reader who has only the reply would make.
    pub(super) fn read(&self, asked: RefusedTool<'_>, refused: usize, followed: &[String]) -> Option<Repair> {
        self.reading(asked, refused, |reader, sent, texts| reader.next(sent, texts, followed)).flatten()
    }

    /// All repairs that such a reader might make, the likeliest first.
    fn ways(&self, asked: RefusedTool<'_>, refused: usize, followed: &[String]) -> Vec<Repair> {
        let ways = |reader: &Reader<'_>, sent: &Value, texts: &[&str]| reader.nexts(sent, texts, followed);
        self.reading(asked, refused, ways).unwrap_or_default()
    }

    /// What a reader makes of a refusal, given the refused values and the texts; `None` if the confinement
    /// caused it.
    fn reading<T>(
        &self,
        asked: RefusedTool<'_>,
        refused: usize,
        made: impl FnOnce(&Reader<'_>, &Value, &[&str]) -> T,
    ) -> Option<T> {
        let exchange = &self.pool.exchanges[refused];
        let listed = self.head.catalog.tool(asked.tool);
        let listed = listed.filter(|_| exchange.environment.cause().is_none())?;
        let tool_files = self.tool_files(asked.tool, asked.folder);
        let reader = Reader::new(CalledTool {
            catalog: &self.head.catalog,
            bindings: &self.head.bindings,
            tool: listed,
            class: asked.class,
            tool_files: &tool_files,
            has_repository: repository::is_possible(),
            workspace: &self.head.folders.workspace,
            meant: asked.meant,
        });
        let data = match &exchange.outcome {
            Outcome::Error(error) => error.data.as_ref().map(Value::to_string),
            _ => None,
        };
        let texts: Vec<&str> = match &exchange.outcome {
            Outcome::Error(error) => std::iter::once(error.message.as_str()).chain(data.as_deref()).collect(),
            outcome => outcome.texts(),
        };
        Some(made(&reader, &self.own_arguments(asked.tool, refused), &texts))
    }

    /// The arguments of a call that are the tool's own parameters.
    pub(super) fn own_arguments(&self, tool: &str, index: usize) -> Value {
        let sent = &self.pool.exchanges[index].call.arguments;
        self.head.catalog.tool(tool).map_or(sent, |tool| tool.unwrap(sent)).clone()
    }

    /// The arguments with values that other tools accepted under the same names, with paths moved to this
    /// tool's folder. Values that could be executed, opened or sent are not taken over.
    pub(super) fn of_others(&self, tool: &ProbedTool, arguments: &Value) -> Option<Value> {
        let has_role = self.head.bindings.iter().any(|binding| binding.tool == tool.name);
        if has_role || tool.class != Class::Read && self.draws.is_none() {
            // Either its role gives its arguments, or only calls composed by the user or a role may be sent.
            return None;
        }
        let listed = self.head.catalog.tool(&tool.name)?;
        let document = listed.own_document();
        let moved = |name: &str, other: &str, value: &Value| {
            let schema = document.pointer("/properties").and_then(|all| all.get(name))?;
            let schema = flattened(schema, &document);
            let is_executed = bound_executable_kind(listed, &self.head.bindings, name, &schema).is_some();
            let is_closed = schema.get("enum").is_some() || schema.get("const").is_some();
            let other = self.learnt.folder_of(other)?;
            (!is_executed && !is_closed).then(|| self.in_the_folder_of(tool, other, value))
        };
        self.learnt.of_others(&tool.name, arguments, &moved)
    }

    /// Lays out the files that a call refers to; returns whether any of them is new.
    pub(super) fn supply(&mut self, tool: &ProbedTool, arguments: &Value) -> bool {
        let supplied = self.tools.supplied.get(&tool.name);
        let there: Vec<_> = tool.files.iter().chain(supplied.into_iter().flatten()).cloned().collect();
        let more = laid_out(arguments, &self.tool_files(&tool.name, &tool.folder), &there);
        let are_more = !more.is_empty();
        if are_more {
            self.tools.supplied.entry(tool.name.clone()).or_default().extend(more);
        }
        are_more
    }

    /// The files in the folder of this id, as they are named in calls of this tool.
    pub(super) fn tool_files(&self, tool: &str, folder: &CaseId) -> ToolFiles {
        let folder = self.resources.run_folders.case_folder(folder);
        let tool_files = ToolFiles::at(folder.to_string_lossy());
        let tool_files = match self.head.catalog.tool(tool) {
            Some(listed) => tool_files.of_tool(listed),
            None => tool_files,
        };
        match self.head.folders.upstream.as_str() {
            "" => tool_files,
            upstream => tool_files.with_upstream(upstream),
        }
    }
}

/// What a next call must do: where a message said outright what would do, succeed.
pub(super) fn expected(basis: Basis, words: &str) -> Expected {
    match basis {
        Basis::Stated => Expected::Success {
            exit_status: None,
            why: format!("this call does what the earlier reply said: {words}"),
            task_limit: false,
            changes_file: false,
            authority: Authority::Contract,
        },
        Basis::Inferred => Expected::Anything,
    }
}
