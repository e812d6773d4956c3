//! A fuzzing campaign: calls that nobody wrote down, every reply judged by the rules.
//!
//! The main function is [`fuzz`]. Many calls are in flight in each of several processes; whatever looks wrong
//! is sent again alone, minimized, confirmed and recorded. The campaign goes on after each crash and each hang.
//! It knows nothing of how inputs are made ([`generate`](crate::generate)) nor of what is wrong with a reply
//! ([`rules`](crate::rules)).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::atomic_file;
use crate::cause;
use crate::condition::CaseId;
use crate::contract::Contract;
use crate::drive::{Assignment, DriveError, InspectedServer, all, empty, look, unmade, until};
use crate::event::Event;
use crate::generate::{Generator, ToolFiles};
use crate::placeholder::Folders;
use crate::server::RunFolders;
use crate::transcript::Head;

mod base_calls;
mod base_search;
mod clock;
mod compare;
mod corpus;
mod detect;
mod draw;
mod earlier;
mod echo;
mod execution;
mod features;
mod file;
mod flight;
mod growth;
mod journal;
mod ledger;
mod merged;
mod minimizer;
mod replay;
mod restraint;
mod result;
mod select;
mod sequence;
mod settings;
mod slow;
mod space;
mod summary;
mod tally;
mod triage;
mod turns;
mod unjudged;
mod unwritten;
mod valid_calls;
mod verdict;
mod worker;
mod worker_pool;

pub use clock::AFTERWARDS;
pub(crate) use corpus::StoredInput;
pub use file::{FindingFile, ServerStarted};
pub(crate) use file::{path as finding_path, replay as replay_command};
pub use journal::{CallFigures, unfinished};
pub(crate) use journal::{CampaignId, CampaignRecord, FILE as JOURNAL, read as read_journal};
pub(crate) use merged::report as merged_report;
pub(crate) use valid_calls::{
    FILE as VALID_CALLS, head as head_of_valid_calls, is_head as is_head_of_valid_calls,
};

pub use replay::{Replayed, replay};
pub use result::{CampaignResult, FailureCriteria, unexercised};
pub use settings::{Budget, CampaignScope, EarlierCampaign, Settings};

use base_calls::BaseCalls;
use base_search::BaseSearch;
use clock::LABS;
use corpus::Corpus;
use detect::ContractDetector;
use draw::{CallDrawer, PlanPart};
use earlier::EarlierFindings;
use execution::{Executor, ServerStart};
use features::FeatureResults;
use journal::{Journal, Line};
use ledger::Ledger;
use minimizer::{Minimizer, Stability};
use replay::replay_with;
use result::{Besides, Brought, Ended};
use tally::Tally;
use triage::{Queue, Triage};
use unwritten::Unwritten;
use verdict::CampaignJudge;
use worker_pool::{FreshReplay, WorkerPool};

/// How often the progress of a campaign is reported.
const BEAT: Duration = Duration::from_millis(500);
/// How often the inputs of other campaigns are taken.
const SYNC: Duration = Duration::from_secs(10);
/// How exactly the end of the campaign is kept.
const TICK: Duration = Duration::from_millis(20);
/// The reason for a finding that was not confirmed.
const NO_TIME: &str = "the campaign ended first";
const INTERRUPTED: &str = "the campaign was interrupted first";
const KILLED: &str = "the campaign was killed first";
/// Why memory growth is not measured again with one call in flight.
const BY_THE_SEED: &str = "with one call in flight only what the seed determines is sent";

/// Runs a campaign. `interrupt` ends it early; what was found by then is reported.
///
/// # Errors
/// When the server could not be exercised at all, or the harness itself is in trouble.
pub async fn fuzz(
    assignment: &Assignment,
    settings: &Settings,
    measure: FailureCriteria<'_>,
    mut interrupt: watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> Result<CampaignResult, DriveError> {
    let parent = std::env::temp_dir();
    let run_folders = RunFolders::create_named(&parent, assignment.seed)
        .map_err(|error| DriveError::Harness(unmade(&parent, &error)))?;
    let folders = [("--findings", &settings.findings), ("--sync", &settings.sync)];
    let begun = folders.into_iter().try_for_each(made).and_then(|()| Beginning::new(assignment, settings));
    let fuzzed = match begun {
        // Futures as large as these have no room on the stack.
        Ok(begun) => Box::pin(fuzz_in(assignment, &begun, measure, &run_folders, &mut interrupt, tell)).await,
        Err(error) => Err(error),
    };
    let removed = run_folders.remove().map_err(|error| DriveError::Harness(error.to_string()));
    let fuzzed = fuzzed?;
    removed?;
    Ok(fuzzed)
}

/// How a campaign begins, or goes on.
struct Beginning {
    /// With what is left of the budget.
    settings: Settings,
    /// The number of calls of the whole campaign, if it is limited.
    calls: Option<u64>,
    journal: Journal,
    record: CampaignRecord,
    earlier: EarlierFindings,
    unwritten: Rc<Unwritten>,
}

impl Beginning {
    fn new(assignment: &Assignment, settings: &Settings) -> Result<Self, DriveError> {
        let id = CampaignId {
            contract: match settings.detect {
                Some(_) => "auto".to_owned(),
                None => assignment.contract.id.clone(),
            },
            tools: settings.tools.as_ref().map(|tools| tools.glob().glob().to_owned()),
            scope: settings.scope.to_string(),
            ..CampaignId::new(assignment.seed, settings.shard.to_string(), settings.server.command.clone())
        };
        let unwritten = Rc::<Unwritten>::default();
        let folder = settings.findings.as_deref();
        let (journal, record) = Journal::open(folder, &id, settings.earlier, Rc::clone(&unwritten))?;
        for folder in folder.iter().chain(&settings.corpus.as_deref()).chain(&settings.sync.as_deref()) {
            atomic_file::remove_abandoned(folder);
        }
        let earlier = EarlierFindings::read(folder, record.as_ref(), &settings.server.command);
        let record = record.unwrap_or_else(|| CampaignRecord::new(id));
        let end = journal::rest(settings.end, record.figures);
        let calls = settings.end.calls;
        let settings = Settings { end, ..settings.clone() };
        Ok(Self { settings, calls, journal, record, earlier, unwritten })
    }
}

async fn fuzz_in(
    assignment: &Assignment,
    begun: &Beginning,
    measure: FailureCriteria<'_>,
    run_folders: &RunFolders,
    interrupt: &mut watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> Result<CampaignResult, DriveError> {
    let entered = Instant::now();
    let Beginning { settings, journal, record, unwritten, .. } = begun;
    let is_full = || space::is_full(run_folders);
    space::lay_out(run_folders, &[]);
    let mut looked = look(assignment, run_folders, interrupt).await?;
    let tool_files = tool_files(run_folders, &looked.head.folders);
    let (mut generators, mut withheld, restraint) =
        select::generators(assignment, settings, &looked.head, &tool_files);
    let tally = Tally::new(settings.end);
    let (corpus, kept) = Corpus::open(settings.corpus.as_deref(), &looked.head.folders)
        .map_err(|error| unopened(settings, &error))?;
    let corpus = corpus.with(settings, Rc::clone(unwritten));
    let base_search = BaseSearch { assignment, settings, run_folders, unwritten };
    let (mut learnt, search) =
        base_search.learn(&mut looked, &mut generators, &tally, interrupt, tell).await?;
    let feature_results =
        FeatureResults::send(assignment, settings, run_folders, &mut looked, &tally, interrupt).await?;
    looked.finish().await;
    empty(run_folders);
    let once = FeatureResults::from(std::mem::take(&mut learnt.once));
    let base_calls = BaseCalls::new(&learnt.valid, &generators);
    let first = learnt.valid.iter().flat_map(|call| &call.first).map(|first| first.arguments.clone());
    let files = space::files(run_folders, draw::led_to(&generators, &base_calls).chain(first));
    let lay_out = || space::lay_out(run_folders, &files);
    let InspectedServer { mut head, command, deadlines, roots, upstream: _upstream, .. } = looked;
    let restraint = Rc::new(restraint);
    let lifecycle = head.lifecycle;
    let start = ServerStart { command, lifecycle, roots, deadlines, restraint: Rc::clone(&restraint) };
    let contract = match &settings.detect {
        Some(config) => {
            let detector = ContractDetector { config, assignment, settings, generators: &generators };
            detector.contract(&start, &tally, &mut head, interrupt).await?
        }
        None => assignment.contract.clone(),
    };
    let head = head;
    tally.clock.begin();
    tell(Event::Started { head: Box::new(head.clone()), planned: 0 });
    journal.write(&Line::Head(Box::new(journal::bare_head(&head))));
    let besides = Besides::judged([feature_results, once], &record.besides, &head, &contract);
    journal.write(&Line::Besides(besides.all()));
    let judge = RefCell::new(CampaignJudge::new(head.clone(), contract.clone()));
    let ledger = RefCell::new(Ledger::default());
    begun.earlier.take_over(&mut ledger.borrow_mut(), &mut judge.borrow_mut(), journal, unwritten);
    let campaign = Campaign {
        assignment,
        settings,
        contract: &contract,
        start: &start,
        generators: &generators,
        base_calls: &base_calls,
        lay_out: &lay_out,
        is_full: &is_full,
        tally: &tally,
        judge: &judge,
        ledger: &ledger,
        journal,
        before: record.figures,
        earlier: &begun.earlier,
        unwritten,
    };
    let callable = (&generators, Rc::clone(&restraint));
    let part = PlanPart {
        shard: settings.shard,
        calls: begun.calls,
        made: &record.planned,
        sent: record.figures.calls,
    };
    let drawer = CallDrawer::new(assignment.seed, callable, &base_calls, corpus, kept, part);
    let ended = match generators.is_empty() {
        true => Ended::default(),
        false => campaign.run(&head, drawer, interrupt, tell).await,
    };
    restraint.tell(&mut withheld);
    let brought = Brought { ended, besides, search, withheld, duration: entered.elapsed() };
    Ok(campaign.result(&head, brought, measure))
}

/// The parts of a campaign.
struct Campaign<'a> {
    assignment: &'a Assignment,
    settings: &'a Settings,
    contract: &'a Contract,
    start: &'a ServerStart,
    generators: &'a BTreeMap<String, Generator>,
    base_calls: &'a BaseCalls,
    lay_out: &'a dyn Fn(),
    is_full: &'a dyn Fn() -> bool,
    tally: &'a Tally,
    judge: &'a RefCell<CampaignJudge>,
    ledger: &'a RefCell<Ledger>,
    journal: &'a Journal,
    /// What was sent before this start.
    before: CallFigures,
    earlier: &'a EarlierFindings,
    unwritten: &'a Unwritten,
}

impl<'a> Campaign<'a> {
    fn minimizer(&self) -> Minimizer<'a> {
        let executor = Executor::new(self.start, self.judge, self.generators, self.base_calls, self.lay_out);
        Minimizer { executor, ledger: self.ledger, clock: &self.tally.clock }
    }

    async fn run(
        &self,
        head: &Head,
        drawer: CallDrawer<'a>,
        interrupt: &mut watch::Receiver<bool>,
        tell: &mut dyn FnMut(Event),
    ) -> Ended {
        let elsewhere = |file: FindingFile| -> Pin<Box<dyn Future<Output = bool> + '_>> {
            Box::pin(async move {
                let (_interrupt, uninterrupted) = watch::channel(false);
                let restraint = Rc::clone(&self.start.restraint);
                let replayed = replay_with(self.assignment, &file, restraint, uninterrupted).await;
                matches!(replayed, Ok(Replayed::Shows(_)))
            })
        };
        let pool = self.pool(head, drawer, &elsewhere);
        pool.take_shared();
        let (ended, finished) = (Cell::new(false), Cell::new(false));
        let lost = RefCell::new(None);
        let workers = async {
            self.examine_earlier(&pool, &head.folders).await;
            self.send(&pool, &lost).await;
            ended.set(true);
        };
        let growth = async {
            while !ended.get() {
                tokio::time::sleep(BEAT).await;
            }
            self.confirm_growth(&pool, head).await;
        };
        let work = async {
            tokio::select! {
                () = async {
                    tokio::join!(workers, self.look_into(&pool, &ended), growth, Box::pin(self.confirm_earlier()));
                } => {}
                () = self.cutoff() => {}
            }
            finished.set(true);
        };
        let whole = async {
            tokio::select! {
                () = work => {}
                () = self.tell_pace(&pool, &finished, tell) => {}
            }
        };
        let interrupted = until(interrupt, whole).await.is_none();
        let why = if interrupted { INTERRUPTED } else { NO_TIME };
        pool.enter_what_is_open(why);
        self.earlier.enter_open(self, why);
        pool.complete_files();
        if let Some(why) = self.unwritten.take() {
            tell(Event::Unwritten(why));
        }
        let slow = pool.slow.take();
        drop(pool);
        Ended { interrupted, lost: lost.into_inner(), slow }
    }

    fn pool<'b>(
        &'b self,
        head: &'b Head,
        drawer: CallDrawer<'a>,
        elsewhere: &'b FreshReplay<'b>,
    ) -> WorkerPool<'b> {
        let in_flight = self.settings.in_flight.max(1);
        // With one call in flight, everything that is sent follows from the seed and the replies.
        let triage = match (self.jobs(), in_flight) {
            (1, 1) => Triage::Inline(Box::new(RefCell::new(Some(self.minimizer())))),
            _ => Triage::Queued { replies: Queue::default(), silences: Queue::default() },
        };
        WorkerPool {
            elsewhere,
            start: self.start,
            generators: self.generators,
            base_calls: self.base_calls,
            folders: &head.folders,
            lay_out: self.lay_out,
            is_full: self.is_full,
            in_flight,
            drawer: RefCell::new(drawer),
            judge: self.judge,
            ledger: self.ledger,
            tally: self.tally,
            triage,
            findings: self.settings.findings.as_deref(),
            server: &self.settings.server,
            in_hand: triage::InProgress::default(),
            times: RefCell::default(),
            slow: RefCell::default(),
            grown: RefCell::default(),
            contract: self.contract,
            unjudged: RefCell::default(),
            journal: self.journal,
            unwritten: self.unwritten,
            quiet: Cell::new(worker::QUIET.min(self.start.deadlines.call)),
            renews: Cell::new(true),
        }
    }

    /// What was sent in all, also before this start; `elapsed` is the time since.
    fn figures(&self, elapsed: Duration) -> CallFigures {
        let elapsed = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        CallFigures {
            calls: self.before.calls + self.tally.calls.get(),
            error_replies: self.before.error_replies + self.tally.errors.get(),
            duration_ms: self.before.duration_ms.saturating_add(elapsed),
        }
    }

    fn jobs(&self) -> usize {
        self.assignment.options.jobs.max(1)
    }

    /// Sends calls in every process until the campaign is over. `lost` gets the reason if no more processes can
    /// be started.
    async fn send(&self, pool: &WorkerPool<'_>, lost: &RefCell<Option<String>>) {
        let work = (0..self.jobs()).map(|_| {
            Box::pin(async {
                if let Err(why) = worker::work(pool).await {
                    lost.borrow_mut().get_or_insert(why);
                    self.tally.lost.set(true);
                }
            }) as Pin<Box<dyn Future<Output = ()> + '_>>
        });
        all(work.collect()).await;
    }

    /// Works through candidates until the workers have ended and none is left.
    async fn look_into<'b>(&self, pool: &WorkerPool<'b>, ended: &Cell<bool>)
    where
        'a: 'b,
    {
        let Triage::Queued { replies, silences } = &pool.triage else { return };
        let queues = (0..LABS).map(|rank| (replies, rank)).chain([(silences, 0)]);
        let work = queues.map(|(queue, rank)| {
            Box::pin(async move { pool.run_tasks(queue, &mut self.minimizer(), rank, ended).await })
                as Pin<Box<dyn Future<Output = ()> + '_>>
        });
        all(work.collect()).await;
    }

    /// Completes when the time is over, even if workers are still waiting for replies.
    async fn cutoff(&self) {
        let clock = &self.tally.clock;
        while !self.tally.is_over() || clock.left().is_none_or(|left| !left.is_zero()) {
            tokio::time::sleep(BEAT.min(clock.left().unwrap_or(BEAT)).max(TICK)).await;
        }
    }

    /// Reports the campaign's progress at intervals.
    async fn tell_pace(&self, pool: &WorkerPool<'_>, finished: &Cell<bool>, tell: &mut dyn FnMut(Event)) {
        let tally = self.tally;
        let (mut before, mut at) = (0, Instant::now());
        let (mut is_told, mut taken) = (false, Instant::now());
        while !finished.get() {
            tokio::time::sleep(BEAT).await;
            if taken.elapsed() > SYNC {
                pool.take_shared();
                taken = Instant::now();
            }
            self.unwritten.retry();
            if let Some(why) = self.unwritten.take() {
                tell(Event::Unwritten(why));
            }
            let signatures = self.judge.borrow().signatures();
            let open = if tally.is_over() { pool.open() } else { 0 };
            if open > 0 && !is_told {
                is_told = true;
                tell(Event::Confirming { open, at_most: tally.clock.left().unwrap_or(AFTERWARDS) });
            }
            let mut pace = tally.pace(before, at.elapsed(), signatures, self.ledger.borrow().len());
            if is_told {
                pace.left = tally.clock.left();
                pace.confirming = Some(open as u64);
            }
            (before, at) = (pace.calls, Instant::now());
            tell(Event::Pace(pace));
            self.journal.beat(self.figures(tally.clock.elapsed()));
        }
    }

    /// Confirms that a process grew by sending the same calls to a fresh one repeatedly.
    async fn confirm_growth(&self, pool: &WorkerPool<'_>, head: &Head) {
        let Some((_, mut calls)) = pool.grown.borrow().clone() else { return };
        if let Triage::Inline(_) = pool.triage {
            return pool.enter_growth(Stability::Unconfirmed(BY_THE_SEED));
        }
        let all = calls.len();
        calls.retain(|(tool, _)| !self.start.restraint.holds(tool));
        (self.lay_out)();
        let time = self.tally.clock.left().map_or(growth::TIME, |left| left.min(growth::TIME));
        let again = growth::again(self.start, &calls, head, self.contract, time).await;
        pool.enter_growth(match again {
            Some(_) => Stability::Stable,
            None if calls.len() < all => Stability::Unconfirmed(restraint::NOT_AGAIN),
            None if time < growth::TIME => Stability::Unconfirmed(NO_TIME),
            None => Stability::Flaky,
        });
    }
}

/// The files that calls of tools refer to.
fn tool_files(run_folders: &RunFolders, folders: &Folders) -> ToolFiles {
    let folder = run_folders.case_folder(&CaseId(space::FOLDER.to_owned()));
    let tool_files = ToolFiles::at(folder.to_string_lossy());
    match folders.upstream.as_str() {
        "" => tool_files,
        upstream => tool_files.with_upstream(upstream),
    }
}

fn unopened(settings: &Settings, error: &std::io::Error) -> DriveError {
    let folder = settings.corpus.as_deref().unwrap_or(Path::new("")).display();
    DriveError::Configuration(format!("cannot open the corpus in {folder}: {}", cause::describe(error)))
}

fn made((option, folder): (&str, &Option<PathBuf>)) -> Result<(), DriveError> {
    let Some(folder) = folder else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| {
        let (folder, cause) = (folder.display(), cause::describe(&error));
        DriveError::Configuration(format!("cannot create the folder `{option} {folder}`: {cause}"))
    })
}
