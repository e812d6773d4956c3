//! Builds the context of a rule from a few lines, for the rules' examples and tests.

use std::cell::OnceCell;

use serde::Deserialize;
use serde_json::Value;

use crate::condition::CaseId;
use crate::contract::{self, Contract, ErrorReply};
use crate::exchange::{Exchange, FileChange, Outcome, RpcError, Step, StrayMessage};
use crate::expectation::Expected;
use crate::finding::Diagnostic;
use crate::memory::Curve;
use crate::roles::{Binding, Role};
use crate::transcript::{Head, Snapshots, Transcript};

use crate::sample::{contract, exchange, head, multi_edit};

use super::{Context, Control, Example, RunContext, run_record};

/// Everything that a [`Context`] borrows.
pub(crate) struct Fixture {
    pub(crate) head: Head,
    pub(crate) contract: Contract,
    pub(crate) declared: bool,
    pub(crate) exchange: Exchange,
    pub(crate) control: Option<Exchange>,
    pub(crate) follows: Option<Exchange>,
    /// The same call sent earlier, for rules over the whole run.
    before: Option<Exchange>,
    error: Option<ErrorReply>,
    memory: Vec<Curve>,
}

/// What an example has besides its call and its reply, in the form of a transcript: the keys that `beside` may
/// have.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FixtureExtras {
    /// The reply to the control; a success without content if missing.
    control: Option<Value>,
    /// The reply whose hint the call follows.
    follows: Option<Value>,
    /// The reply to the same call sent earlier.
    before: Option<Value>,
    /// The tool of this earlier call, if it is another one.
    before_tool: Option<String>,
    /// The outcome in place of a reply.
    outcome: Option<Outcome>,
    /// What the call changed on the disk.
    changes: Vec<FileChange>,
    /// Lines on standard output that are not JSON-RPC.
    noise: Vec<String>,
    /// Messages that answer no request.
    strays: Vec<StrayMessage>,
    /// What the server wrote on standard error.
    stderr: String,
    /// The protocol version of the session; `2025-11-25` if missing.
    protocol_version: Option<String>,
    /// The step of the call; the case's own call if missing.
    step: Option<Step>,
    /// Whether the tool runs its `command` in a shell.
    shell: bool,
    /// Whether the server promises the contract.
    #[serde(default = "yes")]
    declared: bool,
    /// The accepted texts.
    snapshots: Option<Snapshots>,
    /// The id of the contract; `bracket-code` if missing.
    contract: Option<String>,
    /// The memory of the server's processes.
    memory: Vec<Curve>,
    /// The tool's output schema, in place of the fixture's.
    output_schema: Option<Value>,
    input_schema: Option<Value>,
}

fn yes() -> bool {
    true
}

impl Fixture {
    /// The fixture of an example.
    pub(crate) fn of(example: &Example) -> Self {
        let call: Value = serde_json::from_str(&example.call).expect("the call is JSON");
        let expected = example.expected.clone();
        let beside: FixtureExtras =
            serde_json::from_str(&example.beside).expect("what stands beside is JSON");
        let tool = call["tool"].as_str().map(str::to_owned);
        let arguments = &call["arguments"];
        let other = |reply: &Value| {
            exchange(tool.as_deref(), arguments, outcome_of(&reply.to_string()), Expected::Anything)
        };
        let plain = serde_json::json!({"jsonrpc": "2.0", "id": 1, "result": {"content": []}});
        let control = Some(other(beside.control.as_ref().unwrap_or(&plain)));
        let follows = beside.follows.as_ref().map(other);
        let (mut head, contract) = beside.surroundings(tool.as_deref());
        let outcome = beside.outcome.unwrap_or_else(|| outcome_of(&example.reply));
        let mut exchange = exchange(tool.as_deref(), arguments, outcome, expected);
        exchange.place.step = beside.step.unwrap_or(Step::Call);
        exchange.changes = beside.changes;
        exchange.noise = beside.noise;
        exchange.strays = beside.strays;
        exchange.stderr = beside.stderr;
        let before = beside.before.as_ref().map(|reply| {
            let mut before = Exchange { outcome: outcome_of(&reply.to_string()), ..exchange.clone() };
            before.call.tool = beside.before_tool.or(before.call.tool);
            before
        });
        if beside.snapshots.is_some() {
            exchange.place.case = Some(CaseId("read/missing".to_owned()));
            head.snapshots = beside.snapshots;
        }
        let error = contract::read(&contract, &exchange);
        Self {
            head,
            contract,
            declared: beside.declared,
            exchange,
            control,
            follows,
            before,
            error,
            memory: beside.memory,
        }
    }

    /// An error reply with this text to a call of `view`.
    #[cfg(test)]
    pub(crate) fn refusal(text: &str, arguments: &Value, expected: Expected) -> Self {
        let result = serde_json::json!({"content": [{"type": "text", "text": text}], "isError": true});
        let mut fixture = Self::of(&Example {
            call: r#"{"tool": "view", "arguments": {}}"#.to_owned(),
            reply: r#"{"jsonrpc":"2.0","id":2,"result":{}}"#.to_owned(),
            expected: Expected::Anything,
            beside: "{}".to_owned(),
        });
        fixture.exchange = exchange(Some("view"), arguments, Outcome::Result(result), expected);
        fixture.error = contract::read(&fixture.contract, &fixture.exchange);
        fixture
    }

    /// Reads the error again after the outcome of the exchange was changed.
    #[cfg(test)]
    pub(crate) fn answered(mut self) -> Self {
        self.error = contract::read(&self.contract, &self.exchange);
        self
    }

    /// The findings of a rule over the whole run, for a run with the earlier call, if any, and the call.
    pub(crate) fn survey(&self, check: fn(&RunContext<'_>) -> Vec<(usize, Diagnostic)>) -> Vec<Diagnostic> {
        self.survey_of(self.before.iter().chain([&self.exchange]).cloned().collect(), check)
    }

    /// The findings of a rule over the whole run, for a run of these exchanges.
    pub(crate) fn survey_of(
        &self,
        mut exchanges: Vec<Exchange>,
        check: fn(&RunContext<'_>) -> Vec<(usize, Diagnostic)>,
    ) -> Vec<Diagnostic> {
        for (index, exchange) in exchanges.iter_mut().enumerate() {
            exchange.index = index;
        }
        let errors: Vec<_> =
            exchanges.iter().map(|exchange| contract::read(&self.contract, exchange)).collect();
        let transcript = Transcript {
            memory: self.memory.clone(),
            ..Transcript::of(self.head.clone(), Vec::new(), exchanges)
        };
        let run = RunContext {
            transcript: &transcript,
            contract: &self.contract,
            declared: self.declared,
            errors: &errors,
        };
        check(&run).into_iter().map(|(_, diagnostic)| diagnostic).collect()
    }

    /// The rule's context of this fixture.
    pub(crate) fn context(&self) -> Context<'_> {
        Context {
            head: &self.head,
            contract: &self.contract,
            declared: self.declared,
            exchange: &self.exchange,
            error: self.error.as_ref(),
            tool: self.exchange.tool().and_then(|name| self.head.catalog.tool(name)),
            control: self.control.as_ref().map_or(Control::None, Control::Succeeded),
            follows: self.follows.as_ref(),
            twin: None,
            values: OnceCell::new(),
            echo: OnceCell::new(),
            run_record: &run_record::NOTHING,
            shown: OnceCell::new(),
            unflagged_failure: OnceCell::new(),
            inferred_failure: OnceCell::new(),
        }
    }
}

impl FixtureExtras {
    /// The head of a run in which this tool is called, and the contract.
    fn surroundings(&self, tool: Option<&str>) -> (Head, Contract) {
        let mut head = head();
        if let Some(version) = &self.protocol_version {
            head.protocol_version.clone_from(version);
        }
        if let Some(called) = head.catalog.tools.iter_mut().find(|listed| Some(listed.name.as_str()) == tool)
        {
            called.output_schema.clone_from(&self.output_schema);
            if let Some(schema) = &self.input_schema {
                called.input_schema.clone_from(schema);
            }
        }
        if self.shell {
            let parameters = [("command", "command")];
            head.bindings.push(Binding::of(Role::Shell, tool.unwrap_or_default(), parameters));
        }
        let contract = match &self.contract {
            Some(id) => {
                head.catalog.tools.push(multi_edit());
                head.bindings = crate::roles::bind(&head.catalog);
                contract::load_builtin(id).expect("it is sound").expect("it is built in")
            }
            None => contract(),
        };
        head.contract.clone_from(&contract.id);
        (head, contract)
    }
}

fn outcome_of(line: &str) -> Outcome {
    let reply: Value = serde_json::from_str(line).expect("the reply is JSON");
    if let Some(result) = reply.get("result") {
        return Outcome::Result(result.clone());
    }
    let error = reply.get("error").expect("a reply is a result or an error");
    Outcome::Error(RpcError {
        code: error["code"].as_i64().expect("an error has a code"),
        message: error["message"].as_str().expect("an error has a message").to_owned(),
        data: error.get("data").cloned(),
    })
}
