//! A client that is nothing but lines, so that nothing between the server and a test fixes or hides anything.

use std::path::Path;
use std::time::Duration;

use mcp_errconf_reference::{Options, ServeError, find_defect, serve};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split};
use tokio::task::JoinHandle;

/// Far more than anything here takes.
const DEADLINE: Duration = Duration::from_secs(20);

pub(crate) struct RawClient {
    pub(crate) folder: TempDir,
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    server: JoinHandle<Result<(), ServeError>>,
    last_id: u64,
    /// What the server told beside its replies to requests.
    pub(crate) notifications: Vec<Value>,
}

impl RawClient {
    /// A server on a new directory, its session opened.
    pub(crate) async fn open() -> Self {
        Self::open_with(Options::default()).await
    }

    pub(crate) async fn open_with_defect(name: &str) -> Self {
        let defect = find_defect(name);
        assert!(defect.is_some(), "{name}");
        Self::open_with(Options { defect, ..Options::default() }).await
    }

    pub(crate) async fn open_with(options: Options) -> Self {
        let mut client = Self::connect(options);
        client.initialize("2025-11-25").await;
        client
    }

    /// A server whose session is not opened yet.
    pub(crate) fn connect(options: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (their_reader, their_writer) = split(theirs);
        let options = Options { workdir: folder.path().to_owned(), ..options };
        let server = tokio::spawn(serve(options, their_reader, their_writer));
        let (reader, writer) = split(ours);
        Self { folder, reader: BufReader::new(reader), writer, server, last_id: 0, notifications: Vec::new() }
    }

    pub(crate) async fn initialize(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "0"},
        });
        let reply = self.request("initialize", params).await;
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        reply
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    /// The next line, or nothing when the server has closed its side.
    pub(crate) async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = tokio::time::timeout(DEADLINE, self.reader.read_line(&mut line)).await;
        (read.expect("a line in time").unwrap() > 0).then_some(line)
    }

    pub(crate) async fn reply(&mut self) -> Value {
        serde_json::from_str(&self.line().await.expect("a line")).unwrap()
    }

    pub(crate) async fn send_call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.last_id += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let request = json!({"jsonrpc": "2.0", "id": self.last_id, "method": "tools/call", "params": params});
        self.send(&request.to_string()).await;
        self.last_id
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params});
        self.send(&request.to_string()).await;
        let mut reply = self.reply().await;
        while reply.get("id").is_none() {
            self.notifications.push(reply);
            reply = self.reply().await;
        }
        assert_eq!(reply["id"], json!(self.last_id), "{reply}");
        reply
    }

    /// Calls a tool: its text, `Err` where `isError` is set.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Result<String, String> {
        let reply = self.request("tools/call", json!({"name": tool, "arguments": arguments})).await;
        told(&reply)
    }

    /// Closes this side and waits for the server to end.
    pub(crate) async fn close(mut self) -> Result<(), ServeError> {
        self.writer.shutdown().await.unwrap();
        while self.line().await.is_some() {}
        tokio::time::timeout(DEADLINE, self.server).await.expect("an end in time").unwrap()
    }
}

pub(crate) fn told(reply: &Value) -> Result<String, String> {
    let text = reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned();
    if reply["result"]["isError"] == json!(true) { Err(text) } else { Ok(text) }
}

/// Waits until something holds that nothing announces.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(DEADLINE, waiting).await.unwrap_or_else(|_| panic!("{what}"));
}
