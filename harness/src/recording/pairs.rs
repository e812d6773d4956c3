//! Plain pairs of requests and responses, as from a proxy or a client's log: one JSON object in each line.
//!
//! `{"case", "request", "response"}` is judged by the ungated rules and those over the whole run. A line that
//! also names its `control`, the successful case that differs only in the fault, is judged by the gated rules
//! too; `condition` says why it must fail. A line without a request is a notification.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::catalog::Catalog;
use crate::condition::{CaseId, Condition};
use crate::contract::{Contract, read as read_error};
use crate::document::nearest;
use crate::exchange::{
    Call, Exchange, LivenessCheck, Malformed, Outcome, Place, RawReply, Step, StrayMessage,
};
use crate::expectation::{Authority, Expected, ExpectedFailure};
use crate::judge::has_succeeded;
use crate::roles::bind;
use crate::transcript::{CaseOutcome, DrivenCase, Head, Transcript};
use crate::wire::{Body, DecodedLine, IN_A_BATCH, ResponseId, decode};

use super::read::{ReadError, parse};
use super::{JudgingPolicy, Recording};

/// The condition of a call that must fail for an unknown reason.
const UNNAMED: &str = "invalid-call";

/// The names of what a line has.
const KEYS: [&str; 6] = ["case", "request", "response", "server_notification", "control", "condition"];

/// One line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    case: Option<String>,
    request: Option<Box<RawValue>>,
    response: Option<Box<RawValue>>,
    server_notification: Option<Box<RawValue>>,
    control: Option<String>,
    condition: Option<Condition>,
}

/// A pair with a request, and its exchange.
struct PairExchange {
    line: usize,
    case: String,
    control: Option<String>,
    condition: Option<Condition>,
    exchange: Exchange,
}

/// Reads pairs; they are judged by `contract`.
pub(super) fn read(lines: &[(usize, &str)], contract: &Contract) -> Result<Recording, ReadError> {
    let mut pairs: Vec<PairExchange> = Vec::new();
    let mut head = Head::of(&contract.id);
    let mut process = 0;
    for (number, line) in lines {
        let pair: Pair = parse(*number, line, ["field", "key"], &KEYS)?;
        let Some(request) = &pair.request else {
            // An unsolicited message belongs to the call before it.
            let line = pair.response.as_ref().or(pair.server_notification.as_ref());
            if let (Some(line), Some(last)) = (line, pairs.last_mut()) {
                unasked(&line_of(line), &mut last.exchange);
            }
            continue;
        };
        let (call, id) = call(*number, request)?;
        if id.is_none() && pair.response.is_none() {
            // A notification by the client has no answer.
            continue;
        }
        if call.method == "initialize" && pairs.iter().any(|pair| pair.exchange.process == process) {
            process += 1;
        }
        let exchange = exchange(pairs.len(), process, call, id.as_ref(), pair.response.as_deref());
        learn(&mut head, &exchange);
        let case = pair.case.unwrap_or_else(|| format!("line {number}"));
        pairs.push(PairExchange {
            line: *number,
            case,
            control: pair.control,
            condition: pair.condition,
            exchange,
        });
    }
    if pairs.is_empty() {
        return Err(ReadError::new(lines[0].0, "no line has a request, so there is nothing to judge"));
    }
    head.bindings = bind(&head.catalog);
    let cases = driven_cases(&mut pairs, contract)?;
    let mut exchanges: Vec<Exchange> = pairs.into_iter().map(|pair| pair.exchange).collect();
    // Collected in place, they keep the room that the larger pairs had.
    exchanges.shrink_to_fit();
    let transcript = Transcript::of(head, cases, exchanges);
    Ok(Recording { transcript, contract: contract.clone(), policy: JudgingPolicy::default(), not_run: None })
}

/// Whether a response is a recorder's notation for none.
fn is_none(line: &str) -> bool {
    let pair: Option<Value> = serde_json::from_str(line).ok();
    pair.is_some_and(|pair| pair.is_null() || pair == serde_json::json!({"_timeout": true}))
}

/// The line of a message: a string stands for a line that need not be JSON.
fn line_of(message: &RawValue) -> String {
    serde_json::from_str::<String>(message.get()).unwrap_or_else(|_| message.get().to_owned())
}

/// The call, and its id if that is an integer or a text.
fn call(number: usize, request: &RawValue) -> Result<(Call, Option<Value>), ReadError> {
    let line = line_of(request);
    let Ok(message) = serde_json::from_str::<Value>(&line) else {
        // A frame that was malformed on purpose.
        let call = Call { method: String::new(), tool: None, arguments: Value::String(line.clone()), line };
        return Ok((call, None));
    };
    let Some(method) = message.get("method").and_then(Value::as_str) else {
        return Err(ReadError::new(number, "`request` is not a JSON-RPC request: it has no `method`"));
    };
    let params = message.get("params");
    let (tool, arguments) = match method {
        "tools/call" => {
            let name = params.and_then(|params| params.get("name")).and_then(Value::as_str);
            (name.map(str::to_owned), params.and_then(|params| params.get("arguments")))
        }
        _ => (None, params),
    };
    let arguments = arguments.cloned().unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    let id = message.get("id").filter(|id| !id.is_null()).cloned();
    Ok((Call { method: method.to_owned(), tool, arguments, line }, id))
}

fn exchange(
    index: usize,
    process: usize,
    call: Call,
    id: Option<&Value>,
    response: Option<&RawValue>,
) -> Exchange {
    let unanswered = Outcome::NoReply { waited_ms: 0, liveness: LivenessCheck::Unasked };
    let alone = Exchange::alone(None, Value::Null, unanswered);
    let place = Place { step: Step::Lifecycle, ..alone.place };
    let mut exchange = Exchange { index, process, place, call, ..alone };
    let Some(response) = response.map(line_of).filter(|line| !is_none(line)) else { return exchange };
    exchange.reply = Some(RawReply::new(response.as_bytes(), response.len()));
    let malformed = |how: String| Malformed { how, line: response.clone() };
    let is_own = |of: &ResponseId| match (of, id) {
        (ResponseId::Number(of), Some(Value::Number(id))) => id.as_i64() == Some(*of),
        (ResponseId::Other(of), Some(id)) => serde_json::from_str::<Value>(of).is_ok_and(|of| of == *id),
        _ => false,
    };
    match decode(response.as_bytes()) {
        DecodedLine::Response { id: of, body, .. } => match (of, body) {
            (Some(of), _) if id.is_some() && !is_own(&of) => {
                exchange.strays.push(StrayMessage::WrongId(response));
            }
            (_, Body::Result(result)) => exchange.outcome = Outcome::Result(result),
            (_, Body::Error(error)) => exchange.outcome = Outcome::Error(error),
            (_, Body::Malformed(how)) => exchange.outcome = Outcome::Malformed(malformed(how)),
        },
        DecodedLine::Malformed(how) => exchange.outcome = Outcome::Malformed(malformed(how)),
        DecodedLine::Noise => exchange.noise.push(response),
        DecodedLine::Batch(_) => exchange.outcome = Outcome::Malformed(malformed(IN_A_BATCH.to_owned())),
        DecodedLine::Blank | DecodedLine::Request { .. } | DecodedLine::Notification { .. } => {}
    }
    exchange
}

/// Adds an unsolicited line to the exchange before it.
fn unasked(line: &str, exchange: &mut Exchange) {
    let malformed = |how: String| StrayMessage::Malformed(Malformed { how, line: line.to_owned() });
    match decode(line.as_bytes()) {
        DecodedLine::Noise => exchange.noise.push(line.to_owned()),
        DecodedLine::Malformed(how) => exchange.strays.push(malformed(how)),
        DecodedLine::Batch(_) => exchange.strays.push(malformed(IN_A_BATCH.to_owned())),
        DecodedLine::Blank
        | DecodedLine::Request { .. }
        | DecodedLine::Notification { .. }
        | DecodedLine::Response { .. } => {}
    }
}

/// Updates the head from a reply of the lifecycle.
fn learn(head: &mut Head, exchange: &Exchange) {
    let Some(result) = exchange.outcome.result() else { return };
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    match exchange.call.method.as_str() {
        "initialize" => {
            let info = |member: &str| text(result.get("serverInfo").and_then(|info| info.get(member)));
            head.server_name = info("name").unwrap_or_default();
            head.server_version = info("version").unwrap_or_default();
            head.protocol_version = text(result.get("protocolVersion")).unwrap_or_default();
        }
        "tools/list" => {
            let mut page = Catalog::default();
            page.add_page(result);
            let new = page.tools.into_iter().filter(|tool| head.catalog.tool(&tool.name).is_none());
            let new: Vec<_> = new.collect();
            head.catalog.tools.extend(new);
        }
        _ => {}
    }
}

/// Assigns each tool call its case, control and expectation.
fn driven_cases(pairs: &mut [PairExchange], contract: &Contract) -> Result<Vec<DrivenCase>, ReadError> {
    let names: Vec<String> = pairs.iter().map(|pair| pair.case.clone()).collect();
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        by_name.entry(name).or_default().push(index);
    }
    let succeeded: Vec<bool> = pairs.iter().map(|pair| has_succeeded(&pair.exchange, contract)).collect();
    let mut cases: Vec<DrivenCase> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for pair in pairs.iter_mut().filter(|pair| !is_lifecycle(&pair.exchange.call.method)) {
        let control = pair.control.as_deref().map(|control| find(control, pair, &by_name)).transpose()?;
        let failing = pair.condition.clone().or_else(|| control.map(|_| unnamed(&pair.exchange, contract)));
        pair.exchange.place = Place {
            case: Some(CaseId(pair.case.clone())),
            step: Step::Call,
            expected: failing.clone().map_or(Expected::Anything, |condition| {
                Expected::Failure(ExpectedFailure::of(condition, Authority::Contract))
            }),
            control,
            follows: None,
            twin: None,
            words: None,
        };
        let outcome = match control {
            Some(control) if !succeeded[control] => {
                CaseOutcome::PreconditionFailed(format!("the control did not succeed: `{}`", names[control]))
            }
            _ => CaseOutcome::Driven,
        };
        let tool = pair.exchange.tool().map(str::to_owned);
        let next = cases.len();
        match *positions.entry(names[pair.exchange.index].as_str()).or_insert(next) {
            position if position < next => {
                let case = &mut cases[position];
                case.tools.extend(tool.filter(|tool| !case.tools.contains(tool)));
            }
            _ => cases.push(DrivenCase {
                title: pair.case.clone(),
                condition: failing.map(|condition| condition.0),
                tools: tool.into_iter().collect(),
                outcome,
                ..DrivenCase::of(CaseId(pair.case.clone()))
            }),
        }
    }
    Ok(cases)
}

fn is_lifecycle(method: &str) -> bool {
    method != "tools/call" && !method.is_empty()
}

/// The exchange of the case named as control: the nearest one before, or else the first one after.
fn find(control: &str, pair: &PairExchange, by_name: &HashMap<&str, Vec<usize>>) -> Result<usize, ReadError> {
    let own = pair.exchange.index;
    let named = || by_name.get(control).into_iter().flatten().copied().filter(|index| *index != own);
    let found = named().rfind(|index| *index < own).or_else(|| named().next());
    found.ok_or_else(|| {
        let near = nearest(control, by_name.keys().copied().filter(|name| *name != pair.case));
        let near = near.map_or(String::new(), |near| format!(": did you mean `{near}`?"));
        ReadError::new(
            pair.line,
            format!("`control` names the case `{control}`, but no other line has that name{near}"),
        )
    })
}

/// The condition of a call without one: that of the code in the reply.
fn unnamed(exchange: &Exchange, contract: &Contract) -> Condition {
    let error = read_error(contract, exchange);
    let code = error.as_ref().and_then(|error| error.code());
    let by_code = code.and_then(|code| {
        let mut answers = contract.conditions.iter();
        answers
            .find(|(_, answer)| answer.expected.as_deref() == Some(code))
            .map(|(condition, _)| condition.clone())
    });
    by_code.unwrap_or_else(|| Condition(UNNAMED.to_owned()))
}
