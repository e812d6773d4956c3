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
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use crate::conclusion::Conclusion;
use crate::contract::{self, Contract};
use crate::drive::{Assignment, DriveError, DriveOptions, Safety, ServerSpec, drive};
use crate::exchange::{Exchange, Outcome, RpcError};
use crate::finding::State;
use crate::judge::{Report, Strictness, judge};
use crate::plan::ProbeChoice;
use crate::report::human::{Detail, Promises, Theme, render};
use crate::rules;
use crate::server::Streams;
use crate::suite::{self, Suite};
use crate::transcript::{Chosen, Limits};

/// A server to be judged, and how to judge it.
#[derive(Debug, Clone)]
pub struct Check {
    command: Vec<String>,
    streams: Option<Streams>,
    contract: Option<String>,
    filter: Option<String>,
    limits: Limits,
    timeout: Duration,
}

/// Why nothing was judged.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// There is no such contract, no case for the filter, or the server could not be exercised.
    #[error("{0}")]
    Unusable(String),
    /// The server could not be exercised, or the harness failed.
    #[error(transparent)]
    Drive(#[from] DriveError),
}

impl Check {
    /// A server that is started as a process; in its command line `{workspace}` stands for the folder that the harness
    /// prepares.
    pub fn command<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Self {
        Self::new(words.into_iter().map(Into::into).collect(), None)
    }

    /// A server in this process. `open` starts a fresh one and returns its output and input streams; its
    /// argument is the folder that the harness prepares. It is called within a tokio runtime, once for each
    /// session.
    pub fn in_process<R, W>(open: impl Fn(&Path) -> (R, W) + Send + Sync + 'static) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self::new(vec!["(in process)".to_owned()], Some(Streams::new(open)))
    }

    fn new(command: Vec<String>, streams: Option<Streams>) -> Self {
        let timeout = Duration::from_secs(10);
        Self { command, streams, contract: None, filter: None, limits: Limits::default(), timeout }
    }

    /// The contract that the server keeps, by its id. The default is an undeclared `bracket-code`.
    #[must_use]
    pub fn contract(mut self, id: &str) -> Self {
        self.contract = Some(id.to_owned());
        self
    }

    /// Only the cases whose id matches this glob, such as `read/*`.
    #[must_use]
    pub fn filter(mut self, glob: &str) -> Self {
        self.filter = Some(glob.to_owned());
        self
    }

    /// The server's limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The deadline of a call; 10 seconds by default.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Drives the cases and judges the replies, within a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    /// When nothing could be judged at all.
    pub async fn run(self) -> Result<Report, CheckError> {
        let (assignment, contract) = self.assignment()?;
        let (_keep, interrupt) = watch::channel(false);
        let transcript = drive(&assignment, interrupt, &mut |_| {}).await?;
        Ok(judge(&transcript, &contract, rules::all(), Strictness::Must))
    }

    /// Runs the check where there is no async runtime.
    ///
    /// # Errors
    /// See [`Check::run`].
    pub fn run_blocking(self) -> Result<Report, CheckError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| {
            CheckError::Unusable(format!(
                "cannot create an asynchronous runtime: \
                {error}"
            ))
        })?;
        runtime.block_on(self.run())
    }

    fn assignment(self) -> Result<(Assignment, Contract), CheckError> {
        let id = self.contract.as_deref().unwrap_or(contract::DEFAULT);
        let contract = built_in(id)?;
        let assignment = Assignment {
            server: ServerSpec { command: self.command, streams: self.streams, ..ServerSpec::default() }
                .with_inherited(),
            unset: Vec::new(),
            contract: contract.clone(),
            chosen: if self.contract.is_some() { Chosen::Flag } else { Chosen::Default },
            limits: self.limits,
            roles: BTreeMap::new(),
            tools: BTreeMap::new(),
            levels: BTreeMap::new(),
            suite: cases(self.filter.as_deref())?,
            timeout: self.timeout,
            start_timeout: Duration::from_secs(30),
            seed: 0,
            options: DriveOptions::default(),
            safety: Safety::default(),
            probes: probes(self.filter.as_deref())?,
        };
        Ok((assignment, contract))
    }
}

fn built_in(id: &str) -> Result<Contract, CheckError> {
    let loaded = contract::load_builtin(id).map_err(|error| CheckError::Unusable(error.to_string()))?;
    loaded.ok_or_else(|| {
        CheckError::Unusable(format!(
            "there is no contract `{id}`; the contracts are {}",
            contract::builtin_ids().collect::<Vec<_>>().join(", ")
        ))
    })
}

fn probes(filter: Option<&str>) -> Result<ProbeChoice, CheckError> {
    let filter =
        filter.map(suite::filter).transpose().map_err(|error| CheckError::Unusable(error.to_string()))?;
    Ok(ProbeChoice { filter, ..ProbeChoice::default() })
}

fn cases(filter: Option<&str>) -> Result<Suite, CheckError> {
    let unusable = |error: &dyn std::fmt::Display| CheckError::Unusable(error.to_string());
    let suite = suite::load_builtin().map_err(|error| unusable(&error))?;
    let Some(glob) = filter else { return Ok(suite) };
    let suite = suite.filter(glob).map_err(|error| unusable(&error))?;
    match suite.cases.is_empty() {
        true => Err(CheckError::Unusable(format!("no case matches `{glob}`"))),
        false => Ok(suite),
    }
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
    let promises = built_in(&report.contract.id)
        .map_or_else(|_| Promises::default(), |contract| Promises::new(&contract));
    let shown = render(report, &conclusion, &promises, Theme::plain(), Detail::Full);
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
    let contracts = contract::builtin_ids().filter_map(|id| built_in(id).ok());
    let read: Vec<_> = contracts.filter_map(|contract| contract::read(&contract, &exchange)).collect();
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
