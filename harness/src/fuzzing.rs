//! A target of cargo-fuzz for a server in Rust: calls made from bytes by the tools' own schemas, sent to the server within
//! the process, and every reply judged.
//!
//! The main type is [`InProcess`]. With `libfuzzer-sys` and `mcp-errconf` (without its default features) as dependencies,
//! this is the whole of `fuzz/fuzz_targets/calls.rs`:
//!
//! ```ignore
//! #![no_main]
//! use std::cell::RefCell;
//! use mcp_errconf::fuzzing::InProcess;
//! use rmcp::ServiceExt as _;
//!
//! thread_local!(static SERVER: RefCell<InProcess> = RefCell::new(InProcess::serve(|stream| async {
//!     if let Ok(running) = my_server::Server::new().serve(stream).await {
//!         let _ = running.waiting().await;
//!     }
//! })));
//! libfuzzer_sys::fuzz_target!(|bytes: &[u8]| SERVER.with_borrow_mut(|server| server.fuzz(bytes)));
//! ```
//!
//! `cargo fuzz run calls` hunts with coverage, and `cargo fuzz run --sanitizer none calls` does the same, faster, on a
//! stable compiler too. What is found panics with the calls as lines of JSON-RPC, so that they can be sent to the server by
//! hand; a panic of the server's own is found by libFuzzer itself. [`InProcess::judge`] tells the findings instead, for a
//! test of its own:
//!
//! ```
//! use mcp_errconf::fuzzing::InProcess;
//! use serde_json::json;
//! # use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, split};
//!
//! let mut server = InProcess::serve(|stream| async {
//!     // Any server on a pair of streams. This one refuses each call in the words of its language.
//! #   let (reader, mut writer) = split(stream);
//! #   let mut lines = BufReader::new(reader).lines();
//! #   while let Ok(Some(line)) = lines.next_line().await {
//! #       let line: serde_json::Value = serde_json::from_str(&line).unwrap();
//! #       let result = match line["method"].as_str() {
//! #           Some("initialize") => json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}),
//! #           Some("tools/list") => json!({"tools": [{"name": "read", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}]}),
//! #           Some("tools/call") => json!({"isError": true, "content": [{"type": "text", "text": "IndexError: list index out of range"}]}),
//! #           _ => continue,
//! #       };
//! #       let reply = json!({"jsonrpc": "2.0", "id": line["id"], "result": result});
//! #       writer.write_all(format!("{reply}\n").as_bytes()).await.unwrap();
//! #   }
//! });
//! let findings = server.call("read", &json!({"path": "a"}));
//! assert!(findings.iter().any(|finding| finding.rule == "leak/runtime-error"));
//! ```
//!
//! The repository's own `fuzz/fuzz_targets/shop.rs` is such a target, and `fuzz/src/shop.rs` a small server with a fault.
//!
//! Nothing is drawn by chance: the same bytes are the same calls. Judged are the rules that hold for any reply; what needs
//! a control, `mcp-errconf fuzz` and `run` judge.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{DuplexStream, duplex, split};
use tokio::runtime::Runtime;

use crate::catalog::Catalog;
use crate::contract::{self, Contract};
use crate::exchange::Outcome;
use crate::finding::{Finding, Level};
use crate::generate::Bytes;
use crate::server::{Deadlines, Session};
use crate::transcript::{Chosen, Head, IN_PROCESS};
use crate::wire::request_line;

mod call;
mod verdict;

use call::Tools;
use verdict::ReplyJudge;

/// Starts a server on its side of a stream.
type Connect = Box<dyn Fn(DuplexStream) -> Pin<Box<dyn Future<Output = ()> + Send>>>;

/// The capacity of the stream in bytes; a longer line waits for its reader.
const BUFFER: usize = 256 * 1024;
/// At most this many pages of a listing are read.
const PAGES: usize = 100;

/// At most this many calls are made from one input: enough to create, delete and use again.
const CALLS: usize = 4;

/// A server within this process, and its judge.
///
/// One session serves many inputs, because its beginning costs more than a call. It is restarted when the
/// server has ended or left a call unanswered, and to see whether a finding shows again.
pub struct InProcess {
    runtime: Runtime,
    open: Connect,
    contract: Option<String>,
    level: Level,
    deadline: Duration,
    words: Vec<String>,
    left_out: Vec<String>,
    session: Option<FuzzSession>,
    calls: u64,
}

/// The session with a server whose tools are known.
struct FuzzSession {
    connection: Option<Session>,
    tools: Tools,
    verdicts: ReplyJudge,
}

/// A call that was sent, with the findings on its reply.
struct Sent {
    line: String,
    findings: Vec<Finding>,
}

impl InProcess {
    /// A server that `open` serves on its side of a stream, until the stream ends. It is called once for each session,
    /// within a runtime of this thread.
    ///
    /// # Panics
    /// When the operating system gives no runtime.
    pub fn serve<F>(open: impl Fn(DuplexStream) -> F + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Self {
            runtime: runtime.expect("the operating system gives a runtime what it needs"),
            open: Box::new(move |stream| Box::pin(open(stream))),
            contract: None,
            level: Level::Must,
            deadline: Duration::from_secs(2),
            words: Vec::new(),
            left_out: Vec::new(),
            session: None,
            calls: 0,
        }
    }

    /// The contract that the server keeps, by its id. The default is an undeclared `bracket-code`, with codes
    /// judged more leniently.
    #[must_use]
    pub fn contract(mut self, id: &str) -> Self {
        self.contract = Some(id.to_owned());
        self
    }

    /// The lowest level of findings that count; Must by default.
    #[must_use]
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// How long to wait for a reply; two seconds by default.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Texts that make calls succeed, such as paths of existing files.
    #[must_use]
    pub fn words<W: Into<String>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    /// Never calls this tool. Calls are not confined: a tool that executes commands or leaves the process must be left out.
    #[must_use]
    pub fn without(mut self, tool: &str) -> Self {
        self.left_out.push(tool.to_owned());
        self
    }

    /// Makes calls from these bytes, sends them and judges the replies.
    ///
    /// # Panics
    /// If a reply breaks a rule at the level that counts; with the findings and the lines that were sent.
    pub fn fuzz(&mut self, bytes: &[u8]) {
        let sent = self.send(bytes);
        if sent.iter().all(|sent| sent.findings.is_empty()) {
            return;
        }
        // A fresh session shows whether these calls alone cause it.
        self.forget();
        let again = self.send(bytes);
        let stable = again.iter().any(|sent| !sent.findings.is_empty());
        self.forget();
        panic!("{}", describe(if stable { &again } else { &sent }, stable));
    }

    /// The findings on the replies to the calls made from these bytes.
    ///
    /// # Panics
    /// When the server begins no session, or there is no such contract.
    pub fn judge(&mut self, bytes: &[u8]) -> Vec<Finding> {
        self.send(bytes).into_iter().flat_map(|sent| sent.findings).collect()
    }

    /// The findings on the reply to one call.
    ///
    /// # Panics
    /// When the server begins no session, or there is no such contract.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Vec<Finding> {
        self.session();
        self.ask(tool, arguments).findings
    }

    /// The lines made from these bytes, without sending them, so that values from replies are missing.
    ///
    /// # Panics
    /// When the server begins no session, or there is no such contract.
    pub fn lines(&mut self, bytes: &[u8]) -> Vec<String> {
        let session = self.session();
        let (mut bytes, mut lines) = (Bytes::new(bytes), Vec::new());
        while let Some((tool, arguments)) = session.tools.call(&mut bytes, &[])
            && lines.len() < CALLS
        {
            lines.push(request_line(lines.len() as i64 + 1, "tools/call", &params(tool, &arguments)));
        }
        lines
    }

    /// How many calls were sent.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Ends the session; the next call begins a fresh one.
    pub fn forget(&mut self) {
        if let Some(session) = &mut self.session {
            session.connection = None;
        }
    }

    fn send(&mut self, bytes: &[u8]) -> Vec<Sent> {
        let (mut bytes, mut all, mut answer) = (Bytes::new(bytes), Vec::new(), Vec::new());
        self.session();
        while all.len() < CALLS
            && let Some(session) = self.session.as_ref().filter(|session| session.connection.is_some())
            && let Some((tool, arguments)) = session.tools.call(&mut bytes, &answer)
        {
            let tool = tool.to_owned();
            all.push(self.ask(&tool, &arguments));
            // Words of a reply that a later call may use.
            answer.extend(self.session.iter().flat_map(|session| session.verdicts.words()));
        }
        all
    }

    /// Makes one call in the session that was begun, and judges the reply.
    fn ask(&mut self, tool: &str, arguments: &Value) -> Sent {
        self.calls += 1;
        let session = self.session.as_mut().expect("it was begun");
        let connection = session.connection.as_mut().expect("a call is made in a session");
        let params = params(tool, arguments);
        let answer = self.runtime.block_on(connection.call("tools/call", &params));
        if matches!(answer.outcome, Outcome::Ended(_) | Outcome::NoReply { .. }) {
            session.connection = None;
        }
        let line = answer.line.clone();
        let mut findings = session.verdicts.judge(tool, arguments, answer);
        findings.retain(|finding| finding.level >= self.level);
        Sent { line, findings }
    }

    /// The session; a fresh one, if there is none or it has ended.
    fn session(&mut self) -> &mut FuzzSession {
        let Self { runtime, open, session, .. } = self;
        if session.as_ref().is_none_or(|session| session.connection.is_none()) {
            let begun = runtime.block_on(begin(open, self.deadline));
            let (connection, head) =
                begun.unwrap_or_else(|cause| panic!("the server does not start a session: {cause}"));
            match session {
                Some(session) => session.connection = Some(connection),
                None => {
                    let tools = Tools::new(&head.catalog, &self.words, &self.left_out);
                    let contract = built_in(self.contract.as_deref().unwrap_or(contract::DEFAULT));
                    let chosen = if self.contract.is_some() { Chosen::Flag } else { Chosen::Default };
                    let verdicts = ReplyJudge::new(Head { chosen, ..head }, contract);
                    *session = Some(FuzzSession { connection: Some(connection), tools, verdicts });
                }
            }
        }
        session.as_mut().expect("it was begun")
    }
}

/// Starts a server and begins a session; also returns the head with what the server says about itself.
async fn begin(open: &Connect, deadline: Duration) -> Result<(Session, Head), String> {
    let (ours, theirs) = duplex(BUFFER);
    tokio::spawn(open(theirs));
    let (reader, writer) = split(ours);
    let deadlines = Deadlines { start: deadline, call: deadline };
    let begun = Session::over(reader, writer, deadlines).await;
    let (mut session, welcome, _) = begun.map_err(|error| error.to_string())?;
    let mut catalog = Catalog::default();
    let mut params = "{}".to_owned();
    for _ in 0..PAGES {
        let page = match session.call("tools/list", &params).await.outcome {
            Outcome::Result(page) => page,
            other => return Err(format!("`tools/list` was answered with {other:?}")),
        };
        catalog.add_page(&page);
        let Some(cursor) = page.get("nextCursor").filter(|cursor| cursor.is_string()) else { break };
        params = format!("{{\"cursor\":{cursor}}}");
    }
    if catalog.tools.is_empty() {
        return Err("it lists no tools".to_owned());
    }
    let head = Head {
        command: vec![IN_PROCESS.to_owned()],
        server_name: welcome.name,
        server_version: welcome.version,
        protocol_version: welcome.protocol_version,
        catalog,
        ..Head::of("")
    };
    Ok((session, head))
}

fn params(tool: &str, arguments: &Value) -> String {
    json!({"name": tool, "arguments": arguments}).to_string()
}

fn built_in(id: &str) -> Contract {
    let loaded = contract::load_builtin(id).expect("the built-in contracts are sound");
    let known = || contract::builtin_ids().collect::<Vec<_>>().join(", ");
    loaded.unwrap_or_else(|| panic!("there is no contract `{id}`; the contracts are {}", known()))
}

/// A description of the findings, for whoever fixes the server.
fn describe(sent: &[Sent], stable: bool) -> String {
    let mut text = String::from("a reply breaks the rules\n");
    for finding in sent.iter().flat_map(|sent| &sent.findings) {
        let Finding { rule, level, message, help, .. } = finding;
        text += &format!("\n{level}[{rule}]: {message}\n");
        if let Some(evidence) = &finding.evidence {
            text += &format!("  the reply: {}\n", evidence.bounded(600).text);
        }
        text += &format!("  to fix it: {help}\n");
    }
    text += match stable {
        true => "\nThese lines reproduce it in a fresh session:\n",
        false => "\nIt was not reproduced in a fresh session: it depends on earlier calls. The last lines:\n",
    };
    for sent in sent {
        text += &sent.line;
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
