//! `run`: chooses server, contract and cases, drives, judges, reports.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mcp_errconf::bundled;
use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::drive::{Assignment, DriveError, drive};
use mcp_errconf::event::Event;
use mcp_errconf::judge::{Strictness, judge};
use mcp_errconf::report::human::Promises;
use mcp_errconf::rules;
use mcp_errconf::suite::Suite;
use mcp_errconf::transcript::{Chosen, Limits, Transcript};

use super::fault::Failure;
use super::nearest::nearest;
use super::output::{self, Outputs};
use super::server::{Configuration, Server, this_program};
use super::{Terminal, case_source, console, interrupt, server, unbuilt};

mod undriven;

use undriven::undriven;

/// The deadline of the start.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// How the bundled server's program is shown: where it lies is the machine's own affair.
const PROGRAM: &str = "mcp-errconf";

#[derive(Debug, Args)]
#[command(after_help = "Without SERVER the bundled reference server is judged, and the report says so.")]
pub(crate) struct Arguments {
    /// The contract that is judged: a built-in one's id, or a folder that holds a `contract.toml`
    #[arg(long, value_name = "ID|DIR")]
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
    server: server::Arguments,
    #[command(flatten)]
    unbuilt: unbuilt::Options,
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
    let assignment = assignment(arguments, server)?;
    let selected = select(&assignment.suite, arguments)?;
    let mut outputs = output::open(&arguments.reports, &Promises::of(&assignment.contract), terminal)?;
    let strictness = if arguments.strict { Strictness::Should } else { Strictness::Must };
    let (transcript, conclusion) = match selected {
        Selected::Cases(suite) => driven(&Assignment { suite, ..assignment.clone() }, &mut outputs)?,
        Selected::Nothing(why) => {
            let none = Assignment { suite: Suite::default(), ..assignment.clone() };
            (undriven(&none, &why), Some(Conclusion::NothingSelected(why)))
        }
    };
    let transcript = with_program_named(transcript);
    let report = judge(&transcript, &assignment.contract, rules::all(), strictness);
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
        // It speaks the built-in contracts alone; one of a folder it is judged by without having been told of it.
        Server::Bundled => {
            let is_built_in = mcp_errconf::contract::BUILTIN.contains(&contract.id.as_str());
            let spoken = if is_built_in { contract.id.as_str() } else { mcp_errconf::contract::BUILTIN[0] };
            bundled::command(&this_program()?, spoken, None)
        }
    };
    Ok(Assignment {
        command,
        bundled,
        cwd: None,
        contract,
        chosen: if bundled { Chosen::Flag } else { chosen },
        limits: if bundled { bundled::limits() } else { Limits::default() },
        suite: case_source::suite(arguments.cases.as_ref())?,
        timeout: arguments.timeout,
        start_timeout: START_TIMEOUT,
        seed: arguments.seed,
    })
}

/// What the filter leaves.
enum Selected {
    Cases(Suite),
    /// With the reason.
    Nothing(String),
}

fn select(suite: &Suite, arguments: &Arguments) -> Result<Selected, Failure> {
    let ids = || suite.cases.iter().map(|case| case.id.0.as_str());
    let Some(glob) = &arguments.filter else {
        return Ok(match suite.cases.is_empty() {
            true => {
                Selected::Nothing("there are no cases; `--cases` names a folder of `.toml` files".to_owned())
            }
            false => Selected::Cases(suite.clone()),
        });
    };
    let selected = suite.filter(glob).map_err(|error| Failure::Usage(format!("`--filter`: {error}")))?;
    if !selected.cases.is_empty() {
        return Ok(Selected::Cases(selected));
    }
    let next = match nearest(glob, ids()) {
        Some(near) => format!("the nearest is `{near}`"),
        None => "`mcp-errconf list cases` names them".to_owned(),
    };
    Ok(Selected::Nothing(format!("no case matches `--filter {glob}`; {next}")))
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
        Err(error @ DriveError::Interrupted) => {
            Ok((undriven(assignment, &error.to_string()), Some(Conclusion::Interrupted)))
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
