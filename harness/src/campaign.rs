//! A fuzzing campaign: calls that nobody wrote down, every reply judged by the rules.
//!
//! The main function is [`fuzz`]. Many calls are in flight in each of several processes; whatever looks wrong is sent
//! again alone, made small, confirmed and written down. The campaign goes on after each crash and each hang. It knows
//! nothing of how inputs are made ([`generate`](crate::generate)) nor of what is wrong with a reply
//! ([`rules`](crate::rules)).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::watch;

use crate::argument::{Argument, Arguments};
use crate::baseline::Baseline;
use crate::cause;
use crate::class::Class;
use crate::conclusion::Conclusion;
use crate::condition::CaseId;
use crate::contract::Contract;
use crate::drive::{Assignment, DriveError, Looked, look, unmade, until};
use crate::event::Event;
use crate::finding::State;
use crate::generate::{Calls, Generator, GeneratorSettings, Relative, ToolFiles, count_mutations};
use crate::judge::{Report, SlowCall, Strictness};
use crate::placeholder::Tokens;
use crate::server::Sandbox;
use crate::transcript::{Chosen, Head, Withheld};

mod clock;
mod compare;
mod corpus;
mod detect;
mod draw;
mod echo;
mod file;
mod flight;
mod growth;
mod ledger;
mod minimizer;
mod replay;
mod row;
mod settings;
mod slow;
mod space;
mod summary;
mod tally;
mod triage;
mod trial;
mod unjudged;
mod unwritten;
mod verdict;
mod worker;
mod worker_pool;

pub use clock::AFTERWARDS;
pub use file::FindingFile;
pub use replay::{Replayed, replay};
pub use settings::{CampaignScope, End, Settings};

use clock::LABS;
use corpus::Corpus;
use draw::Drawer;
use ledger::Ledger;
use minimizer::{Minimizer, Proof};
use tally::Tally;
use triage::{Queue, Triage};
use trial::{Start, Trials};
use unwritten::Unwritten;
use verdict::Verdicts;
use worker_pool::WorkerPool;

/// How often it is told how far the campaign is.
const BEAT: Duration = Duration::from_millis(500);
/// How exactly the end is kept.
const TICK: Duration = Duration::from_millis(20);
/// Why something was not confirmed.
const NO_TIME: &str = "the campaign ended first";
const INTERRUPTED: &str = "the campaign was interrupted before";
/// Why growth is not tried again with one call in flight.
const BY_THE_SEED: &str = "with one call in flight nothing is sent that the seed does not say";

/// What a campaign came to.
#[derive(Debug)]
pub struct Fuzzed {
    /// Every finding.
    pub report: Report,
    /// What that comes to.
    pub conclusion: Conclusion,
    /// How many findings were to be kept in a file each, and could not be.
    pub unkept: usize,
}

/// What a campaign is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Measure<'a> {
    /// The accepted findings.
    pub baseline: &'a Baseline,
    /// Which findings count.
    pub strictness: Strictness,
}

/// Runs a campaign. `interrupt` ends it early, with what was found.
///
/// # Errors
/// When the server could not be exercised at all, or the harness itself is in trouble.
pub async fn fuzz(
    assignment: &Assignment,
    settings: &Settings,
    measure: Measure<'_>,
    mut interrupt: watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> Result<Fuzzed, DriveError> {
    let parent = std::env::temp_dir();
    let sandbox = Sandbox::create_named(&parent, assignment.seed)
        .map_err(|error| DriveError::Harness(unmade(&parent, &error)))?;
    let fuzzed = fuzz_in(assignment, settings, measure, &sandbox, &mut interrupt, tell).await;
    let removed = sandbox.remove().map_err(|error| DriveError::Harness(error.to_string()));
    let fuzzed = fuzzed?;
    removed?;
    Ok(fuzzed)
}

/// What a campaign came to that did not come about.
pub fn unexercised(assignment: &Assignment, conclusion: Conclusion) -> Fuzzed {
    let report = summary::unexercised(assignment);
    Fuzzed { report, conclusion, unkept: 0 }
}

async fn fuzz_in(
    assignment: &Assignment,
    settings: &Settings,
    measure: Measure<'_>,
    sandbox: &Sandbox,
    interrupt: &mut watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> Result<Fuzzed, DriveError> {
    let entered = Instant::now();
    let lay_out = || space::lay_out(sandbox);
    let is_full = || space::is_full(sandbox);
    lay_out();
    if let Some(folder) = &settings.findings {
        made(folder)?;
    }
    let Looked { mut head, command, deadlines, roots, upstream: _upstream } =
        look(assignment, sandbox, interrupt).await?;
    let tool_files = ToolFiles::at(sandbox.case_folder(&CaseId(space::FOLDER.to_owned())).to_string_lossy());
    let (generators, withheld) = generators(assignment, settings, &head, &tool_files);
    let start = Start { command, lifecycle: head.lifecycle, roots, deadlines };
    let tally = Tally::new(entered, settings.end);
    let mut contract = assignment.contract.clone();
    if let Some(config) = &settings.detect {
        let most = settings.end.calls.map_or(u64::MAX, |most| most / 2);
        let until_then = settings.end.duration.map(|duration| Instant::now() + duration / 4);
        let detecting = detect::detect(&start, &generators, assignment.seed, most, until_then);
        let detected = until(interrupt, detecting).await.ok_or(DriveError::Interrupted)?;
        tally.add_calls(detected.calls);
        tally.errors.set(detected.errors);
        if let Some(found) = detected.contract {
            contract = found.clone();
            config.document(&mut contract);
            head.contract.clone_from(&contract.id);
            head.chosen = Chosen::Detected;
        }
    }
    let head = head;
    tell(Event::Started { head: Box::new(head.clone()), planned: 0 });
    let (corpus, kept) = Corpus::open(settings.corpus.as_deref(), &head.folders).map_err(|error| {
        let folder = settings.corpus.as_deref().unwrap_or(Path::new("")).display();
        DriveError::Configuration(format!("the corpus in {folder} cannot be opened: {}", cause::of(&error)))
    })?;
    let unwritten = corpus.unwritten();
    let verdicts = RefCell::new(Verdicts::new(head.clone(), contract.clone()));
    let ledger = RefCell::new(Ledger::default());
    let campaign = Campaign {
        assignment,
        settings,
        contract: &contract,
        start: &start,
        generators: &generators,
        lay_out: &lay_out,
        is_full: &is_full,
        tally: &tally,
        verdicts: &verdicts,
        ledger: &ledger,
        unwritten: &unwritten,
    };
    let drawer = Drawer::new(assignment.seed, &generators, corpus, kept);
    let ended = match generators.is_empty() {
        true => Ended::default(),
        false => campaign.run(&head, drawer, interrupt, tell).await,
    };
    let mut findings = ledger.borrow().findings();
    measure.baseline.mark(&mut findings);
    let figures = summary::Figures {
        calls: tally.calls.get(),
        error_replies: tally.errors.get(),
        duration: entered.elapsed(),
        looks_like: verdicts.borrow().looks_like(),
        slow: ended.slow,
    };
    let report = summary::report(&head, &contract, figures, withheld, findings);
    let counting = report
        .findings
        .iter()
        .filter(|finding| finding.state == State::New && measure.strictness.counts(finding.level))
        .count();
    let conclusion = match counting {
        _ if ended.interrupted => Conclusion::Interrupted,
        _ if generators.is_empty() => Conclusion::NothingSelected(none_selected(settings)),
        0 if report.summary.error_replies == 0 => match (ended.lost, tally.replies.get()) {
            (Some(why), 0) => Conclusion::NotExercised(why),
            _ => Conclusion::NothingJudged,
        },
        // What `auto` took for a sample was judged by nobody.
        0 if !verdicts.borrow().has_spoken() => Conclusion::Inconclusive(
            "no error reply of a tool's own was judged: those that came are the validation of an MCP SDK"
                .to_owned(),
        ),
        0 => Conclusion::Conformant,
        counting => Conclusion::Findings(counting),
    };
    Ok(Fuzzed { report, conclusion, unkept: unwritten.findings() })
}

/// How a campaign ended.
#[derive(Default)]
struct Ended {
    interrupted: bool,
    /// Why no process could be had any more.
    lost: Option<String>,
    slow: Vec<SlowCall>,
}

/// What a campaign is made of.
struct Campaign<'a> {
    assignment: &'a Assignment,
    settings: &'a Settings,
    contract: &'a Contract,
    start: &'a Start,
    generators: &'a BTreeMap<String, Generator>,
    lay_out: &'a dyn Fn(),
    is_full: &'a dyn Fn() -> bool,
    tally: &'a Tally,
    verdicts: &'a RefCell<Verdicts>,
    ledger: &'a RefCell<Ledger>,
    unwritten: &'a Unwritten,
}

impl<'a> Campaign<'a> {
    fn minimizer(&self) -> Minimizer<'a> {
        let trials = Trials::new(self.start, self.verdicts, self.generators, self.lay_out);
        Minimizer { trials, ledger: self.ledger, clock: &self.tally.clock }
    }

    async fn run(
        &self,
        head: &Head,
        drawer: Drawer<'a>,
        interrupt: &mut watch::Receiver<bool>,
        tell: &mut dyn FnMut(Event),
    ) -> Ended {
        let tally = self.tally;
        let again = file::command(&self.settings.again);
        let jobs = self.assignment.options.jobs.max(1);
        let in_flight = self.settings.in_flight.max(1);
        // With one call in flight all that is sent follows from the seed and from what came back.
        let triage = match (jobs, in_flight) {
            (1, 1) => Triage::Inline(Box::new(RefCell::new(Some(self.minimizer())))),
            _ => Triage::Queued { replies: Queue::default(), silences: Queue::default() },
        };
        let elsewhere = |file: FindingFile| -> Pin<Box<dyn Future<Output = bool> + '_>> {
            Box::pin(async move {
                let (_interrupt, uninterrupted) = watch::channel(false);
                let replayed = replay(self.assignment, &file, uninterrupted).await;
                matches!(replayed, Ok(Replayed::Shows(_)))
            })
        };
        let pool = WorkerPool {
            elsewhere: &elsewhere,
            start: self.start,
            generators: self.generators,
            folders: &head.folders,
            lay_out: self.lay_out,
            is_full: self.is_full,
            in_flight,
            drawer: RefCell::new(drawer),
            verdicts: self.verdicts,
            ledger: self.ledger,
            tally,
            triage,
            findings: self.settings.findings.as_deref(),
            again: &again,
            in_hand: triage::InHand::default(),
            times: RefCell::default(),
            slow: RefCell::default(),
            grown: RefCell::default(),
            contract: self.contract,
            unjudged: RefCell::default(),
            unwritten: self.unwritten,
            quiet: Cell::new(worker::QUIET.min(self.start.deadlines.call)),
        };
        let lost = RefCell::new(None);
        let ended = Cell::new(false);
        let workers = async {
            let work = (0..jobs).map(|_| {
                Box::pin(async {
                    if let Err(why) = worker::work(&pool).await {
                        lost.borrow_mut().get_or_insert(why);
                        tally.lost.set(true);
                    }
                }) as Pin<Box<dyn Future<Output = ()> + '_>>
            });
            all(work.collect()).await;
            ended.set(true);
        };
        let labs = async {
            let Triage::Queued { replies, silences } = &pool.triage else { return };
            let queues = (0..LABS).map(|rank| (replies, rank)).chain([(silences, 0)]);
            let work = queues.map(|(queue, rank)| {
                let (pool, ended) = (&pool, &ended);
                Box::pin(async move { pool.attend(queue, &mut self.minimizer(), rank, ended).await })
                    as Pin<Box<dyn Future<Output = ()> + '_>>
            });
            all(work.collect()).await;
        };
        let growth = async {
            while !ended.get() {
                tokio::time::sleep(BEAT).await;
            }
            self.weigh_again(&pool, head).await;
        };
        // The workers may wait for replies still when the time is over.
        let cutoff = async {
            while !tally.is_over() || tally.clock.left().is_none_or(|left| !left.is_zero()) {
                tokio::time::sleep(BEAT.min(tally.clock.left().unwrap_or(BEAT)).max(TICK)).await;
            }
        };
        let finished = Cell::new(false);
        let work = async {
            let bounded = async {
                tokio::select! {
                    () = async {
                        tokio::join!(workers, labs, growth);
                    } => {}
                    () = cutoff => {}
                }
            };
            bounded.await;
            finished.set(true);
        };
        let pacing = async {
            let (mut before, mut at) = (0, Instant::now());
            let mut is_told = false;
            while !finished.get() {
                tokio::time::sleep(BEAT).await;
                if let Some(why) = self.unwritten.take() {
                    tell(Event::Unwritten(why));
                }
                let signatures = self.verdicts.borrow().signatures();
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
            }
        };
        let whole = async {
            tokio::select! {
                () = work => {}
                () = pacing => {}
            }
        };
        let interrupted = until(interrupt, whole).await.is_none();
        pool.enter_what_is_open(if interrupted { INTERRUPTED } else { NO_TIME });
        if let Some(why) = self.unwritten.take() {
            tell(Event::Unwritten(why));
        }
        let slow = pool.slow.take();
        drop(pool);
        Ended { interrupted, lost: lost.into_inner(), slow }
    }

    /// Whether a process that grew was no accident: the same calls are sent to a fresh one, again and again.
    async fn weigh_again(&self, pool: &WorkerPool<'_>, head: &Head) {
        let Some((_, calls)) = pool.grown.borrow().clone() else { return };
        if let Triage::Inline(_) = pool.triage {
            return pool.enter_growth(Proof::Unconfirmed(BY_THE_SEED));
        }
        (self.lay_out)();
        let time = self.tally.clock.left().map_or(growth::TIME, |left| left.min(growth::TIME));
        let again = growth::again(self.start, &calls, head, self.contract, time).await;
        pool.enter_growth(match again {
            Some(_) => Proof::Stable,
            None if time < growth::TIME => Proof::Unconfirmed(NO_TIME),
            None => Proof::Flaky,
        });
    }
}

/// Ends when all have ended.
async fn all(mut work: Vec<Pin<Box<dyn Future<Output = ()> + '_>>>) {
    std::future::poll_fn(|context| {
        work.retain_mut(|one| one.as_mut().poll(context).is_pending());
        if work.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// The generators of the tools that are called, and what the others are not sent.
fn generators(
    assignment: &Assignment,
    settings: &Settings,
    head: &Head,
    tool_files: &ToolFiles,
) -> (BTreeMap<String, Generator>, Vec<Withheld>) {
    let mut generators = BTreeMap::new();
    let mut withheld = Vec::new();
    let tokens = Tokens { folders: &head.folders, case: None, denied: None };
    for tool in &head.catalog.tools {
        let said = assignment.tools.get(&tool.name);
        let is_chosen = settings.tools.as_ref().is_none_or(|glob| glob.is_match(&tool.name));
        if !is_chosen || said.is_some_and(|said| said.skip) {
            continue;
        }
        let class = said.and_then(|said| said.class).unwrap_or_else(|| Class::of(tool));
        let calls = settings.scope.calls(class);
        let valid = said.and_then(|said| said.valid.as_ref()).map(|valid| {
            // As they are sent, however the user wrote them.
            let valid = as_json(&tokens.replace_arguments(valid));
            tool.wrap(tool.unwrap(&valid).clone())
        });
        let tool_files = tool_files.clone().of_tool(&tool.name);
        let settings = GeneratorSettings {
            class,
            tool_files: &tool_files,
            calls,
            relative: Relative::Elsewhere,
            valid: valid.as_ref(),
        };
        let generator = Generator::of(tool, &settings);
        if calls == Calls::Broken {
            withheld.push(Withheld {
                tool: tool.name.clone(),
                class: class.to_string(),
                why: "it may change something, and the server is not confined: only calls that break every required \
                      argument are sent; `--allow-destructive` opens the rest"
                    .to_owned(),
                probes: count_mutations(&tool.input_schema, &tool_files),
            });
        }
        if !generator.draws_nothing() {
            generators.insert(tool.name.clone(), generator);
        }
    }
    (generators, withheld)
}

/// Arguments as JSON; what JSON cannot say is left out.
fn as_json(arguments: &Arguments) -> Value {
    let members = arguments.0.iter().filter_map(|(name, argument)| match argument {
        Argument::Json(value) => Some((name.clone(), value.clone())),
        Argument::Raw(_) => None,
    });
    Value::Object(members.collect())
}

fn none_selected(settings: &Settings) -> String {
    match &settings.tools {
        Some(glob) => format!("no tool that may be called matches `--tools {}`", glob.glob()),
        None => {
            "there is no tool that may be called: `--allow-destructive` opens those that change something, \
                 where they may be called"
                .to_owned()
        }
    }
}

fn made(folder: &Path) -> Result<(), DriveError> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let cause = cause::of(&error);
        DriveError::Configuration(format!("`--findings {}` cannot be made: {cause}", folder.display()))
    })
}
