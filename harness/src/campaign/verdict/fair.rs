//! Whether a call may be judged by comparison with a successful call of its tool: if they differ in only one
//! argument.
//!
//! The main function is [`fair`]. It leaves out what is uncertain, because a false alarm is worse than a miss.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::condition::Condition;
use crate::expectation::{Authority, ExpectedFailure, ExpectedValue};
use crate::generate::{Validity, is_renamed};
use crate::pattern;

/// A longer value is echoed truncated, or not at all.
const LONG: usize = 60;

/// What is expected of a refusal, by its control.
#[derive(Debug, Clone)]
pub(super) struct FairControl {
    /// What must hold of the refusal.
    pub(super) failure: ExpectedFailure,
    /// The argument in which the call differs from its control; `None` if the call was repeated.
    pub(super) changed: Option<String>,
    /// In how many arguments they differ, counting another number in a name too.
    pub(super) distance: usize,
}

/// What must hold of the refusal of `arguments`, if the control differs in one argument that may be blamed, or
/// in none: then the call was repeated. Names that differ only in their number count as equal, because nothing
/// has these names. `violated` are the keywords of the schema that the arguments violate.
pub(super) fn fair(
    arguments: &Value,
    control: &Value,
    validity: Validity,
    violated: &[String],
) -> Option<FairControl> {
    let (sent, good) = (arguments.as_object()?, control.as_object()?);
    let names = sent.keys().chain(good.keys().filter(|name| !sent.contains_key(*name)));
    let mut changed: Vec<&String> = names.filter(|name| sent.get(*name) != good.get(*name)).collect();
    let distance = changed.len();
    if distance > 1 {
        let is_renamed = |name: &str| is_renamed(name, sent.get(name)?, good.get(name)?).then_some(());
        changed.retain(|name| is_renamed(name).is_none());
    }
    let name = match changed.as_slice() {
        [] if validity == Validity::Valid => {
            return repeated(sent).map(|failure| FairControl { failure, changed: None, distance });
        }
        [name] => *name,
        _ => return None,
    };
    let named = || ExpectedValue::Parameter(name.clone());
    let (condition, value) = match (validity, sent.get(name)) {
        (Validity::Valid, Some(value)) => {
            ("refused-value", ExpectedValue::AnyOf(vec![named(), ExpectedValue::Text(plain(value)?)]))
        }
        (Validity::Invalid, None) => ("missing-argument", named()),
        (Validity::Invalid, Some(Value::Null)) => ("null-argument", named()),
        (Validity::Invalid, Some(value)) => {
            let [keyword] = violated else { return None };
            let text = ExpectedValue::Text(plain(value)?);
            match keyword.as_str() {
                "type" => ("invalid-type", named()),
                "enum" => ("unknown-enum-value", ExpectedValue::AnyOf(vec![named(), text])),
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => ("out-of-range", named()),
                _ => return None,
            }
        }
        _ => return None,
    };
    let changed = Some(name.clone());
    Some(FairControl { failure: failure(condition, value, validity), changed, distance })
}

/// Whether a refusal is about a temporary state, such as a lock held by another process: then no argument is
/// wrong.
pub(super) fn passes_by_itself(text: &str) -> bool {
    pattern!("cause/passing").is_match(text)
}

/// Whether a refusal says that something of this name holds what the call asked for. If that is the name given
/// by the control, what the control created is in the way, and no argument is wrong.
pub(super) fn names_the_holder(text: &str, holder: &Value) -> bool {
    let Some(holder) = plain(holder).filter(|holder| holder.len() > 1) else { return false };
    let is_it = |rest: &str| {
        let after = rest.strip_prefix(holder.as_str());
        after.is_some_and(|after| !after.starts_with(|letter: char| letter.is_alphanumeric()))
    };
    pattern!("cause/holder").find_iter(text).any(|found| is_it(&text[found.end()..]))
}

/// The expectation for a successful call that is repeated: its refusal names what is in the way.
fn repeated(sent: &Map<String, Value>) -> Option<ExpectedFailure> {
    let plain: BTreeSet<String> = sent.values().filter_map(plain).collect();
    let values: Vec<ExpectedValue> = plain.into_iter().map(ExpectedValue::Text).collect();
    (!values.is_empty()).then(|| failure("repeated-call", ExpectedValue::AnyOf(values), Validity::Valid))
}

fn failure(condition: &str, value: ExpectedValue, validity: Validity) -> ExpectedFailure {
    ExpectedFailure {
        value: Some(value),
        or_success: validity == Validity::Valid,
        ..ExpectedFailure::of(Condition(condition.to_owned()), Authority::Schema)
    }
}

/// A value that is echoed unchanged, if at all: a short plain text that is not a path, or an ordinary number.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let is_plain = |letter: char| letter.is_ascii_graphic() && !"/\\{}$%`'\"<>".contains(letter);
            let is_usual =
                !text.is_empty() && text.len() <= LONG && text.split(' ').all(|word| !word.is_empty());
            (is_usual && text.chars().all(|letter| letter == ' ' || is_plain(letter))).then(|| text.clone())
        }
        Value::Number(number) => {
            number.as_i64().filter(|number| number.unsigned_abs() < 1 << 31).map(|number| number.to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn condition(sent: &Value, validity: Validity, violated: &[&str]) -> Option<String> {
        let control = json!({"title": "alpha", "order": "asc"});
        let violated: Vec<String> = violated.iter().map(|keyword| (*keyword).to_owned()).collect();
        fair(sent, &control, validity, &violated).map(|fair| fair.failure.condition.0)
    }

    #[test]
    fn a_call_is_judged_beside_one_that_differs_in_a_single_plain_argument() {
        let (valid, invalid) = (Validity::Valid, Validity::Invalid);
        for (sent, validity, violated, expected) in [
            (json!({"title": "alpha", "order": "x"}), valid, &[][..], Some("refused-value")),
            (json!({"title": "alpha", "order": "asc"}), valid, &[], Some("repeated-call")),
            (json!({"order": "asc"}), invalid, &["required"], Some("missing-argument")),
            (json!({"title": 7, "order": "asc"}), invalid, &["type"], Some("invalid-type")),
            (json!({"title": 7, "order": "asc"}), invalid, &["type", "enum"], None),
            (json!({"title": "beta", "order": "x"}), valid, &[], None),
            (json!({"title": "alpha-12", "order": "x"}), valid, &[], Some("refused-value")),
            (json!({"title": "alpha-12", "order": "asc"}), valid, &[], Some("refused-value")),
            (json!({"title": "../etc", "order": "asc"}), valid, &[], None),
            (json!({"title": ["a"], "order": "asc"}), valid, &[], None),
            (json!({"title": "alpha", "order": "x"}), Validity::Unknown, &[], None),
        ] {
            assert_eq!(condition(&sent, validity, violated).as_deref(), expected, "{sent}");
        }
    }

    #[test]
    fn who_holds_a_thing_is_distinguished_from_what_may_be_given() {
        for (text, expected) in [
            ("Could not reserve 'a/**': it is held by 'agent-alpha'. Ask the holder.", true),
            ("The branch is checked out by agent-alpha", true),
            ("`x` already belongs to \"agent-alpha\".", true),
            ("it is held by 'agent-alphabet'", false),
            ("agent must be one of agent-alpha, agent-beta", false),
            ("Unknown agent. Did you mean agent-alpha?", false),
        ] {
            assert_eq!(names_the_holder(text, &json!("agent-alpha")), expected, "{text}");
        }
        assert!(!names_the_holder("it is held by 7", &json!([7])));
    }

    #[test]
    fn what_passes_by_itself_is_no_argument_s_fault() {
        for text in [
            "Error executing tool add: database is locked",
            "EBUSY: resource busy or locked, open 'a'",
            "The request timed out.",
            "Resource temporarily unavailable",
        ] {
            assert!(passes_by_itself(text), "{text}");
        }
        for text in [
            "UNIQUE constraint failed: notes.title",
            "The cell has a lock: unlock it first.",
            "timeout must be 1 to 9",
        ] {
            assert!(!passes_by_itself(text), "{text}");
        }
    }
}
