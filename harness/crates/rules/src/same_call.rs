//! Calls that succeeded before in the same process, sent again where only other calls make a difference: others in flight,
//! one that was cancelled, or ones that were refused.
//!
//! The main function is [`is_disturbed`]. Live and from a recording the same reply gets the same answer.

use serde_json::Value;

use crate::contract::{Contract, read};
use crate::exchange::{Exchange, Step};
use crate::expectation::{Authority, Expected};
use crate::json::texts;
use crate::judge::has_succeeded;
use crate::pattern;
use crate::wording::circumstance::is_of_circumstance;

/// A shorter value could be in any text.
const TELLING: usize = 4;

/// How this call differs from the one that succeeded, in words; `None` if it is no such call, or if a repeated trial has
/// taken its place.
pub(crate) fn difference(exchange: &Exchange) -> Option<&str> {
    match &exchange.place.expected {
        Expected::Success { why, authority: Authority::Alone | Authority::Before, .. } => Some(why),
        _ => None,
    }
}

/// Whether the other calls made a difference that they must not make.
pub fn is_disturbed(exchange: &Exchange, exchanges: &[Exchange], contract: &Contract) -> bool {
    exchange.outcome.is_lost()
        || is_refused(exchange, contract) && !is_excused(exchange, contract)
        || meant_for(exchange, exchanges).is_some()
}

/// Whether the call was refused, with or without the flag.
pub fn is_refused(exchange: &Exchange, contract: &Contract) -> bool {
    !exchange.outcome.is_lost() && !has_succeeded(exchange, contract)
}

/// Whether the refusal names a reason that may be right: a limit on calls, a lock, something that exists meanwhile, or what
/// no call can change. Where nothing else is in flight, it is not right that something is.
pub fn is_excused(exchange: &Exchange, contract: &Contract) -> bool {
    let text = match read(contract, exchange) {
        Some(error) => std::iter::once(error.text).chain(error.more).collect::<Vec<_>>().join("\n"),
        None => exchange.outcome.words().join("\n"),
    };
    let is_alone = matches!(exchange.place.expected, Expected::Success { authority: Authority::Before, .. });
    is_of_circumstance(&text) || !is_alone && pattern!("cause/concurrent").is_match(&text)
}

/// The call for which this reply was meant, if it is that of another call which was in flight at the time: it equals the
/// reply that the other one got alone, or has the other one's values in place of its own.
pub fn meant_for<'e>(exchange: &Exchange, exchanges: &'e [Exchange]) -> Option<&'e Exchange> {
    let control = |exchange: &Exchange| exchanges.get(exchange.place.control?);
    let own = control(exchange)?;
    let reply = exchange.outcome.result()?;
    let expected = own.outcome.result()?;
    if reply == expected
        || !matches!(exchange.place.expected, Expected::Success { authority: Authority::Alone, .. })
    {
        return None;
    }
    let is_beside = |other: &&Exchange| {
        other.index != exchange.index
            && other.process == exchange.process
            && other.place.step == exchange.place.step
            && other.place.case == exchange.place.case
            && difference(other).is_some()
    };
    exchanges.iter().filter(is_beside).find(|other| {
        let Some(meant) = control(other) else { return false };
        let Some(alone) = meant.outcome.result() else { return false };
        alone != expected && (reply == alone || has_values_of(reply, meant, own))
    })
}

/// Whether a reply has the values that another call sent and got back, and none of those of its own.
fn has_values_of(reply: &Value, other: &Exchange, own: &Exchange) -> bool {
    let (theirs, ours) = (telling(other, own), telling(own, other));
    !theirs.is_empty()
        && !ours.is_empty()
        && theirs.iter().all(|value| contains(reply, value))
        && !ours.iter().any(|value| contains(reply, value))
}

/// The values that a call sent and got back, and that have no place in another one.
fn telling<'e>(of: &'e Exchange, not: &Exchange) -> Vec<&'e str> {
    let (Some(of_reply), Some(not_reply)) = (of.outcome.result(), not.outcome.result()) else {
        return Vec::new();
    };
    let is_in_other = |value: &str| contains(not_reply, value) || contains(&not.call.arguments, value);
    let is_telling =
        |value: &&str| value.len() >= TELLING && contains(of_reply, value) && !is_in_other(value);
    texts(&of.call.arguments).filter(is_telling).collect()
}

fn contains(value: &Value, part: &str) -> bool {
    texts(value).any(|text| text.contains(part))
}

/// Whether rules judge the reply: a trial that was repeated is judged in its repetition.
pub(crate) fn is_judged(exchange: &Exchange) -> bool {
    matches!(exchange.place.step, Step::Call | Step::Again)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::contract::load_builtin;
    use crate::exchange::Outcome;

    use super::*;

    fn exchange(
        index: usize,
        sent: &str,
        said: &str,
        control: Option<usize>,
        authority: Authority,
    ) -> Exchange {
        let outcome = Outcome::Result(json!({"content": [{"type": "text", "text": said}]}));
        let mut exchange = Exchange::alone(Some("note"), json!({ "key": sent }), outcome);
        exchange.index = index;
        exchange.place.control = control;
        if control.is_some() {
            exchange.place.expected = Expected::Success {
                exit_status: None,
                why: "it succeeded alone".to_owned(),
                task_limit: false,
                changes_file: false,
                authority,
            };
        }
        exchange
    }

    /// For which of two calls the reply to the first was meant, if for another.
    fn meant(alone: [&str; 2], at_once: [&str; 2]) -> Option<usize> {
        let exchanges = [
            exchange(0, "amber", alone[0], None, Authority::Alone),
            exchange(1, "basalt", alone[1], None, Authority::Alone),
            exchange(2, "amber", at_once[0], Some(0), Authority::Alone),
            exchange(3, "basalt", at_once[1], Some(1), Authority::Alone),
        ];
        meant_for(&exchanges[2], &exchanges).map(|other| other.index)
    }

    #[test]
    fn reply_of_another_call_is_told_from_one_that_only_changed() {
        assert_eq!(meant(["one", "two"], ["two", "one"]), Some(3));
        assert_eq!(meant(["one", "two"], ["one", "two"]), None);
        assert_eq!(meant(["read 1", "read 2"], ["read 3", "read 4"]), None, "a counter");
        assert_eq!(meant(["one", "one"], ["two", "one"]), None, "they are answered alike");
        assert_eq!(meant(["1: amber", "2: basalt"], ["3: basalt", "4: basalt"]), Some(3));
        assert_eq!(meant(["1: amber", "2: basalt"], ["3: amber", "4: basalt"]), None);
        assert_eq!(
            meant(["1: amber", "2: basalt"], ["3: amber basalt", "4: basalt"]),
            None,
            "a list of both"
        );
    }

    #[test]
    fn refusal_is_excused_where_it_may_be_right() {
        let contract = load_builtin("plain").unwrap().unwrap();
        let excused = |text: &str, authority| {
            let mut exchange = exchange(1, "amber", text, Some(0), authority);
            exchange.outcome =
                Outcome::Result(json!({"isError": true, "content": [{"type": "text", "text": text}]}));
            is_excused(&exchange, &contract)
        };
        for text in [
            "Rate limit exceeded",
            "another export is in progress",
            "`a` already exists",
            "it is locked by b",
        ] {
            assert!(excused(text, Authority::Alone), "{text}");
        }
        assert!(!excused("'NoneType' object has no attribute 'send'", Authority::Alone));
        assert!(!excused("a transaction is already in progress", Authority::Before));
        assert!(excused("Too many requests", Authority::Before));
    }
}
