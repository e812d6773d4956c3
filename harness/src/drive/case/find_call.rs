//! The search for a call of a tool that succeeds: all the ways to find one, in which order they are tried, and what the
//! refusals of other calls say.
//!
//! The main function is [`Driver::found_by`].

use serde_json::Value;

use crate::catalog::Tool;
use crate::class::Class;
use crate::condition::CaseId;
use crate::exchange::{Exchange, Outcome, Step};
use crate::expectation::{Authority, Expected};
use crate::generate::executable::bound_executable_kind;
use crate::generate::{ToolFiles, choices_of_names, makes};
use crate::json::texts;
use crate::json_schema::flattened;
use crate::pattern;
use crate::plan::ProbedTool;
use crate::repair::{
    ArgumentSlot, Basis, CalledTool, NextCall, Reader, Repair, asks_for_relative, put, slots,
};
use crate::server::repository;
use crate::signature::are_alike;
use crate::stock::laid_out;

use super::probe_control::{Found, RepairProgress, Repeatability, SuccessfulCall, Tried};
use super::scenario::Paths;
use super::{Abort, Driver};

/// How many calls are drawn for a confined tool each time a valid one is looked for.
const DRAWN: usize = 6;
/// How many calls are drawn if one that succeeded does not succeed again.
const DRAWN_AGAIN: usize = 3;

/// At most this many paths are replaced by new ones, each in a call of its own.
const NEW_FILES: usize = 3;

/// For a tool about which nothing is known.
const AT_FIRST: &[Way] = &[
    Way::Planned,
    Way::Relative,
    Way::BareName,
    Way::NewFile,
    Way::Statement,
    Way::Listed,
    Way::Repaired,
    Way::PartOfThing,
    Way::Maker,
    Way::NewThing,
    Way::Invented,
    Way::Returned,
    Way::Drawn,
];
/// In a later turn, when more of the server's values are known.
const LATER: &[Way] = &[Way::KnownNow, Way::Statement, Way::PartOfThing, Way::Returned, Way::Drawn];
/// For a call that succeeded, and is refused when it is sent again.
const AGAIN: &[Way] = &[
    Way::ValuesAnew,
    Way::Undone,
    Way::AnotherName,
    Way::NewThing,
    Way::Repaired,
    Way::Maker,
    Way::DrawnTwice,
];
/// For a call about a thing that others have deleted since.
const GONE: &[Way] = &[Way::ValuesAnew, Way::Undone, Way::NewThing];

/// After the tool that must come first was called, at most this many calls are tried again.
const REPEATED: usize = 4;

/// A way to find a call that succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The calls that the tool's plan names.
    Planned,
    /// These calls with paths relative to the server's own folder.
    Relative,
    /// A tool that a refusal named has succeeded since.
    KnownNow,
    /// The names of files without their folders, where a refusal asks for them.
    BareName,
    /// Paths at which there is nothing yet, for a tool that makes things.
    NewFile,
    /// SQL statements that write, on what the server has listed.
    Statement,
    /// What other tools have listed.
    Listed,
    /// What refusals say.
    Repaired,
    /// A part of a thing that another call was about.
    PartOfThing,
    /// What other tools took or returned, each alone.
    Returned,
    /// Another tool makes the file that it works on.
    Maker,
    /// A thing that is created just before it.
    NewThing,
    /// Made-up answers of the service behind the server.
    Invented,
    /// Random calls, and what their refusals say.
    Drawn,
    /// With the values that the running process returns in place of those of an earlier one.
    ValuesAnew,
    /// The tools that were called before it are called again.
    Undone,
    /// Another name for the thing that it creates.
    AnotherName,
    /// Random calls, each of which is sent twice.
    DrawnTwice,
}

/// How far the search for a tool's call has come.
#[derive(Debug, Default)]
pub(super) struct Search {
    ways: &'static [Way],
    /// Calls that may succeed, the likeliest first.
    tries: Vec<Value>,
    /// Whether the second of them has values with which other tools succeeded.
    has_known: bool,
    /// The exchanges of calls that were refused.
    pub(super) refused: Vec<usize>,
    /// The call that succeeded before.
    before: Option<SuccessfulCall>,
    progress: RepairProgress,
    /// Whether the tool lost its process, so that no more is tried.
    is_over: bool,
}

/// What came of calls that were tried one after the other.
#[derive(Default)]
pub(super) struct Attempts {
    pub(super) found: Option<SuccessfulCall>,
    /// The exchanges of those that were refused.
    pub(super) refused: Vec<usize>,
    /// The exchange that lost the process, which ends them.
    pub(super) lost: Option<usize>,
}

impl Attempts {
    /// Enters the result of a call; returns whether it is the last.
    fn is_last(&mut self, tried: Tried, arguments: Value) -> bool {
        match tried {
            Tried::Succeeded(control) => self.found = Some(SuccessfulCall::new(control, arguments)),
            Tried::Refused(index) => self.refused.push(index),
            Tried::Lost(index) => self.lost = Some(index),
        }
        self.found.is_some() || self.lost.is_some()
    }
}

impl Search {
    /// For a tool about which nothing is known.
    pub(super) fn at_first(tries: Vec<Value>, has_known: bool) -> Self {
        Self { ways: AT_FIRST, tries, has_known, ..Self::default() }
    }

    /// For a tool whose first call was refused, when more of the server's values are known.
    pub(super) fn later(tool: &ProbedTool, refused: Option<usize>) -> Self {
        let refused = refused.into_iter().collect();
        Self { ways: LATER, tries: tool.tries.clone(), refused, ..Self::default() }
    }

    /// For a call that succeeded before and was refused now.
    pub(super) fn again(before: &SuccessfulCall, refused: usize) -> Self {
        Self { ways: AGAIN, refused: vec![refused], ..Self::gone(before) }
    }

    /// For a call that succeeded before, about a thing that is gone.
    pub(super) fn gone(before: &SuccessfulCall) -> Self {
        let tries = vec![before.arguments.clone()];
        Self { ways: GONE, tries, before: Some(before.clone()), ..Self::default() }
    }
}

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
    /// The call that succeeds, by the first way that finds one.
    pub(super) async fn found_by(&mut self, tool: &ProbedTool, search: &mut Search) -> Found {
        for way in search.ways {
            let found = Box::pin(self.by(*way, tool, search)).await?;
            if found.is_some() || search.is_over {
                return Ok(found);
            }
        }
        Ok(None)
    }

    async fn by(&mut self, way: Way, tool: &ProbedTool, search: &mut Search) -> Found {
        let refused = search.refused.first().copied();
        let before = search.before.as_ref();
        let found = match way {
            Way::Planned
            | Way::Relative
            | Way::BareName
            | Way::NewFile
            | Way::Statement
            | Way::Listed
            | Way::PartOfThing
            | Way::Returned => {
                return self.by_candidates(way, tool, search).await;
            }
            Way::KnownNow => return self.after_what_is_known_now(tool, refused).await,
            Way::Invented => return self.invented(tool, &search.tries).await,
            Way::Drawn => return self.drawn(tool, search).await,
            Way::DrawnTwice => return self.drawn_twice(tool).await,
            Way::ValuesAnew => return self.with_values_anew(tool, before).await,
            Way::Undone => return self.after_what_was_undone(tool, before).await,
            Way::AnotherName => return self.under_another_name(tool, before, refused).await,
            Way::NewThing => {
                let Some(first) = search.tries.first() else { return Ok(None) };
                let found = self.on_a_new_thing(tool, first).await?.map(|(found, _)| found);
                // Whether it succeeds again is not known yet.
                return Ok(match search.before {
                    Some(_) => found,
                    None => found.map(|found| SuccessfulCall::new(found.control, found.arguments)),
                });
            }
            Way::Repaired => {
                let starts = starts(&search.refused, search.has_known);
                self.repaired(tool, &starts, &mut search.progress).await?
            }
            Way::Maker => {
                let known = before.map(|before| &before.arguments);
                self.after_a_maker(tool, refused.filter(|_| known.is_none()), known).await?
            }
        };
        Ok(match search.before {
            Some(_) => found.map(|found| SuccessfulCall { repeatability: Repeatability::Steady, ..found }),
            None => found,
        })
    }

    /// The first of these calls that succeeds.
    async fn by_candidates(&mut self, way: Way, tool: &ProbedTool, search: &mut Search) -> Found {
        let candidates = match way {
            Way::Relative => self.relative_tries(tool, &search.tries),
            Way::BareName => self.under_bare_names(tool, search),
            Way::NewFile => self.upon_new_files(tool, &search.tries),
            Way::Statement => self.with_statements(tool, &search.tries, search.refused.first().copied()),
            Way::Listed => {
                search.refused.first().map(|first| self.with_listed(tool, *first)).unwrap_or_default()
            }
            Way::PartOfThing => self.upon_parts(tool, &search.tries),
            Way::Returned => self.with_returned(tool, &search.tries),
            _ => search.tries.clone(),
        };
        let attempts = self.attempt(tool, candidates).await?;
        if matches!(way, Way::Planned | Way::Relative) {
            search.is_over = attempts.lost.is_some();
            search.refused.extend(attempts.refused.into_iter().chain(attempts.lost));
        }
        if way == Way::Relative && attempts.found.is_some() {
            self.tools.paths.insert(tool.name.clone(), Paths::Relative);
        }
        Ok(attempts.found)
    }

    /// Sends these calls until one succeeds, or the process is lost.
    pub(super) async fn attempt(
        &mut self,
        tool: &ProbedTool,
        candidates: Vec<Value>,
    ) -> Result<Attempts, Abort> {
        let mut attempts = Attempts::default();
        for arguments in candidates {
            if attempts.is_last(self.tried(tool, &arguments).await?, arguments) {
                break;
            }
        }
        Ok(attempts)
    }

    /// The first call of a tool that makes things with a path at which there is nothing yet, one path after the other.
    fn upon_new_files(&self, tool: &ProbedTool, tries: &[Value]) -> Vec<Value> {
        let (Some(first), true) = (tries.first(), self.draws.is_some() && makes(&tool.name)) else {
            return Vec::new();
        };
        self.head.catalog.tool(&tool.name).map(|listed| with_new_files(listed, first)).unwrap_or_default()
    }

    /// The first call with the bare name of each file, where the tool asks for that. Only a confined tool gets it: it may lead
    /// out of the tool's own folder.
    fn under_bare_names(&self, tool: &ProbedTool, search: &Search) -> Vec<Value> {
        let asks = |refused: &usize| {
            self.pool.exchanges[*refused].outcome.words().iter().any(|text| asks_for_relative(text))
        };
        let Some(first) = search.tries.first().filter(|_| self.draws.is_some()) else { return Vec::new() };
        if !search.refused.iter().any(asks) {
            return Vec::new();
        }
        self.head.catalog.tool(&tool.name).map(|listed| with_bare_names(listed, first)).into_iter().collect()
    }

    /// Tries random calls and the repairs that their refusals lead to.
    async fn drawn(&mut self, tool: &ProbedTool, search: &mut Search) -> Found {
        let mut drawn: Vec<Value> = (0..DRAWN).map_while(|_| self.next_drawn(tool)).collect();
        // What accepts a path to nothing, or to a folder, may have used neither: a call with a file comes first.
        drawn.sort_by_key(|arguments| {
            let leads_to = |name: &str| texts(arguments).any(|text| text.rsplit('/').next() == Some(name));
            (leads_to(ToolFiles::MISSING), leads_to(ToolFiles::FOLDER))
        });
        let Attempts { mut found, refused, lost } = self.attempt(tool, drawn).await?;
        if found.is_none() && lost.is_none() {
            found = self.repaired(tool, &refused, &mut search.progress).await?;
        }
        search.refused.extend(refused.into_iter().chain(lost));
        Ok(found)
    }

    /// A random call that succeeds, if possible twice.
    async fn drawn_twice(&mut self, tool: &ProbedTool) -> Found {
        for _ in 0..DRAWN_AGAIN {
            let Some(arguments) = self.next_drawn(tool) else { break };
            let Ok(control) = self.tried(tool, &arguments).await?.unless_lost()? else { continue };
            let (control, repeatability) = match self.tried(tool, &arguments).await?.unless_lost()? {
                Ok(control) => (control, Repeatability::Steady),
                Err(refused) => (control, Repeatability::Spent { refused }),
            };
            return Ok(Some(SuccessfulCall { control, arguments, repeatability }));
        }
        Ok(None)
    }

    fn next_drawn(&mut self, tool: &ProbedTool) -> Option<Value> {
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        let drawn = self.draws.as_mut()?.next(tool, &folder.to_string_lossy())?;
        Some(self.learnt.of_progress(&tool.name, &drawn))
    }

    /// The call with another name for the thing it creates, if it is refused because that exists already. The
    /// parameter whose value the refusal quotes is tried first.
    async fn under_another_name(
        &mut self,
        tool: &ProbedTool,
        before: Option<&SuccessfulCall>,
        refused: Option<usize>,
    ) -> Found {
        let (Some(before), Some(refused)) = (before, refused) else { return Ok(None) };
        let words = self.pool.exchanges[refused].outcome.words().join("\n");
        for names in choices_of_names(&before.arguments, &words) {
            let Some(draws) = self.draws.as_mut() else { break };
            let Some(arguments) = draws.renamed_in(tool, &before.arguments, &names) else { continue };
            let Ok(control) = self.tried(tool, &arguments).await?.unless_lost()? else { continue };
            if let Some(draws) = self.draws.as_mut() {
                draws.keep_names(tool, names);
            }
            let repeatability = Repeatability::Renamed { refused };
            return Ok(Some(SuccessfulCall { control, arguments, repeatability }));
        }
        Ok(None)
    }

    /// Looks for a call that succeeds by following these refusals: each call is derived from the newest
    /// refusal. Only for tools that may get calls that succeed in this session.
    pub(super) async fn repaired(
        &mut self,
        tool: &ProbedTool,
        refused: &[usize],
        progress: &mut RepairProgress,
    ) -> Found {
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
                match self.tried(tool, &known).await? {
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
                        self.seek_first(tool, first).await?;
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
                match self.tried(tool, &arguments).await? {
                    Tried::Succeeded(control) => {
                        self.pool.exchanges[control].place.words =
                            Some(repair.words).filter(|words| !words.is_empty());
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
    /// that said more than what was done. Where they say nothing more, the descriptions of the parameters may.
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
        let said = std::iter::once(newest).chain(alike.iter().rev().copied()).find_map(|refused| {
            let ways = self.ways(asked, refused, &progress.followed);
            Some((refused, ways.into_iter().find(is_new)?))
        });
        said.or_else(|| {
            let described = self.reading(asked, newest, |reader, sent, _| reader.described(sent))?;
            Some((newest, described.into_iter().find(is_new)?))
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
        refused: Option<usize>,
    ) -> Found {
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
            .take(REPEATED)
            .collect();
        let Attempts { found, refused, lost } = self.attempt(tool, tries).await?;
        if found.is_some() || lost.is_some() {
            return Ok(found);
        }
        let mut progress = RepairProgress { followed: vec![first], ..RepairProgress::default() };
        self.repaired(tool, &refused, &mut progress).await
    }

    /// The repair that a reader who has only the reply would make.
    pub(super) fn read(&self, asked: RefusedTool<'_>, refused: usize, followed: &[String]) -> Option<Repair> {
        self.reading(asked, refused, |reader, sent, texts| reader.next(sent, texts, followed)).flatten()
    }

    /// All repairs that such a reader might make, the likeliest first.
    fn ways(&self, asked: RefusedTool<'_>, refused: usize, followed: &[String]) -> Vec<Repair> {
        let reasons = logged_reasons(&self.pool.exchanges[refused]);
        let ways = |reader: &Reader<'_>, sent: &Value, texts: &[&str]| {
            let found = reader.nexts(sent, texts, followed);
            if !found.is_empty() {
                return found;
            }
            // The caller does not see the log, so the call that follows from it need not succeed.
            let logged: Vec<&str> = reasons.iter().map(String::as_str).collect();
            let of_log = reader.nexts(sent, &logged, followed).into_iter();
            of_log.map(|repair| Repair { basis: Basis::Inferred, ..repair }).collect()
        };
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
        let moved = |name: &str, other: &str, value: &Value| {
            let other = self.learnt.folder_of(other)?;
            let schema = own_schema(listed, name)?;
            self.takes_from_others(listed, name, &schema).then(|| self.in_the_folder_of(tool, other, value))
        };
        self.learnt.of_others(&tool.name, arguments, &moved)
    }

    /// Whether a parameter with this schema may get a value that another call took or returned: not one of a fixed set, and
    /// nothing that could be executed, opened or sent.
    pub(super) fn takes_from_others(&self, tool: &Tool, name: &str, schema: &Value) -> bool {
        let is_closed = schema.get("enum").is_some() || schema.get("const").is_some();
        !is_closed && bound_executable_kind(tool, &self.head.bindings, name, schema).is_none()
    }

    /// Lays out the files that a call refers to; returns whether any of them is new.
    pub(super) fn supply(&mut self, tool: &ProbedTool, arguments: &Value) -> bool {
        let more =
            laid_out(arguments, &self.tool_files(&tool.name, &tool.folder), &self.tools.files_of(tool));
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

/// A call with the path of a file that is new in its folder in the place of one that was sent.
fn with_new_files(tool: &Tool, call: &Value) -> Vec<Value> {
    let with_new = |slot: &ArgumentSlot| {
        let sent = slot.sent_text().filter(|_| slot.is_path())?;
        let name = sent.rsplit('/').next()?;
        let (_, ending) = name.rsplit_once('.')?;
        let mut next = call.clone();
        let new = format!("{}new.{ending}", &sent[..sent.len() - name.len()]);
        put(&mut next, &slot.place, Value::from(new)).then_some(next)
    };
    slots(&tool.own_document(), call).iter().filter_map(with_new).take(NEW_FILES).collect()
}

/// A call with the names of files in place of their paths.
fn with_bare_names(tool: &Tool, call: &Value) -> Value {
    let mut next = call.clone();
    for slot in slots(&tool.own_document(), call).iter().filter(|slot| slot.is_path()) {
        if let Some(name) =
            slot.sent_text().as_deref().and_then(|sent| sent.trim_end_matches('/').rsplit('/').next())
        {
            put(&mut next, &slot.place, Value::from(name));
        }
    }
    next
}

/// Why a call was refused, as standard error says, if the SDK kept it from the caller: "Error executing tool x" alone. The
/// newest exception comes first.
fn logged_reasons(exchange: &Exchange) -> Vec<String> {
    let words = exchange.outcome.words();
    if words.is_empty() || !words.iter().all(|text| pattern!("cause/kept-back").is_match(text)) {
        return Vec::new();
    }
    let mut reasons: Vec<String> = pattern!("cause/exception")
        .captures_iter(&exchange.stderr)
        .map(|found| found["reason"].to_owned())
        .filter(|reason| !pattern!("cause/kept-back").is_match(reason))
        .collect();
    reasons.dedup();
    reasons.reverse();
    reasons
}

/// The order in which refusals are read. The call with other tools' values, if there is one, is the likeliest.
/// Of the random calls the third comes first: there each parameter has a word of its own, so that a refusal
/// that repeats one shows which parameter it means.
fn starts(refused: &[usize], has_known: bool) -> Vec<usize> {
    let mut draws = refused.to_vec();
    let known = (has_known && draws.len() > 1).then(|| draws.remove(1));
    if draws.len() > 2 {
        draws.rotate_left(2);
    }
    known.into_iter().chain(draws).collect()
}

/// The schema of one of a tool's own parameters.
pub(super) fn own_schema(tool: &Tool, name: &str) -> Option<Value> {
    let document = tool.own_document();
    Some(flattened(document.pointer("/properties")?.get(name)?, &document).into_owned())
}

/// What a next call must do: where a message said outright what would do, succeed.
pub(super) fn expected(basis: Basis, words: &str) -> Expected {
    match basis {
        Basis::Stated => {
            let why = format!("this call does what the earlier reply said: {words}");
            Expected::success(&why, Authority::Contract)
        }
        Basis::Inferred => Expected::Anything,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refusals_are_read_in_the_order_of_what_they_are_likely_to_tell() {
        assert_eq!(starts(&[1, 9, 2, 3, 4], true), [9, 3, 4, 1, 2]);
        assert_eq!(starts(&[1, 2, 3, 4], false), [3, 4, 1, 2]);
        assert_eq!(starts(&[1], true), [1]);
    }

    #[test]
    fn what_makes_a_file_is_called_with_the_path_of_a_new_one() {
        let text = json!({"type": "string"});
        let tool =
            Tool::named("create_book", json!({"properties": {"path": text, "title": text, "folder": text}}));
        let call = json!({"path": "/w/c/data.xlsx", "title": "v1.2", "folder": "/w/c/sub"});
        let new = json!({"path": "/w/c/new.xlsx", "title": "v1.2", "folder": "/w/c/sub"});
        assert_eq!(with_new_files(&tool, &call), [new]);
        let bare = json!({"path": "data.xlsx", "title": "v1.2", "folder": "sub"});
        assert_eq!(with_bare_names(&tool, &call), bare);
        let relative = with_new_files(&tool, &json!({"path": "data.xlsx"}));
        assert_eq!(relative, [json!({"path": "new.xlsx"})]);
    }

    #[test]
    fn a_reason_that_the_sdk_keeps_from_the_caller_is_read_in_the_log() {
        let stderr = "Tool 'sum' raised an unexpected exception\nTraceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'\n\nThe above exception was the direct cause:\n\nsheets.InputError: Unknown column 'x'. Available columns: a, b\n\nlib.ToolError: Error executing tool sum\n";
        let refused = |text: &str| {
            let reply = json!({"isError": true, "content": [{"type": "text", "text": text}]});
            let mut exchange = Exchange::alone(Some("sum"), json!({}), Outcome::Result(reply));
            stderr.clone_into(&mut exchange.stderr);
            logged_reasons(&exchange)
        };
        let reasons = ["Unknown column 'x'. Available columns: a, b", "'x'"];
        assert_eq!(refused("Error executing tool sum"), reasons);
        assert!(refused("Error executing tool sum: no column x").is_empty());
    }
}
