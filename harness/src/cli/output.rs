//! Where reports are written: parsed from `--report FORMAT[=PATH]`, and opened before the server starts, so
//! that a path that cannot be written is reported early.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;

use clap::{Args, ValueEnum};
use mcp_errconf::atomic_file::{self, AtomicFile};
use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::event::{Event, Reporter};
use mcp_errconf::judge::{Report, Strictness, slow_cases};
use mcp_errconf::recording::Recording;
use mcp_errconf::report::{
    self, Detail, FORMATS, Given, Promises, ReportFormat, ReportSettings, ReportView, Theme, progress,
};
use mcp_errconf::{cause, snapshot};

use super::failure::{Failure, suggestion};
use super::{Color, Terminal, console, sources};

/// A requested report.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    format: &'static ReportFormat,
    /// The file; `None` for standard output.
    path: Option<PathBuf>,
}

/// The help of `--report`, with every format.
fn help() -> String {
    let names: Vec<String> = FORMATS.iter().map(|format| format!("`{}`", format.name)).collect();
    format!(
        "Write a report to standard output or to PATH; may be repeated. FORMAT is one of {}",
        names.join(", ")
    )
}

impl FromStr for Request {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (format, path) = name_and_path(text)?;
        let format = report::format(format).ok_or_else(|| {
            let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
            let near = suggestion(format, names.iter().copied());
            format!("there is no report format `{format}`{near}; the formats are {}", names.join(", "))
        })?;
        Ok(Self { format, path })
    }
}

/// The two parts of `FORMAT[=PATH]`.
pub(super) fn name_and_path(text: &str) -> Result<(&str, Option<PathBuf>), String> {
    match text.split_once('=') {
        Some((_, "")) => Err("a path must follow `=`".to_owned()),
        Some((format, path)) => Ok((format, Some(PathBuf::from(path)))),
        None => Ok((text, None)),
    }
}

/// Refuses two "reports" or "tables" at the same place, which is a file or, without a path, standard output.
pub(super) fn check_places(what: &str, paths: &[Option<&Path>]) -> Result<(), Failure> {
    match paths.iter().enumerate().find(|(index, path)| paths[..*index].contains(path)) {
        None => Ok(()),
        Some((_, path)) => {
            let place = path.map_or("standard output".into(), Path::to_string_lossy);
            Err(Failure::Usage(format!(
                "two {what} would go to {place}: give each its own path, `--report FORMAT=PATH`"
            )))
        }
    }
}

/// Opens a file to be written, so that a failure is reported before anything is run.
pub(super) fn open_file(path: &Path) -> Result<AtomicFile, Failure> {
    // A killed run may have left the beginning of its report there.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    atomic_file::remove_abandoned(folder.unwrap_or(Path::new(".")));
    AtomicFile::open(path).map_err(|error| {
        Failure::of_file(
            "write",
            path,
            &error,
            "give a file in a folder that exists and that you can write to",
        )
    })
}

/// Which reports are written, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReportOptions {
    #[arg(long = "report", value_name = "FORMAT[=PATH]", help = help())]
    reports: Vec<Request>,
    /// How the human report shows findings: in full, or with one line each
    #[arg(long, value_name = "HOW", default_value = "full")]
    format: HumanFormat,
}

/// How the human report shows findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HumanFormat {
    Full,
    Concise,
}

impl ReportOptions {
    /// These reports, where the option is not read by clap.
    pub(crate) fn parse(reports: &[String]) -> Result<Self, Failure> {
        let reports = reports.iter().map(|report| report.parse().map_err(Failure::Usage));
        Ok(Self { reports: reports.collect::<Result<_, _>>()?, format: HumanFormat::Full })
    }

    /// The report if none is asked for.
    const HUMAN: Request = Request { format: &report::human::FORMAT, path: None };

    /// These reports, and others that are written in any case, unless they were requested at the same path.
    pub(crate) fn with(&self, others: Vec<(&'static ReportFormat, PathBuf)>) -> Self {
        let mut reports = if self.is_given() { self.reports.clone() } else { vec![Self::HUMAN] };
        for (format, path) in others {
            if !reports.iter().any(|known| known.path.as_ref() == Some(&path)) {
                reports.push(Request { format, path: Some(path) });
            }
        }
        Self { reports, ..self.clone() }
    }

    /// Whether any report was asked for.
    pub(crate) fn is_given(&self) -> bool {
        !self.reports.is_empty()
    }

    fn detail(&self, terminal: &Terminal) -> Detail {
        match self.format {
            HumanFormat::Concise => Detail::Concise,
            HumanFormat::Full if terminal.verbose => Detail::Full,
            HumanFormat::Full => Detail::Brief,
        }
    }
}

/// The reports of a run, and its progress.
#[derive(Default)]
pub(crate) struct Outputs {
    reporters: Vec<Sink>,
    transcript: Option<(String, AtomicFile)>,
    progress: Option<Box<dyn Reporter>>,
    /// Whether a report goes to standard output.
    is_shown: bool,
    /// Whether only the reports are wanted.
    quiet: bool,
    /// Whether the user reads on standard output why nothing was judged.
    says_why: bool,
}

struct Sink {
    /// The path for messages, or "standard output".
    place: String,
    reporter: Box<dyn Reporter>,
}

/// Opens every requested report; if there is none, the human one on standard output.
pub(crate) fn open(
    options: &ReportOptions,
    transcript: Option<&Path>,
    promises: &Promises,
    strictness: Strictness,
    anchor: Option<String>,
    given: Given,
    terminal: &Terminal,
) -> Result<Outputs, Failure> {
    let human = [ReportOptions::HUMAN];
    let requests = if options.is_given() { options.reports.as_slice() } else { &human };
    let paths = requests.iter().map(|request| request.path.as_deref());
    let paths: Vec<_> = transcript.map(Some).into_iter().chain(paths).collect();
    check_places("reports", &paths)?;
    let settings = ReportSettings {
        strictness,
        detail: options.detail(terminal),
        given,
        date: Some(httpdate::fmt_http_date(SystemTime::now())),
        anchor,
        definition: sources::definition,
        workflow: std::env::var("GITHUB_WORKFLOW_REF").ok().and_then(|named| workflow(&named)),
        ..ReportSettings::of_file(promises.clone())
    };
    let reporters = requests.iter().map(|request| sink(request, &settings, terminal));
    let reporters = reporters.collect::<Result<_, _>>()?;
    let recording = transcript.map(open_file).transpose()?;
    let transcript = transcript.map(|path| path.display().to_string()).zip(recording);
    let is_seen = io::stdout().is_terminal() || !io::stderr().is_terminal();
    let is_human =
        |request: &Request| request.path.is_none() && request.format.name == report::human::FORMAT.name;
    let says_why = is_seen && requests.iter().any(is_human);
    let is_shown = requests.iter().any(|request| request.path.is_none());
    Ok(Outputs {
        reporters,
        transcript,
        progress: terminal_progress(terminal),
        is_shown,
        quiet: terminal.quiet,
        says_why,
    })
}

/// The file in what GitHub calls a workflow: `owner/name/.github/workflows/ci.yml@refs/heads/main`.
fn workflow(named: &str) -> Option<String> {
    let (path, _) = named.split_once('@')?;
    path.splitn(3, '/').nth(2).map(str::to_owned)
}

/// No report, only the progress.
pub(crate) fn progress_alone(terminal: &Terminal) -> Outputs {
    Outputs { progress: terminal_progress(terminal), quiet: terminal.quiet, ..Outputs::default() }
}

fn sink(request: &Request, settings: &ReportSettings, terminal: &Terminal) -> Result<Sink, Failure> {
    let (place, out): (_, Box<dyn Write>) = match &request.path {
        Some(path) => (path.display().to_string(), Box::new(open_file(path)?)),
        None => ("standard output".to_owned(), Box::new(io::stdout())),
    };
    let columns = request.path.is_none().then(console::terminal_columns).flatten();
    let settings =
        ReportSettings { theme: theme(terminal.color, request.path.is_none()), columns, ..settings.clone() };
    let reporter = request.format.open(out, &settings);
    Ok(Sink { place, reporter })
}

fn theme(color: Color, on_standard_output: bool) -> Theme {
    let choice = || anstream::AutoStream::choice(&io::stdout());
    let coloured = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => on_standard_output && choice() != anstream::ColorChoice::Never,
    };
    match coloured {
        true if on_standard_output && console::knows_links() => Theme::coloured().linked(),
        true => Theme::coloured(),
        false => Theme::plain(),
    }
}

/// The progress: a bar on a terminal, a few lines in a CI log, otherwise nothing.
fn terminal_progress(terminal: &Terminal) -> Option<Box<dyn Reporter>> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    match (terminal.quiet, is_set("CI"), io::stderr().is_terminal() && !is_dumb) {
        (true, ..) | (false, false, false) => None,
        (false, true, _) => Some(progress::lines(io::stderr())),
        (false, false, true) => Some(progress::bar(console::error_columns())),
    }
}

impl Outputs {
    /// Writes the recording, if one is requested.
    pub(crate) fn record(&mut self, recording: &Recording) -> Result<(), Failure> {
        let Some((place, file)) = self.transcript.take() else { return Ok(()) };
        match recording.write(io::BufWriter::new(file)) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Fault(format!(
                "cannot write the transcript to {place}: {}; make room there, or give another FILE",
                cause::describe(&error)
            ))),
            _ => Ok(()),
        }
    }

    /// Tells what ended with the run besides its verdict: what can be removed, and which cases took long.
    pub(crate) fn tell_remains(&mut self, recording: &Recording, report: &Report) -> Result<(), Failure> {
        let Recording { transcript, contract, policy, .. } = recording;
        let stale = policy.baseline.stale(transcript, &report.findings);
        if !stale.is_empty() {
            self.tell(&Event::Stale(stale))?;
        }
        self.tell(&Event::Slow(slow_cases(&transcript.exchanges)))?;
        let gone = snapshot::compare(transcript, contract).unwrap_or_default().gone;
        if !gone.is_empty() {
            self.tell(&Event::SnapshotsGone(gone))?;
        }
        Ok(())
    }

    /// Sends an event to every reporter. One whose reader has gone gets no more events; another failure to
    /// write is returned after all have got this one.
    pub(crate) fn tell(&mut self, event: &Event) -> Result<(), Failure> {
        if self.progress.as_mut().is_some_and(|progress| progress.event(event).is_err()) {
            self.progress = None;
        }
        if let Some(remark) = report::confirming(event)
            && self.progress.is_none()
            && !self.quiet
        {
            console::remark(&remark);
        }
        if let Event::Unwritten(why) = event
            && self.progress.is_none()
        {
            console::error(why);
        }
        if let Event::Judged { conclusion, .. } = event
            && let Conclusion::NotExercised(why) | Conclusion::NothingSelected(why) = conclusion
            && !self.says_why
        {
            console::error(why);
        }
        let mut failure = None;
        self.reporters.retain_mut(|sink| match sink.reporter.event(event) {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::BrokenPipe => false,
            Err(error) => {
                failure = Some(format!(
                    "cannot write the report to {}: {}; make room there, or name another place by `--report \
                     FORMAT=PATH`",
                    sink.place,
                    cause::describe(&error)
                ));
                false
            }
        });
        self.say_where(event);
        failure.map_or(Ok(()), |message| Err(Failure::Fault(message)))
    }

    /// Says the verdict, and where the reports are, if none goes to standard output.
    fn say_where(&self, event: &Event) {
        let Event::Judged { report, conclusion } = event else { return };
        if self.quiet || self.is_shown || self.reporters.is_empty() {
            return;
        }
        let places: Vec<&str> = self.reporters.iter().map(|sink| sink.place.as_str()).collect();
        let settings = ReportSettings::of_file(Promises::default());
        let verdict = ReportView::new(report, conclusion, &settings).verdict_in_a_line();
        let written = format!("written: {}", places.join(", "));
        match conclusion {
            // Why was said already.
            Conclusion::NotExercised(_) | Conclusion::NothingSelected(_) => console::remark(&written),
            _ => console::remark(&format!("{verdict}; {written}")),
        }
    }
}

/// The file to which code hosts attach findings, since they need one and a server's replies have no line: the configuration, or
/// else the server's own program or script if it is in the working folder; relative to that.
pub(crate) fn anchor(configuration: Option<&Path>, command: &[String]) -> Option<String> {
    let working = std::env::current_dir().ok()?;
    let below = |path: &Path| {
        let path = path.strip_prefix(&working).unwrap_or(path);
        let is_below = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let parts = path.components().filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_string_lossy()),
            _ => None,
        });
        is_below.then(|| parts.collect::<Vec<_>>().join("/")).filter(|path| !path.is_empty())
    };
    let program = || {
        let files = command.iter().map(Path::new).filter(|word| word.is_file());
        files.filter_map(below).next()
    };
    configuration.and_then(below).or_else(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_comes_first_and_then_a_file_of_the_command_below_the_working_folder() {
        let working = std::env::current_dir().expect("there is one");
        let absolute = working.join("x/mcp-errconf.toml");
        let command = ["python", "/bin/sh", "./src/main.rs"].map(str::to_owned);
        assert_eq!(anchor(Some(&absolute), &command).as_deref(), Some("x/mcp-errconf.toml"));
        assert_eq!(anchor(Some(Path::new("../mcp-errconf.toml")), &[]), None);
        assert_eq!(anchor(None, &command).as_deref(), Some("src/main.rs"));
        assert_eq!(anchor(None, &command[..2]), None);
    }
}
