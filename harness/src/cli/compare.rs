//! `compare`: compares two JSON reports of one server, or two tables of a matrix.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use mcp_errconf::comparison::ReportDelta;
use mcp_errconf::judge::{Report, Strictness};
use mcp_errconf::matrix::{MatrixTable, TableDelta};
use mcp_errconf::merge::Shards;
use mcp_errconf::{cause, escape};
use serde::Serialize;

use super::console;
use super::failure::Failure;

/// The version of the reports' format.
const SCHEMA_VERSION: u32 = 1;

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 the second report is no worse; 1 it has a new finding that counts (Must; with --strict \
    also Should, and a smaller share of wrong calls that the messages alone mend); 2 a file is no report. Tables of a \
    matrix are compared server by server: 1 if one that both have is worse."
)]
pub(crate) struct CompareArguments {
    /// The report before the change, or the table, from `--report json=FILE`; or the folder of a campaign or a matrix
    #[arg(value_name = "BEFORE")]
    before: PathBuf,
    /// The report after it
    #[arg(value_name = "AFTER")]
    after: PathBuf,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Also treat new Should findings, and fewer calls corrected from the messages, as a regression
    #[arg(long)]
    strict: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    Markdown,
}

/// Compares, prints the result, and returns its exit code.
pub(crate) fn compare(arguments: &CompareArguments) -> Result<ExitCode, Failure> {
    let strictness = if arguments.strict { Strictness::Should } else { Strictness::Must };
    let is_worse = match (table(&arguments.before), table(&arguments.after)) {
        (Some(before), Some(after)) => {
            let delta = TableDelta::between(&before, &after);
            print(arguments.format, &delta, TableDelta::human, TableDelta::markdown)?;
            delta.is_worse(strictness)
        }
        (None, None) => {
            let delta = ReportDelta::between(&report(&arguments.before)?, &report(&arguments.after)?);
            print(arguments.format, &delta, ReportDelta::human, ReportDelta::markdown)?;
            delta.is_worse(strictness)
        }
        (before, _) => {
            let (table, other) = match before {
                Some(_) => (&arguments.before, &arguments.after),
                None => (&arguments.after, &arguments.before),
            };
            return Err(Failure::Usage(format!(
                "`{}` is of a matrix, `{}` is not: give two of the same kind",
                table.display(),
                other.display()
            )));
        }
    };
    Ok(ExitCode::from(u8::from(is_worse)))
}

fn print<D: Serialize>(
    format: Format,
    delta: &D,
    human: impl Fn(&D) -> String,
    markdown: impl Fn(&D) -> String,
) -> Result<(), Failure> {
    match format {
        Format::Human => console::print(&human(delta)),
        Format::Markdown => console::print(&markdown(delta)),
        Format::Json => {
            let document = serde_json::to_string_pretty(delta)
                .map_err(|error| Failure::Fault(format!("cannot serialize the comparison: {error}")))?;
            console::print_exactly(&format!("{}\n", escape::json(&document)))
        }
    }
}

/// The table of a matrix, if that is what the path leads to: its JSON, or a folder with its reports.
pub(super) fn table(path: &Path) -> Option<MatrixTable> {
    match path.is_dir() {
        true => Shards::read(path).ok()?.table(path),
        false => serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok(),
    }
}

/// The report of the campaigns in a folder, also of several that were merged.
fn campaign(folder: &Path) -> Result<Report, Failure> {
    let place = folder.display();
    let none = || {
        format!(
            "there is no journal of a campaign in `{place}`; give a folder of `fuzz --findings` or `merge --into`"
        )
    };
    let shards = Shards::read(folder)
        .map_err(|error| Failure::Usage(format!("cannot read `{place}`: {}", cause::describe(&error))))?;
    let merged = shards.report(folder, Strictness::Must).map_err(Failure::Usage)?;
    merged.map(|(report, _)| report).ok_or_else(|| Failure::Usage(none()))
}

/// Reads a report that `--report json` wrote.
pub(super) fn report(file: &Path) -> Result<Report, Failure> {
    let place = file.display();
    if file.is_dir() {
        return campaign(file);
    }
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::Usage(format!(
            "cannot read `{place}`: {}; give a report made by `run --report json=FILE`",
            cause::describe(&error)
        ))
    })?;
    let report: Report = serde_json::from_str(&text).map_err(|error| {
        Failure::Usage(format!(
            "{place}:{}:{}: not a report written by `--report json`: {}",
            error.line(),
            error.column(),
            cause::of_json(&error)
        ))
    })?;
    match report.schema_version {
        SCHEMA_VERSION => Ok(report),
        other => Err(Failure::Usage(format!(
            "{place}: a report of schema_version {other}; this version reads {SCHEMA_VERSION}"
        ))),
    }
}
