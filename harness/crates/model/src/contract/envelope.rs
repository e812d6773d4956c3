//! The JSON Schema of a contract's error objects: read with the contract, compiled once.
//!
//! The main type is [`Schema`]. It knows nothing of replies and rules; nothing outside its document is ever
//! opened.

use std::sync::OnceLock;

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json_schema::confirm::compile;

/// At most this many violations of one object are reported.
const FAULTS: usize = 20;

/// Where a contract's schema is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Envelope {
    /// In a file next to the contract's, by its name. Loading a contract replaces this by the schema.
    File(String),
    /// Included in the contract.
    Schema(Schema),
}

/// A JSON Schema; draft 2020-12 unless it says otherwise.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub struct Schema {
    document: Value,
    compiled: OnceLock<Option<Validator>>,
}

/// What is wrong with an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFault {
    /// The place, as a JSON Pointer; for a missing member, where it belongs.
    pub place: String,
    /// The problem, in words that complete "the object at PLACE ...".
    pub problem: String,
}

impl SchemaFault {
    /// The problem of a missing member.
    pub const MISSING: &str = "is missing";
}

impl From<Value> for Schema {
    fn from(document: Value) -> Self {
        Self { document, compiled: OnceLock::new() }
    }
}

impl From<Schema> for Value {
    fn from(schema: Schema) -> Self {
        schema.document
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.document == other.document
    }
}

#[cfg(any(test, feature = "schema"))]
impl schemars::JsonSchema for Schema {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Schema".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"description": "A JSON Schema.", "type": ["object", "boolean"]})
    }
}

impl Schema {
    /// Why it cannot be compiled: it is not a schema, or refers out of its document.
    pub(super) fn trouble(&self) -> Option<String> {
        compile(&self.document).err()
    }

    /// The violations of an object, up to a limit; empty if the schema itself cannot be used.
    pub fn faults(&self, object: &Value) -> Vec<SchemaFault> {
        let compiled = self.compiled.get_or_init(|| compile(&self.document).ok());
        let Some(validator) = compiled else { return Vec::new() };
        validator.iter_errors(object).take(FAULTS).flat_map(|error| faults(&error)).collect()
    }
}

/// The violations at their places: each missing or surplus member has its own.
fn faults(error: &jsonschema::ValidationError<'_>) -> Vec<SchemaFault> {
    let at = error.instance_path().as_str().to_owned();
    let below = |name: &str| format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
    let fault = |place: String, problem: &str| SchemaFault { place, problem: problem.to_owned() };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            vec![fault(below(property.as_str().unwrap_or_default()), SchemaFault::MISSING)]
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.iter().map(|name| fault(below(name), "is not allowed by this contract")).collect()
        }
        ValidationErrorKind::Type { kind } => vec![fault(at, &format!("is not of the type {}", types(kind)))],
        ValidationErrorKind::Constant { expected_value } => {
            vec![fault(at, &format!("is not {expected_value}"))]
        }
        ValidationErrorKind::MinItems { .. } => vec![fault(at, "has too few items")],
        // The library's own message quotes the value, which the caller may not want to see again.
        kind => vec![fault(at, &format!("violates `{}` in the contract's schema", kind.keyword()))],
    }
}

fn types(kind: &jsonschema::error::TypeKind) -> String {
    match kind {
        jsonschema::error::TypeKind::Single(kind) => kind.to_string(),
        jsonschema::error::TypeKind::Multiple(kinds) => {
            kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or ")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(schema: &Value, object: &Value, expected: &[(&str, &str)]) {
        let found = Schema::from(schema.clone()).faults(object);
        let found: Vec<_> =
            found.iter().map(|fault| (fault.place.as_str(), fault.problem.as_str())).collect();
        assert_eq!(found, expected, "{object}");
    }

    #[test]
    fn a_fault_has_the_place_of_the_member_that_it_is_about() {
        let schema = json!({
            "type": "object", "required": ["a"], "additionalProperties": false,
            "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}, "c": {"const": false}, "d": {"minItems": 1}},
        });
        check(&schema, &json!({"a": "x", "b": 1}), &[]);
        check(&schema, &json!({}), &[("/a", "is missing")]);
        check(&schema, &json!({"a": 7}), &[("/a", "is not of the type string")]);
        check(&schema, &json!({"a": "x", "b": "y"}), &[("/b", "is not of the type null or integer")]);
        check(&schema, &json!({"a": "x", "c": true}), &[("/c", "is not false")]);
        check(&schema, &json!({"a": "x", "d": []}), &[("/d", "has too few items")]);
        check(&schema, &json!({"a": "x", "e/f": 1}), &[("/e~1f", "is not allowed by this contract")]);
    }

    #[test]
    fn a_schema_that_refers_out_of_its_document_is_no_schema() {
        for at in ["https://example.com/schema.json", "file:///etc/passwd"] {
            let schema = Schema::from(json!({"properties": {"a": {"$ref": at}}}));
            assert!(schema.trouble().is_some(), "{at}");
            assert_eq!(schema.faults(&json!({"a": 1})), [], "{at}");
        }
    }
}
