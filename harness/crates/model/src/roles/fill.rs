//! Values for required arguments of a tool that no parameter of the role fills.
//!
//! A value is taken from the schema if that gives one, or from the meaning of a common name such as
//! `timeout_ms` or `cwd`. If neither helps, there is no fair value, and the tool is not bound.

use serde_json::{Map, Value, json};

use crate::catalog::Tool;
use crate::json_schema::{chosen, first_type, required};

use super::slot::plain;

/// The maximum depth of a required value.
const DEPTH: usize = 4;

/// A place that an argument fills: the array whose items contain it, if any, and its name.
pub(super) type Filled<'t> = (Option<&'t str>, &'t str);

/// Adds a value for each required parameter of a tool that is neither present nor filled by an argument.
pub(super) fn fill(tool: &Tool, filled: &[Filled<'_>], members: &mut Map<String, Value>) -> Option<()> {
    let (own, root) = (tool.own_schema(), &tool.input_schema);
    for name in required(own) {
        if members.contains_key(name) || filled.contains(&(None, name)) {
            continue;
        }
        let parameter = tool.parameter(name).unwrap_or(&Value::Null);
        if filled.iter().all(|(array, _)| *array != Some(name)) {
            members.insert(name.to_owned(), value(name, parameter, root, DEPTH)?);
            continue;
        }
        let item = chosen(chosen(parameter, root).get("items").unwrap_or(&Value::Null), root);
        let mut first = Map::new();
        for inner in required(item).filter(|inner| !filled.contains(&(Some(name), inner))) {
            let member = item.get("properties").and_then(|all| all.get(inner)).unwrap_or(&Value::Null);
            first.insert(inner.to_owned(), value(inner, member, root, DEPTH)?);
        }
        if !first.is_empty() {
            members.insert(name.to_owned(), json!([first]));
        }
    }
    Some(())
}

/// A value that this schema accepts, as far as can be told.
fn value(name: &str, schema: &Value, root: &Value, depth: usize) -> Option<Value> {
    let resolved = chosen(schema, root);
    let said = |key: &str| schema.get(key).or_else(|| resolved.get(key));
    let listed = |key: &str| said(key)?.as_array()?.first();
    if let Some(value) = said("default")
        .or_else(|| said("const"))
        .or_else(|| listed("enum"))
        .or_else(|| said("example"))
        .or_else(|| listed("examples"))
    {
        return Some(value.clone());
    }
    let depth = depth.checked_sub(1)?;
    let description = said("description").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    match first_type(resolved)? {
        "boolean" => Some(json!(false)),
        "integer" | "number" => Some(number(name, &description, resolved)),
        "string" => text(name, &description),
        "array" => match resolved.get("minItems").and_then(Value::as_u64) {
            None if required(chosen(resolved.get("items")?, root)).next().is_none() => Some(json!([])),
            Some(0) => Some(json!([])),
            None | Some(1) => Some(json!([value(name, resolved.get("items")?, root, depth)?])),
            Some(_) => None,
        },
        "object" => {
            let mut members = Map::new();
            for inner in required(resolved) {
                let member = resolved.get("properties")?.get(inner)?;
                members.insert(inner.to_owned(), value(inner, member, root, depth)?);
            }
            Some(Value::Object(members))
        }
        _ => None,
    }
}

/// A generous time limit, or the smallest allowed value of any other number.
fn number(name: &str, description: &str, schema: &Value) -> Value {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let name = plain(name);
    let usual = match name.contains("timeout") {
        true if name.ends_with('s') && !name.ends_with("ms")
            || description.contains("second") && !description.contains("milli") =>
        {
            10.0
        }
        true => 10_000.0,
        false => {
            bound("minimum").or_else(|| bound("exclusiveMinimum").map(|bound| bound + 1.0)).unwrap_or(1.0)
        }
    };
    let number = usual.min(bound("maximum").unwrap_or(usual));
    if number.fract() == 0.0 && number.abs() < 1e15 { json!(number as i64) } else { json!(number) }
}

/// A text for a parameter whose name or description says what it is for.
fn text(name: &str, description: &str) -> Option<Value> {
    match plain(name).as_str() {
        "cwd" | "workdir" | "workingdir" | "workingdirectory" | "directory" | "dir" => Some(json!(".")),
        "explanation" | "description" | "reason" | "purpose" | "justification" | "summary" => {
            Some(json!("conformance check"))
        }
        "glob" | "globpattern" | "filepattern" | "include" | "pattern" if description.contains("glob") => {
            Some(json!("**/*"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A schema, the places that arguments fill, and the members that are filled besides.
    #[derive(serde::Deserialize)]
    struct Case {
        why: String,
        schema: Value,
        filled: Vec<(Option<String>, String)>,
        members: Option<Value>,
    }

    #[test]
    fn each_schema_is_filled_with_the_members_of_its_line() {
        for line in include_str!("fill/cases.jsonl").lines() {
            let case: Case = serde_json::from_str(line).expect("a line is a case");
            let filled: Vec<Filled<'_>> =
                case.filled.iter().map(|(list, name)| (list.as_deref(), name.as_str())).collect();
            let mut members = Map::new();
            let done = fill(&Tool::named("t", case.schema.clone()), &filled, &mut members);
            assert_eq!(done.map(|()| Value::Object(members)), case.members, "{}", case.why);
        }
    }
}
