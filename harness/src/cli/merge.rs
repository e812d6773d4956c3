//! `merge`: combines what several machines wrote; `corpus`: works on the inputs that campaigns kept.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use mcp_errconf::contract;
use mcp_errconf::event::Event;
use mcp_errconf::judge::Strictness;
use mcp_errconf::matrix::{MatrixTable, TableDelta};
use mcp_errconf::merge::{Shards, minimise};
use mcp_errconf::report::{Given, Promises};

use super::failure::Failure;
use super::{Terminal, compare, console, fuzz, matrix, output};

#[derive(Debug, Args)]
#[command(
    after_help = "Findings are merged by their cause: the smallest calls that show it stay, with the seeds of all campaigns \
    that found it. Of inputs that bring about the same reply the smallest stays. What --into holds already is merged, \
    too, so that the same folder may come twice, and in any order. The exit code is that of a single campaign or matrix \
    with these results."
)]
pub(crate) struct MergeArguments {
    /// Folders of campaigns (`fuzz --findings`, `--corpus`) or of a matrix (`matrix --keep`), or folders with those in
    /// them
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    /// Write a report of all campaigns, or the table of all servers, to standard output or to PATH; may be repeated.
    /// FORMAT is one of those of `fuzz` or `matrix`
    #[arg(long = "report", value_name = "FORMAT[=PATH]")]
    reports: Vec<String>,
    /// Show in the table of a matrix which servers are different from an earlier one: its folder, or its JSON
    #[arg(long, value_name = "TABLE")]
    since: Option<PathBuf>,
    /// Also count Should findings
    #[arg(long)]
    strict: bool,
}

/// Merges, reports, and returns the exit code of the result.
pub(crate) fn merge(arguments: &MergeArguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    // It may be the folder that is written to.
    let since = arguments.since.as_deref().map(earlier).transpose()?;
    let mut shards = match arguments.into.exists() {
        true => read(&arguments.into)?,
        false => Shards::default(),
    };
    for folder in &arguments.folders {
        shards = shards.join(read(folder)?);
    }
    let working = |folder: &Path| fuzz::campaign_folder(Some(folder));
    shards.write(&arguments.into, &working).map_err(|(path, error)| {
        let next = "give another folder with `--into`, or make room there, and merge again";
        Failure::of_file("write", &path, &error, next)
    })?;
    if !terminal.quiet {
        let [findings, inputs, servers] = shards.counts();
        console::remark(&format!(
            "merged into {}: findings: {findings}, inputs: {inputs}, servers: {servers}",
            arguments.into.display()
        ));
        shards.remarks().iter().for_each(|remark| console::remark(remark));
    }
    reported(&shards, since.as_ref(), arguments, terminal)
}

fn earlier(path: &Path) -> Result<MatrixTable, Failure> {
    compare::table(path).ok_or_else(|| {
        Failure::Usage(format!(
            "`{}` is no table of a matrix: give `--since` the folder of `matrix --keep` or `merge --into`, or a table from \
             `--report json=FILE`",
            path.display()
        ))
    })
}

fn read(folder: &Path) -> Result<Shards, Failure> {
    Shards::read(folder).map_err(|error| {
        Failure::of_file("read", folder, &error, "give a folder that `fuzz` or `matrix` wrote")
    })
}

fn reported(
    shards: &Shards,
    since: Option<&MatrixTable>,
    arguments: &MergeArguments,
    terminal: &Terminal,
) -> Result<ExitCode, Failure> {
    let strictness = if arguments.strict { Strictness::Should } else { Strictness::Must };
    let merged = shards.report(&arguments.into, strictness).map_err(Failure::Usage)?;
    match (merged, shards.table(&arguments.into)) {
        (Some(_), Some(_)) => Err(Failure::Usage(
            "these are campaigns and a matrix: merge the folders of each on their own".to_owned(),
        )),
        (Some(_), None) if since.is_some() => Err(Failure::Usage(
            "`--since` is for tables of a matrix: compare campaigns with `mcp-errconf compare BEFORE AFTER`".to_owned(),
        )),
        (Some((report, conclusion)), None) => {
            let reports = output::ReportOptions::parse(&arguments.reports)?;
            let promises = Promises::of_each(contract::builtin());
            let mut outputs =
                output::open(&reports, None, &promises, strictness, None, Given::default(), terminal)?;
            let exit = conclusion.exit_code();
            outputs.tell(&Event::Judged { report: Box::new(report), conclusion })?;
            Ok(ExitCode::from(exit))
        }
        (None, Some(table)) => {
            let requests = arguments.reports.iter().map(|report| report.parse().map_err(Failure::Usage));
            let requests = requests.collect::<Result<Vec<_>, _>>()?;
            let delta = since.map(|before| TableDelta::between(before, &table));
            matrix::write(&table, delta.as_ref(), matrix::opened(&requests)?)?;
            Ok(ExitCode::from(table.exit_code))
        }
        (None, None) if !arguments.reports.is_empty() => Err(Failure::Usage(
            "there is no journal of a campaign or a matrix in these folders: only findings and inputs were merged, and \
             there is nothing to report"
                .to_owned(),
        )),
        (None, None) => Ok(ExitCode::SUCCESS),
    }
}

#[derive(Debug, Args)]
pub(crate) struct CorpusArguments {
    #[command(subcommand)]
    command: CorpusCommand,
}

#[derive(Debug, Subcommand)]
enum CorpusCommand {
    /// Delete each input for which a smaller one brings about the same reply
    Minimise {
        /// The folder of the corpus, from `fuzz --corpus`
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

pub(crate) fn corpus(arguments: &CorpusArguments) -> Result<(), Failure> {
    let CorpusCommand::Minimise { folder } = &arguments.command;
    let minimised = minimise(folder).map_err(|error| {
        Failure::of_file("minimise", folder, &error, "give a folder that `fuzz --corpus` wrote")
    })?;
    console::print(&format!("kept {} of {} inputs\n", minimised.kept, minimised.of))
}
