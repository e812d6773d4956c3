//! `judge`: judges a recording, or plain pairs, without a server.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use mcp_errconf::baseline::Baseline;
use mcp_errconf::cause;
use mcp_errconf::config::{self, Config};
use mcp_errconf::event::Event;
use mcp_errconf::recording::{Recording, read};
use mcp_errconf::report::{Given, Promises};
use mcp_errconf::rules;
use mcp_errconf::transcript::Chosen;

mod why;

use super::failure::Failure;
use super::{Terminal, case_source, output, setup};

#[derive(Debug, Args)]
pub(crate) struct JudgeArguments {
    /// A recording from `run --transcript`, or lines of `{"case", "request", "response"}`; `-` reads standard input
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    /// The error contract to judge by, instead of the recorded one; `auto` infers it from the replies
    #[arg(long, value_name = "ID|DIR|auto")]
    contract: Option<String>,
    /// Configuration file whose levels, documented codes, contract, coverage and baseline replace the recorded ones
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Count Should findings, too
    #[arg(long)]
    strict: bool,
    /// File of accepted findings, instead of the recorded ones
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Show what was read in the replies of this case, and what every rule says of them, instead of a report
    #[arg(long, value_name = "CASE")]
    why: Option<String>,
    #[command(flatten)]
    reports: output::ReportOptions,
}

/// Judges, and returns the exit code that the run had.
pub(crate) fn judge(arguments: &JudgeArguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let recording = recording(arguments)?;
    if let Some(case) = &arguments.why {
        why::show(&recording, case)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut outputs = output::open(
        &arguments.reports,
        None,
        &Promises::new(&recording.contract),
        recording.policy.strictness(),
        output::anchor(None, &recording.transcript.head.command),
        Given::default(),
        terminal,
    )?;
    let transcript = &recording.transcript;
    if recording.not_run.is_none() && !transcript.head.catalog.tools.is_empty() {
        let head = Box::new(transcript.head.clone());
        outputs.tell(&Event::Started { head, planned: transcript.cases.len() })?;
        for case in &transcript.cases {
            outputs.tell(&Event::Driven { case: case.id.clone(), outcome: case.outcome.clone() })?;
        }
    }
    let (report, conclusion) = recording.judge(rules::all());
    outputs.tell_remains(&recording, &report)?;
    let exit = conclusion.exit_code();
    outputs.tell(&Event::Judged { report: Box::new(report), conclusion })?;
    Ok(ExitCode::from(exit))
}

/// The recording, with the policy of the command line if that gives one.
fn recording(arguments: &JudgeArguments) -> Result<Recording, Failure> {
    let place =
        if is_stdin(arguments) { "standard input".to_owned() } else { arguments.file.display().to_string() };
    let text = text(arguments, &place)?;
    let config = match &arguments.config {
        Some(file) => config::load(file)?,
        None => Config::default(),
    };
    let (contract, chosen) = setup::contract(arguments.contract.as_deref(), &config)?;
    let mut recording = read(&text, &contract)
        .map_err(|error| {
            Failure::Usage(format!(
                "{place}:{}: {}; give a recording made by `run --transcript FILE`, or one JSON object a line with \
                 `request` and `response`",
                error.line, error.cause
            ))
        })?;
    let named = config.contract.as_ref().map(|(name, _)| name.as_str());
    if arguments.contract.as_deref().or(named) == Some(case_source::AUTO) {
        recording.detect_contract(&config);
    } else if chosen != Chosen::Default {
        recording.transcript.head.contract.clone_from(&contract.id);
        recording.transcript.head.chosen = chosen;
        recording.contract = contract;
    }
    if arguments.config.is_some() {
        config.document(&mut recording.contract);
        recording.transcript.head.levels.clone_from(&config.levels);
        recording.policy.coverage = config.coverage;
    }
    recording.policy.strict |= arguments.strict;
    if let Some(file) = arguments.baseline.as_ref().or(config.baseline.as_ref()) {
        recording.policy.baseline = Baseline::load(file)?;
    }
    Ok(recording)
}

fn is_stdin(arguments: &JudgeArguments) -> bool {
    arguments.file.as_os_str() == "-"
}

fn text(arguments: &JudgeArguments, place: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = match is_stdin(arguments) {
        true => std::io::stdin().read_to_end(&mut bytes).map(|_| ()),
        false => std::fs::read(&arguments.file).map(|read| bytes = read),
    };
    read.map_err(|error| {
        Failure::Usage(format!(
            "cannot read {place}: {}; give a recording made by `run --transcript FILE`",
            cause::describe(&error)
        ))
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        Failure::Usage(format!("{place}:{line}: this line is not UTF-8: save the file in that encoding"))
    })
}
