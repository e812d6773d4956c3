//! Looks for successful calls on behalf of a campaign, with the code that drives the probes of a run.
//!
//! The main function is [`learn`]. The calls are those that a run would send with the same settings, to the
//! tools that the campaign may call. They are confirmed in emptied folders and a fresh process, because what an
//! earlier call left behind is missing in the next campaign and when a finding is replayed. Those of an earlier campaign
//! that succeed were confirmed then.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{RwLock, watch};

use crate::class::Class;
use crate::condition::CaseId;
use crate::exchange::{Exchange, Step};
use crate::generate::{is_an_end, makes};
use crate::judge::FoundBy;
use crate::plan::{PlannedCase, ProbeChoice, ProbePlan, ProbeScope, ProbedTool, SettledCases, probes};
use crate::server::RunFolders;
use crate::transcript::{DrivenCase, Head};

use super::apart::ApartCases;
use super::case::{Draws, Driver, FirstCall, NewThing, RunResources, TriedCall};
use super::driven::renumber;
use super::patience::Patience;
use super::scheduler::by_need;
use super::session_part::{cases, known};
use super::{Assignment, DriveError, InspectedServer, Isolation, confined_session, until};

mod places;

use places::Places;

/// At most this many calls are needed for one life.
const OF_A_LIFE: usize = 24;

/// A call of a tool that succeeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValidCall {
    /// The tool's name.
    pub(crate) tool: String,
    /// The arguments, as they are sent.
    pub(crate) arguments: Value,
    /// How it was found.
    pub(crate) source: FoundBy,
    /// The text of the refusal that led to this call, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) words: Option<String>,
    /// Whether it succeeds only once: what it creates then exists, or what it deletes does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) once: bool,
    /// The calls that must come before it in each process, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) first: Vec<FirstCall>,
    /// The thing it is about, if each call needs another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) new: Option<NewThing>,
}

/// Which calls to look for, and for how long.
pub(crate) struct Wanted<'a> {
    /// The tools that may get complete calls.
    pub(crate) tools: &'a BTreeSet<String>,
    /// Whether the server is confined.
    pub(crate) is_confined: bool,
    /// The folder in the workspace with the files that the calls will refer to.
    pub(crate) folder: &'a CaseId,
    /// At most this many calls are sent.
    pub(crate) calls: usize,
    /// When the search ends.
    pub(crate) until: Option<Instant>,
    /// How many more calls, and how much time, go to what a run sends besides probes; only in confinement.
    pub(crate) besides: (usize, Option<Duration>),
    /// At most this many processes are started to confirm what was found.
    pub(crate) processes: usize,
    /// Calls that succeeded in an earlier campaign.
    pub(crate) kept: &'a [ValidCall],
}

/// The result of the search.
#[derive(Debug, Default)]
pub(crate) struct ValidCalls {
    /// The successful calls, at most one for each tool.
    pub(crate) valid: Vec<ValidCall>,
    /// The tools for which none was found.
    pub(crate) unknown: Vec<String>,
    /// The tools for which no time or no calls were left.
    pub(crate) left: Vec<String>,
    /// The tools whose successful call of an earlier campaign now fails.
    pub(crate) stale: Vec<String>,
    /// How many calls were sent.
    pub(crate) calls: u64,
    /// The cases that were driven once.
    pub(crate) once: OnceRecord,
}

/// The cases that were driven once, and their exchanges.
#[derive(Debug, Default)]
pub(crate) struct OnceRecord {
    pub(crate) cases: Vec<DrivenCase>,
    /// The exchanges of the cases, those they refer to, and those that belong to no case.
    pub(crate) exchanges: Vec<Exchange>,
}

/// Looks for a successful call of each tool, and tells after each how many were tried.
///
/// # Errors
/// When it is interrupted meanwhile.
pub(crate) async fn learn(
    assignment: &Assignment,
    run_folders: &RunFolders,
    looked: &mut InspectedServer,
    wanted: &Wanted<'_>,
    interrupt: &mut watch::Receiver<bool>,
    tell: &mut dyn FnMut(usize),
) -> Result<ValidCalls, DriveError> {
    let pool = looked.pool.successor();
    let head = &looked.head;
    let mut plan = planned(assignment, head, wanted);
    let places = Places::new(run_folders, wanted.folder, &plan.tools);
    for tool in &mut plan.tools {
        places.try_kept(assignment, head.catalog.tool(&tool.name), tool, wanted.kept);
    }
    let cases = match wanted.has_cases() {
        true => of_tools(cases(assignment, head), wanted.tools),
        false => Vec::new(),
    };
    let (outside, confinement) = (RwLock::new(()), head.confinement.clone());
    let resources = RunResources {
        run_folders,
        upstream: looked.upstream.as_ref(),
        outside: &outside,
        confinement: &confinement,
        tools: &assignment.tools,
    };
    let before = pool.exchanges.len();
    let mut driver = Driver::new(pool, resources, &assignment.contract, head, Isolation::WhereNeeded);
    if wanted.is_confined {
        driver = driver.drawing(Draws::new(&head.catalog, &head.folders.upstream, assignment.seed));
    }
    let mut search = CallSearch {
        driver,
        patience: Patience::default(),
        end: usize::MAX,
        until: None,
        run_folders,
        probed: &plan.tools,
        kept: wanted.kept,
        found: Vec::new(),
        learnt: ValidCalls::default(),
        interrupt,
        tell,
    };
    let is_kept = |tool: &ProbedTool, call: &TriedCall| {
        let arguments = places.valid_call(assignment, tool, call.clone()).arguments;
        wanted.kept.iter().any(|kept| kept.tool == tool.name && kept.arguments == arguments)
    };
    search.find(wanted, &is_kept).await?;
    let first = search.driver.exchanges().len();
    if wanted.has_cases() {
        search.driver.renew().await;
        empty(run_folders);
        search.learnt.once.cases = search.drive_once(&cases, &plan, wanted.besides).await?;
    }
    let CallSearch { mut driver, found, mut learnt, .. } = search;
    let sent = driver.exchanges().iter().skip(before).filter(|exchange| exchange.tool().is_some());
    learnt.calls = sent.count() as u64;
    if !learnt.once.cases.is_empty() {
        driver.renew().await;
        learnt.once.exchanges = since(driver.take_exchanges(), first);
    }
    let (found, unusable): (Found<'_>, Found<'_>) =
        found.into_iter().partition(|(tool, _)| !driver.needs_another_answer(&tool.name));
    learnt.unknown.extend(unusable.into_iter().map(|(tool, _)| tool.name.clone()));
    learnt.enter(found, wanted.kept, |tool, call| places.valid_call(assignment, tool, call));
    looked.pool.running = driver.take_running();
    Ok(learnt)
}

/// The tools to search, and the calls that a run sends besides probes.
fn planned(assignment: &Assignment, head: &Head, wanted: &Wanted<'_>) -> ProbePlan {
    let nothing = SettledCases::default();
    let scope = if wanted.is_confined { ProbeScope::Complete(&nothing) } else { ProbeScope::ByClass };
    let faults = assignment.probes.faults.clone();
    let choice = ProbeChoice { most: head.catalog.tools.len(), faults, ..ProbeChoice::default() };
    let mut plan = probes(known(assignment, head, scope), &choice);
    confined_session::order(&mut plan, &head.catalog);
    plan.tools.retain(|tool| wanted.tools.contains(&tool.name) && !tool.tries.is_empty());
    plan.lives.retain(|life| life.tools().all(|tool| wanted.tools.contains(tool)));
    bound(&mut plan, wanted.besides.0);
    plan
}

impl Wanted<'_> {
    /// Whether the cases of a run are sent too.
    fn has_cases(&self) -> bool {
        self.is_confined && self.besides.0 > 0
    }
}

impl ValidCalls {
    /// Enters the calls that were found. `kept` are those of an earlier campaign.
    fn enter(
        &mut self,
        found: Found<'_>,
        kept: &[ValidCall],
        valid_call: impl Fn(&ProbedTool, TriedCall) -> ValidCall,
    ) {
        let kept = |tool: &str| kept.iter().find(|call| call.tool == tool);
        for (tool, call) in found {
            let call = valid_call(tool, call);
            let before = kept(&tool.name);
            if before.is_some_and(|before| before.arguments != call.arguments) {
                self.stale.push(tool.name.clone());
            }
            // A known call stays as it was confirmed.
            let same = before.filter(|before| before.arguments == call.arguments);
            self.valid.push(same.cloned().unwrap_or(call));
        }
        self.stale.extend(self.unknown.iter().filter(|tool| kept(tool).is_some()).cloned());
    }
}

/// Searches for valid calls within a budget of calls and time.
struct CallSearch<'a, 'i> {
    driver: Driver<'a>,
    patience: Patience,
    /// No more calls are sent once there are this many exchanges.
    end: usize,
    until: Option<Instant>,
    run_folders: &'a RunFolders,
    /// The tools, and the calls of them that succeeded in an earlier campaign.
    probed: &'a [ProbedTool],
    kept: &'a [ValidCall],
    found: Found<'a>,
    learnt: ValidCalls,
    interrupt: &'i mut watch::Receiver<bool>,
    /// Is told how many tools were tried.
    tell: &'i mut dyn FnMut(usize),
}

/// Tools with their successful calls.
type Found<'p> = Vec<(&'p ProbedTool, TriedCall)>;

impl<'a> CallSearch<'a, '_> {
    /// Allows at most this many more exchanges, and none after `until`.
    fn until(&mut self, exchanges: usize, until: Option<Instant>) {
        (self.end, self.until) = (exchanges, until);
        self.driver.allow(exchanges);
    }

    fn is_over(&self) -> bool {
        self.driver.exchanges().len() >= self.end || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Does `work` while there is time; `None` if there was too little.
    async fn within<T>(
        until_then: Option<Instant>,
        interrupt: &mut watch::Receiver<bool>,
        work: impl Future<Output = T>,
    ) -> Result<Option<T>, DriveError> {
        let timed = async {
            match until_then {
                Some(end) => tokio::time::timeout_at(end.into(), work).await.ok(),
                None => Some(work.await),
            }
        };
        until(interrupt, timed).await.ok_or(DriveError::Interrupted)
    }

    /// Looks for the calls and confirms them, within the wanted number of calls and time.
    async fn find(
        &mut self,
        wanted: &Wanted<'_>,
        is_kept: &dyn Fn(&ProbedTool, &TriedCall) -> bool,
    ) -> Result<(), DriveError> {
        let (begun, before) = (Instant::now(), self.driver.exchanges().len());
        // A third is kept for confirming what was found: each call is sent twice more.
        let of_search = |whole: usize| whole / 3 * 2;
        let time = wanted.until.map(|until| until.saturating_duration_since(begun));
        self.until(before.saturating_add(of_search(wanted.calls)), time.map(|time| begun + time / 3 * 2));
        self.search().await?;
        self.until(before.saturating_add(wanted.calls), wanted.until);
        let found = std::mem::take(&mut self.found).into_iter();
        let (kept, new): (Found<'_>, Found<'_>) = found.partition(|(tool, call)| is_kept(tool, call));
        self.found = kept;
        self.prove(new, wanted.processes).await
    }

    /// Drives what a run sends besides probes, with at most this many calls and for at most this long: calls while the service
    /// behind the server fails, calls about what tools have made, the cases of the suite, and calls while the machine is in the
    /// way. Returns the cases that came about.
    async fn drive_once(
        &mut self,
        cases: &[PlannedCase],
        plan: &ProbePlan,
        (most, time): (usize, Option<Duration>),
    ) -> Result<Vec<DrivenCase>, DriveError> {
        let until = time.map(|time| Instant::now() + time);
        let end = self.driver.exchanges().len().saturating_add(most);
        self.driver.allow(end);
        let mut driven = Vec::new();
        let mut apart = ApartCases {
            driver: &mut self.driver,
            patience: &mut self.patience,
            interrupt: self.interrupt,
            tell: &mut |_| {},
            driven: &mut driven,
        };
        let sent = async {
            apart.faults(&plan.tools).await?;
            Box::pin(apart.lives(plan)).await?;
            for planned in cases {
                if apart.driver.exchanges().len() >= end {
                    break;
                }
                apart.case(planned).await?;
            }
            if apart.driver.exchanges().len() < end {
                apart.obstacles(&plan.tools).await?;
            }
            Some(())
        };
        let is_done = match until {
            Some(until) => tokio::time::timeout_at(until.into(), sent).await.unwrap_or(Some(())),
            None => sent.await,
        };
        is_done.map(|()| driven).ok_or(DriveError::Interrupted)
    }

    /// Looks for the calls, beginning with tools that others need. Tools that delete come last.
    async fn search(&mut self) -> Result<(), DriveError> {
        let Self { probed, kept, .. } = *self;
        let is_first = |tool: &&ProbedTool| {
            kept.iter().any(|call| call.first.iter().any(|first| first.tool == tool.name))
        };
        let ends = probed.iter().filter(|tool| is_an_end(&tool.name));
        let (first, then): (Vec<_>, Vec<_>) = by_need(probed).chain(ends).partition(is_first);
        let mut open: Vec<(&ProbedTool, usize)> = Vec::new();
        let mut is_whole = true;
        for (tried, tool) in first.into_iter().chain(then).enumerate() {
            (self.tell)(tried);
            if is_whole && (tool.class == Class::Effect || is_an_end(&tool.name)) {
                // What other calls have made still exists.
                is_whole = false;
                open = self.search_again(open).await?;
            }
            let known = self.found.len();
            self.search_one(tool).await?;
            if self.found.len() == known && self.learnt.unknown.last() == Some(&tool.name) {
                open.push((tool, known));
            }
        }
        self.search_again(open).await?;
        Ok(())
    }

    /// Tries again for tools without a successful call: later calls of other tools may have shown what they
    /// need. Returns those for which no time was left.
    async fn search_again(
        &mut self,
        open: Vec<(&'a ProbedTool, usize)>,
    ) -> Result<Vec<(&'a ProbedTool, usize)>, DriveError> {
        let mut left = Vec::new();
        for (tool, known) in open {
            if known == self.found.len() || self.is_over() {
                left.push((tool, known));
                continue;
            }
            let known = self.found.len();
            self.learnt.unknown.retain(|name| *name != tool.name);
            self.driver.forget(tool);
            self.search_one(tool).await?;
            if self.found.len() == known {
                left.push((tool, known));
            }
        }
        Ok(left)
    }

    async fn search_one(&mut self, tool: &'a ProbedTool) -> Result<(), DriveError> {
        if self.is_over() {
            self.learnt.left.push(tool.name.clone());
            return Ok(());
        }
        if self.patience.withheld(&tool.name).is_some() {
            self.learnt.unknown.push(tool.name.clone());
            return Ok(());
        }
        let firsts = self.kept.iter().filter(|call| call.tool == tool.name).flat_map(|call| &call.first);
        let firsts: Vec<String> = firsts.map(|first| first.tool.clone()).collect();
        self.driver.follow(tool, &firsts);
        let work = Box::pin(self.driver.tried_call(tool));
        match Self::within(self.until, self.interrupt, work).await? {
            Some(Some(call)) => self.found.push((tool, call)),
            Some(None) if !self.is_over() => {
                self.driver.follow_nothing(tool);
                self.learnt.unknown.push(tool.name.clone());
            }
            _ => self.learnt.left.push(tool.name.clone()),
        }
        self.driver.record_responses(&mut self.patience);
        Ok(())
    }

    /// Confirms each call with all that it needs, by sending it again after the effects of the others are gone.
    /// Calls that change nothing come first, and among them the last found, because it may need what was found
    /// before it. If another tool must have made something, that tool is called first from then on. A call for
    /// which there is no time is taken as it was found, and so is one that is refused where no more than `processes`
    /// may be started.
    async fn prove(&mut self, found: Found<'a>, mut processes: usize) -> Result<(), DriveError> {
        let Self { probed, run_folders, .. } = *self;
        let (reading, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(tool, _)| tool.class == Class::Read);
        let mut is_clean = false;
        for (tool, call) in reading.into_iter().rev().chain(others) {
            if self.is_over() {
                self.found.push((tool, call));
                continue;
            }
            if !is_clean && processes > 0 {
                processes -= 1;
                is_clean = true;
                self.driver.renew().await;
                empty(run_folders);
                for tool in probed {
                    let _ = run_folders.take_away(&run_folders.case_folder(&tool.folder));
                }
            }
            let work = Box::pin(self.driver.proven(tool));
            let again = Self::within(self.until, self.interrupt, work).await?;
            let again = again.flatten().map(|again| match again.own == call.own {
                // Report the refusal that led to it, not the one from the second process.
                true => TriedCall { words: call.words.clone().or(again.words), ..again },
                false => again,
            });
            let again = again.or_else(|| (self.is_over() || !is_clean).then_some(call));
            let changes = matches!(tool.class, Class::Write | Class::Effect) || makes(&tool.name);
            is_clean &= !changes && again.as_ref().is_some_and(|call| call.first.is_empty());
            match again {
                Some(call) => self.found.push((tool, call)),
                None => self.learnt.unknown.push(tool.name.clone()),
            }
            self.driver.take_responses();
        }
        Ok(())
    }
}

/// Empties the folders that calls may have written to.
pub(crate) fn empty(run_folders: &RunFolders) {
    for folder in
        [PathBuf::from(&run_folders.folders.workspace), PathBuf::from(run_folders.folders.temporary())]
    {
        let _ = run_folders.empty(&folder);
    }
    let _ = run_folders.reset_outside();
}

/// Reduces the plan to what can be sent in about this many calls.
fn bound(plan: &mut ProbePlan, most: usize) {
    plan.lives.truncate(most / OF_A_LIFE);
    let of_a_tool = most / plan.tools.len().max(1);
    plan.tools.iter_mut().for_each(|tool| tool.faults.truncate(of_a_tool));
}

/// The cases whose tools are all in `tools`.
fn of_tools(mut cases: Vec<PlannedCase>, tools: &BTreeSet<String>) -> Vec<PlannedCase> {
    cases.retain(|planned| planned.script.is_ok() && planned.tools.iter().all(|tool| tools.contains(tool)));
    cases
}

/// The exchanges from index `first` on, renumbered, with those they refer to and those of no case.
fn since(exchanges: Vec<Exchange>, first: usize) -> Vec<Exchange> {
    let referred: BTreeSet<usize> = exchanges
        .iter()
        .skip(first)
        .flat_map(|exchange| [exchange.place.control, exchange.place.follows, exchange.place.twin])
        .flatten()
        .collect();
    let is_kept = |exchange: &Exchange| {
        exchange.index >= first
            || exchange.place.step == Step::Lifecycle
            || referred.contains(&exchange.index)
    };
    let mut kept: Vec<Exchange> = exchanges.into_iter().filter(is_kept).collect();
    let numbers: HashMap<usize, usize> =
        kept.iter().enumerate().map(|(number, exchange)| (exchange.index, number)).collect();
    for (number, exchange) in kept.iter_mut().enumerate() {
        renumber(exchange, number, |index| numbers.get(&index).copied());
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::Outcome;

    use super::*;

    #[test]
    fn what_came_before_is_kept_where_something_refers_to_it() {
        let mut exchanges: Vec<Exchange> = (0..5)
            .map(|number| {
                let arguments = json!({ "number": number });
                let alone = Exchange::alone(Some("read"), arguments, Outcome::Result(json!({})));
                Exchange { index: number, ..alone }
            })
            .collect();
        exchanges[0].place.step = Step::Lifecycle;
        exchanges[4].place.control = Some(2);
        let kept = since(exchanges, 3);
        let told: Vec<_> = kept.iter().map(|exchange| &exchange.call.arguments["number"]).collect();
        assert_eq!(told, [0, 2, 3, 4]);
        assert_eq!((kept[3].index, kept[3].place.control), (3, Some(1)));
    }
}
