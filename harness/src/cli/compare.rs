//! `compare`: compares two JSON reports of one server, or two tables of a matrix.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use mcp_errconf::comparison::ReportDelta;
use mcp_errconf::judge::{Report, Strictness};
use mcp_errconf::matrix::{MatrixTable, TableDelta};
use mcp_errconf::merge::Shards;
use serde::Serialize;

use super::failure::Failure;
use super::{console, json};

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
            print(arguments.format, &delta, &delta.human(), &delta.markdown())?;
            delta.is_worse(strictness)
        }
        (None, None) => {
            let delta = ReportDelta::between(&report(&arguments.before)?, &report(&arguments.after)?);
            print(arguments.format, &delta, &delta.human(), &delta.markdown())?;
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

fn print(format: Format, delta: &impl Serialize, human: &str, markdown: &str) -> Result<(), Failure> {
    match format {
        Format::Human => console::print(human),
        Format::Markdown => console::print(markdown),
        Format::Json => console::print_exactly(&json::document(delta)?),
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
    let shards = Shards::read(folder).map_err(|error| Failure::of_file("read", folder, &error, ""))?;
    let merged = shards.report(folder, Strictness::Must).map_err(Failure::Usage)?;
    merged.map(|(report, _)| report).ok_or_else(|| {
        Failure::Usage(format!(
            "there is no journal of a campaign in `{}`; give a folder of `fuzz --findings` or `merge --into`",
            folder.display()
        ))
    })
}

/// Reads a report that `--report json` wrote.
fn report(file: &Path) -> Result<Report, Failure> {
    if file.is_dir() {
        return campaign(file);
    }
    let next = "give a report made by `run --report json=FILE`";
    let report: Report = json::read(file, "a report written by `--report json`", next)?;
    match report.schema_version {
        SCHEMA_VERSION => Ok(report),
        other => Err(Failure::Usage(format!(
            "{}: a report of schema_version {other}; this version reads {SCHEMA_VERSION}",
            file.display()
        ))),
    }
}
