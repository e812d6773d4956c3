//! Calls that succeeded in a run, to be sent again where other calls may get in their way: at once with others, after one
//! that is cancelled, and after calls that are refused. And one of each tool, to be sent again with a progress token. Pure.
//!
//! The main type is [`SessionPlan`]. It does not know which process the calls go to, or what becomes of them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::catalog::{Catalog, Tool};
use crate::condition::CaseId;
use crate::contract::{Contract, read};
use crate::exchange::{Exchange, Outcome, Step};
use crate::expectation::Expected;
use crate::judge::has_succeeded;
use crate::wording::{is_rationed, layer};

use super::FeatureRequest;

/// At most this many tools are called.
const TOOLS: usize = 3;
/// At most this many refused calls are sent again.
const REFUSED: usize = 6;
/// A call that took longer, in milliseconds, is not sent again.
const SLOW: u64 = 500;
/// A call that is sent with a progress token may take this long, in milliseconds, and all of them together.
const SLOW_WITH_TOKEN: u64 = 2_000;
const WITH_TOKENS: u64 = 4_000;
/// A longer request or reply, in bytes, is not sent again.
const LONG: usize = 16 * 1024;
/// The shortest value by which a reply is known.
const TELLING: usize = 3;
/// What binds a value more than its type.
const BOUNDS: [&str; 6] = ["enum", "const", "pattern", "format", "maxLength", "maximum"];
/// What makes another value of an argument that the reply repeats.
const OTHER: &str = "-other";

/// The calls that are sent again.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SessionPlan {
    /// Calls that succeeded: two of a tool stand beside each other, if two are known.
    pub(crate) calls: Vec<RepeatedCall>,
    /// Calls that were refused.
    pub(crate) refused: Vec<RepeatedCall>,
    /// One call of each tool that succeeded, the slowest first: it most likely reports progress.
    pub(crate) with_token: Vec<RepeatedCall>,
}

/// A call that was sent before.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RepeatedCall {
    /// The tool.
    pub(crate) tool: String,
    /// Its arguments.
    pub(crate) arguments: Value,
    /// The case in which it was sent first.
    pub(crate) case: Option<CaseId>,
}

impl RepeatedCall {
    pub(crate) fn of(exchange: &Exchange) -> Option<Self> {
        let (tool, arguments) = (exchange.tool()?.to_owned(), exchange.call.arguments.clone());
        Some(Self { tool, arguments, case: exchange.place.case.clone() })
    }

    /// The request that sends it.
    pub(crate) fn request(&self) -> FeatureRequest {
        FeatureRequest::of_tool(&self.tool, Some(self.arguments.clone()))
    }
}

impl SessionPlan {
    /// The calls to send again after these exchanges, of the tools that may be called.
    pub(crate) fn after(
        exchanges: &[Exchange],
        contract: &Contract,
        catalog: &Catalog,
        may: impl Fn(&Tool) -> bool,
    ) -> Self {
        let tools: Vec<&Tool> = catalog.tools.iter().filter(|tool| may(tool)).collect();
        let mut of_tools: Vec<Vec<RepeatedCall>> =
            tools.iter().map(|tool| valid_calls(exchanges, contract, tool)).collect();
        of_tools.retain(|calls| !calls.is_empty());
        // Two calls with different replies can be told apart.
        of_tools.sort_by_key(|calls| calls.len() < 2);
        of_tools.truncate(TOOLS);
        let refused = match of_tools.is_empty() {
            true => Vec::new(),
            false => refused_calls(exchanges, contract, &tools),
        };
        Self {
            calls: of_tools.into_iter().flatten().collect(),
            refused,
            with_token: calls_with_token(exchanges, contract, &tools),
        }
    }
}

/// The calls of a tool that succeeded as they had to, the last first: what was sent last is most likely still there.
fn successes<'e>(
    exchanges: &'e [Exchange],
    contract: &'e Contract,
    tool: &'e Tool,
    slowest: u64,
) -> impl Iterator<Item = &'e Exchange> {
    exchanges.iter().rev().filter(move |exchange| {
        let must_succeed = match exchange.place.step {
            Step::Control => true,
            Step::Call => matches!(exchange.place.expected, Expected::Success { .. }),
            _ => false,
        };
        exchange.tool() == Some(tool.name.as_str())
            && must_succeed
            && may_be_repeated(exchange, slowest)
            && matches!(exchange.outcome, Outcome::Result(_))
            && has_succeeded(exchange, contract)
    })
}

/// The last successful call of each tool.
fn calls_with_token(exchanges: &[Exchange], contract: &Contract, tools: &[&Tool]) -> Vec<RepeatedCall> {
    let mut calls: Vec<&Exchange> = tools
        .iter()
        .filter_map(|&tool| successes(exchanges, contract, tool, SLOW_WITH_TOKEN).next())
        .collect();
    calls.sort_by_key(|exchange| Reverse(exchange.elapsed_ms / SLOW));
    let mut left = WITH_TOKENS;
    calls.retain(|exchange| {
        let rest = left.checked_sub(exchange.elapsed_ms.max(1));
        left = rest.unwrap_or(left);
        rest.is_some()
    });
    calls.into_iter().filter_map(RepeatedCall::of).collect()
}

/// Up to two calls of a tool that succeeded, with different replies; the second one may be a change of the first.
fn valid_calls(exchanges: &[Exchange], contract: &Contract, tool: &Tool) -> Vec<RepeatedCall> {
    let of_tool = || successes(exchanges, contract, tool, SLOW);
    let Some(first) = of_tool().next() else { return Vec::new() };
    let differs = |other: &&Exchange| {
        other.call.arguments != first.call.arguments && other.outcome.result() != first.outcome.result()
    };
    let mut calls: Vec<RepeatedCall> = RepeatedCall::of(first).into_iter().collect();
    let second = of_tool().find(differs).and_then(RepeatedCall::of);
    let changed = || Some(RepeatedCall { arguments: changed(tool, first)?, ..calls[0].clone() });
    calls.extend(second.or_else(changed));
    calls
}

/// Whether an exchange went as it should, took at most this many milliseconds, and is recorded as it was sent.
fn may_be_repeated(exchange: &Exchange, slowest: u64) -> bool {
    let line = serde_json::from_str::<Value>(&exchange.call.line).unwrap_or_default();
    exchange.environment.cause().is_none()
        && exchange.elapsed_ms <= slowest
        && exchange.strays.is_empty()
        && exchange.noise.is_empty()
        && exchange.changes.is_empty()
        && exchange.call.line.len() <= LONG
        && line.pointer("/params/arguments") == Some(&exchange.call.arguments)
        && exchange.outcome.words().iter().map(|text| text.len()).sum::<usize>() <= LONG
}

/// The arguments with another value in place of one that may have others: another member of a list, another text in place
/// of a free one that the reply repeats, or the next number. Whether that succeeds shows when it is sent alone.
fn changed(tool: &Tool, exchange: &Exchange) -> Option<Value> {
    let arguments = exchange.call.arguments.as_object()?;
    let reply = exchange.outcome.texts().concat();
    let schema =
        |name: &str| tool.parameters().find(|(parameter, _)| *parameter == name).map(|(_, schema)| schema);
    let change = |other: fn(&Value, &Value, &str) -> Option<Value>| {
        arguments.iter().find_map(|(name, value)| Some((name.clone(), other(schema(name)?, value, &reply)?)))
    };
    let (name, other) =
        change(another_member).or_else(|| change(another_text)).or_else(|| change(next_number))?;
    let mut arguments = arguments.clone();
    arguments.insert(name, other);
    Some(Value::Object(arguments))
}

fn another_member(schema: &Value, value: &Value, _: &str) -> Option<Value> {
    schema.get("enum")?.as_array()?.iter().find(|member| *member != value).cloned()
}

fn another_text(schema: &Value, value: &Value, reply: &str) -> Option<Value> {
    let text = value.as_str()?;
    let is_word = text.len() >= TELLING && text.chars().all(|char| char.is_alphanumeric() || char == ' ');
    (is_word && is_free(schema) && reply.contains(text)).then(|| Value::String(format!("{text}{OTHER}")))
}

fn next_number(schema: &Value, value: &Value, _: &str) -> Option<Value> {
    value.as_i64()?.checked_add(1).filter(|_| is_free(schema)).map(Value::from)
}

/// Whether nothing but the type binds a value.
fn is_free(schema: &Value) -> bool {
    BOUNDS.iter().all(|word| schema.get(word).is_none())
}

/// Calls that were refused, each in other words: one of each tool, then a second one, and so on. Those that an SDK refuses
/// come last: the tool has not begun.
fn refused_calls(exchanges: &[Exchange], contract: &Contract, tools: &[&Tool]) -> Vec<RepeatedCall> {
    let mut seen = BTreeSet::new();
    let mut refused: Vec<(bool, usize, RepeatedCall)> = Vec::new();
    for tool in tools {
        let of_tool = exchanges.iter().filter(|exchange| {
            exchange.tool() == Some(tool.name.as_str())
                && exchange.place.step == Step::Call
                && may_be_repeated(exchange, SLOW)
        });
        let mut rank = 0;
        for exchange in of_tool {
            if rank == REFUSED {
                break;
            }
            let Some(error) = read(contract, exchange) else { continue };
            if is_rationed(&error.text) || !seen.insert((tool.name.clone(), words(&error.text))) {
                continue;
            }
            let Some(call) = RepeatedCall::of(exchange) else { continue };
            refused.push((layer::is_sdk(&error.text), rank, call));
            rank += 1;
        }
    }
    refused.sort_by_key(|(is_of_sdk, rank, _)| (*is_of_sdk, *rank));
    refused.into_iter().map(|(_, _, call)| call).take(REFUSED).collect()
}

/// The first words of a text, which values seldom are.
fn words(text: &str) -> String {
    text.split_whitespace().take(4).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::contract::load_builtin;

    use super::*;

    fn exchange(step: Step, tool: &str, sent: &str, said: &str) -> Exchange {
        let arguments = json!({ "key": sent });
        let is_error = step == Step::Call;
        let outcome =
            Outcome::Result(json!({"content": [{"type": "text", "text": said}], "isError": is_error}));
        let mut exchange = Exchange::alone(Some(tool), arguments.clone(), outcome);
        exchange.call.line = json!({"params": {"name": tool, "arguments": arguments}}).to_string();
        exchange.place.step = step;
        exchange
    }

    fn planned(exchanges: &[Exchange]) -> (Vec<String>, Vec<String>) {
        let mut catalog = Catalog::default();
        let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object", "properties": {"key": {"type": "string"}}}});
        catalog.add_page(&json!({"tools": [tool("get"), tool("show"), tool("wipe")]}));
        let contract = load_builtin("plain").unwrap().unwrap();
        let plan = SessionPlan::after(exchanges, &contract, &catalog, |tool| tool.name != "wipe");
        let shown = |calls: Vec<RepeatedCall>| {
            let each = calls
                .into_iter()
                .map(|call| format!("{} {}", call.tool, call.arguments["key"].as_str().unwrap_or_default()));
            each.collect()
        };
        (shown(plan.calls), shown(plan.refused))
    }

    #[test]
    fn each_tool_has_two_calls_with_different_replies_if_they_are_known() {
        let control = |tool, sent, said| exchange(Step::Control, tool, sent, said);
        let both = [control("get", "amber", "1"), control("get", "basalt", "2"), control("wipe", "all", "3")];
        assert_eq!(planned(&both).0, ["get basalt", "get amber"]);
        assert_eq!(
            planned(&[control("get", "amber", "same"), control("get", "basalt", "same")]).0,
            ["get basalt"]
        );
        let echoed = [control("get", "amber", "1"), control("show", "amber", "this is amber")];
        assert_eq!(planned(&echoed).0, ["show amber", "show amber-other", "get amber"]);
        assert_eq!(planned(&[]).0, Vec::<String>::new());
    }

    #[test]
    fn second_call_of_a_tool_may_have_another_member_or_the_next_number() {
        let mut catalog = Catalog::default();
        let properties = json!({"side": {"enum": ["left", "right"]}, "count": {"type": "integer"}, "page": {"type": "integer", "maximum": 9}});
        catalog.add_page(
            &json!({"tools": [{"name": "get", "inputSchema": {"type": "object", "properties": properties}}]}),
        );
        let tool = catalog.tool("get").unwrap();
        let changed = |arguments: Value| {
            changed(tool, &Exchange::alone(Some("get"), arguments, Outcome::Result(json!({}))))
        };
        assert_eq!(changed(json!({"count": 3, "side": "left"})), Some(json!({"count": 3, "side": "right"})));
        assert_eq!(changed(json!({"count": 3})), Some(json!({"count": 4})));
        assert_eq!(changed(json!({"page": 3})), None);
    }

    #[test]
    fn slow_calls_and_such_as_changed_files_are_not_sent_again() {
        let mut slow = exchange(Step::Control, "get", "amber", "1");
        slow.elapsed_ms = SLOW + 1;
        assert_eq!(planned(&[slow]).0, Vec::<String>::new());
    }

    #[test]
    fn one_call_of_each_tool_gets_a_token_and_the_slowest_is_first() {
        let mut exchanges = [("get", 900), ("show", 1_100), ("wipe", 3_000)]
            .map(|(tool, elapsed_ms)| Exchange { elapsed_ms, ..exchange(Step::Control, tool, "amber", "1") });
        let plan = |exchanges: &[Exchange]| {
            let mut catalog = Catalog::default();
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            catalog.add_page(&json!({"tools": [tool("get"), tool("show"), tool("wipe")]}));
            let contract = load_builtin("plain").unwrap().unwrap();
            let tools: Vec<&Tool> = catalog.tools.iter().collect();
            let calls = calls_with_token(exchanges, &contract, &tools).into_iter();
            calls.map(|call| call.tool).collect::<Vec<_>>()
        };
        assert_eq!(plan(&exchanges), ["show", "get"]);
        exchanges[1].place.step = Step::Prepare;
        assert_eq!(plan(&exchanges), ["get"]);
    }

    #[test]
    fn refused_calls_are_of_many_tools_and_in_many_words() {
        let exchanges = [
            exchange(Step::Control, "get", "amber", "1"),
            exchange(Step::Call, "get", "x", "There is no `x`."),
            exchange(Step::Call, "get", "y", "A key must not be so short."),
            exchange(Step::Call, "get", "z", "A key must not be so long."),
            exchange(Step::Call, "get", "w", "Rate limit exceeded"),
            exchange(Step::Call, "show", "x", "Nothing to show."),
            exchange(Step::Call, "wipe", "x", "No."),
        ];
        assert_eq!(planned(&exchanges).1, ["get x", "show x", "get y"]);
    }
}
