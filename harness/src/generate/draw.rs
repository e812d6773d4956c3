//! A plain valid draw: sensible arguments that a schema allows.

use serde_json::{Map, Value, json};

use super::confirm::{Confirmer, Ruling};
use super::names::plain_name;
use super::shown::shown_json;
use super::text::text;
use super::tool_files::ToolFiles;
use crate::json_schema::{flattened, required, types};

/// The maximum depth of a value.
const DEPTH: usize = 6;
/// Longer arrays are not drawn.
const ITEMS: u64 = 16;
/// The most values that one draw may hold.
const VALUES: usize = 400;

/// Plain words; the first ones occur in the files that the harness makes.
const WORDS: [&str; 6] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];

/// Draws arguments for one schema.
#[derive(Debug)]
pub struct Draw<'s> {
    root: &'s Value,
    tool_files: &'s ToolFiles,
    /// Which of several values is taken; varies from turn to turn.
    turn: usize,
    left: usize,
    /// How many plain words have been drawn.
    words: usize,
}

impl<'s> Draw<'s> {
    /// A draw for the tool's whole schema. Different turns may give different arguments.
    pub fn new(root: &'s Value, tool_files: &'s ToolFiles, turn: usize) -> Self {
        Self { root, tool_files, turn, left: VALUES, words: 0 }
    }

    /// The smallest arguments with everything required; `None` if no value can be made.
    pub fn arguments(mut self) -> Option<Map<String, Value>> {
        let root = flattened(self.root, self.root).into_owned();
        self.members(&root, DEPTH)
    }

    /// A value for one parameter.
    pub fn parameter(mut self, name: &str, schema: &Value) -> Option<Value> {
        self.value(name, schema, DEPTH)
    }

    fn members(&mut self, schema: &Value, depth: usize) -> Option<Map<String, Value>> {
        let mut members = Map::new();
        for name in required(schema) {
            let member = schema.get("properties").and_then(|all| all.get(name)).unwrap_or(&Value::Null);
            members.insert(name.to_owned(), self.value(name, member, depth)?);
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, member) in properties.into_iter().flatten().filter(|_| depth == DEPTH) {
            // Without this argument a git tool would use whichever repository it runs in.
            let description = member.get("description").and_then(Value::as_str).unwrap_or_default();
            let is_repository =
                self.tool_files.takes_repository(&plain_name(name), &description.to_lowercase());
            if is_repository && self.turn.is_multiple_of(2) && !members.contains_key(name) {
                members.insert(name.clone(), json!(self.tool_files.repository()));
            }
        }
        Some(members)
    }

    fn value(&mut self, name: &str, schema: &Value, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        self.left = self.left.checked_sub(1)?;
        let schema = flattened(schema, self.root).into_owned();
        if let Some(given) = self.given(&schema) {
            return Some(given);
        }
        match types(&schema).first().copied() {
            None | Some("string") => {
                let drawn = text(name, &schema, self.tool_files, self.turn)?;
                Some(Value::String(self.another_word(drawn, &schema)))
            }
            Some("boolean") => Some(json!(false)),
            Some("integer") => number(name, &schema, 1.0),
            Some("number") => number(name, &schema, 0.0),
            Some("null") => Some(Value::Null),
            Some("array") => self.array(name, &schema, depth),
            Some("object") => self.members(&schema, depth).map(Value::Object),
            Some(_) => None,
        }
    }

    /// In two of four turns each parameter gets a word of its own: a refusal that repeats a word then shows
    /// which parameter it means.
    fn another_word(&mut self, drawn: String, schema: &Value) -> String {
        if drawn != WORDS[0] || schema.get("pattern").is_some() {
            return drawn;
        }
        self.words += 1;
        let bounds = ["minLength", "maxLength"].iter().any(|bound| schema.get(bound).is_some());
        match WORDS.get(self.words - 1) {
            Some(word) if self.turn % 4 > 1 && !bounds => (*word).to_owned(),
            _ => drawn,
        }
    }

    /// A value that the schema itself gives: its default, constant, an example or a listed value.
    fn given(&self, schema: &Value) -> Option<Value> {
        let one = |key: &str| {
            let values = schema.get(key)?.as_array().filter(|values| !values.is_empty())?;
            values.get(self.turn % values.len()).cloned()
        };
        let usable = |key: &str| schema.get(key).filter(|value| !value.is_null()).cloned();
        usable("const")
            .or_else(|| one("examples"))
            .or_else(|| usable("example"))
            .or_else(|| usable("default"))
            .or_else(|| one("enum"))
    }

    fn array(&mut self, name: &str, schema: &Value, depth: usize) -> Option<Value> {
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        if let Some(shown) = shown_json(description, "array").filter(|_| self.turn.is_multiple_of(2))
            && Confirmer::new(&with_definitions(schema, self.root)).ruling(&shown) == Ruling::Allows
        {
            return Some(shown);
        }
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
        let least = bound("minItems").unwrap_or(0);
        if least > ITEMS {
            return None;
        }
        // One item says more than none, if one is allowed and can be made.
        let count = least.max(1).min(bound("maxItems").unwrap_or(ITEMS));
        let items = schema.get("items").unwrap_or(&Value::Null);
        // A description of the list applies to its items too.
        let items = &match items.as_object() {
            Some(members) if !description.is_empty() && !members.contains_key("description") => {
                let mut members = members.clone();
                members.insert("description".to_owned(), json!(description));
                Value::Object(members)
            }
            _ => items.clone(),
        };
        let drawn: Option<Vec<Value>> = (0..count).map(|_| self.value(name, items, depth)).collect();
        let mut drawn = match drawn {
            Some(drawn) => drawn,
            None if least == 0 => Vec::new(),
            None => return None,
        };
        if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
            for (index, item) in drawn.iter_mut().enumerate().skip(1) {
                *item = match &*item {
                    Value::String(text) => json!(format!("{text}{index}")),
                    Value::Number(number) => json!(number.as_f64()? + index as f64),
                    _ => return None,
                };
            }
        }
        Some(Value::Array(drawn))
    }
}

/// A schema within a document, with the definitions that its references point to.
fn with_definitions(schema: &Value, root: &Value) -> Value {
    let mut whole = schema.clone();
    for key in ["$defs", "definitions"] {
        if let (Some(members), Some(definitions)) = (whole.as_object_mut(), root.get(key)) {
            members.entry(key).or_insert_with(|| definitions.clone());
        }
    }
    whole
}

/// The smallest positive number that is allowed; a time limit is generous. `step` is 1 for integers.
fn number(name: &str, schema: &Value, step: f64) -> Option<Value> {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let usual: f64 = if name.to_lowercase().contains("timeout") { 10.0 } else { 1.0 };
    let above = bound("exclusiveMinimum").map(|bound| bound + if step > 0.0 { 1.0 } else { 0.5 });
    let below = bound("exclusiveMaximum").map(|bound| bound - if step > 0.0 { 1.0 } else { 0.5 });
    let least = bound("minimum").into_iter().chain(above).fold(f64::NEG_INFINITY, f64::max);
    let most = bound("maximum").into_iter().chain(below).fold(f64::INFINITY, f64::min);
    let mut drawn = usual.clamp(least.min(most), most);
    if let Some(factor) = bound("multipleOf").filter(|factor| *factor > 0.0) {
        drawn = (drawn / factor).ceil() * factor;
    }
    if step > 0.0 {
        drawn = drawn.ceil();
    }
    if drawn > most || !drawn.is_finite() {
        return None;
    }
    Some(super::edit::number(drawn))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(schema: &Value) -> Option<Value> {
        drawn(schema, "", 0)
    }

    /// What is drawn for a tool of this name.
    fn drawn(schema: &Value, tool: &str, turn: usize) -> Option<Value> {
        let tool_files = ToolFiles::at("/w/c").called(tool);
        Draw::new(schema, &tool_files, turn).arguments().map(Value::Object)
    }

    /// Checks the draw for one required parameter, which its own schema must allow.
    fn check(parameter: &Value, expected: &Value) {
        let schema = json!({"type": "object", "properties": {"p": parameter}, "required": ["p"],
                            "$defs": {"Level": {"type": "integer", "minimum": 3}}});
        let drawn = draw(&schema);
        assert_eq!(drawn.as_ref().map(|drawn| &drawn["p"]), Some(expected), "{parameter}");
        assert_eq!(Confirmer::new(&schema).ruling(&drawn.unwrap()), Ruling::Allows, "{parameter}");
    }

    #[test]
    fn a_tool_of_git_is_given_a_repository_and_a_state_that_is_there() {
        let schema = json!({"type": "object", "required": ["repo_path", "target"],
                            "properties": {"repo_path": {"type": "string"}, "target": {"type": "string"}}});
        let repository = |path: &str, target: &str| Some(json!({"repo_path": path, "target": target}));
        assert_eq!(drawn(&schema, "git_diff", 0), repository("/w/c/repository", "HEAD"));
        assert_eq!(drawn(&schema, "git_diff", 1), repository("/w/c/sub", "HEAD"));
        assert_eq!(drawn(&schema, "widget", 0), repository("/w/c/repository", "alpha"));
        let named = |tool: &str, name: &str| ToolFiles::at("/w/c").called(tool).revision(name);
        assert_eq!(named("git_checkout", "branchname"), Some("main"));
        assert_eq!(named("git_create_branch", "branchname"), None);
        assert_eq!([named("analyze_commit", "sha"), named("get_file", "sha")], [Some("HEAD"), None]);
        let schema = json!({"type": "object", "required": ["filePath"], "properties": {
            "filePath": {"type": "string"},
            "path": {"type": "string", "description": "Path to the Git repository"}}});
        let inside = json!({"filePath": "/w/c/repository/notes.txt", "path": "/w/c/repository"});
        assert_eq!(drawn(&schema, "git_blame", 0), Some(inside));
        assert_eq!(drawn(&schema, "git_blame", 1), Some(json!({"filePath": "notes.txt"})));
        assert_eq!(drawn(&schema, "blame", 0), Some(json!({"filePath": "/w/c/notes.txt"})));
    }

    #[test]
    fn what_a_schema_gives_comes_first_and_bounds_are_kept() {
        check(&json!({"type": "string", "examples": ["x", "y"]}), &json!("x"));
        check(&json!({"type": "string", "enum": ["one", "two"]}), &json!("one"));
        check(&json!({"$ref": "#/$defs/Level"}), &json!(3));
        check(&json!({"anyOf": [{"type": "null"}, {"type": "integer", "maximum": -4}]}), &json!(-4));
        check(&json!({"type": "number", "exclusiveMinimum": 1}), &json!(1.5));
        check(&json!({"type": "integer", "multipleOf": 7}), &json!(7));
        check(
            &json!({"type": "array", "items": {"type": "integer"}, "minItems": 2, "uniqueItems": true}),
            &json!([1, 2.0]),
        );
        check(
            &json!({"type": "array", "items": {"type": "object", "properties": {"q": {"type": "boolean"}}, "required": ["q"]}}),
            &json!([{"q": false}]),
        );
        check(
            &json!({"allOf": [{"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]}]}),
            &json!({"a": 1}),
        );
    }

    #[test]
    fn in_later_turns_each_parameter_has_a_word_of_its_own() {
        let schema = json!({"type": "object", "required": ["a", "b"],
                            "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
        assert_eq!(drawn(&schema, "", 0), Some(json!({"a": "alpha", "b": "alpha"})));
        assert_eq!(drawn(&schema, "", 2), Some(json!({"a": "alpha", "b": "beta"})));
    }

    #[test]
    fn a_list_that_its_description_shows_is_drawn_where_the_schema_allows_it() {
        let numbers = json!({"type": "array", "items": {"type": "array", "items": {"type": "number"}},
                             "description": "Rows, e.g. [[1, 2], [3, 4]]"});
        check(&numbers, &json!([[1, 2], [3, 4]]));
        let texts =
            json!({"type": "array", "items": {"type": "string"}, "description": "Names (e.g. [1, 2])"});
        assert_ne!(
            draw(&json!({"properties": {"p": texts}, "required": ["p"]})).unwrap()["p"],
            json!([1, 2])
        );
        check(
            &json!({"type": "array", "items": {"type": "string"}, "description": "Codes (e.g. 'USD')"}),
            &json!(["USD"]),
        );
    }

    #[test]
    fn what_has_no_end_is_not_drawn() {
        let many = json!({"properties": {"p": {"type": "array", "items": {"type": "integer"}, "minItems": 1_000_000_000}}, "required": ["p"]});
        assert_eq!(draw(&many), None);
        let circle = json!({"properties": {"p": {"$ref": "#"}}, "required": ["p"]});
        assert_eq!(draw(&circle), None);
        let double = json!({"$defs": {"d": {"type": "object", "properties": {"l": {"$ref": "#/$defs/d"}, "r": {"$ref": "#/$defs/d"}}, "required": ["l", "r"]}},
                            "properties": {"p": {"$ref": "#/$defs/d"}}, "required": ["p"]});
        assert_eq!(draw(&double), None);
    }
}
