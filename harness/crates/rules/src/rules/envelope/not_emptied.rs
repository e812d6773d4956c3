//! `envelope/not-emptied`: an error reply lacks a field of the tool's result, or has a non-empty value in one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::contract::{ErrorChannel, JsonForm, ReplyForm};
use crate::exchange::Exchange;
use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Rule, RunContext};

/// PD-01: the result fields of the tool are all present and empty beside `error` and `problem`.
pub(crate) static RULE: Rule = Rule::of_run("envelope/not-emptied", include_str!("not_emptied.toml"), check);

fn check(run: &RunContext<'_>) -> Vec<(usize, Diagnostic)> {
    let ReplyForm::Json(form) = &run.contract.form else { return Vec::new() };
    if !form.emptied {
        return Vec::new();
    }
    let mut known: BTreeMap<&str, Option<Fields>> = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for exchange in &run.transcript.exchanges {
        let error = run.errors[exchange.index].as_ref().filter(|error| error.channel == ErrorChannel::Tool);
        let (Some(tool), Some(error)) = (exchange.tool(), error) else { continue };
        let object = error.data.as_ref().filter(|data| data.pointer(&form.code).is_some());
        let Some(object) = object.and_then(Value::as_object) else { continue };
        let fields = known.entry(tool).or_insert_with(|| fields(run, form, tool));
        if let Some(message) = fields.as_ref().and_then(|fields| fault(fields, object, tool)) {
            let help = "Start every error reply from an empty result of the tool: \"\", [], 0, false or null \
                in each field.";
            let diagnostic = Diagnostic::new(message, help).evidence(Evidence::whole(error.text.as_str()));
            diagnostics.push((exchange.index, diagnostic));
        }
    }
    diagnostics
}

/// The fields of a tool's result, and how they are known.
struct Fields {
    names: BTreeSet<String>,
    source: &'static str,
}

/// The fields that the tool's `outputSchema` requires, or else those that all its successful results had.
fn fields(run: &RunContext<'_>, form: &JsonForm, tool: &str) -> Option<Fields> {
    let is_own = |name: &str| !form.members().any(|member| member == name);
    let schema = run.transcript.head.catalog.tool(tool).and_then(|tool| tool.output_schema.as_ref());
    let required = schema.and_then(|schema| schema.get("required")?.as_array());
    if let Some(required) = required {
        let names: BTreeSet<_> = required
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| is_own(name))
            .map(str::to_owned)
            .collect();
        return (!names.is_empty()).then_some(Fields { names, source: "its `outputSchema` requires" });
    }
    let of_tool = run.transcript.exchanges.iter().filter(|exchange| exchange.tool() == Some(tool));
    let successes = of_tool.filter(|exchange| run.errors[exchange.index].is_none()).filter_map(result);
    let names = successes
        .filter(|object| object.keys().all(|name| is_own(name)))
        .map(|object| object.into_iter().map(|(name, _)| name).collect::<BTreeSet<_>>())
        .reduce(|one, other| one.intersection(&other).cloned().collect())?;
    (!names.is_empty()).then_some(Fields { names, source: "its successes have" })
}

/// The object in a successful result.
fn result(exchange: &Exchange) -> Option<Map<String, Value>> {
    let result = exchange.outcome.result().filter(|_| !exchange.outcome.is_tool_error())?;
    if let Some(Value::Object(structured)) = result.get("structuredContent") {
        return Some(structured.clone());
    }
    exchange.outcome.texts().into_iter().find_map(|text| serde_json::from_str(text).ok())
}

fn fault(fields: &Fields, object: &Map<String, Value>, tool: &str) -> Option<String> {
    let source = fields.source;
    if let Some(name) = fields.names.iter().find(|name| !object.contains_key(*name)) {
        return Some(format!("an error of `{tool}` lacks the field `{name}`, which {source}"));
    }
    let mut values = fields.names.iter().filter_map(|name| Some((name, object.get(name)?)));
    values.find(|(_, value)| !is_empty(value)).map(|(name, value)| {
        let value: String = value.to_string().chars().take(60).collect();
        format!("an error of `{tool}` has {value} in the field `{name}`, which {source}")
    })
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_empty),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(object: &Value, expected: Option<&str>) {
        let names = ["path", "lines"].map(str::to_owned).into();
        let fields = Fields { names, source: "its successes have" };
        let reported = fault(&fields, object.as_object().expect("an object"), "view");
        match (reported, expected) {
            (reported, None) => assert_eq!(reported, None),
            (reported, Some(words)) => {
                assert!(reported.as_deref().is_some_and(|reported| reported.contains(words)), "{reported:?}");
            }
        }
    }

    #[test]
    fn each_kind_of_nothing_is_empty_and_other_members_do_not_count() {
        for nothing in [json!(""), json!([]), json!({}), json!(0), json!(0.0), json!(false), json!(null)] {
            check(&json!({"path": nothing, "lines": 0, "note": "more"}), None);
        }
    }

    #[test]
    fn a_missing_and_a_full_field_are_named() {
        check(&json!({"path": ""}), Some("lacks the field `lines`"));
        check(&json!({"path": "", "lines": 3}), Some("has 3 in the field `lines`"));
        check(&json!({"path": "a", "lines": 0}), Some("has \"a\" in the field `path`"));
        check(&json!({"path": {"a": 1}, "lines": 0}), Some("in the field `path`"));
    }
}
