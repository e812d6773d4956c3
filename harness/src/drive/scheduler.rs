//! Drives several processes at once, with the same report as one would give.
//!
//! The main function is [`drive_all`]. Each driver takes the next case of the plan when it is free. Results are
//! entered in the ledger in the order of the plan, and unanswered calls are counted in that order: a case that
//! a single process would not have sent any more is struck out, even if another process was ahead and did send
//! it. The futures that drive a case or a probe are boxed, because they are large and a thread's stack may be
//! small.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::pin::Pin;

use tokio::sync::watch;

use crate::class::Class;
use crate::event::Event;
use crate::exchange::Exchange;
use crate::generate::{is_an_end, makes};
use crate::plan::{PlannedCase, PlannedProbe, ProbePlan, ProbedTool};
use crate::roles::Role;
use crate::transcript::{CaseOutcome, DrivenCase};

use super::apart::ApartCases;
use super::case::{Driver, FirstFailure};
use super::driven::renumber;
use super::patience::{Patience, Responsiveness};
use super::{INTERRUPTED, all, until};

/// The outcome of every case in the order of the plan, and all exchanges.
#[derive(Default)]
pub(super) struct DrivenPlan {
    pub(super) outcomes: Vec<CaseOutcome>,
    /// The outcome of every probe, tool by tool.
    pub(super) probes: Vec<CaseOutcome>,
    /// The cases that were driven apart from them.
    pub(super) apart: Vec<DrivenCase>,
    /// The tools that succeed only with made-up answers of that service.
    pub(super) invented: HashSet<String>,
    pub(super) exchanges: Vec<Exchange>,
    pub(super) interrupted: bool,
}

/// What a driver returns for a case.
struct Entry {
    driver: usize,
    exchanges: Range<usize>,
    responses: Vec<(String, Responsiveness)>,
    lost: Option<String>,
    outcome: CaseOutcome,
}

/// The cases settled so far, in the order of the plan.
struct Ledger<'a, 'e> {
    cases: &'a [PlannedCase],
    tell: &'e mut dyn FnMut(Event),
    waiting: BTreeMap<usize, Entry>,
    settled: Vec<Entry>,
    patience: Patience,
    /// Why no more processes can be started.
    lost: Option<String>,
    sight: FirstFailure,
}

impl Ledger<'_, '_> {
    /// Why a case is not sent any more. Once there is a reason for a case, it stays.
    fn withheld(&self, planned: &PlannedCase) -> Option<String> {
        let script = planned.script.as_ref().ok()?;
        self.lost.clone().or_else(|| self.patience.withheld(&script.call.tool))
    }

    /// Takes what a driver returns, and settles the cases that can be.
    fn enter(&mut self, index: usize, entry: Entry) {
        self.waiting.insert(index, entry);
        while let Some(entry) = self.waiting.remove(&self.settled.len()) {
            self.settle(entry);
        }
    }

    fn settle(&mut self, mut entry: Entry) {
        let planned = &self.cases[self.settled.len()];
        match self.withheld(planned) {
            Some(reason) => {
                entry.outcome = CaseOutcome::Skipped(reason);
                entry.exchanges = 0..0;
            }
            None => {
                for (tool, response) in &entry.responses {
                    self.patience.record(tool, *response);
                }
                self.lost = entry.lost.take();
            }
        }
        (self.tell)(Event::Driven { case: planned.case.id.clone(), outcome: entry.outcome.clone() });
        self.settled.push(entry);
    }
}

/// Drives all cases. Every driver starts with the exchanges that opened the session.
pub(super) async fn drive_all(
    drivers: &mut [Driver<'_>],
    cases: &[PlannedCase],
    probed: &ProbePlan,
    interrupt: &mut watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> DrivenPlan {
    let common = drivers.first().map_or(0, |driver| driver.exchanges().len());
    let ledger = Ledger {
        cases,
        tell,
        waiting: BTreeMap::new(),
        settled: Vec::with_capacity(cases.len()),
        patience: Patience::default(),
        lost: None,
        sight: FirstFailure::Open,
    };
    let (ledger, interrupted) = drive_cases(drivers, cases, ledger, interrupt).await;
    let Ledger { mut settled, patience, lost, tell, sight, .. } = ledger;
    // A call of a tool that does not exist leaves nothing behind.
    let leaves_nothing =
        |planned: &PlannedCase| planned.script.is_err() || planned.case.script.call.role == Role::Absent;
    let is_first = cases.iter().all(leaves_nothing);
    let mut probing = ProbeQueue {
        driver: &mut drivers[0],
        interrupt,
        probed,
        patience,
        lost,
        driven: DrivenPlan { interrupted, ..DrivenPlan::default() },
        tell,
        sight,
    };
    settled.push(probing.drive(is_first).await);
    let driven = probing.driven;
    if !driven.interrupted {
        for driver in drivers.iter_mut() {
            driver.renew().await;
        }
    }
    let exchanges = in_order(drivers, common, &settled);
    settled.truncate(cases.len());
    let outcomes = settled.into_iter().map(|entry| entry.outcome).collect();
    DrivenPlan { outcomes, exchanges, ..driven }
}

/// Drives the cases of the plan; returns whether the run was interrupted. Every case has an outcome in either
/// case.
async fn drive_cases<'a, 'e>(
    drivers: &mut [Driver<'_>],
    cases: &'a [PlannedCase],
    ledger: Ledger<'a, 'e>,
    interrupt: &mut watch::Receiver<bool>,
) -> (Ledger<'a, 'e>, bool) {
    let next = Cell::new(0);
    // The case that each driver is at, and the index of its first exchange.
    let at: Vec<Cell<Option<(usize, usize)>>> = drivers.iter().map(|_| Cell::new(None)).collect();
    let ledger = RefCell::new(ledger);
    let work = drivers.iter_mut().enumerate().map(|(number, driver)| {
        let (next, ledger, at) = (&next, &ledger, &at[number]);
        Box::pin(async move {
            while let Some(planned) = cases.get(next.get()) {
                let index = next.replace(next.get() + 1);
                at.set(Some((index, driver.exchanges().len())));
                let withheld = ledger.borrow().withheld(planned);
                let outcome = match withheld {
                    Some(reason) => CaseOutcome::Skipped(reason),
                    None => Box::pin(driver.case(planned)).await,
                };
                let entry = entry(number, driver, at.take(), outcome);
                let mut ledger = ledger.borrow_mut();
                let Ledger { sight, tell, .. } = &mut *ledger;
                sight.look(driver, entry.exchanges.start, tell);
                ledger.enter(index, entry);
            }
        }) as Pin<Box<dyn Future<Output = ()> + '_>>
    });
    let interrupted = until(interrupt, all(work.collect())).await.is_none();
    let mut ledger = ledger.into_inner();
    for (number, at) in at.iter().enumerate() {
        if let Some((index, first)) = at.take() {
            let outcome = CaseOutcome::Errored(format!("{INTERRUPTED} during it"));
            let entry = entry(number, &mut drivers[number], Some((index, first)), outcome);
            ledger.enter(index, entry);
        }
    }
    while ledger.settled.len() < cases.len() {
        let outcome = CaseOutcome::Skipped(format!("{INTERRUPTED} before it"));
        let index = ledger.settled.len();
        ledger.enter(index, Entry { driver: 0, exchanges: 0..0, responses: Vec::new(), lost: None, outcome });
    }
    (ledger, interrupted)
}

/// The probes of the tools, sent one after the other in the process of the first driver.
struct ProbeQueue<'a, 'd> {
    driver: &'a mut Driver<'d>,
    interrupt: &'a mut watch::Receiver<bool>,
    probed: &'a ProbePlan,
    patience: Patience,
    /// Why no more processes can be started.
    lost: Option<String>,
    driven: DrivenPlan,
    tell: &'a mut dyn FnMut(Event),
    sight: FirstFailure,
}

impl ProbeQueue<'_, '_> {
    /// Drives the probes, then the failures of the service behind the server, then the lives of things,
    /// then the calls while the machine is in their way; returns where their exchanges are.
    async fn drive(&mut self, is_first: bool) -> Entry {
        let probed = &self.probed.tools[..];
        // Values that the server returns, such as a task's id, must not depend on which cases this process
        // drove before.
        if !self.driven.interrupted && !probed.is_empty() && !is_first {
            self.driver.renew().await;
        }
        let first = self.driver.exchanges().len();
        if !self.driven.interrupted {
            self.driven.interrupted = self.ready().await.is_none();
        }
        for tool in probed {
            for probe in &tool.probes {
                let since = self.driver.exchanges().len();
                let outcome = self.probe(tool, probe).await;
                self.sight.look(self.driver, since, self.tell);
                (self.tell)(Event::Driven { case: probe.id.clone(), outcome: outcome.clone() });
                self.driven.probes.push(outcome);
            }
            self.measure(tool).await;
        }
        if !self.driven.interrupted && self.lost.is_none() {
            let Self { driver, patience, interrupt, tell, driven, .. } = self;
            let mut apart = ApartCases { driver, patience, interrupt, tell, driven: &mut driven.apart };
            let sent = async {
                apart.faults(probed).await?;
                apart.lives(self.probed).await?;
                apart.obstacles(probed).await
            };
            self.driven.interrupted = Box::pin(sent).await.is_none();
        }
        let names = probed.iter().map(|tool| tool.name.clone());
        self.driven.invented = names.filter(|name| self.driver.invents_for(name)).collect();
        // A tool's probes refer to one control, so they move together.
        let exchanges = first..self.driver.exchanges().len();
        Entry { driver: 0, exchanges, responses: Vec::new(), lost: None, outcome: CaseOutcome::Driven }
    }

    /// Measures the replies to a tool's probes, unless the tool was given up.
    async fn measure(&mut self, tool: &ProbedTool) {
        let is_over =
            self.driven.interrupted || self.lost.is_some() || self.patience.withheld(&tool.name).is_some();
        if is_over {
            return;
        }
        self.driven.interrupted = until(self.interrupt, Box::pin(self.driver.measure(tool))).await.is_none();
        self.record();
    }

    async fn probe(&mut self, tool: &ProbedTool, probe: &PlannedProbe) -> CaseOutcome {
        let outcome = match self.lost.clone().or_else(|| self.patience.withheld(&tool.name)) {
            _ if self.driven.interrupted => CaseOutcome::Skipped(format!("{INTERRUPTED} before it")),
            Some(reason) => CaseOutcome::Skipped(reason),
            None => {
                let driven = until(self.interrupt, Box::pin(self.driver.probe(tool, probe))).await;
                self.driven.interrupted = driven.is_none();
                driven.unwrap_or_else(|| CaseOutcome::Errored(format!("{INTERRUPTED} during it")))
            }
        };
        self.record();
        outcome
    }

    /// Takes over the responses that the driver has recorded.
    fn record(&mut self) {
        let no_process = self.driver.record_responses(&mut self.patience);
        self.lost = self.lost.take().or(no_process);
    }

    /// Looks for the calls of tools that succeed, those first that list or create something: others may take what they return.
    /// What deletes waits until its turn. Where no calls are drawn only tools without parameters are called. `None` where the
    /// run was interrupted.
    async fn ready(&mut self) -> Option<()> {
        let Self { driver, interrupt, probed, patience, .. } = self;
        probed.tools.iter().for_each(|tool| driver.meet(tool));
        let is_drawing = driver.is_drawing();
        for tool in by_need(&probed.tools).filter(|tool| is_drawing || tool.is_bare()) {
            if patience.withheld(&tool.name).is_none() {
                until(interrupt, Box::pin(driver.prepare(tool))).await?;
                driver.record_responses(patience);
            }
        }
        Some(())
    }
}

/// The tools for which calls are looked for, those first that read and take nothing, then those that create something. What deletes is not among them.
pub(super) fn by_need(probed: &[ProbedTool]) -> impl Iterator<Item = &ProbedTool> {
    let waits = |tool: &&ProbedTool| !is_an_end(&tool.name);
    let turn = |tool: &&ProbedTool| match tool.class {
        Class::Read if tool.is_bare() => 0,
        Class::Write | Class::Unknown | Class::Effect if makes(&tool.name) => 1,
        Class::Write => 2,
        Class::Read | Class::Unknown | Class::Effect => 3,
    };
    let mut needed: Vec<&ProbedTool> = probed.iter().filter(waits).collect();
    needed.sort_by_key(turn);
    needed.into_iter()
}

fn entry(number: usize, driver: &mut Driver<'_>, at: Option<(usize, usize)>, outcome: CaseOutcome) -> Entry {
    let end = driver.exchanges().len();
    let first = at.map_or(end, |(_, first)| first);
    let (responses, lost) = driver.take_responses();
    Entry { driver: number, exchanges: first..end, responses, lost, outcome }
}

/// The exchanges in the order of the plan, renumbered, with the processes numbered in the order in which they
/// appear.
fn in_order(drivers: &mut [Driver<'_>], common: usize, settled: &[Entry]) -> Vec<Exchange> {
    let mut of_drivers: Vec<Vec<Option<Exchange>>> =
        drivers.iter_mut().map(|driver| driver.take_exchanges().into_iter().map(Some).collect()).collect();
    let Some(first) = of_drivers.first_mut() else { return Vec::new() };
    let mut ordered: Vec<Exchange> = first.iter_mut().take(common).filter_map(Option::take).collect();
    let mut processes: HashMap<(usize, usize), usize> = HashMap::new();
    for entry in settled {
        let of_case = &mut of_drivers[entry.driver][entry.exchanges.clone()];
        // An exchange refers only to others of its case, or to the common ones.
        let begin = ordered.len();
        let moved = |index: usize| if index < common { index } else { index - entry.exchanges.start + begin };
        for mut exchange in of_case.iter_mut().filter_map(Option::take) {
            renumber(&mut exchange, ordered.len(), |index| Some(moved(index)));
            if exchange.process > 0 {
                let number = processes.len() + 1;
                exchange.process = *processes.entry((entry.driver, exchange.process)).or_insert(number);
            }
            ordered.push(exchange);
        }
    }
    ordered
}
