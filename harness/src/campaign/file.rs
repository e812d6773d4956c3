//! The file of one finding: all that is needed to send it again, with or without this program.
//!
//! The main type is [`FindingFile`]. Arguments are given twice: as JSON for readers, and as the text sent on
//! the wire, which may contain what no JSON value can. Paths of the harness's folders are written as
//! `{workspace}` and `{outside}`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::atomic_file;
use crate::exchange::Exit;
use crate::finding::Finding;
use crate::generate::{Feed, Input, Sequence};
use crate::judge::Promise;
use crate::placeholder::{Collapser, Folders};
use crate::server::first_request;
use crate::signature::fingerprint;
use crate::transcript::Lifecycle;
use crate::wire::{INITIALIZED, notification_line, request_line, with_meta};

use super::corpus::expanded;
use super::execution::ServerUnderTest;
use super::minimizer::Discovery;
use super::verdict::needs_control;

/// More deeply nested arguments are reported as text: many parsers read 128 levels at most, and a report adds a
/// few levels around them.
const DEEPEST: usize = 100;

/// A finding with everything that sending it again needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FindingFile {
    /// The id of the rule that is broken.
    pub rule: String,
    /// The call, `{"name", "arguments"}`, or a list of these for a sequence.
    pub input: Value,
    /// The finding, as in the report.
    pub finding: Finding,
    /// The command line that sends it again.
    #[serde(default)]
    pub replay: String,
    /// The lines of JSON-RPC that are sent to the server.
    #[serde(default)]
    pub lines: Vec<String>,
    /// The id of the contract by which it was judged.
    #[serde(default)]
    pub contract: Option<String>,
    /// Whether the server promises that contract: the user chose it, or the server uses its codes.
    #[serde(default)]
    pub declared: bool,
    /// The seed of the campaign.
    #[serde(default)]
    pub seed: u64,
    /// In a file that was merged: the seeds of all campaigns that found it, and how often each saw it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seeds: BTreeMap<u64, usize>,
    /// What tells it from other findings of the rule and tool; unknown in a file of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// The calls, as they are sent on the wire.
    #[serde(default)]
    pub steps: Vec<SentCall>,
    /// The values that a step takes from the reply of an earlier one.
    #[serde(default)]
    pub feeds: Vec<Feed>,
    /// The control, for a rule that needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<SentCall>,
    /// How the server was started; unknown in a file of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerStarted>,
    /// In a journal: how the process ended while these calls were in flight, one of which is to blame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) exit: Option<Exit>,
}

/// How a campaign started its server, so that `replay` can start it again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerStarted {
    /// The command line, with secrets replaced by their names.
    pub command: Vec<String>,
    /// The folder in which the campaign ran, relative to that of the finding's file if it lies below.
    pub folder: PathBuf,
    /// The campaign's options that `replay` needs too, such as `--confine off`; those among them that name the server,
    /// such as `--bundled`, do so instead of the command.
    pub options: Vec<String>,
    /// The names of the variables that were added to its environment, or passed to it with `--env`.
    pub env: Vec<String>,
}

/// One call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SentCall {
    /// The tool's name.
    pub tool: String,
    /// The arguments, and how they relate to the tool's schema.
    pub input: Input,
}

impl FindingFile {
    pub(super) fn new(
        finding: &Finding,
        discovery: &Discovery,
        server: &ServerUnderTest<'_>,
        started: &ServerStarted,
    ) -> Self {
        let Discovery { shown, sequence, sent, .. } = discovery;
        let head = &server.head;
        let collapser = Collapser::new(&head.folders);
        let step = |tool: &str, input: &Input| SentCall {
            tool: tool.to_owned(),
            input: Input { arguments: collapser.text(&input.arguments), ..input.clone() },
        };
        let mut judge = server.judge.borrow_mut();
        let tool = finding.tool.as_deref().unwrap_or_default();
        let last = sent.last().filter(|_| needs_control(&finding.rule));
        let control = last.and_then(|last| judge.control_of(tool, last)).map(|input| step(tool, input));
        let lines = lines(head.lifecycle, sequence, sent);
        Self {
            rule: finding.rule.clone(),
            input: finding.input.clone().unwrap_or_default(),
            finding: finding.clone(),
            replay: finding.replay.clone().unwrap_or_default(),
            lines: lines.iter().map(|line| collapser.text(line)).collect(),
            contract: Some(head.contract.clone()),
            declared: judge.promise == Promise::Declared,
            seed: head.seed,
            seeds: BTreeMap::new(),
            mark: Some(shown.mark.clone()),
            steps: sequence.steps.iter().map(|(tool, input)| step(tool, input)).collect(),
            feeds: sequence.feeds.clone(),
            control,
            server: Some(started.clone()),
            exit: None,
        }
    }

    /// The calls with placeholders replaced by the folders' paths. A file written by hand may contain only
    /// `input`.
    pub fn sequence(&self, folders: &Folders) -> Sequence {
        let steps = match self.steps.is_empty() {
            false => self.steps.iter().map(|step| step.call(folders)).collect(),
            true => calls(&self.input).map(|call| hand_written(call, folders)).collect(),
        };
        Sequence { steps, feeds: self.feeds.clone() }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is not that of a finding.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }

    /// Writes what a finding has come to since its file was written: its count and its examples.
    pub(super) fn complete(path: &Path, finding: &Finding) -> io::Result<()> {
        let mut file = Self::read(path)?;
        file.finding.count = finding.count;
        file.finding.examples.clone_from(&finding.examples);
        file.write(path)
    }

    /// Writes the file.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        atomic_file::write_synced(path, self.text().as_bytes())
    }

    /// What is in the file.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("the names of all members are text") + "\n"
    }
}

impl SentCall {
    /// The tool and the arguments, with placeholders replaced by the folders' paths.
    pub fn call(&self, folders: &Folders) -> (String, Input) {
        let arguments = expanded(&self.input.arguments, folders);
        (self.tool.clone(), Input { arguments, ..self.input.clone() })
    }
}

/// The calls in an `input`.
fn calls(input: &Value) -> impl Iterator<Item = &Value> {
    input.as_array().map_or_else(|| std::slice::from_ref(input), Vec::as_slice).iter()
}

fn hand_written(call: &Value, folders: &Folders) -> (String, Input) {
    let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
    let arguments = call.get("arguments").cloned().unwrap_or_else(|| json!({}));
    let arguments = expanded(&arguments.to_string(), folders);
    let validity = crate::generate::Validity::Unknown;
    (name.to_owned(), Input { arguments, changes: Vec::new(), validity })
}

/// The `input` of a finding.
pub(super) fn input(sequence: &Sequence, sent: &[Input], folders: &Folders) -> Value {
    let collapser = Collapser::new(folders);
    let mut calls: Vec<Value> = sequence
        .steps
        .iter()
        .enumerate()
        .map(|(index, (tool, drawn))| {
            let input = sent.get(index).unwrap_or(drawn);
            let arguments = input.value().filter(|value| !is_deeper(value, DEEPEST));
            let arguments = arguments.unwrap_or_else(|| Value::from(input.arguments.as_str()));
            collapser.value(&json!({"name": tool, "arguments": arguments}))
        })
        .collect();
    match calls.len() {
        1 => calls.remove(0),
        _ => Value::Array(calls),
    }
}

/// Longer arguments, in bytes, are no example: they would be hard to read.
const EXAMPLE: usize = 1_000;

/// The calls of a sequence as an example of a finding; `None` if they are too long.
pub(super) fn example(sequence: &Sequence, folders: &Folders) -> Option<Value> {
    let length: usize = sequence.steps.iter().map(|(_, input)| input.arguments.len()).sum();
    (length <= EXAMPLE).then(|| input(sequence, &[], folders))
}

/// Whether a value nests deeper than this many levels.
fn is_deeper(value: &Value, levels: usize) -> bool {
    let is_deeper = |inner: &Value| levels == 0 || is_deeper(inner, levels - 1);
    match value {
        Value::Array(items) => items.iter().any(is_deeper),
        Value::Object(members) => members.values().any(is_deeper),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The parameters of a call, as they are sent on the wire.
pub(super) fn params(tool: &str, input: &Input) -> String {
    format!(r#"{{"name":{},"arguments":{}}}"#, Value::from(tool), input.arguments)
}

/// The lines of a session with only these calls.
fn lines(lifecycle: Lifecycle, sequence: &Sequence, sent: &[Input]) -> Vec<String> {
    let line = |id: i64, method: &str, params: &str| match lifecycle {
        Lifecycle::Legacy => request_line(id, method, params),
        Lifecycle::Modern => request_line(id, method, &with_meta(params)),
    };
    let (method, opening) = first_request(lifecycle);
    let mut lines = vec![line(1, method, &opening.to_string())];
    if lifecycle == Lifecycle::Legacy {
        lines.push(notification_line(INITIALIZED));
    }
    for (id, (index, (tool, drawn))) in (2..).zip(sequence.steps.iter().enumerate()) {
        lines.push(line(id, "tools/call", &params(tool, sent.get(index).unwrap_or(drawn))));
    }
    lines
}

/// The path of a finding's file in a folder. The name says which rule is broken by which tool, and is the same
/// for the same finding.
pub(crate) fn path(folder: &Path, finding: &Finding) -> PathBuf {
    let plain = |text: &str| -> String {
        let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        text.chars().map(letter).take(60).collect()
    };
    let tool = finding.tool.as_deref().unwrap_or("any");
    let input = finding.input.as_ref().map(ToString::to_string).unwrap_or_default();
    let print = fingerprint(&[&finding.rule, tool, &finding.signature, &input]);
    folder.join(format!("{}-{}-{}.json", plain(&finding.rule), plain(tool), &print[..8]))
}

/// The command that sends a finding again: its file says the rest.
pub(crate) fn replay(path: &Path) -> String {
    format!("mcp-errconf replay {}", quoted(&path.to_string_lossy()))
}

/// A word quoted for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=@%+,{}".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::valid;
    use super::super::sequence::alone;
    use super::*;

    #[test]
    fn what_is_reported_of_a_call_can_be_read_again_however_deep_its_arguments_are() {
        let report_at = |depth: usize| {
            let arguments = format!(r#"{{"items":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
            let input = input(&alone("list".to_owned(), valid(&arguments)), &[], &Folders::default());
            // In a report the input stands at this depth.
            json!({ "findings": [{ "input": input }] })
        };
        for depth in [1, 60, 120, 126, 127, 1_000] {
            let report = report_at(depth);
            let read: Value = serde_json::from_str(&report.to_string()).unwrap();
            assert_eq!(read, report, "{depth} levels");
        }
        assert!(report_at(60)["findings"][0]["input"]["arguments"]["items"].is_array());
        let deep = report_at(120);
        let text = deep["findings"][0]["input"]["arguments"].as_str().unwrap();
        assert!(text.starts_with(r#"{"items":[[[["#), "{text}");
    }
}
