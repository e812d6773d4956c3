//! `run`: chooses server, contract and cases, drives, judges, reports.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::contract::{self, Contract};
use mcp_errconf::drive::{Assignment, DriveError, drive};
use mcp_errconf::event::Event;
use mcp_errconf::judge::{Strictness, judge};
use mcp_errconf::report::human::Promises;
use mcp_errconf::rules;
use mcp_errconf::suite::{Suite, nearest};
use mcp_errconf::transcript::{Chosen, Limits, Transcript};

use super::fault::Failure;
use super::output::{self, Outputs};
use super::server::{Configuration, Server, bundled_command};
use super::{Terminal, case_source, console, interrupt, server, unbuilt};

mod undriven;

use undriven::undriven;

/// The deadline of the start.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// How the bundled server's program is shown: where it lies is the machine's own affair.
const PROGRAM: &str = "mcp-errconf";

/// The contract that the bundled server keeps.
const BUNDLED_CONTRACT: &str = "bracket-code";

#[derive(Debug, Args)]
#[command(after_help = "Without SERVER the bundled reference server is judged, and the report says so.")]
pub(crate) struct Arguments {
    /// The contract that is judged: a built-in one's id, a folder that holds a `contract.toml`, or `auto` to go by the
    /// replies
    #[arg(long, value_name = "ID|DIR|auto")]
    contract: Option<String>,
    /// Cases of your own, instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// Only cases whose id matches, such as `replace/*`
    #[arg(long, value_name = "GLOB")]
    filter: Option<String>,
    /// Should findings fail the run too
    #[arg(long)]
    strict: bool,
    /// A report, `human` or `json`, on standard output or in a file; may be given several times
    #[arg(long = "report", value_name = "FORM[=PATH]")]
    reports: Vec<output::Request>,
    /// The deadline of a call
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,
    /// The seed of everything that is drawn
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    server: server::ServerChoice,
    #[command(flatten)]
    unbuilt: unbuilt::LaterOptions,
}

/// Longer than a day is no deadline.
const LONGEST: f64 = 86_400.0;

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST);
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("a number of seconds up to {LONGEST} is needed"))
}

/// Runs, and gives the exit code of what it came to.
pub(crate) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<std::process::ExitCode, Failure> {
    arguments.unbuilt.refuse()?;
    let (server, configuration) = arguments.server.server()?;
    if configuration == Configuration::PassedOver && !terminal.quiet {
        console::remark("`mcp-errconf.toml` is passed over: configuration files are not in this version");
    }
    let mut assignment = assignment(arguments, server)?;
    let nothing_left = select(&mut assignment.suite, arguments)?;
    check_conditions(&assignment.suite, &assignment.contract)?;
    let is_auto = arguments.contract.as_deref() == Some(case_source::AUTO);
    let promises = match is_auto {
        true => Promises::of_each(contract::builtin()),
        false => Promises::of(&assignment.contract),
    };
    let mut outputs = output::open(&arguments.reports, &promises, terminal)?;
    let strictness = if arguments.strict { Strictness::Should } else { Strictness::Must };
    let (transcript, conclusion) = match nothing_left {
        None => driven(&assignment, &mut outputs)?,
        Some(why) => (undriven(&assignment, &why), Some(Conclusion::NothingSelected(why))),
    };
    let mut transcript = with_program_named(transcript);
    let detected = contract::detect(&transcript.exchanges).filter(|_| is_auto && !assignment.bundled);
    if let Some(detected) = detected {
        transcript.head.contract.clone_from(&detected.id);
        transcript.head.chosen = Chosen::Detected;
    }
    let report = judge(&transcript, detected.unwrap_or(&assignment.contract), rules::all(), strictness);
    let conclusion = conclusion.unwrap_or_else(|| Conclusion::of(&transcript, &report, strictness));
    if let Conclusion::NotExercised(why) | Conclusion::NothingSelected(why) = &conclusion {
        console::error(why);
    }
    let exit = conclusion.exit_code();
    outputs.tell(&Event::Judged { report: Box::new(report), conclusion })?;
    Ok(std::process::ExitCode::from(exit))
}

/// What the run is about, with all cases.
fn assignment(arguments: &Arguments, server: Server) -> Result<Assignment, Failure> {
    let (contract, chosen) = case_source::contract(arguments.contract.as_deref())?;
    let bundled = server == Server::Bundled;
    let command = match server {
        Server::Given(command) => command,
        // By a contract of a folder it is judged without having been told of it.
        Server::Bundled => {
            let is_built_in = contract::BUILTIN.contains(&contract.id.as_str());
            if is_built_in && contract.id != BUNDLED_CONTRACT {
                return Err(Failure::Usage(format!(
                    "the bundled reference server keeps `{BUNDLED_CONTRACT}` alone: name the server that keeps `{}` \
                     after `--`, or leave `--contract` out",
                    contract.id
                )));
            }
            bundled_command(BUNDLED_CONTRACT)?
        }
    };
    Ok(Assignment {
        command,
        bundled,
        cwd: None,
        contract,
        limits: if bundled { mcp_errconf::bundled::limits() } else { Limits::default() },
        chosen: if bundled { Chosen::Flag } else { chosen },
        suite: case_source::suite(arguments.cases.as_ref())?,
        timeout: arguments.timeout,
        start_timeout: START_TIMEOUT,
        seed: arguments.seed,
    })
}

/// Refuses cases that the contract has no answer for: they could not be judged.
fn check_conditions(suite: &Suite, contract: &Contract) -> Result<(), Failure> {
    let unknown = suite.unknown_conditions(contract);
    let Some(first) = unknown.first() else { return Ok(()) };
    let more = match unknown.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Err(Failure::Usage(format!(
        "{first}{more}; add it to the contract's `[conditions]`, or choose other cases with `--cases` or `--filter`"
    )))
}

/// Leaves the cases that are asked for; where none is left, tells why.
fn select(suite: &mut Suite, arguments: &Arguments) -> Result<Option<String>, Failure> {
    let Some(glob) = &arguments.filter else {
        let none = suite.cases.is_empty();
        return Ok(none.then(|| "there are no cases; `--cases` names a folder of `.toml` files".to_owned()));
    };
    let selected = suite.filter(glob).map_err(|error| Failure::Usage(format!("`--filter`: {error}")))?;
    let all = std::mem::replace(suite, selected);
    if !suite.cases.is_empty() {
        return Ok(None);
    }
    let next = match nearest(glob, all.cases.iter().map(|case| case.id.0.as_str())) {
        Some(near) => format!("the nearest is `{near}`"),
        None => "`mcp-errconf list cases` names them".to_owned(),
    };
    Ok(Some(format!("no case matches `--filter {glob}`; {next}")))
}

/// Drives the cases. A conclusion comes with the transcript where no verdict can change it.
fn driven(
    assignment: &Assignment,
    outputs: &mut Outputs,
) -> Result<(Transcript, Option<Conclusion>), Failure> {
    let mut told = Ok(());
    let mut tell = |event: Event| told = std::mem::replace(&mut told, Ok(())).and(outputs.tell(&event));
    let driven = interrupt::run(async |interrupted| drive(assignment, interrupted, &mut tell).await)?;
    told?;
    match driven {
        Ok(transcript) => Ok((transcript, None)),
        Err(DriveError::NotExercised(why)) => {
            Ok((undriven(assignment, &why), Some(Conclusion::NotExercised(why))))
        }
        Err(DriveError::Interrupted) => {
            let why = "the run was interrupted before the server had started";
            Ok((undriven(assignment, why), Some(Conclusion::Interrupted)))
        }
        Err(DriveError::Harness(why)) => Err(Failure::Fault(why)),
    }
}

/// The transcript with the bundled server's program by its name.
fn with_program_named(mut transcript: Transcript) -> Transcript {
    if transcript.head.bundled
        && let Some(program) = transcript.head.command.first_mut()
    {
        PROGRAM.clone_into(program);
    }
    transcript
}
