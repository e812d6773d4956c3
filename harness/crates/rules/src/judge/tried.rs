//! What was tried in a case, in a few words: the tool, and how its call differs from one that succeeds.
//!
//! The main function is [`of_cases`].

use std::collections::HashMap;

use serde_json::Value;

use crate::condition::{self, CaseId, ConditionTrait};
use crate::exchange::{Exchange, Step};
use crate::expectation::Expected;
use crate::wording::excerpt;

/// At most this many arguments are named; beyond that their number is given.
const MOST: usize = 3;

/// What was tried in each case whose call was sent.
pub(super) fn of_cases(exchanges: &[Exchange]) -> HashMap<&CaseId, String> {
    let mut tried = HashMap::new();
    for exchange in exchanges.iter().filter(|exchange| exchange.place.step == Step::Call) {
        if let Some(case) = &exchange.place.case {
            let control = exchange.place.control.and_then(|index| exchanges.get(index));
            tried.entry(case).or_insert_with(|| describe(exchange, control));
        }
    }
    tried
}

fn describe(exchange: &Exchange, control: Option<&Exchange>) -> String {
    let call = &exchange.call;
    let name = call.tool.as_deref().unwrap_or(&call.method);
    if let (Expected::Without(name), None) = (&exchange.place.expected, &call.tool) {
        return format!("a start without the environment variable `{name}`");
    }
    let mut differences = Vec::new();
    let nothing = Value::Null;
    let same_tool = control.filter(|control| control.call.tool == call.tool);
    compare(
        &call.arguments,
        same_tool.map_or(&nothing, |control| &control.call.arguments),
        "",
        &mut differences,
    );
    if let Expected::Without(name) = &exchange.place.expected {
        differences.push(format!("without the environment variable `{name}`"));
    }
    if let Expected::Failure(failure) = &exchange.place.expected
        && condition::has(&failure.condition.0, ConditionTrait::Obstacle)
    {
        differences.extend(condition::says(&failure.condition.0).map(|says| format!("while {says}")));
    }
    let more = differences.len().saturating_sub(MOST);
    differences.truncate(MOST);
    if more > 0 {
        differences.push(format!("and {more} more"));
    }
    match differences.is_empty() {
        true => name.to_owned(),
        false => format!("{name} {}", differences.join(", ")),
    }
}

/// Collects the members in which two values differ; for an object that both have, its members.
fn compare(sent: &Value, control: &Value, within: &str, differences: &mut Vec<String>) {
    let Value::Object(members) = sent else {
        if sent != control {
            differences.push(format!("with {}", excerpt(&sent.to_string())));
        }
        return;
    };
    for (name, value) in members {
        match (value, control.get(name)) {
            (_, Some(other)) if other == value => {}
            (Value::Object(_), Some(other @ Value::Object(_))) => {
                compare(value, other, &format!("{within}{name}."), differences);
            }
            (value, _) => differences.push(format!("with `{within}{name}` {}", excerpt(&value.to_string()))),
        }
    }
    let left_out = control.as_object().into_iter().flatten().filter(|(name, _)| !members.contains_key(*name));
    differences.extend(left_out.map(|(name, _)| format!("without `{within}{name}`")));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    use super::*;

    fn check(sent: &Value, control: Option<&Value>, expected: &str) {
        let exchange = |arguments: &Value| Fixture::refusal("", arguments, Expected::Anything).exchange;
        let control = control.map(exchange);
        assert_eq!(describe(&exchange(sent), control.as_ref()), expected);
    }

    #[test]
    fn what_differs_from_the_call_that_succeeds_is_reported() {
        let control = json!({"path": "a.txt", "pattern": "*", "deep": {"far": 1, "near": 2}});
        let mut sent = control.clone();
        sent["pattern"] = json!("[a");
        check(&sent, Some(&control), "view with `pattern` \"[a\"");
        sent["deep"]["far"] = json!(null);
        check(&sent, Some(&control), "view with `pattern` \"[a\", with `deep.far` null");
        check(
            &json!({"path": "a.txt", "deep": {"far": 1, "near": 2}}),
            Some(&control),
            "view without `pattern`",
        );
        check(&control, Some(&control), "view");
    }

    #[test]
    fn without_such_a_call_every_argument_is_reported_and_of_many_the_first() {
        check(&json!({"path": "a.txt"}), None, "view with `path` \"a.txt\"");
        check(&json!({}), None, "view");
        let many = json!({"a": 1, "b": 2, "c": 3, "d": 4});
        check(&many, None, "view with `a` 1, with `b` 2, with `c` 3, and 1 more");
    }
}
