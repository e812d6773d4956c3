//! Validates arguments against a schema, before a server is blamed.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::json_schema::is_small;

/// At most this many violations are read.
const VIOLATIONS: usize = 100;

/// What a schema says about arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    /// It allows them.
    Allows,
    /// It forbids them.
    Forbids,
    /// The schema cannot be compiled: it is invalid, refers out of its document, or is too large.
    Silent,
}

/// Compiles a schema, or says why it cannot be compiled. Nothing outside it is ever opened, and regular expressions run in
/// linear time, whatever a server puts into its schema.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    let options = jsonschema::options().offline().with_pattern_options(PatternOptions::regex());
    options.build(schema).map_err(|error| error.to_string())
}

/// A compiled schema, if it can be compiled within bounds.
#[derive(Debug)]
pub struct Confirmer(Option<Validator>);

impl Confirmer {
    /// Compiles a schema.
    pub fn new(schema: &Value) -> Self {
        if !schema.is_object() || !is_small(schema) {
            return Self(None);
        }
        Self(compile(schema).ok())
    }

    /// Whether the schema allows these arguments.
    pub fn ruling(&self, arguments: &Value) -> Ruling {
        match &self.0 {
            None => Ruling::Silent,
            Some(validator) if validator.is_valid(arguments) => Ruling::Allows,
            Some(_) => Ruling::Forbids,
        }
    }

    /// Whether the schema forbids what stands in these arguments at a JSON pointer, or within it.
    pub fn forbids_at(&self, arguments: &Value, pointer: &str) -> bool {
        let is_there =
            |at: &str| at.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let errors = self.0.iter().flat_map(|validator| validator.iter_errors(arguments));
        errors.take(VIOLATIONS).any(|error| is_there(error.instance_path().as_str()))
    }

    /// The keywords of the schema that these arguments go against, each once; none if it allows them or cannot be
    /// compiled.
    pub fn violated(&self, arguments: &Value) -> Vec<String> {
        let mut keywords: Vec<String> = Vec::new();
        for error in self.0.iter().flat_map(|validator| validator.iter_errors(arguments)).take(VIOLATIONS) {
            let keyword = error.kind().keyword();
            if !keywords.iter().any(|known| known == keyword) {
                keywords.push(keyword.to_owned());
            }
        }
        keywords
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_has_the_last_word_and_a_reference_out_of_it_silences_it() {
        let confirmer = Confirmer::new(&json!({"type": "object", "required": ["path"]}));
        assert_eq!(confirmer.ruling(&json!({"path": 1})), Ruling::Allows);
        assert_eq!(confirmer.ruling(&json!({})), Ruling::Forbids);
        assert_eq!(confirmer.violated(&json!({})), ["required"]);
        assert_eq!(confirmer.violated(&json!({"path": 1})), [""; 0]);
        let confirmer = Confirmer::new(
            &json!({"properties": {"day": {"type": "string"}, "days": {"items": {"type": "string"}}, "n": {"type": "integer"}}}),
        );
        let arguments = json!({"day": 5, "days": [5], "n": 1});
        for (at, is_forbidden) in
            [("/day", true), ("/days", true), ("/days/0", true), ("/d", false), ("/n", false), ("", true)]
        {
            assert_eq!(confirmer.forbids_at(&arguments, at), is_forbidden, "{at}");
        }
        for at in ["https://example.com/schema.json", "file:///etc/passwd"] {
            let schema = json!({"type": "object", "properties": {"a": {"$ref": at}}, "required": ["a"]});
            assert_eq!(Confirmer::new(&schema).ruling(&json!({})), Ruling::Silent, "{at}");
        }
        assert_eq!(Confirmer::new(&json!({"type": 7})).ruling(&json!({})), Ruling::Silent);
    }
}
