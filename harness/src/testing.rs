//! Judges a server from its own Rust tests.
//!
//! The main type is [`Check`]: a server that is a program of its own, or one that lives in the test's process
//! and speaks over a pair of streams. The result is a [`Report`], as for any run.
//!
//! ```no_run
//! use mcp_errconf::testing::{Check, assert_conformant};
//!
//! let report = Check::command(["target/debug/my-server", "{workspace}"]).contract("bracket-code").run_blocking().unwrap();
//! assert_conformant(&report);
//! ```
//!
//! What `mcp-errconf.toml` says of the server holds here too, if it is named:
//!
//! ```no_run
//! use mcp_errconf::testing::{Check, assert_conformant};
//! use serde_json::json;
//!
//! let report = Check::command(["target/debug/my-server"])
//!     .config("mcp-errconf.toml")
//!     .env("NOTES_DB", "{workspace}/notes.db")
//!     .valid("read_note", json!({"note_id": "n-1"}))
//!     .baseline("errconf-baseline.toml")
//!     .report("target/errconf.html")
//!     .run_blocking()
//!     .unwrap();
//! assert_conformant(&report);
//! ```
//!
//! A server within the process is opened again for each session:
//!
//! ```
//! use mcp_errconf::testing::Check;
//! use tokio::io::{duplex, split};
//!
//! # async fn serve(_stream: tokio::io::DuplexStream) {}
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let check = Check::in_process(|_workspace| {
//!     let (ours, theirs) = duplex(64 * 1024);
//!     tokio::spawn(serve(theirs));
//!     split(ours)
//! });
//! // This server ends before it says anything, and so there is nothing to judge.
//! let error = check.run().await.unwrap_err();
//! assert!(error.to_string().contains("initialize"), "{error}");
//! # }
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use globset::GlobMatcher;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use crate::baseline::Baseline;
use crate::conclusion::Conclusion;
use crate::config::{self, Config};
use crate::contract::{self, Contract};
use crate::drive::{Assignment, Confine, DriveError, DriveOptions, Safety, SecondSession, ServerSpec, drive};
use crate::event::Event;
use crate::exchange::{Exchange, Outcome, RpcError};
use crate::finding::State;
use crate::judge::{Report, Strictness};
use crate::plan::{ProbeChoice, may_select, service_faults};
use crate::recording::{JudgingPolicy, Recording};
use crate::report::{self, Detail, Promises, ReportSettings, ReportView};
use crate::rules;
use crate::server::{Bounds, ConfinementOptions, Confiner, Streams, container, on_path};
use crate::suite::{self, Suite};
use crate::transcript::{Chosen, IN_PROCESS, Limits};

/// A server to be judged, and how to judge it.
#[derive(Debug, Clone, Default)]
pub struct Check {
    command: Vec<String>,
    streams: Option<Streams>,
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    config: Option<PathBuf>,
    contract: Option<String>,
    filter: Option<String>,
    limits: Option<Limits>,
    timeout: Option<Duration>,
    valid: BTreeMap<String, Value>,
    baseline: Option<PathBuf>,
    reports: Vec<PathBuf>,
    sandbox: Option<PathBuf>,
}

/// The contract that stands for the one that the replies keep.
const AUTO: &str = "auto";
/// The deadline of a call, if nothing says another one.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Why nothing was judged.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// There is no such contract, no case for the filter, or the server could not be exercised.
    #[error("{0}")]
    Unusable(String),
    /// The server could not be exercised, or the harness failed.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// A report could not be written.
    #[error("the report `{file}` cannot be written: {error}", file = .0.display(), error = .1)]
    Report(PathBuf, std::io::Error),
}

impl Check {
    /// A server that is started as a process; in its command line `{workspace}` stands for the folder that the harness
    /// prepares.
    pub fn command<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Self {
        Self { command: words.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// A server in this process. `open` starts a fresh one and returns its output and input streams; its
    /// argument is the folder that the harness prepares. It is called within a tokio runtime, once for each
    /// session.
    pub fn in_process<R, W>(open: impl Fn(&Path) -> (R, W) + Send + Sync + 'static) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self { command: vec![IN_PROCESS.to_owned()], streams: Some(Streams::new(open)), ..Self::default() }
    }

    /// A variable of the server's environment; `{workspace}` and `{upstream}` in it are replaced.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The server's working folder; that of the test by default.
    #[must_use]
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = Some(folder.into());
        self
    }

    /// A configuration, such as `mcp-errconf.toml`. What is said here takes precedence over it.
    #[must_use]
    pub fn config(mut self, file: impl Into<PathBuf>) -> Self {
        self.config = Some(file.into());
        self
    }

    /// The contract that the server keeps, by its id or its folder, or `auto`: the one that its replies keep. The default is an
    /// undeclared `bracket-code`.
    #[must_use]
    pub fn contract(mut self, id_or_folder: &str) -> Self {
        self.contract = Some(id_or_folder.to_owned());
        self
    }

    /// Only the cases and probes whose id matches this glob, such as `read/*` or `probe/*`.
    #[must_use]
    pub fn filter(mut self, glob: &str) -> Self {
        self.filter = Some(glob.to_owned());
        self
    }

    /// Arguments, an object, with which a call of this tool succeeds.
    #[must_use]
    pub fn valid(mut self, tool: &str, arguments: Value) -> Self {
        self.valid.insert(tool.to_owned(), arguments);
        self
    }

    /// A file of accepted findings, which are known in the report.
    #[must_use]
    pub fn baseline(mut self, file: impl Into<PathBuf>) -> Self {
        self.baseline = Some(file.into());
        self
    }

    /// A file for a report, in the format that its ending names: `.json`, `.html`, `.md`, `.xml` (JUnit), `.sarif`, or else
    /// the human one.
    #[must_use]
    pub fn report(mut self, file: impl Into<PathBuf>) -> Self {
        self.reports.push(file.into());
        self
    }

    /// The program `mcp-errconf`, by default the one on the path. It starts a server that is a process once more in a sandbox, where
    /// every tool gets complete calls, as `mcp-errconf run` does. Without it only tools that read get them, and the report says so.
    #[must_use]
    pub fn sandboxed_by(mut self, program: impl Into<PathBuf>) -> Self {
        self.sandbox = Some(program.into());
        self
    }

    /// The server's limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// The deadline of a call; 10 seconds by default.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Drives the cases and judges the replies, within a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    /// When nothing could be judged at all.
    pub async fn run(self) -> Result<Report, CheckError> {
        let config = self.configuration()?;
        let policy =
            JudgingPolicy { strict: false, baseline: self.accepted(&config)?, coverage: config.coverage };
        let assignment = self.assignment(&config)?;
        let (_keep, interrupt) = watch::channel(false);
        let transcript = drive(&assignment, interrupt, &mut |_| {}).await?;
        if transcript.cases.is_empty() {
            return Err(nothing_matches(self.filter.as_deref().unwrap_or("*")));
        }
        let mut recording = Recording { transcript, contract: assignment.contract, policy, not_run: None };
        if self.named_contract(&config) == Some(AUTO) {
            recording.detect_contract(&config);
        }
        let (report, conclusion) = recording.judge(rules::all());
        for file in &self.reports {
            write(file, &recording.contract, &report, &conclusion)
                .map_err(|error| CheckError::Report(file.clone(), error))?;
        }
        Ok(report)
    }

    /// Runs the check in a thread and a runtime of its own, so that it can also be called within a runtime, as in
    /// `#[tokio::test]`.
    ///
    /// # Errors
    /// See [`Check::run`].
    ///
    /// # Panics
    /// If the check itself does.
    pub fn run_blocking(self) -> Result<Report, CheckError> {
        let run = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| {
                CheckError::Unusable(format!("cannot create an asynchronous runtime: {error}"))
            })?;
            runtime.block_on(self.run())
        };
        let result = std::thread::scope(|scope| scope.spawn(run).join());
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn configuration(&self) -> Result<Config, CheckError> {
        let Some(file) = &self.config else { return Ok(Config::default()) };
        let mut config = config::load(file).map_err(|error| unusable(&error))?;
        config.server.expand(&|name| std::env::var(name).ok()).map_err(CheckError::Unusable)?;
        Ok(config)
    }

    /// The findings that the baseline accepts.
    fn accepted(&self, config: &Config) -> Result<Baseline, CheckError> {
        let file = self.baseline.as_ref().or(config.baseline.as_ref());
        file.map_or(Ok(Baseline::default()), |file| Baseline::load(file).map_err(|error| unusable(&error)))
    }

    fn named_contract<'a>(&'a self, config: &'a Config) -> Option<&'a str> {
        self.contract.as_deref().or(config.contract.as_ref().map(|(name, _)| name.as_str()))
    }

    /// The safety of a run: a second session in a sandbox, where that is possible.
    fn safety(&self, config: &Config) -> Safety {
        let bounds = config.bounds;
        if self.streams.is_some() {
            return Safety { bounds, ..Safety::default() };
        }
        let second = match self.confiner() {
            Err(why) => SecondSession::Missing(why),
            Ok(confiner) => SecondSession::By(Box::new(Safety {
                confine: Confine::By(confiner),
                bounds: bounds.or(Bounds::usual()),
                ..Safety::default()
            })),
        };
        Safety { bounds, second, ..Safety::default() }
    }

    /// What confines the server here, or why nothing does.
    fn confiner(&self) -> Result<Confiner, String> {
        if let Some(words) = container(&self.command) {
            return Err(format!(
                "`{words}` starts the server in a container, which cannot be confined from here"
            ));
        }
        let program = self.sandbox.clone().or_else(program_on_path).ok_or_else(|| {
            format!(
                "the program `mcp-errconf` {}, which confines the server, is not on the path: install it, or name it with \
                 `sandboxed_by`",
                env!("CARGO_PKG_VERSION")
            )
        })?;
        Confiner::try_out(&program, ConfinementOptions::default())
            .map_err(|unconfinable| unconfinable.to_string())
    }

    fn assignment(&self, config: &Config) -> Result<Assignment, CheckError> {
        let named = self.named_contract(config).filter(|name| *name != AUTO);
        let mut contract = named_contract(named.unwrap_or(contract::DEFAULT))?;
        config.document(&mut contract);
        let mut env = config.server.env.clone();
        env.extend(self.env.clone());
        let mut tools = config.tools.clone();
        for (tool, arguments) in &self.valid {
            let valid = serde_json::from_value(arguments.clone()).map_err(|error| {
                CheckError::Unusable(format!("the valid arguments of `{tool}` must be an object: {error}"))
            })?;
            tools.entry(tool.clone()).or_default().valid = Some(valid);
        }
        let suite = suite::load_builtin().map_err(|error| unusable(&error))?;
        let faults = service_faults(&suite);
        let (suite, filter) = selected(suite, self.filter.as_deref())?;
        Ok(Assignment {
            server: ServerSpec {
                command: self.command.clone(),
                streams: self.streams.clone(),
                cwd: self.cwd.clone().or_else(|| config.server.cwd.clone()),
                env,
                concealed: config.server.concealed.clone(),
                ..ServerSpec::default()
            }
            .with_inherited(),
            unset: Vec::new(),
            contract,
            chosen: match (&self.contract, &config.contract) {
                (Some(_), _) => Chosen::Flag,
                (None, Some(_)) => Chosen::Config,
                (None, None) => Chosen::Default,
            },
            limits: self.limits.clone().unwrap_or_else(|| config.limits.clone()),
            roles: config.roles.clone(),
            tools,
            levels: config.levels.clone(),
            suite,
            timeout: self.timeout.or(config.server.timeout).unwrap_or(TIMEOUT),
            start_timeout: Duration::from_secs(30),
            seed: 0,
            options: DriveOptions::default(),
            safety: self.safety(config),
            probes: ProbeChoice { filter, faults, ..ProbeChoice::default() },
        })
    }
}

/// The program of this version that is on the path.
fn program_on_path() -> Option<PathBuf> {
    let program = on_path("mcp-errconf")?;
    let said = std::process::Command::new(&program).arg("--version").output().ok()?;
    let version = concat!("mcp-errconf ", env!("CARGO_PKG_VERSION"));
    (String::from_utf8_lossy(&said.stdout).trim() == version).then_some(program)
}

fn unusable(error: &dyn std::fmt::Display) -> CheckError {
    CheckError::Unusable(error.to_string())
}

fn nothing_matches(glob: &str) -> CheckError {
    CheckError::Unusable(format!("no case matches `{glob}`"))
}

/// The built-in contract of this id, or that of this folder.
fn named_contract(name: &str) -> Result<Contract, CheckError> {
    if let Some(contract) = contract::load_builtin(name).map_err(|error| unusable(&error))? {
        return Ok(contract);
    }
    let folder = Path::new(name);
    if folder.is_dir() {
        return contract::load_dir(folder).map_err(|error| unusable(&error));
    }
    let known = contract::builtin_ids().collect::<Vec<_>>().join(", ");
    Err(CheckError::Unusable(format!(
        "there is no contract `{name}`, and no folder of that name; the contracts are {known}"
    )))
}

/// The cases that match, and the filter of the probes.
fn selected(suite: Suite, glob: Option<&str>) -> Result<(Suite, Option<GlobMatcher>), CheckError> {
    let Some(glob) = glob else { return Ok((suite, None)) };
    let filter = suite::filter(glob).map_err(|error| unusable(&error))?;
    let suite = suite.filter(glob).map_err(|error| unusable(&error))?;
    match suite.cases.is_empty() && !may_select(glob) {
        true => Err(nothing_matches(glob)),
        false => Ok((suite, Some(filter))),
    }
}

/// Writes a report in the format that the file's ending names.
fn write(file: &Path, contract: &Contract, report: &Report, conclusion: &Conclusion) -> std::io::Result<()> {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let name = match ending {
        "md" => "markdown",
        "xml" => "junit",
        "txt" => "human",
        ending => ending,
    };
    let format = report::format(name).unwrap_or(&report::human::FORMAT);
    let settings = ReportSettings::of_file(Promises::new(contract));
    let mut reporter = format.open(Box::new(fs::File::create(file)?), &settings);
    reporter.event(&Event::Judged { report: Box::new(report.clone()), conclusion: conclusion.clone() })
}

/// Whether an error reply in a tool's own words was judged, if a tool was expected to report any.
fn is_of_own_words(report: &Report) -> bool {
    let mut planned = report.tools.iter().filter(|tool| tool.planned > 0).peekable();
    planned.peek().is_none() || planned.any(|tool| tool.own > 0)
}

/// Panics, with the human report, unless error replies were judged and there is no new Must finding.
///
/// # Panics
/// See above.
#[track_caller]
pub fn assert_conformant(report: &Report) {
    let counts = |finding: &&crate::finding::Finding| {
        finding.state == State::New && Strictness::Must.counts(finding.level)
    };
    let conclusion = match report.findings.iter().filter(counts).count() {
        0 if report.summary.error_replies > 0 && is_of_own_words(report) => return,
        0 if report.summary.error_replies > 0 => {
            Conclusion::Inconclusive("no error written by a tool itself was judged".to_owned())
        }
        0 => Conclusion::NothingJudged,
        counting => Conclusion::Findings(counting),
    };
    let promises = named_contract(&report.contract.id)
        .map_or_else(|_| Promises::default(), |contract| Promises::new(&contract));
    let settings = ReportSettings { detail: Detail::Full, ..ReportSettings::of_file(promises) };
    let shown = report::human::render(ReportView::new(report, &conclusion, &settings));
    panic!("the server is not conformant\n\n{shown}");
}

/// Panics unless this is an error reply with this code. `reply` is a JSON-RPC response, or the result of a tool's call.
///
/// ```
/// use mcp_errconf::testing::assert_error_code;
/// use serde_json::json;
///
/// let reply = json!({"isError": true, "content": [{"type": "text", "text": "[PATH_NOT_FOUND] /a is not there."}]});
/// assert_error_code(&reply, "PATH_NOT_FOUND");
/// ```
///
/// ```should_panic
/// # use mcp_errconf::testing::assert_error_code;
/// # use serde_json::json;
/// assert_error_code(&json!({"content": [{"type": "text", "text": "done"}]}), "PATH_NOT_FOUND");
/// ```
///
/// # Panics
/// See above.
#[track_caller]
pub fn assert_error_code(reply: &Value, code: &str) {
    let exchange = exchange(reply);
    let contracts = contract::builtin().iter();
    let read: Vec<_> = contracts.filter_map(|contract| contract::read(contract, &exchange)).collect();
    assert!(!read.is_empty(), "the reply is not an error: {reply}");
    let codes: Vec<&str> = read.iter().filter_map(|error| error.code()).collect();
    assert!(codes.contains(&code), "the error has the code {codes:?}, not `{code}`: {reply}");
}

/// The reply as an exchange.
fn exchange(reply: &Value) -> Exchange {
    let outcome = match (reply.get("error"), reply.get("result")) {
        (Some(error), None) if reply.get("content").is_none() => Outcome::Error(RpcError {
            code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
            message: error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
            data: error.get("data").cloned(),
        }),
        (_, Some(result)) => Outcome::Result(result.clone()),
        (_, None) => Outcome::Result(reply.clone()),
    };
    Exchange::alone(None, Value::Null, outcome)
}
