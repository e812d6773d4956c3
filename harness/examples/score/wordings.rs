//! Wordings of error messages with what each of them lacks, and what the rules say of them.
//!
//! The main type is [`Wording`], a line of `conformance-cases/corpus/wordings.jsonl`. Its text becomes the reply to the call
//! that it names, beside a control that succeeded, and every rule of a run judges it: nothing here reads a text itself.

use std::collections::BTreeMap;

use mcp_errconf::catalog::{Catalog, Tool};
use mcp_errconf::condition::{CaseId, Condition};
use mcp_errconf::contract;
use mcp_errconf::exchange::{Exchange, Outcome, Place};
use mcp_errconf::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use mcp_errconf::finding::Level;
use mcp_errconf::judge::{Report, Strictness, judge};
use mcp_errconf::placeholder::Folders;
use mcp_errconf::rules;
use mcp_errconf::transcript::{Chosen, DrivenCase, Head, Transcript};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What stands for `{workspace}`: any absolute path would do.
const WORKSPACE: &str = "/var/tmp/measure/workspace";

/// What a message may lack. Each is the business of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Lack {
    /// It says only that something failed.
    Meaning,
    /// The value that was wrong, or its parameter, is not named.
    Value,
    /// Nothing says how to fix the call.
    Hint,
    /// A closed set was missed and is not listed.
    ValidValues,
}

impl Lack {
    pub(crate) const ALL: [Self; 4] = [Self::Meaning, Self::Value, Self::Hint, Self::ValidValues];

    /// The rule that finds it.
    pub(crate) fn rule(self) -> &'static str {
        match self {
            Self::Meaning => "message/vague",
            Self::Value => "message/value-missing",
            Self::Hint => "message/hint-missing",
            Self::ValidValues => "message/valid-values-missing",
        }
    }
}

/// One wording of an error.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wording {
    pub(crate) id: String,
    pub(crate) text: String,
    /// As ISO 639-1 has it.
    pub(crate) language: String,
    /// In whose manner it is written.
    pub(crate) hand: String,
    /// Kept back: no rule is tuned on it.
    pub(crate) aside: bool,
    /// The id of the call that it answers.
    pub(crate) call: String,
    pub(crate) lacks: Vec<Lack>,
    /// What a careful reader could label otherwise: it is counted nowhere.
    #[serde(default)]
    pub(crate) arguable: Vec<Lack>,
}

/// A call with one fault, and the tool that it calls.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FaultyCall {
    id: String,
    tool: String,
    input_schema: Value,
    /// Other tools of the server.
    tools: Vec<String>,
    arguments: Value,
    condition: String,
    /// What the message has to name.
    value: ExpectedValue,
    #[serde(default)]
    valid_values_of: Option<String>,
}

/// A rule with the level at which it speaks.
pub(crate) type Found = (String, Level);

/// Reads a file of JSON lines; an error names its line.
fn lines_of<T: for<'a> Deserialize<'a>>(text: &str) -> Result<Vec<T>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read =
        |(index, line)| serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1));
    lines.map(read).collect()
}

/// Reads the calls, by their ids.
pub(crate) fn read_calls(text: &str) -> Result<BTreeMap<String, FaultyCall>, String> {
    let calls = lines_of::<FaultyCall>(text)?;
    Ok(calls.into_iter().map(|call| (call.id.clone(), call)).collect())
}

impl Wording {
    /// Reads a file of them, one JSON object a line; an error names its line.
    pub(crate) fn read_all(text: &str) -> Result<Vec<Self>, String> {
        lines_of(text)
    }

    /// Whether a lack can be asked for here: a closed set only where the call missed one.
    pub(crate) fn is_asked(&self, lack: Lack, calls: &BTreeMap<String, FaultyCall>) -> bool {
        let misses_a_set = || calls[&self.call].valid_values_of.is_some();
        !self.arguable.contains(&lack) && (lack != Lack::ValidValues || misses_a_set())
    }

    /// The report of a run of its call alone, which the text answers.
    pub(crate) fn report(&self, calls: &BTreeMap<String, FaultyCall>) -> Report {
        let contract = contract::load_builtin("plain").ok().flatten().expect("it is built in");
        let transcript = calls[&self.call].answered(&self.text);
        judge(&transcript, &contract, rules::all(), Strictness::Must)
    }

    /// What every rule of a run says of the text as the reply to its call.
    pub(crate) fn findings(&self, calls: &BTreeMap<String, FaultyCall>) -> Vec<Found> {
        let findings = self.report(calls).findings;
        findings.into_iter().map(|finding| (finding.rule, finding.level)).collect()
    }
}

/// What one rule says of one wording.
#[derive(Debug, Clone)]
pub(crate) struct LackVerdict {
    pub(crate) lack: Lack,
    pub(crate) lacks: bool,
    /// The level of the rule's own finding.
    pub(crate) level: Option<Level>,
    /// The rule, or one that speaks in its place, has a finding.
    pub(crate) is_found: bool,
}

/// The places of a wording that count.
pub(crate) fn places(
    wording: &Wording,
    calls: &BTreeMap<String, FaultyCall>,
    findings: &[Found],
) -> Vec<LackVerdict> {
    let level = |rule: &str| findings.iter().find(|(found, _)| found == rule).map(|(_, level)| *level);
    let asked = Lack::ALL.into_iter().filter(|lack| wording.is_asked(*lack, calls));
    asked
        .map(|lack| {
            let instead = Lack::ALL.into_iter().filter(|other| speaks_for(*other, lack));
            let is_found = level("message/empty").is_some()
                || instead.into_iter().any(|other| level(other.rule()).is_some());
            LackVerdict { lack, lacks: wording.lacks.contains(&lack), level: level(lack.rule()), is_found }
        })
        .collect()
}

/// Whether a finding of one lack stands for one of the other, too.
fn speaks_for(one: Lack, other: Lack) -> bool {
    one == other || one == Lack::Meaning || one == Lack::ValidValues && other == Lack::Hint
}

impl FaultyCall {
    /// A run of a call that succeeds and of this one, which is answered by an error.
    fn answered(&self, text: &str) -> Transcript {
        let mut control = self.exchange(json!({"content": [{"type": "text", "text": "done"}]}), 0);
        control.call.arguments = self.sound();
        let text = text.replace("{workspace}", WORKSPACE);
        let mut call =
            self.exchange(json!({"content": [{"type": "text", "text": text}], "isError": true}), 1);
        let expected = Expected::Failure(self.expected());
        let id = CaseId("wordings/call".to_owned());
        call.place = Place { case: Some(id.clone()), expected, control: Some(0), ..call.place };
        let case = DrivenCase {
            condition: Some(self.condition.clone()),
            tools: vec![self.tool.clone()],
            ..DrivenCase::of(id)
        };
        Transcript::of(self.head(), vec![case], vec![control, call])
    }

    fn exchange(&self, result: Value, index: usize) -> Exchange {
        let arguments = filled(&self.arguments);
        Exchange { index, ..Exchange::alone(Some(&self.tool), arguments, Outcome::Result(result)) }
    }

    /// Arguments without the one that is wrong: what stands in its place does not matter to any rule.
    fn sound(&self) -> Value {
        let wrong = self.value.parameters();
        let sent = self.arguments.as_object().into_iter().flatten();
        sent.filter(|(name, _)| !wrong.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<Map<_, _>>()
            .into()
    }

    fn expected(&self) -> ExpectedFailure {
        ExpectedFailure {
            condition: Condition(self.condition.clone()),
            value: Some(filled_value(&self.value)),
            hint: None,
            valid_values_of: self.valid_values_of.clone(),
            only_if_declared: false,
            or_success: false,
            authority: Authority::Contract,
            editing: None,
            recovery: None,
        }
    }

    fn head(&self) -> Head {
        let listed = |name: &str, input_schema: Value| Tool::named(name, input_schema);
        let others = self.tools.iter().map(|name| listed(name, json!({"type": "object"})));
        let tools = std::iter::once(listed(&self.tool, self.input_schema.clone())).chain(others).collect();
        Head {
            command: vec!["server".to_owned()],
            protocol_version: "2025-11-25".to_owned(),
            chosen: Chosen::Flag,
            catalog: Catalog { tools },
            folders: Folders {
                workspace: WORKSPACE.to_owned(),
                outside: "/var/tmp/measure/outside".to_owned(),
                canary: "canary-31a7".to_owned(),
                ..Folders::default()
            },
            ..Head::of("plain")
        }
    }
}

fn filled(value: &Value) -> Value {
    let text = value.to_string().replace("{workspace}", WORKSPACE);
    serde_json::from_str(&text).expect("a path needs no escape")
}

fn filled_value(value: &ExpectedValue) -> ExpectedValue {
    match value {
        ExpectedValue::Path(path) => ExpectedValue::Path(path.replace("{workspace}", WORKSPACE)),
        other => other.clone(),
    }
}
