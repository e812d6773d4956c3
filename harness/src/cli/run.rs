//! `run`: chooses server, contract and cases, drives them, judges and reports.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use mcp_errconf::atomic_file::AtomicFile;
use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::config::{Config, LONGEST_TIMEOUT};
use mcp_errconf::contract::Contract;
use mcp_errconf::document::nearest;
use mcp_errconf::drive::{Assignment, DriveError, drive_within};
use mcp_errconf::event::Event;
use mcp_errconf::judge::Report;
use mcp_errconf::plan::{ProbeChoice, may_match, may_select, service_faults};
use mcp_errconf::recording::{JudgingPolicy, NotRun, Recording};
use mcp_errconf::report::{Given, Promises};
use mcp_errconf::rules;
use mcp_errconf::secret::{self, looks_secret};
use mcp_errconf::suite::{Case, Suite, filter};
use mcp_errconf::transcript::{CaseKind, CaseOutcome, DrivenCase, Transcript};
use tokio::sync::watch;

use super::baseline_file::{BaselineFile, is_whole};
use super::duration::duration;
use super::failure::Failure;
use super::server::ServerUnderTest;
use super::setup::{self, ConfigOptions, Configured};
use super::{Terminal, case_source, confine, console, drive_options, interrupt, output, room, server};

mod failed;
mod repro;
mod texts;

use failed::{LastRun, glob_of};
use repro::Reproduction;
use texts::Texts;

/// The name shown for the bundled server's program, instead of its path on this machine.
pub(super) const PROGRAM: &str = "mcp-errconf";

#[derive(Debug, Args)]
#[command(after_help = "Without SERVER, the server that the configuration names is judged.")]
pub(crate) struct RunArguments {
    /// The error contract to judge by: the id of a built-in one, a folder with a `contract.toml`, or `auto` to infer it
    /// from the replies
    #[arg(long, value_name = "ID|DIR|auto")]
    contract: Option<String>,
    /// A folder of your own cases, used instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// Run only cases whose id matches, such as `replace/*` or `probe/*`
    #[arg(long, value_name = "GLOB")]
    filter: Option<String>,
    /// Run only the cases that failed in the last run of this server in this folder
    #[arg(long, conflicts_with = "filter")]
    failed: bool,
    /// Stop the run after this time, such as `90s` or `20m`, and say what was left out
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = duration)]
    pub(super) max_time: Duration,
    /// Send at most N probes (calls generated from the tools' own schemas), spread over the tools; 0 sends none
    #[arg(long, value_name = "N", default_value_t = ProbeChoice::USUAL)]
    max_probes: usize,
    /// Fail the run on Should findings, too
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    reports: output::ReportOptions,
    /// Record the run to FILE, for `mcp-errconf judge` to judge again
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Keep every distinct error text as an insta snapshot; a new or changed text is pending and fails the run
    #[arg(long, value_name = "DIR")]
    snapshots: Option<PathBuf>,
    /// Write each finding as a script for the shell, and as a test for pytest, vitest, Go and Rust; each script is tried once
    #[arg(long, value_name = "DIR")]
    repro: Option<PathBuf>,
    /// At the end start the server once more without this environment variable, and judge what it, and its tools, say
    /// about that; `auto` stands for each variable that the configuration, or the host's file, gives to the server and
    /// that looks like a key; may be repeated
    #[arg(long, value_name = "NAME|auto")]
    unset: Vec<String>,
    /// Timeout for each call, and for the start if it is over 30 [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Seed for all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    pub(super) drive: drive_options::DriveFlags,
    #[command(flatten)]
    config: ConfigOptions,
    #[command(flatten)]
    server: server::ServerChoice,
    #[command(flatten)]
    safety: confine::SafetyOptions,
}

impl RunArguments {
    /// The first option given that only makes sense for a single run, because the next run would overwrite its
    /// files.
    pub(super) fn of_one_run(&self) -> Option<&'static str> {
        [
            ("--report", self.reports.is_given()),
            ("--transcript", self.transcript.is_some()),
            ("--snapshots", self.snapshots.is_some()),
            ("--repro", self.repro.is_some()),
            ("--failed", self.failed),
            ("the server", self.server.is_given()),
        ]
        .into_iter()
        .find_map(|(option, given)| given.then_some(option))
        .or_else(|| self.config.update().option())
    }

    /// The configuration, only if it is named: one in the working folder is for another server.
    pub(super) fn named_configuration(&self, terminal: &Terminal) -> Result<Configured, Failure> {
        match self.config.config.is_some() {
            true => self.config.configured(&self.server, terminal),
            false => Ok(Configured::default()),
        }
    }
}

/// Parses a deadline in seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST_TIMEOUT);
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("must be a number of seconds, greater than 0 and at most {LONGEST_TIMEOUT}"))
}

/// A run to be driven, and how to judge it.
pub(super) struct PreparedRun {
    pub(super) assignment: Assignment,
    /// Why no case is left, if there is none.
    pub(super) nothing_left: Option<String>,
    /// What failed the last time.
    last_run: LastRun,
    policy: JudgingPolicy,
    baseline: BaselineFile,
    is_auto: bool,
}

impl PreparedRun {
    /// Prepares a run of this server with these options.
    pub(super) fn new(
        arguments: &RunArguments,
        configured: &Configured,
        server: ServerUnderTest,
    ) -> Result<Self, Failure> {
        let baseline = arguments.config.baseline(configured)?;
        let contract = arguments.contract.as_deref();
        let safety = arguments.safety.safety_of_a_run(&configured.config, &server)?;
        let mut assignment = setup::assignment(contract, arguments.timeout, safety, configured, server)?;
        if let Some(cases) = &arguments.cases {
            assignment.suite = case_source::suite(Some(cases))?;
            assignment.probes.faults = service_faults(&assignment.suite);
        }
        (assignment.seed, assignment.options) = (arguments.seed, arguments.drive.options());
        assignment.probes.most = arguments.max_probes;
        assignment.unset = unset_variables(&arguments.unset, &assignment)?;
        let last_run = LastRun::of(&assignment.shown_command());
        let nothing_left = select(&mut assignment, arguments, &last_run)?;
        check_conditions(&assignment.suite, &assignment.contract)?;
        let policy = JudgingPolicy {
            strict: arguments.strict,
            baseline: baseline.accepted.clone(),
            coverage: configured.config.coverage,
        };
        Ok(Self {
            assignment,
            nothing_left,
            last_run,
            policy,
            baseline,
            is_auto: setup::is_auto(contract, configured),
        })
    }

    /// The sentences behind the requirements of the contract, or if it is to be detected, of every contract.
    pub(super) fn promises(&self) -> Promises {
        setup::promises(self.is_auto, &self.assignment.contract)
    }

    /// The recording of what was driven.
    pub(super) fn recording(
        &self,
        transcript: Transcript,
        not_run: Option<NotRun>,
        config: &Config,
    ) -> Recording {
        let mut recording = Recording {
            transcript,
            contract: self.assignment.contract.clone(),
            policy: self.policy.clone(),
            not_run,
        };
        let head = &mut recording.transcript.head;
        if head.bundled
            && let Some(program) = head.command.first_mut()
        {
            PROGRAM.clone_into(program);
        }
        if self.is_auto && !self.assignment.server.bundled {
            recording.detect_contract(config);
        }
        recording
    }
}

/// Runs, and returns the exit code of the result.
pub(crate) fn run(arguments: &RunArguments, given: Given, terminal: &Terminal) -> Result<ExitCode, Failure> {
    room::check(arguments.drive.options().jobs)?;
    let configured = arguments.config.configured(&arguments.server, terminal)?;
    let server = setup::server("run", &arguments.server, &configured)?;
    let mut prepared = PreparedRun::new(arguments, &configured, server)?;
    let update = prepared.baseline.update;
    let texts = Texts::read(arguments.snapshots.as_deref(), arguments.filter.as_deref(), update)?;
    if texts.is_none() || update.removes {
        prepared.baseline.check_named()?;
    }
    let mut outputs = output::open(
        &arguments.reports,
        arguments.transcript.as_deref(),
        &prepared.promises(),
        prepared.policy.strictness(),
        output::anchor(configured.file.as_deref(), &prepared.assignment.server.command),
        given,
        terminal,
    )?;
    let file = prepared.baseline.open()?;
    let reproduction = Reproduction::prepare(arguments.repro.as_deref(), &prepared.assignment)?;
    let (transcript, not_run) = match &prepared.nothing_left {
        None => driven(&prepared.assignment, arguments.max_time, &mut |event| outputs.tell(event))
            .map_err(|failure| failure.in_file(configured.file.as_deref()))?,
        Some(why) => (not_run(&prepared.assignment, why), Some(NotRun::NothingSelected(why.clone()))),
    };
    let mut recording = prepared.recording(transcript, not_run, &configured.config);
    recording.transcript.head.is_selection = arguments.failed || arguments.filter.is_some();
    recording.transcript.head.snapshots = texts.as_ref().map(|texts| texts.snapshots.clone());
    let (report, conclusion) = judged(&mut recording, &mut prepared.baseline, file, &mut outputs, terminal)?;
    prepared.last_run.keep(&report, arguments.failed);
    let exit = conclusion.exit_code();
    let classes = report.tools.iter().map(|tool| (tool.name.clone(), tool.class.clone())).collect();
    let reproduced = reproduction.map(|reproduction| (reproduction, report.findings.clone()));
    // If a report cannot be written, the recording must still be, and the other way round.
    let reported = outputs.tell(&Event::Judged { report: Box::new(report), conclusion });
    outputs.record(&recording)?;
    if let Some(texts) = texts {
        texts.write(&recording.transcript, &recording.contract, terminal)?;
    }
    reported?;
    if let Some((reproduction, findings)) = reproduced {
        reproduction.write(&findings, &classes, &recording.transcript, terminal)?;
    }
    Ok(ExitCode::from(exit))
}

/// Judges what was recorded. If the baseline is updated, findings that it now accepts are known in the report.
fn judged(
    recording: &mut Recording,
    baseline: &mut BaselineFile,
    file: Option<AtomicFile>,
    outputs: &mut output::Outputs,
    terminal: &Terminal,
) -> Result<(Report, Conclusion), Failure> {
    let (mut report, mut conclusion) = recording.judge(rules::all());
    let cut_short = recording.transcript.interrupted.then_some(Conclusion::Interrupted);
    if let Some(file) = file
        && is_whole(cut_short.as_ref().unwrap_or(&conclusion))
    {
        baseline.update(file, &recording.transcript, &report.findings, terminal)?;
        recording.policy.baseline = baseline.accepted.clone();
        (report, conclusion) = recording.judge(rules::all());
    }
    outputs.tell_remains(recording, &report)?;
    Ok((report, conclusion))
}

/// Refuses cases whose condition the contract does not know, because they could not be judged.
pub(super) fn check_conditions(suite: &Suite, contract: &Contract) -> Result<(), Failure> {
    let unknown = suite.unknown_conditions(contract);
    let Some(first) = unknown.first() else { return Ok(()) };
    let more = match unknown.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Err(Failure::Usage(format!(
        "{first}{more}; add it to the contract's `[conditions]`, or choose other cases with `--cases` or \
         `--filter`"
    )))
}

/// Keeps the requested cases; if none is left, returns the reason.
fn select(
    assignment: &mut Assignment,
    arguments: &RunArguments,
    last_run: &LastRun,
) -> Result<Option<String>, Failure> {
    let failed = if arguments.failed { Some(last_run.failed()) } else { None };
    if failed.as_ref().is_some_and(Vec::is_empty) {
        let why = "no case of this server failed in the last run in this folder; leave `--failed` out to run all cases";
        return Ok(Some(why.to_owned()));
    }
    let failed = failed.as_deref().map(glob_of);
    let Assignment { suite, probes, unset, .. } = assignment;
    let Some(glob) = failed.as_deref().or(arguments.filter.as_deref()) else {
        let none = suite.cases.is_empty() && probes.most == 0;
        return Ok(none.then(|| "there are no cases; pass `--cases` a folder of `.toml` files".to_owned()));
    };
    let wrong = |error| Failure::Usage(format!("`--filter`: {error}"));
    let selected = suite.filter(glob).map_err(wrong)?;
    probes.filter = Some(filter(glob).map_err(wrong)?);
    let all = std::mem::replace(suite, selected);
    let may_probe = probes.most > 0 && may_select(glob) || !unset.is_empty() && may_match(glob, "unset/");
    if !suite.cases.is_empty() || may_probe {
        return Ok(None);
    }
    if failed.is_some() {
        return Ok(Some("the cases that failed in the last run are no longer there".to_owned()));
    }
    let next = match nearest(glob, all.cases.iter().map(|case| case.id.0.as_str())) {
        Some(near) => format!("the nearest is `{near}`"),
        None => "`mcp-errconf list cases` lists the cases".to_owned(),
    };
    Ok(Some(format!("no case matches `--filter {glob}`; {next}")))
}

/// The word of `--unset` for all variables that look like keys.
const ALL_KEYS: &str = "auto";

/// The variables that `--unset` leaves out of the server's environment, each once, in the order in which they were given.
fn unset_variables(words: &[String], assignment: &Assignment) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = Vec::new();
    for word in words {
        match word.as_str() {
            ALL_KEYS => {
                let keys = assignment.server.env.iter().filter(|(name, value)| looks_secret(name, value));
                let keys: Vec<String> = keys.map(|(name, _)| name.clone()).collect();
                if keys.is_empty() {
                    console::remark(
                        "`--unset auto`: no variable that the configuration, or the host's file, gives to the \
                         server looks like a key; `--unset NAME` names one",
                    );
                }
                names.extend(keys);
            }
            name if is_set(name, assignment) => names.push(name.to_owned()),
            name => {
                return Err(Failure::Usage(format!(
                    "`--unset {name}`: the server's environment has no such variable, so there is nothing to \
                     leave out; set it, or give it to the server under `[server] env`"
                )));
            }
        }
    }
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    Ok(names)
}

fn is_set(name: &str, assignment: &Assignment) -> bool {
    let is_name = !name.is_empty() && !name.contains(['=', '\0']);
    is_name
        && (assignment.server.env.contains_key(name)
            || name == secret::VARIABLE
            || std::env::var_os(name).is_some())
}

/// Drives the cases; if nothing was driven, gives the reason.
pub(super) fn driven(
    assignment: &Assignment,
    limit: Duration,
    tell_all: &mut dyn FnMut(&Event) -> Result<(), Failure>,
) -> Result<(Transcript, Option<NotRun>), Failure> {
    rules::warm_up_beside();
    interrupt::run(async |interrupted| driven_until(interrupted, assignment, limit, tell_all).await)?
}

/// Drives a run until it ends, or is interrupted, or its time is over, as part of a longer command.
pub(super) async fn driven_until(
    interrupted: watch::Receiver<bool>,
    assignment: &Assignment,
    limit: Duration,
    tell_all: &mut dyn FnMut(&Event) -> Result<(), Failure>,
) -> Result<(Transcript, Option<NotRun>), Failure> {
    let mut result = Ok(());
    let mut tell = |event: Event| result = std::mem::replace(&mut result, Ok(())).and(tell_all(&event));
    let driven = drive_within(limit, assignment, interrupted, &mut tell).await;
    result?;
    match driven {
        Ok(transcript) if transcript.cases.is_empty() && !transcript.interrupted => {
            let why = "no case and no probe of this server's tools matches; `mcp-errconf list cases` lists \
                the cases";
            Ok((transcript, Some(NotRun::NothingSelected(why.to_owned()))))
        }
        Ok(transcript) => Ok((transcript, None)),
        Err(DriveError::NotExercised(why)) => {
            Ok((not_run(assignment, &why), Some(NotRun::NotExercised(why))))
        }
        Err(DriveError::Interrupted) => {
            let why = "the run was interrupted before the server had started";
            let mut transcript = not_run(assignment, why);
            transcript.interrupted = true;
            Ok((transcript, None))
        }
        Err(DriveError::Configuration(why)) => Err(Failure::Usage(why)),
        Err(DriveError::Harness(why)) => Err(Failure::Fault(why)),
    }
}

/// The transcript of a run in which nothing could be sent: every case is skipped, with the reason. It is judged
/// and reported like any other.
pub(super) fn not_run(assignment: &Assignment, why: &str) -> Transcript {
    let skipped = |case: &Case| DrivenCase {
        id: case.id.clone(),
        title: case.script.title.clone(),
        kind: CaseKind::Scenario,
        requirements: case.script.requirements.clone(),
        condition: case.script.condition.as_ref().map(ToString::to_string),
        tools: Vec::new(),
        files: Vec::new(),
        outcome: CaseOutcome::Skipped(why.to_owned()),
    };
    let cases = assignment.suite.cases.iter().map(skipped).collect();
    Transcript::of(assignment.empty_head(), cases, Vec::new())
}
