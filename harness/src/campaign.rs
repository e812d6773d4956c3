//! A fuzzing campaign: calls that nobody wrote down, every reply judged by the rules.
//!
//! The main function is [`fuzz`]. Many calls are in flight in each of several processes; whatever looks wrong
//! is sent again alone, minimized, confirmed and recorded. The campaign goes on after each crash and each hang.
//! It knows nothing of how inputs are made ([`generate`](crate::generate)) nor of what is wrong with a reply
//! ([`rules`](crate::rules)).

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::pin::Pin;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::atomic_file;
use crate::cause;
use crate::drive::{Assignment, DriveError, InspectedServer, all, empty, look, made_up, until};
use crate::event::Event;
use crate::finding::Finding;
use crate::generate::ToolFiles;
use crate::placeholder::Folders;
use crate::server::RunFolders;

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

pub use replay::replay;
pub use result::{CampaignResult, FailureCriteria, unexercised};
pub use settings::{Budget, CampaignScope, EarlierCampaign, Settings};

use base_calls::BaseCalls;
use base_search::BaseSearch;
use clock::LABS;
use corpus::Corpus;
use draw::{CallDrawer, PlanPart};
use earlier::EarlierFindings;
use execution::{ServerStart, ServerUnderTest};
use journal::{CampaignEnd, Journal, Line};
use ledger::Ledger;
use minimizer::Stability;
use replay::replay_with;
use result::Ended;
use space::Space;
use tally::Tally;
use triage::Triage;
use unwritten::Unwritten;
use verdict::CampaignJudge;
use worker_pool::WorkerPool;

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
    space::within(assignment.seed, async |run_folders| {
        made("--findings", settings.findings.as_deref())?;
        made("--sync", settings.sync.as_deref())?;
        let begun = Beginning::new(assignment, settings)?;
        // Futures as large as these have no room on the stack.
        Box::pin(fuzz_in(assignment, &begun, measure, run_folders, &mut interrupt, tell)).await
    })
    .await
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
            version: journal::VERSION,
            seed: assignment.seed,
            shard: settings.shard.to_string(),
            server: settings.server.command.clone(),
            contract: match settings.detect {
                Some(_) => "auto".to_owned(),
                None => assignment.contract.id.clone(),
            },
            tools: settings.tools.as_ref().map(|tools| tools.glob().glob().to_owned()),
            scope: settings.scope.to_string(),
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
    Space::new(run_folders, []).lay_out();
    let mut looked = look(assignment, run_folders, interrupt).await?;
    let tool_files = tool_files(run_folders, &looked.head.folders);
    let (mut generators, mut withheld, restraint) =
        select::generators(assignment, settings, &looked.head, &tool_files);
    let tally = Tally::new(settings.end);
    let (corpus, kept) = Corpus::open(settings.corpus.as_deref(), &looked.head.folders).map_err(|error| {
        let folder = settings.corpus.as_deref().unwrap_or(Path::new("")).display();
        let cause = cause::describe(&error);
        DriveError::Configuration(format!("cannot open the corpus in {folder}: {cause}"))
    })?;
    let corpus = corpus.with(settings, Rc::clone(unwritten));
    let base_search = BaseSearch { assignment, settings, run_folders, unwritten };
    let (learnt, search) = base_search.learn(&mut looked, &mut generators, &tally, interrupt, tell).await?;
    if let Some(upstream) = &looked.upstream {
        upstream.set_stand_in(made_up());
    }
    let of_features =
        features::send(assignment, settings, run_folders, &mut looked, &tally, interrupt).await?;
    looked.finish().await;
    empty(run_folders);
    let base_calls = BaseCalls::new(&learnt.valid, &generators);
    let first = learnt.valid.iter().flat_map(|call| &call.first).map(|first| first.arguments.clone());
    let space = Space::new(run_folders, draw::led_to(&generators, &base_calls).chain(first));
    let InspectedServer { mut head, command, deadlines, roots, upstream: _upstream, .. } = looked;
    let restraint = Rc::new(restraint);
    let lifecycle = head.lifecycle;
    let start = ServerStart { command, lifecycle, roots, deadlines, restraint: Rc::clone(&restraint) };
    let contract =
        detect::contract(assignment, settings, &start, &generators, &tally, &mut head, interrupt).await?;
    tally.clock.begin();
    tell(Event::Started { head: Box::new(head.clone()), planned: 0 });
    journal.write(&Line::Head(Box::new(journal::bare_head(&head))));
    let mut of_features = features::findings(of_features, &head, &contract);
    let earlier = record.besides.iter().filter(|finding| !features::is_among(finding, &of_features));
    of_features.extend(earlier.cloned().collect::<Vec<_>>());
    let besides = [of_features, features::findings(learnt.once, &head, &contract)];
    journal.write(&Line::Besides(besides.concat()));
    let judge = RefCell::new(CampaignJudge::new(head.clone(), contract.clone()));
    let server = ServerUnderTest { start, head, contract, generators, base_calls, space, judge };
    let campaign = Campaign { assignment, begun, server, tally, ledger: RefCell::default() };
    campaign.take_over_earlier();
    let server = &campaign.server;
    let part = PlanPart {
        shard: settings.shard,
        calls: begun.calls,
        made: &record.planned,
        sent: record.figures.calls,
    };
    let callable = (&server.generators, Rc::clone(&restraint));
    let drawer = CallDrawer::new(assignment.seed, callable, &server.base_calls, corpus, kept, part);
    let ended = match server.generators.is_empty() {
        true => Ended::default(),
        false => campaign.run(drawer, interrupt, tell).await,
    };
    restraint.tell(&mut withheld);
    let end = CampaignEnd { withheld, learnt: search, ..CampaignEnd::default() };
    Ok(campaign.result(ended, end, besides, campaign.figures(entered.elapsed()), measure))
}

/// The parts of a campaign.
struct Campaign<'a> {
    assignment: &'a Assignment,
    begun: &'a Beginning,
    server: ServerUnderTest<'a>,
    tally: Tally,
    ledger: RefCell<Ledger>,
}

impl Campaign<'_> {
    async fn run(
        &self,
        drawer: CallDrawer<'_>,
        interrupt: &mut watch::Receiver<bool>,
        tell: &mut dyn FnMut(Event),
    ) -> Ended {
        let pool = WorkerPool::new(self, drawer);
        pool.take_shared();
        let (ended, finished) = (Cell::new(false), Cell::new(false));
        let lost = RefCell::new(None);
        let workers = async {
            self.examine_earlier(&pool).await;
            self.send(&pool, &lost).await;
            ended.set(true);
        };
        let growth = async {
            while !ended.get() {
                tokio::time::sleep(BEAT).await;
            }
            self.confirm_growth(&pool).await;
        };
        let work = async {
            tokio::select! {
                () = async {
                    tokio::join!(workers, look_into(&pool, &ended), growth, Box::pin(self.confirm_earlier()));
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
        self.enter_open_earlier(why);
        pool.complete_files();
        if let Some(why) = self.begun.unwritten.take() {
            tell(Event::Unwritten(why));
        }
        Ended { interrupted, lost: lost.take(), slow: pool.slow.take() }
    }

    /// Sends a finding again in folders of its own, as whoever replays it does.
    async fn replay(&self, file: &FindingFile) -> Result<Option<Finding>, DriveError> {
        let (_interrupt, uninterrupted) = watch::channel(false);
        let restraint = Rc::clone(&self.server.start.restraint);
        Box::pin(replay_with(self.assignment, file, restraint, uninterrupted)).await
    }

    /// What was sent in all, also before this start; `elapsed` is the time since.
    fn figures(&self, elapsed: Duration) -> CallFigures {
        let elapsed = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let before = self.begun.record.figures;
        CallFigures {
            calls: before.calls + self.tally.calls.get(),
            error_replies: before.error_replies + self.tally.errors.get(),
            duration_ms: before.duration_ms.saturating_add(elapsed),
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

    /// Completes when the time is over, even if workers are still waiting for replies.
    async fn cutoff(&self) {
        let clock = &self.tally.clock;
        while !self.tally.is_over() || clock.left().is_none_or(|left| !left.is_zero()) {
            tokio::time::sleep(BEAT.min(clock.left().unwrap_or(BEAT)).max(TICK)).await;
        }
    }

    /// Reports the campaign's progress at intervals.
    async fn tell_pace(&self, pool: &WorkerPool<'_>, finished: &Cell<bool>, tell: &mut dyn FnMut(Event)) {
        let (tally, unwritten) = (&self.tally, &self.begun.unwritten);
        let (mut before, mut at) = (0, Instant::now());
        let (mut is_told, mut taken) = (false, Instant::now());
        while !finished.get() {
            tokio::time::sleep(BEAT).await;
            if taken.elapsed() > SYNC {
                pool.take_shared();
                taken = Instant::now();
            }
            unwritten.retry();
            if let Some(why) = unwritten.take() {
                tell(Event::Unwritten(why));
            }
            let signatures = self.server.judge.borrow().signatures();
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
            self.begun.journal.beat(self.figures(tally.clock.elapsed()));
        }
    }

    /// Confirms that a process grew by sending the same calls to a fresh one repeatedly.
    async fn confirm_growth(&self, pool: &WorkerPool<'_>) {
        let Some((_, mut calls)) = pool.grown.borrow().clone() else { return };
        if let Triage::Inline(_) = pool.triage {
            return pool.enter_growth(Stability::Unconfirmed(BY_THE_SEED));
        }
        let all = calls.len();
        calls.retain(|(tool, _)| !self.server.start.restraint.holds(tool));
        self.server.space.lay_out();
        let time = self.tally.clock.left().map_or(growth::TIME, |left| left.min(growth::TIME));
        let again = growth::again(&self.server, &calls, time).await;
        pool.enter_growth(match again {
            Some(_) => Stability::Stable,
            None if calls.len() < all => Stability::Unconfirmed(restraint::NOT_AGAIN),
            None if time < growth::TIME => Stability::Unconfirmed(NO_TIME),
            None => Stability::Flaky,
        });
    }
}

/// Works through candidates until the workers have ended and none is left.
async fn look_into(pool: &WorkerPool<'_>, ended: &Cell<bool>) {
    let Triage::Queued { replies, silences } = &pool.triage else { return };
    let queues = (0..LABS).map(|rank| (replies, rank)).chain([(silences, 0)]);
    let work = queues.map(|(queue, rank)| {
        Box::pin(pool.run_tasks(queue, rank, ended)) as Pin<Box<dyn Future<Output = ()> + '_>>
    });
    all(work.collect()).await;
}

/// The files that calls of tools refer to.
fn tool_files(run_folders: &RunFolders, folders: &Folders) -> ToolFiles {
    let tool_files = space::tool_files(run_folders);
    match folders.upstream.as_str() {
        "" => tool_files,
        upstream => tool_files.with_upstream(upstream),
    }
}

fn made(option: &str, folder: Option<&Path>) -> Result<(), DriveError> {
    let Some(folder) = folder else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| {
        let (folder, cause) = (folder.display(), cause::describe(&error));
        DriveError::Configuration(format!("cannot create the folder `{option} {folder}`: {cause}"))
    })
}
