//! Values that belong to the process that returned them, such as the id of a session kept in memory: once it is replaced, the
//! call that returned the value is sent again.
//!
//! The main function is [`Driver::with_values_anew`].

use std::collections::HashMap;

use serde_json::Value;

use crate::contract::Contract;
use crate::exchange::Exchange;
use crate::generate::key_of;
use crate::json::{as_text, texts};
use crate::judge::has_succeeded;
use crate::names::returned::ReturnedValue;
use crate::plan::ProbedTool;

use super::probe_control::{Found, Repeatability, SuccessfulCall, Tried};
use super::{Abort, Driver};

/// A shorter value may be anything.
const TELLING: usize = 3;

/// By a value that an earlier process returned, the process that was asked for it last, and what that one returned instead.
pub(super) type ReissuedValues = HashMap<String, (usize, Option<Value>)>;

impl Driver<'_> {
    /// A call that succeeded in an earlier process, with what the running one returns in place of the values from there.
    pub(super) async fn with_values_anew(
        &mut self,
        tool: &ProbedTool,
        before: Option<&SuccessfulCall>,
    ) -> Found {
        let Some(before) = before else { return Ok(None) };
        let sent: Vec<String> = texts(&before.arguments).map(str::to_owned).collect();
        let mut arguments = before.arguments.clone();
        for value in sent {
            if let Some(anew) = self.anew(tool, &value).await? {
                replace(&mut arguments, &value, &anew);
            }
        }
        if arguments == before.arguments {
            return Ok(None);
        }
        let tried = self.tried(tool, &arguments).await?.unless_lost()?;
        let repeatability = Repeatability::Steady;
        Ok(tried.ok().map(|control| SuccessfulCall { control, arguments, repeatability }))
    }

    /// What the running process returns where an earlier one returned this value.
    async fn anew(&mut self, tool: &ProbedTool, value: &str) -> Result<Option<Value>, Abort> {
        let Some(running) = self.pool.number() else { return Ok(None) };
        if let Some((_, anew)) = self.reissued.get(value).filter(|(process, _)| *process == running) {
            return Ok(anew.clone());
        }
        let (exchanges, of_user) = (&self.pool.exchanges, (tool.name.as_str(), value));
        let source = source(exchanges, self.contract, of_user, running);
        let Some((maker, key, turn)) = source.filter(|_| value.len() >= TELLING) else { return Ok(None) };
        let Some((maker, found)) = self.valid_call(&maker) else { return Ok(None) };
        let anew = match Box::pin(self.tried(&maker, &found.arguments)).await? {
            Tried::Succeeded(index) => self.pool.exchanges[index].outcome.result().and_then(|reply| {
                let under_key =
                    ReturnedValue::collect(reply).into_iter().filter(|returned| returned.key == key);
                under_key.map(|returned| returned.value).nth(turn)
            }),
            Tried::Refused(_) | Tried::Lost(_) => None,
        };
        self.reissued.insert(value.to_owned(), (running, anew.clone()));
        Ok(anew)
    }
}

/// The other tool whose call first returned a value, the key of the value, and how many values with that key came before it in
/// the reply; `None` if that was in the running process, or if the value was known to the caller.
fn source(
    exchanges: &[Exchange],
    contract: &Contract,
    (user, value): (&str, &str),
    running: usize,
) -> Option<(String, String, usize)> {
    let wanted = Value::from(value);
    let has_it = |exchange: &&Exchange| {
        exchange.outcome.result().is_some_and(|reply| key_of(reply, &wanted).is_some())
    };
    let first = exchanges.iter().find(has_it)?;
    let tool = first.tool().filter(|tool| *tool != user)?;
    let is_of_caller = texts(&first.call.arguments).any(|text| text.contains(value));
    if is_of_caller || first.process == running || !has_succeeded(first, contract) {
        return None;
    }
    let returned = ReturnedValue::collect(first.outcome.result()?);
    let at = returned.iter().position(|returned| as_text(&returned.value) == value)?;
    let turn = returned[..at].iter().filter(|other| other.key == returned[at].key).count();
    (!returned[at].key.is_empty()).then(|| (tool.to_owned(), returned[at].key.clone(), turn))
}

/// Puts another value in the place of a text, wherever it stands.
fn replace(value: &mut Value, text: &str, other: &Value) {
    match value {
        Value::String(known) if known == text => *known = as_text(other),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, text, other)),
        Value::Object(members) => members.values_mut().for_each(|member| replace(member, text, other)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exchange::Outcome;

    #[test]
    fn a_value_comes_from_the_call_of_another_tool_in_an_earlier_process() {
        let began = |user: &str, process: usize| {
            let text = r#"{"open": 1, "sessions": [{"id": "s-1"}, {"id": "s-7"}]}"#;
            let reply = json!({"content": [{"type": "text", "text": text}]});
            let made = Exchange::alone(Some("begin"), json!({"user": user}), Outcome::Result(reply));
            Exchange { process, ..made }
        };
        let contract = crate::contract::load_builtin("plain").unwrap().unwrap();
        let of = |exchange: Exchange, user: &str, running| {
            source(&[exchange], &contract, (user, "s-7"), running).map(|(tool, _, turn)| (tool, turn))
        };
        assert_eq!(of(began("ada", 0), "save", 1), Some(("begin".to_owned(), 1)));
        assert_eq!(of(began("ada", 1), "save", 1), None, "the process still runs");
        assert_eq!(of(began("ada", 0), "begin", 1), None, "it is the tool's own");
        assert_eq!(of(began("s-7", 0), "save", 1), None, "the caller chose it");
    }

    #[test]
    fn a_value_is_replaced_wherever_it_stands() {
        let mut arguments = json!({"session": "s-7", "more": [{"of": "s-7"}, "s-77"]});
        replace(&mut arguments, "s-7", &json!("s-8"));
        assert_eq!(arguments, json!({"session": "s-8", "more": [{"of": "s-8"}, "s-77"]}));
    }
}
