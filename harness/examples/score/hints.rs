//! Labelled error texts, and what the rules say of them.
//!
//! The main type is [`Labelled`], a line of a file such as `conformance-cases/corpus/hints.jsonl`. Its text becomes the reply to
//! its call, and the very rules that `run` uses judge it: nothing here reads a text itself.

use std::collections::BTreeSet;

use mcp_errconf::catalog::{Catalog, Tool};
use mcp_errconf::condition::Condition;
use mcp_errconf::contract::{self, Contract, read};
use mcp_errconf::exchange::{Exchange, Outcome, Place, RpcError};
use mcp_errconf::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use mcp_errconf::judge::{Strictness, judge};
use mcp_errconf::placeholder::Folders;
use mcp_errconf::rules::{self, Rule};
use mcp_errconf::transcript::{Chosen, Head, Transcript};
use mcp_errconf::wording::Echo;
use mcp_errconf::wording::hint::{Asked, signs};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The rules that are measured, with the one that speaks in their place where there is no message at all.
const MEASURED: [&str; 3] = ["message/empty", "message/vague", "message/hint-missing"];

/// What the folders in braces become: any absolute paths would do.
const FOLDERS: [(&str, &str); 5] = [
    ("{workspace}", "/var/tmp/measure/workspace"),
    ("{outside}", "/var/tmp/measure/outside"),
    ("{parent}", "/var/tmp/measure"),
    ("{home}", "/home/measure"),
    ("{install}", "/opt/measured-server"),
];

/// One error text with its labels and the call that it answered.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Labelled {
    pub(crate) id: String,
    pub(crate) text: String,
    /// A built-in contract: where the message and its hints stand in the text.
    pub(crate) contract: String,
    pub(crate) label_hint: HintLabel,
    pub(crate) label_vague: bool,
    /// Why the call failed, in words.
    pub(crate) condition: String,
    /// `written` and by which hand, or where the text came from.
    pub(crate) source: String,
    /// A careful reader could label it otherwise.
    #[serde(default)]
    pub(crate) borderline: bool,
    #[serde(default)]
    pub(crate) context: Context,
}

/// Whether a text says how to fix the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HintLabel {
    Hint,
    NoHint,
    /// Nothing in the call fixes it.
    NotApplicable,
}

/// The call that was answered.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Context {
    pub(crate) tool: Option<String>,
    pub(crate) arguments: Value,
    /// The parameter that was wrong.
    pub(crate) param: Option<String>,
    /// Other tools of the server.
    pub(crate) tools: Vec<String>,
    /// `protocol_error` where it was no tool's result.
    pub(crate) channel: Option<String>,
}

/// What the rules say of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) hint: bool,
    pub(crate) vague: bool,
}

impl Labelled {
    /// Reads a file of them, one JSON object a line; an error names its line.
    pub(crate) fn read_all(lines: &str) -> Result<Vec<Self>, String> {
        let lines = lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let read = |(index, line)| {
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))
        };
        lines.map(read).collect()
    }

    /// Whether it was written by hand, and did not come from a server.
    pub(crate) fn is_written(&self) -> bool {
        self.source.starts_with("written")
    }

    /// Judges the text as the reply to its call.
    pub(crate) fn verdict(&self) -> Result<Verdict, String> {
        let contract = contract::load_builtin(&self.contract)
            .map_err(|error| error.to_string())?
            .ok_or_else(|| format!("{}: there is no contract `{}`", self.id, self.contract))?;
        let transcript = self.transcript(&contract);
        let rules: Vec<&'static Rule> = MEASURED.iter().filter_map(|id| rules::find(id)).collect();
        let report = judge(&transcript, &contract, &rules, Strictness::Must);
        let found = |rule: &str| report.findings.iter().any(|finding| finding.rule == rule);
        Ok(Verdict { hint: report.findings.is_empty(), vague: found("message/vague") })
    }

    /// The signs of a hint that its texts have.
    pub(crate) fn signs(&self) -> BTreeSet<&'static str> {
        let contract = contract::load_builtin(&self.contract).ok().flatten();
        let contract = contract.expect("the verdict was asked for before");
        let transcript = self.transcript(&contract);
        let exchange = &transcript.exchanges[0];
        let Some(error) = read(&contract, exchange) else { return BTreeSet::new() };
        let arguments = &exchange.call.arguments;
        let tool = &transcript.head.catalog.tools[0];
        let parameters: Vec<&str> = tool.parameters().map(|(name, _)| name).collect();
        let tools: Vec<&str> = self.context.tools.iter().map(String::as_str).collect();
        let asked = Asked {
            echo: &Echo::of_values(arguments, &transcript.head.folders),
            arguments,
            tool: &tool.name,
            parameters: &parameters,
            schemas: &tool.parameters().collect::<Vec<_>>(),
            wrong: &self.context.param.as_deref().into_iter().collect::<Vec<_>>(),
            required: &self.context.param.as_deref().into_iter().collect::<Vec<_>>(),
            tools: &tools,
            workspace: &transcript.head.folders.workspace,
            condition: &self.condition.replace(' ', "-"),
        };
        error.advice().flat_map(|text| signs(text, &asked)).collect()
    }

    /// A run of this one call.
    fn transcript(&self, contract: &Contract) -> Transcript {
        let arguments = filled(&self.context.arguments);
        let listed = |name: &str, input_schema: Value| Tool::named(name, input_schema);
        let called = self.context.tool.as_deref().unwrap_or("tool");
        let others = self.context.tools.iter().map(|name| listed(name, json!({"type": "object"})));
        let tools = std::iter::once(listed(called, self.schema(&arguments))).chain(others).collect();
        let alone = Exchange::alone(Some(called), arguments, self.outcome());
        let expected = Expected::Failure(self.expected(contract));
        let exchange = Exchange { place: Place { expected, ..alone.place }, ..alone };
        Transcript::of(head(tools, contract), Vec::new(), vec![exchange])
    }

    /// The text in the channel that it came through; what a server passed off as a success is read like an error.
    fn outcome(&self) -> Outcome {
        let text = fill(&self.text);
        if self.context.channel.as_deref() == Some("protocol_error") {
            return Outcome::Error(RpcError { code: -32602, message: text, data: None });
        }
        Outcome::Result(json!({"content": [{"type": "text", "text": text}], "isError": true}))
    }

    /// The condition in the harness's words. One for which no hint is asked is measured as any bad argument, so that
    /// every text has a verdict.
    fn expected(&self, contract: &Contract) -> ExpectedFailure {
        let named = Condition(self.condition.replace(' ', "-"));
        let condition = match contract.is_repairable(&named) {
            true => named,
            false => Condition("invalid-value".to_owned()),
        };
        ExpectedFailure {
            condition,
            value: self.context.param.clone().map(ExpectedValue::Parameter),
            hint: None,
            valid_values_of: None,
            only_if_declared: false,
            or_success: false,
            authority: Authority::Contract,
            editing: None,
            recovery: None,
        }
    }

    /// A schema with the parameters that the line knows of.
    fn schema(&self, arguments: &Value) -> Value {
        let sent = arguments.as_object().into_iter().flat_map(Map::keys).cloned();
        let stranger =
            (self.condition == "unknown argument").then_some(self.context.param.as_ref()).flatten();
        let names = sent.chain(self.context.param.clone()).filter(|name| Some(name) != stranger);
        let properties: Map<String, Value> = names.map(|name| (name, json!({}))).collect();
        json!({"type": "object", "properties": properties})
    }
}

fn head(tools: Vec<Tool>, contract: &Contract) -> Head {
    let folder = |name: &str| fill(name);
    Head {
        command: vec!["server".to_owned()],
        protocol_version: "2025-11-25".to_owned(),
        chosen: Chosen::Flag,
        catalog: Catalog { tools },
        folders: Folders {
            workspace: folder("{workspace}"),
            outside: folder("{outside}"),
            canary: "canary-31a7".to_owned(),
            ..Folders::default()
        },
        ..Head::of(&contract.id)
    }
}

/// A text with paths in the place of the words in braces.
fn fill(text: &str) -> String {
    FOLDERS.iter().fold(text.to_owned(), |text, (token, path)| text.replace(token, path))
}

fn filled(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text)),
        Value::Array(items) => items.iter().map(filled).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, member)| (name.clone(), filled(member))).collect())
        }
        Value::Null => json!({}),
        other => other.clone(),
    }
}
