//! `matrix`: judges the servers in a file one after the other, and compares them in a table.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

use clap::{Args, Parser};
use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::event::Event;
use mcp_errconf::judge::Report;
use mcp_errconf::matrix::{
    self, EarlierMatrix, MatrixEntry, MatrixId, MatrixJournal, MatrixRow, MatrixTable, TableDelta,
};
use mcp_errconf::recording::NotRun;
use mcp_errconf::report::{self, Promises, ReportSettings};
use mcp_errconf::shard::Shard;
use mcp_errconf::{atomic_file, rules};
use tokio::sync::watch;

use super::failure::{Failure, suggestion};
use super::run::{self, PreparedRun};
use super::server::{ServerUnderTest, launch};
use super::shard::ShardOption;
use super::{Terminal, console, interrupt, json, output, room};

/// The formats of the table.
const FORMATS: [&str; 4] = ["human", "json", "markdown", "html"];

#[derive(Debug, Args)]
#[command(
    after_help = "FILE is TOML:\n\n  contract = \"plain\"                     # for all; also `options` and `env`\n  options = \
    [\"--max-probes\", \"100\"]   # options of `mcp-errconf run`\n\n  [[server]]\n  name = \"files\"\n  command = [\"npx\", \
    \"-y\", \"@modelcontextprotocol/server-filesystem\", \"{workspace}\"]\n\n  [[server]]\n  name = \"mine\"\n  from = \
    \".mcp.json\"                     # a host's file; `server` is the name there\n  args = [\"--verbose\"]\n  contract = \
    \"bracket-code\"\n\nThe exit code is the gravest of the servers': 0, 4, 1, 3, 2, 70, 130, from the lightest on. A \
    configuration in the working folder is not read: name one with `--config` in `options`."
)]
pub(crate) struct MatrixArguments {
    /// The file that names the servers
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Judge the bundled reference server too, after those of the file
    #[arg(long)]
    bundled: bool,
    /// Write the table to standard output or to PATH; may be repeated. FORMAT is one of `human`, `json`, `markdown`,
    /// `html`
    #[arg(long = "report", value_name = "FORMAT[=PATH]")]
    reports: Vec<TableRequest>,
    /// Keep each server's own report in DIR, as JSON and as a page that the table links to
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    shard: ShardOption,
    /// Start over where the folder of the reports has a matrix that did not end, instead of going on with it
    #[arg(long)]
    fresh: bool,
}

/// A format of the table, and where to write it.
#[derive(Debug, Clone)]
pub(super) struct TableRequest {
    format: &'static str,
    /// The file; `None` for standard output.
    path: Option<PathBuf>,
}

impl FromStr for TableRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = output::name_and_path(text)?;
        let format = FORMATS.into_iter().find(|format| *format == name).ok_or_else(|| {
            let near = suggestion(name, FORMATS);
            format!("unknown table format `{name}`{near}; the formats are {}", FORMATS.join(", "))
        })?;
        Ok(Self { format, path })
    }
}

/// The options of `run` for a server in the file.
#[derive(Debug, Parser)]
#[command(name = "run", no_binary_name = true, disable_help_flag = true)]
struct EntryOptions {
    #[command(flatten)]
    run: run::RunArguments,
}

/// Judges each server, and shows the results.
pub(crate) fn matrix(arguments: &MatrixArguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let shard = arguments.shard.shard()?;
    let turns = turns(arguments, shard)?;
    let opened = opened(&arguments.reports)?;
    let folder = arguments.keep.as_deref();
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
        atomic_file::remove_abandoned(folder);
    }
    let id = MatrixId::new(turns.iter().map(|turn| &turn.entry), shard);
    let earlier = if arguments.fresh { EarlierMatrix::Forget } else { EarlierMatrix::Continue };
    let (mut journal, known) = MatrixJournal::open(folder, &id, earlier).map_err(Failure::Usage)?;
    if !known.is_empty() && !terminal.quiet {
        console::remark(&format!(
            "going on with the matrix that was stopped after {} of {} servers; `--fresh` starts over",
            known.len(),
            turns.len()
        ));
    }
    let unnoted = |error: std::io::Error| unwritten(folder.unwrap_or(Path::new("")), &error);
    rules::warm_up_beside();
    let rows = interrupt::run(async |interrupted| {
        let mut rows: Vec<MatrixRow> = Vec::new();
        for (index, turn) in turns.iter().enumerate() {
            if let Some(row) = known.get(&turn.position) {
                rows.push(row.clone());
                continue;
            }
            if *interrupted.borrow() {
                rows.push(MatrixRow::not_run(&turn.entry.name, "it was not its turn yet".to_owned(), 130));
                continue;
            }
            if !terminal.quiet {
                console::remark(&format!("{} of {}: {}", index + 1, turns.len(), turn.entry.name));
            }
            let row = row(turn, &interrupted, terminal).await?;
            if !*interrupted.borrow() {
                journal.judged(turn.position, &row).map_err(unnoted)?;
            }
            rows.push(row);
        }
        if !*interrupted.borrow() {
            journal.end().map_err(unnoted)?;
        }
        Ok::<_, Failure>(rows)
    })??;
    if rows.is_empty() {
        console::error(&format!("shard {shard} has no server: there are fewer servers than shards"));
    }
    let table = MatrixTable::new(rows);
    write(&table, None, opened)?;
    Ok(ExitCode::from(table.exit_code))
}

/// Writes a table in each format, and what is different from an earlier one where people read it.
pub(super) fn write(
    table: &MatrixTable,
    since: Option<&TableDelta>,
    opened: Vec<OpenedTable>,
) -> Result<(), Failure> {
    for (format, file) in opened {
        let text = match format {
            "json" => json::document(table)?,
            // Whoever reads no further than its beginning is to know what changed.
            "markdown" => {
                let changes =
                    since.map(|delta| format!("Since the earlier table:\n\n{}\n", delta.markdown()));
                changes.unwrap_or_default() + &table.markdown()
            }
            "html" => table.html(file.as_ref().and_then(|(path, _)| path.parent()), since),
            _ => {
                let changes = since.map(|delta| format!("\nsince the earlier table:\n{}", delta.human()));
                table.human(console::columns(file.is_none())) + &changes.unwrap_or_default()
            }
        };
        match file {
            None => console::print_exactly(&text)?,
            Some((path, mut file)) => {
                let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
                written.map_err(|error| unwritten(&path, &error))?;
            }
        }
    }
    Ok(())
}

/// A server to judge.
struct MatrixTurn {
    /// Its place in the file, from 0.
    position: usize,
    entry: MatrixEntry,
    options: run::RunArguments,
    /// The file for its own report.
    kept: Option<PathBuf>,
}

/// The servers that belong to the shard, in the order of the file.
fn turns(arguments: &MatrixArguments, shard: Shard) -> Result<Vec<MatrixTurn>, Failure> {
    let mut names: Vec<String> = Vec::new();
    let turns = entries(arguments)?.into_iter().enumerate().map(|(position, (entry, options))| {
        // Named as if there were no shards, so that the reports of all of them have room in one folder.
        let name = file_name(&entry.name, &names);
        names.push(name.clone());
        let kept = arguments.keep.as_deref().map(|folder| folder.join(name));
        MatrixTurn { position, entry, options, kept }
    });
    let turns: Vec<MatrixTurn> = turns.collect();
    Ok(turns.into_iter().filter(|turn| shard.has(turn.position)).collect())
}

/// The servers to judge, each with its options.
fn entries(arguments: &MatrixArguments) -> Result<Vec<(MatrixEntry, run::RunArguments)>, Failure> {
    let named = arguments.file.as_deref().map(matrix::load).transpose()?.unwrap_or_default();
    let mut entries = named
        .into_iter()
        .map(|entry| options(&entry).map(|options| (entry, options)))
        .collect::<Result<Vec<_>, _>>()?;
    if arguments.bundled {
        let entry = MatrixEntry { name: "reference server".to_owned(), ..MatrixEntry::default() };
        let options = options(&entry)?;
        entries.push((entry, options));
    }
    match entries.is_empty() {
        true => Err(Failure::Usage(
            "no server is named: give a FILE with a `[[server]]` for each (`mcp-errconf matrix --help` shows one), or \
             `--bundled` for the reference server; `mcp-errconf run -- ./my-server` judges a single server"
                .to_owned(),
        )),
        false => Ok(entries),
    }
}

/// A format, and the file to write it to; `None` for standard output.
pub(super) type OpenedTable = (&'static str, Option<(PathBuf, mcp_errconf::atomic_file::AtomicFile)>);

/// Opens the files of the requested tables before anything is run, so that one that cannot be written is reported early;
/// if none is requested, the human table goes to standard output.
pub(super) fn opened(requests: &[TableRequest]) -> Result<Vec<OpenedTable>, Failure> {
    if requests.is_empty() {
        return Ok(vec![(FORMATS[0], None)]);
    }
    let paths: Vec<_> = requests.iter().map(|request| request.path.as_deref()).collect();
    output::check_places("tables", &paths)?;
    let opened = requests.iter().map(|TableRequest { format, path }| {
        let file = path.as_deref().map(output::open_file).transpose()?;
        Ok((*format, path.clone().zip(file)))
    });
    opened.collect()
}

/// The options that the file gives for a server.
fn options(entry: &MatrixEntry) -> Result<run::RunArguments, Failure> {
    let wrong = |cause: &str| Failure::Usage(format!("{}: {cause}", entry.place));
    let read = EntryOptions::try_parse_from(&entry.options).map_err(|error| {
        let message = error.to_string();
        let message = message.split("\n\nUsage:").next().unwrap_or_default();
        wrong(&format!("options of `{}`: {}", entry.name, message.trim_start_matches("error: ").trim_end()))
    })?;
    match read.run.of_one_run() {
        Some(option) => Err(wrong(&format!(
            "options of `{}`: {option} applies to a single run: pass it to `mcp-errconf run` for this server",
            entry.name
        ))),
        None => Ok(read.run),
    }
}

/// The result for one server. A failure to run it only affects its row, except for an interruption.
async fn row(
    turn: &MatrixTurn,
    interrupted: &watch::Receiver<bool>,
    terminal: &Terminal,
) -> Result<MatrixRow, Failure> {
    let begun = Instant::now();
    let (entry, kept) = (&turn.entry, turn.kept.as_deref());
    let judged = judged(entry, &turn.options, interrupted, terminal).await;
    let judged = judged.and_then(|(report, conclusion, promises)| {
        kept.map_or(Ok(()), |path| keep(path, &report, &conclusion, promises))?;
        Ok((report, conclusion))
    });
    let mut row = match judged {
        Ok((report, conclusion)) => {
            let kept = kept.map(|path| path.display().to_string());
            MatrixRow::judged(&entry.name, &report, &conclusion, kept)
        }
        Err(Failure::Abandoned) => return Err(Failure::Abandoned),
        Err(failure) => MatrixRow::not_run(&entry.name, failure.to_string(), failure.exit_code()),
    };
    row.duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(row)
}

async fn judged(
    entry: &MatrixEntry,
    options: &run::RunArguments,
    interrupted: &watch::Receiver<bool>,
    terminal: &Terminal,
) -> Result<(Report, Conclusion, Promises), Failure> {
    room::check(options.drive.options().jobs)?;
    let server = server(entry)?;
    let mut configured = options.named_configuration(terminal)?;
    configured.config.server.env.extend(entry.env.clone());
    configured.config.server.cwd = entry.cwd.clone().or(configured.config.server.cwd);
    let prepared = PreparedRun::new(options, &configured, server)?;
    let mut outputs = output::progress_alone(terminal);
    let (transcript, not_run) = match &prepared.nothing_left {
        None => {
            let tell = &mut |event: &Event| outputs.tell(event);
            run::driven_until(interrupted.clone(), &prepared.assignment, options.max_time, tell).await?
        }
        Some(why) => (run::not_run(&prepared.assignment, why), Some(NotRun::NothingSelected(why.clone()))),
    };
    let (report, conclusion) =
        prepared.recording(transcript, not_run, &configured.config).judge(rules::all());
    Ok((report, conclusion, prepared.promises()))
}

fn server(entry: &MatrixEntry) -> Result<ServerUnderTest, Failure> {
    let Some(file) = &entry.from else {
        // Every entry of a file has one or the other.
        return Ok(match &entry.command {
            None => ServerUnderTest::Bundled,
            Some(command) => ServerUnderTest::Given(command.iter().chain(&entry.args).cloned().collect()),
        });
    };
    let mut launch = launch(file, entry.server.as_deref())?;
    launch.command.extend(entry.args.clone());
    Ok(ServerUnderTest::From(Box::new(launch)))
}

/// The name of the file of a server's own report: its name in characters that every file system allows, and none of
/// those of the other files.
fn file_name(name: &str, others: &[String]) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let plain: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    let plain = plain.trim_start_matches('.');
    let numbered = (2..).map(|number| format!("{plain}-{number}.json"));
    let mut names = std::iter::once(format!("{plain}.json")).chain(numbered);
    names.find(|name| !others.contains(name)).unwrap_or_default()
}

/// Writes a server's own report as JSON, and as a page beside it; the journal says afterwards that they are there.
fn keep(path: &Path, report: &Report, conclusion: &Conclusion, promises: Promises) -> Result<(), Failure> {
    let text = json::document(report)?;
    atomic_file::write_synced(path, text.as_bytes()).map_err(|error| unwritten(path, &error))?;
    let page = matrix::page_of(path);
    let settings = ReportSettings::of_file(promises);
    let judged = Event::Judged { report: Box::new(report.clone()), conclusion: conclusion.clone() };
    let written = fs::File::create(&page).and_then(|file| {
        report::html::FORMAT.open(Box::new(file.try_clone()?), &settings).event(&judged)?;
        file.sync_data()
    });
    written.map_err(|error| unwritten(&page, &error))
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::of_file("write", path, error, "give a place that you can write to")
}
