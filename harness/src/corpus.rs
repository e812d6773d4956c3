//! A labelled corpus of error texts, and the leak rules' predictions for it.
//!
//! The main type is [`LabelledText`]. A line becomes an exchange as in a recorded run and is judged by the
//! rules themselves, so that a figure measured here holds for a run. The format of a line is described in
//! `conformance-cases/corpus/README.md`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::catalog::Catalog;
use crate::condition::{CaseId, Condition};
use crate::contract::{self, Contract};
use crate::exchange::{Exchange, Outcome, Place, RpcError};
use crate::expectation::{Authority, Expected, ExpectedFailure};
use crate::finding::Finding;
use crate::judge::{Strictness, judge};
use crate::placeholder::Folders;
use crate::roles::bind;
use crate::rules::{self, Group, Rule};
use crate::transcript::{Chosen, DrivenCase, Head, Transcript};

/// One text with its label.
#[derive(Debug, Clone, Deserialize)]
pub struct LabelledText {
    /// The line's id, unique in its corpus.
    pub id: String,
    /// What the client saw.
    pub text: String,
    /// Whether it leaks.
    pub label: Label,
    /// The language of the program that wrote it; `none` if it does not matter.
    pub language: String,
    /// What kind of text it is.
    pub kind: String,
    /// Where it comes from.
    #[serde(default)]
    pub source: String,
    /// Whether a careful reader could label it differently.
    #[serde(default)]
    pub borderline: bool,
    /// What the caller had sent.
    #[serde(default)]
    pub context: CallerContext,
}

/// Whether a text leaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// It reveals internals of the server.
    Leak,
    /// It does not.
    Clean,
}

/// What the caller had sent, as far as it is known.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CallerContext {
    /// The tool that was called.
    pub tool: Option<String>,
    /// The arguments, whole.
    pub arguments: Option<Value>,
    /// The value that the error is about.
    pub value: Option<Value>,
    /// The path that the error is about.
    pub path: Option<String>,
    /// The content of a file that the caller had made.
    pub file_content: Option<String>,
    /// How the text was sent, if not as an error of a tool.
    #[serde(default)]
    pub channel: CorpusChannel,
}

/// How a text came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum CorpusChannel {
    /// As the result of a tool with `isError: true`.
    #[default]
    #[serde(rename = "isError")]
    ToolError,
    /// As a JSON-RPC error.
    #[serde(rename = "protocol_error")]
    Protocol,
    /// As an ordinary result.
    #[serde(rename = "success")]
    Success,
}

/// The rules' prediction for a line.
#[derive(Debug, Clone, Serialize)]
pub struct Prediction {
    /// The line's id.
    pub id: String,
    /// Whether some leak rule fires.
    pub leak: bool,
    /// The ids of the rules that report the text.
    pub rules: Vec<String>,
}

/// How often labels and predictions agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Score {
    /// The share of the reported texts that leak; 1 if none was reported.
    pub precision: f64,
    /// The share of the leaking texts that were reported; 1 if none leaks.
    pub recall: f64,
    /// Leaks that were reported.
    pub tp: usize,
    /// Clean texts that were reported.
    pub fp: usize,
    /// Leaks that were not reported.
    #[serde(rename = "fn")]
    pub missed: usize,
    /// Clean texts that were not reported.
    pub tn: usize,
}

/// Parses a corpus with one JSON object in each line, and replaces its placeholders.
///
/// # Errors
///
/// The number of the first invalid line, from 1, and the reason.
pub fn read(text: &str) -> Result<Vec<LabelledText>, (usize, serde_json::Error)> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parsed = lines.map(|(number, line)| {
        let value: Value = serde_json::from_str(line).map_err(|error| (number + 1, error))?;
        serde_json::from_value(filled(value)).map_err(|error| (number + 1, error))
    });
    parsed.collect()
}

/// The folders that replace the placeholders.
fn folders() -> Folders {
    Folders {
        workspace: "/tmp/mcp-errconf-5f2c1a/workspace".to_owned(),
        outside: "/tmp/mcp-errconf-5f2c1a/outside".to_owned(),
        canary: "canary-5f2c1a".to_owned(),
        ..Folders::default()
    }
}

/// The folder in which the server of a corpus is installed.
const INSTALLED: &str = "/opt/mcp-server";

fn filled(value: Value) -> Value {
    let folders = folders();
    let word = |text: &str| {
        text.replace("{workspace}", &folders.workspace)
            .replace("{outside}", &folders.outside)
            .replace("{parent}", "/tmp/mcp-errconf-5f2c1a")
            .replace("{home}", "/home/operator")
            .replace("{install}", INSTALLED)
    };
    match value {
        Value::String(text) => Value::String(word(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(filled).collect()),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, filled(value))).collect())
        }
        plain => plain,
    }
}

/// The findings on a line, judged in the same way as a run.
pub fn findings(line: &LabelledText) -> Vec<Finding> {
    let contract = contract_of(&line.text);
    let leaks: Vec<&'static Rule> =
        rules::all().iter().filter(|rule| rule.group() == Group::Leak).copied().collect();
    judge(&transcript(line, contract), contract, &leaks, Strictness::Must).findings
}

/// The findings on a line, summarised.
pub fn predict(line: &LabelledText) -> Prediction {
    let mut rules: Vec<String> = findings(line).into_iter().map(|finding| finding.rule).collect();
    rules.sort();
    rules.dedup();
    Prediction { id: line.id.clone(), leak: !rules.is_empty(), rules }
}

impl Score {
    /// Counts pairs of a label and whether a leak was found.
    pub fn count(pairs: impl IntoIterator<Item = (Label, bool)>) -> Self {
        let mut score = Self::default();
        for pair in pairs {
            *match pair {
                (Label::Leak, true) => &mut score.tp,
                (Label::Clean, true) => &mut score.fp,
                (Label::Leak, false) => &mut score.missed,
                (Label::Clean, false) => &mut score.tn,
            } += 1;
        }
        score.precision = share(score.tp, score.fp);
        score.recall = share(score.tp, score.missed);
        score
    }
}

fn share(part: usize, rest: usize) -> f64 {
    if part + rest == 0 {
        return 1.0;
    }
    // The numbers of lines are far below those that a float cannot hold exactly.
    part as f64 / (part + rest) as f64
}

/// The contract that a text's form belongs to.
fn contract_of(text: &str) -> &'static Contract {
    let object: Option<Map<String, Value>> = serde_json::from_str(text).ok();
    let has = |name: &str| object.as_ref().is_some_and(|object| object.contains_key(name));
    let coded = text.strip_prefix('[').and_then(|rest| rest.split_once("] ")).is_some_and(|(code, _)| {
        code.len() > 1 && code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    });
    let id = if coded {
        "bracket-code"
    } else if has("error_code") {
        "error-envelope"
    } else if has("recoverable") {
        "tool-error"
    } else if has("problem") {
        "problem-details"
    } else {
        "plain"
    };
    let found = contract::builtin().iter().find(|contract| contract.id == id);
    found.expect("a contract of this id is built in")
}

/// A run of one call, and if the reply was not an error, of a successful call before it.
fn transcript(line: &LabelledText, contract: &Contract) -> Transcript {
    let context = &line.context;
    let arguments = arguments(context);
    let mut catalog = Catalog::default();
    // The name of an unknown tool is a value that the caller sent.
    let listed = context.tool.as_ref().filter(|tool| context.value.as_ref() != Some(&json!(tool)));
    if let Some(tool) = listed {
        let properties: Map<String, Value> = arguments
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| (name.clone(), json!({"type": "string"})))
            .collect();
        let schema = json!({"type": "object", "properties": properties});
        catalog.add_page(&json!({"tools": [{"name": tool, "inputSchema": schema}]}));
    }
    let case = CaseId("corpus/line".to_owned());
    let exchange = |index, outcome, expected| {
        let alone = Exchange::alone(context.tool.as_deref(), arguments.clone(), outcome);
        Exchange { index, place: Place { case: Some(case.clone()), expected, ..alone.place }, ..alone }
    };
    let expected = match context.channel {
        CorpusChannel::ToolError | CorpusChannel::Protocol => Expected::Anything,
        CorpusChannel::Success => {
            let condition = Condition("invalid-argument".to_owned());
            Expected::Failure(ExpectedFailure::of(condition, Authority::Contract))
        }
    };
    let control = exchange(0, Outcome::Result(json!({"content": []})), Expected::Anything);
    let mut call = exchange(1, outcome(line), expected);
    call.place.control = Some(0);
    // The case of the call, with the file that was made for it.
    let driven = DrivenCase {
        tools: context.tool.iter().cloned().collect(),
        files: context.file_content.iter().cloned().collect(),
        ..DrivenCase::of(case.clone())
    };
    let bindings = bind(&catalog);
    Transcript::of(
        Head {
            command: vec![format!("{INSTALLED}/bin/server")],
            protocol_version: "2025-11-25".to_owned(),
            chosen: Chosen::Flag,
            catalog,
            bindings,
            folders: folders(),
            ..Head::of(&contract.id)
        },
        vec![driven],
        vec![control, call],
    )
}

/// The arguments that were sent: complete, or else what is known of them.
fn arguments(context: &CallerContext) -> Value {
    if let Some(arguments) = &context.arguments {
        return arguments.clone();
    }
    let known = [("path", context.path.clone().map(Value::String)), ("value", context.value.clone())];
    known
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect::<Map<_, _>>()
        .into()
}

fn outcome(line: &LabelledText) -> Outcome {
    let texts = json!([{"type": "text", "text": line.text}]);
    match line.context.channel {
        CorpusChannel::ToolError => Outcome::Result(json!({"content": texts, "isError": true})),
        CorpusChannel::Success => Outcome::Result(json!({"content": texts})),
        CorpusChannel::Protocol => {
            Outcome::Error(RpcError { code: -32602, message: line.text.clone(), data: None })
        }
    }
}
