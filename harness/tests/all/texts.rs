//! Every rule on the texts of `conformance-cases/corpus/texts`, compared with the verdicts that were reviewed.
//!
//! The main type is [`Text`], a line of a file there, as its README describes it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use mcp_errconf::catalog::{Catalog, Tool};
use mcp_errconf::class::Class;
use mcp_errconf::condition::CaseId;
use mcp_errconf::contract::{self, Contract};
use mcp_errconf::exchange::{Exchange, FileChange, Guidance, Outcome, Place, Step};
use mcp_errconf::expectation::{Expected, ExpectedFailure, ExpectedValue};
use mcp_errconf::generate::ToolFiles;
use mcp_errconf::judge::{Strictness, judge};
use mcp_errconf::machine::MachineNames;
use mcp_errconf::placeholder::Folders;
use mcp_errconf::repair::{CalledTool, NextCall, Reader};
use mcp_errconf::roles::{Binding, Role, bind};
use mcp_errconf::rules;
use mcp_errconf::transcript::{Chosen, DrivenCase, Head, Transcript};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::reviewed;

/// The tools of the server, unless a line has its own.
const TOOLS: &str = include_str!("../../../conformance-cases/corpus/texts/tools.json");

/// A reply to a call, and what is known of the call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    #[serde(default = "view")]
    tool: String,
    /// The schema of the tool's arguments, if the tool is none of the usual ones or takes others.
    schema: Option<Value>,
    /// The names of the server's other tools; the usual ones if missing.
    tools: Option<Vec<String>>,
    /// What the tool does for the cases of a suite.
    role: Option<Role>,
    /// Whether the tools have the roles that a run gives them.
    #[serde(default)]
    bound: bool,
    /// The roles, in the form of a transcript.
    #[serde(default)]
    bindings: Vec<Binding>,
    #[serde(default = "case_id")]
    case: CaseId,
    #[serde(default = "empty")]
    arguments: Value,
    /// Why the call must fail; if missing, it may succeed.
    condition: Option<String>,
    /// What the reply must name.
    value: Option<ExpectedValue>,
    /// More of what the reply must say, in the form of a transcript.
    #[serde(default)]
    failure: Map<String, Value>,
    /// What is expected of a call that need not fail, in the form of a transcript.
    expected: Option<Expected>,
    /// The contract; by the form of the text if missing.
    contract: Option<String>,
    #[serde(default = "yes")]
    declared: bool,
    /// The text of the reply; what is no string is written as JSON.
    text: Option<Value>,
    /// The texts of a reply that has several.
    texts: Option<Vec<String>>,
    /// The reply, if a text is not all of it.
    reply: Option<Outcome>,
    #[serde(default = "yes")]
    flagged: bool,
    #[serde(default)]
    control: Control,
    twin: Option<Other>,
    /// The earlier call whose reply led to this one.
    follows: Option<Other>,
    /// What the call is for, if not the one that the case is about.
    step: Option<Step>,
    /// What a reader finds in the reply.
    guidance: Option<Guidance>,
    /// The method, if no tool is called.
    method: Option<String>,
    #[serde(default)]
    changes: Vec<FileChange>,
    /// The content of a file that the case has made.
    file: Option<String>,
    /// The command that started the server.
    command: Option<String>,
    /// The user and the host that the server runs as and on.
    machine: Option<[String; 2]>,
    protocol: Option<String>,
    /// The rule whose findings are shown with their messages.
    messages: Option<String>,
}

/// The call that succeeds.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Control {
    /// Its reply is `done`.
    #[default]
    Done,
    /// None is known.
    Unknown,
    Told(Box<Other>),
}

/// Another call of the tool, and its reply.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Other {
    arguments: Option<Value>,
    text: Option<Value>,
    reply: Option<Value>,
}

fn view() -> String {
    "view".to_owned()
}

fn case_id() -> CaseId {
    CaseId("texts/call".to_owned())
}

fn empty() -> Value {
    json!({})
}

fn yes() -> bool {
    true
}

/// Reads a file of texts. A line takes what it does not say from the earlier one that it names as `like`.
fn read(lines: &str) -> Result<Vec<Text>, String> {
    let mut earlier: HashMap<String, Map<String, Value>> = HashMap::new();
    let mut texts = Vec::new();
    for (index, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = |error: &dyn std::fmt::Display| format!("line {}: {error}", index + 1);
        let own: Map<String, Value> = serde_json::from_str(line).map_err(|error| at(&error))?;
        let mut all = match own.get("like").and_then(Value::as_str) {
            Some(id) => {
                earlier.get(id).cloned().ok_or_else(|| at(&format!("no line before it is `{id}`")))?
            }
            None => Map::new(),
        };
        if ["text", "texts", "reply"].iter().any(|member| own.contains_key(*member)) {
            all.retain(|member, _| !["text", "texts", "reply"].contains(&member.as_str()));
        }
        all.extend(own);
        all.remove("like");
        all.retain(|_, value| !value.is_null());
        let text: Text = serde_json::from_value(Value::Object(all.clone())).map_err(|error| at(&error))?;
        if earlier.insert(text.id.clone(), all).is_some() {
            return Err(at(&format!("the id `{}` is there twice", text.id)));
        }
        texts.push(text);
    }
    Ok(texts)
}

fn reply_of(text: &Value, flagged: bool) -> Outcome {
    let text = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
    result_of(&[text], flagged)
}

fn result_of(texts: &[String], flagged: bool) -> Outcome {
    let content: Vec<Value> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
    match flagged {
        true => Outcome::Result(json!({"content": content, "isError": true})),
        false => Outcome::Result(json!({"content": content})),
    }
}

impl Other {
    fn outcome(&self, flagged: bool) -> Outcome {
        match (&self.text, &self.reply) {
            (Some(text), _) => reply_of(text, flagged),
            (None, Some(result)) => Outcome::Result(result.clone()),
            (None, None) => reply_of(&json!("done"), false),
        }
    }
}

impl Text {
    /// The levels and rules of the findings, and what a reader of the message alone sends next.
    fn verdict(&self) -> String {
        let contract = self.contract();
        let transcript = self.transcript(contract);
        let report = judge(&transcript, contract, rules::all(), Strictness::Must);
        let found = report.findings.iter().map(|finding| {
            let message = self.messages.as_ref().filter(|rule| **rule == finding.rule);
            let message = message.map(|_| format!(" ({})", finding.message)).unwrap_or_default();
            format!("{} {}{message}", finding.level, finding.rule)
        });
        let found: BTreeSet<String> = found.collect();
        let said = if found.is_empty() { "nothing".to_owned() } else { Vec::from_iter(found).join(", ") };
        match self.next(&transcript) {
            Some(next) => format!("{}: {said}; next: {next}\n", self.id),
            None => format!("{}: {said}\n", self.id),
        }
    }

    /// What a caller sends next who reads nothing but the message.
    fn next(&self, transcript: &Transcript) -> Option<String> {
        self.condition.as_ref().filter(|_| self.flagged)?;
        let Head { catalog, bindings, folders, .. } = &transcript.head;
        let tool_files =
            ToolFiles::at(format!("{}/c", folders.workspace)).with_upstream("http://127.0.0.1:4000");
        let meant = match &self.control {
            Control::Told(control) => control.arguments.as_ref(),
            Control::Done | Control::Unknown => None,
        };
        let reader = Reader::new(CalledTool {
            catalog,
            bindings,
            tool: catalog.tool(&self.tool)?,
            class: Class::Read,
            tool_files: &tool_files,
            has_repository: true,
            workspace: &folders.workspace,
            meant,
        });
        let is_it = |exchange: &&Exchange| matches!(exchange.place.expected, Expected::Failure(_));
        let call = transcript.exchanges.iter().find(is_it)?;
        match reader.next(&self.arguments, &call.outcome.texts(), &[])?.next {
            NextCall::Arguments(next) => Some(next.to_string()),
            NextCall::Before(tool) => Some(tool),
        }
    }

    fn contract(&self) -> &'static Contract {
        let text = self.text.as_ref().and_then(Value::as_str).unwrap_or_default();
        let is_coded =
            text.strip_prefix('[').and_then(|rest| rest.split_once("] ")).is_some_and(|(code, _)| {
                code.contains('_') && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            });
        let id = self.contract.as_deref().unwrap_or(if is_coded { "bracket-code" } else { "plain" });
        let found = contract::builtin().iter().find(|contract| contract.id == id);
        found.unwrap_or_else(|| panic!("{}: no contract is called {id}", self.id))
    }

    fn expected(&self) -> Expected {
        let Some(condition) = &self.condition else {
            return self.expected.clone().unwrap_or(Expected::Anything);
        };
        let mut failure =
            json!({"condition": condition, "value": self.value, "hint": null, "valid_values_of": null});
        for (name, value) in &self.failure {
            assert!(
                [
                    "hint",
                    "valid_values_of",
                    "only_if_declared",
                    "or_success",
                    "authority",
                    "editing",
                    "recovery"
                ]
                .contains(&name.as_str()),
                "{}: {name}",
                self.id
            );
            failure[name] = value.clone();
        }
        let failure = serde_json::from_value::<ExpectedFailure>(failure);
        Expected::Failure(failure.unwrap_or_else(|error| panic!("{}: {error}", self.id)))
    }

    fn exchange(&self, index: usize, arguments: &Value, outcome: Outcome) -> Exchange {
        Exchange { index, ..Exchange::alone(Some(&self.tool), arguments.clone(), outcome) }
    }

    /// Arguments without what is wrong: what stands in its place does not matter to any rule.
    fn sound(&self) -> Value {
        let wrong = self.value.as_ref().map(ExpectedValue::parameters).unwrap_or_default();
        match &self.arguments {
            Value::Object(sent) => {
                let sound = sent.iter().filter(|(name, _)| !wrong.contains(&name.as_str()));
                Value::Object(sound.map(|(name, value)| (name.clone(), value.clone())).collect())
            }
            other => other.clone(),
        }
    }

    fn exchanges(&self) -> Vec<Exchange> {
        let case = &self.case;
        let mut exchanges = Vec::new();
        let control = match &self.control {
            Control::Unknown => None,
            Control::Done => Some((self.sound(), reply_of(&json!("done"), false))),
            Control::Told(told) => {
                Some((told.arguments.clone().unwrap_or_else(|| self.sound()), told.outcome(false)))
            }
        };
        if let Some((arguments, outcome)) = control {
            let mut control = self.exchange(0, &arguments, outcome);
            control.place.step = Step::Control;
            control.place.case = Some(case.clone());
            exchanges.push(control);
        }
        let control = exchanges.len().checked_sub(1);
        let mut follows = None;
        if let Some(told) = &self.follows {
            let arguments = told.arguments.as_ref().unwrap_or(&self.arguments);
            follows = Some(exchanges.len());
            exchanges.push(self.exchange(exchanges.len(), arguments, told.outcome(true)));
        }
        let index = exchanges.len();
        let mut call = self.exchange(index, &self.arguments, self.outcome());
        let (step, expected) = (self.step.unwrap_or(Step::Call), self.expected());
        call.place = Place { case: Some(case.clone()), step, expected, control, follows, ..call.place };
        call.guidance = self.guidance;
        call.changes.clone_from(&self.changes);
        if let Some(method) = &self.method {
            call.call.method.clone_from(method);
            call.call.tool = None;
        }
        exchanges.push(call);
        if let Some(told) = &self.twin {
            let arguments = told.arguments.as_ref().unwrap_or(&self.arguments);
            let mut twin = self.exchange(index + 1, arguments, told.outcome(self.flagged));
            twin.place.step = Step::Twin;
            twin.place.twin = Some(index);
            exchanges.push(twin);
        }
        exchanges
    }

    fn outcome(&self) -> Outcome {
        match (&self.text, &self.texts, &self.reply) {
            (Some(text), _, _) => reply_of(text, self.flagged),
            (_, Some(texts), _) => result_of(texts, self.flagged),
            (_, _, Some(reply)) => reply.clone(),
            (None, None, None) => panic!("{}: nothing is replied", self.id),
        }
    }

    /// A run of a call that succeeds, of the call, and of its twin.
    fn transcript(&self, contract: &Contract) -> Transcript {
        let case = DrivenCase {
            condition: self.condition.clone(),
            tools: vec![self.tool.clone()],
            files: self.file.iter().cloned().collect(),
            ..DrivenCase::of(self.case.clone())
        };
        Transcript::of(self.head(contract), vec![case], self.exchanges())
    }

    fn catalog(&self) -> Catalog {
        static USUAL: LazyLock<BTreeMap<String, Value>> =
            LazyLock::new(|| serde_json::from_str(TOOLS).expect("the usual tools are well-formed"));
        let mut tools: BTreeMap<String, Value> = match &self.tools {
            Some(names) => names.iter().map(|name| (name.clone(), json!({"type": "object"}))).collect(),
            None => USUAL.clone(),
        };
        if let Some(schema) = &self.schema {
            tools.insert(self.tool.clone(), schema.clone());
        }
        Catalog { tools: tools.into_iter().map(|(name, schema)| Tool::named(&name, schema)).collect() }
    }

    fn head(&self, contract: &Contract) -> Head {
        let binding = |role: Role| {
            let parameters = (role == Role::Shell).then_some(("command", "command"));
            Binding::of(role, &self.tool, parameters)
        };
        let catalog = self.catalog();
        Head {
            command: self.command.as_deref().unwrap_or("server").split(' ').map(str::to_owned).collect(),
            protocol_version: self.protocol.clone().unwrap_or_else(|| "2025-11-25".to_owned()),
            chosen: if self.declared { Chosen::Flag } else { Chosen::Default },
            bindings: match self.bound {
                true => bind(&catalog),
                false => self.role.map(binding).into_iter().chain(self.bindings.clone()).collect(),
            },
            catalog,
            machine: self
                .machine
                .as_ref()
                .map_or_else(MachineNames::default, |[user, host]| MachineNames::new(user, host)),
            folders: Folders {
                workspace: "/workspace".to_owned(),
                outside: "/outside".to_owned(),
                canary: "canary-5b1f".to_owned(),
                ..Folders::default()
            },
            ..Head::of(&contract.id)
        }
    }
}

/// Every file of texts.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance-cases/corpus/texts");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let files = entries.map(|entry| entry.expect("it can be read").path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|kind| kind == "jsonl")).collect();
    files.sort();
    files
}

fn texts_of(file: &Path) -> Vec<Text> {
    let lines = std::fs::read_to_string(file).expect("it can be read");
    read(&lines).unwrap_or_else(|error| panic!("{}, {error}", file.display()))
}

#[test]
fn every_text_is_judged_as_was_reviewed() {
    let verdicts = files().into_iter().map(|file| {
        let said = texts_of(&file).iter().map(Text::verdict).collect();
        (file.with_extension("verdicts"), said)
    });
    reviewed::check(verdicts);
}

#[test]
fn every_text_has_an_id_of_its_own() {
    let mut ids = BTreeSet::new();
    for text in files().iter().flat_map(|file| texts_of(file)) {
        assert!(ids.insert(text.id.clone()), "{} is there twice", text.id);
    }
}

#[test]
fn a_line_that_cannot_be_read_is_reported_with_its_number() {
    for (lines, error) in [
        ("\n{", "line 2: EOF"),
        (r#"{"id": "a", "why": "", "txet": ""}"#, "line 1: unknown field `txet`"),
        (r#"{"id": "a", "like": "b"}"#, "line 1: no line before it is `b`"),
    ] {
        let found = read(lines).expect_err("it is faulty");
        assert!(found.starts_with(error), "{found}");
    }
    let twice = "{\"id\": \"a\", \"why\": \"\"}\n{\"id\": \"a\", \"why\": \"\"}";
    assert_eq!(read(twice).expect_err("it is faulty"), "line 2: the id `a` is there twice");
}
