//! Parameters without a type in the schema: only the server knows whether one may be missing, null or of
//! another type.

use serde_json::{Value, json};

use super::super::mutation::{Mutation, MutationKind};
use crate::json_schema::types;

/// The parameter left out, null, and of another type than `schema`, the schema of all parameters, assumes for
/// it; and all of them left out at once if there are several.
pub(crate) fn of_untyped<'n>(names: impl Iterator<Item = &'n str>, schema: &Value) -> Vec<Mutation> {
    let mut found = Vec::new();
    let mut all = Vec::new();
    for name in names {
        let mut change = |kind, value, label: &str| {
            found.push(Mutation::new(name, MutationKind::Special(kind), value, label));
        };
        change("left-out", None, "left out (allowed by the schema)");
        let assumed = schema.get("properties").and_then(|all| all.get(name)).map(types).unwrap_or_default();
        let other = match assumed.first() {
            Some(&"string") => json!(20),
            _ => json!("twelve"),
        };
        change("other-type", Some(other), "a value of another type (allowed by the schema)");
        change("null-value", Some(Value::Null), "null (allowed by the schema)");
        all.push((name.to_owned(), None));
    }
    if all.len() > 1 {
        found.insert(
            0,
            Mutation {
                parameter: None,
                kind: MutationKind::Special("left-out"),
                change: all,
                within: None,
                label: "all parameters left out (allowed by the schema)".to_owned(),
                listable: false,
            },
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_no_type_is_left_out_null_and_of_another_type() {
        let schema = json!({"properties": {"name": {"type": "string"}, "limit": {"type": "integer"}}});
        let found = of_untyped(["name", "limit"].into_iter(), &schema);
        let sent: Vec<Value> =
            found.iter().map(|change| change.apply(&json!({"name": "alpha", "limit": 1}))).collect();
        let expected = [
            json!({}),
            json!({"limit": 1}),
            json!({"name": 20, "limit": 1}),
            json!({"name": null, "limit": 1}),
            json!({"name": "alpha"}),
            json!({"name": "alpha", "limit": "twelve"}),
            json!({"name": "alpha", "limit": null}),
        ];
        assert_eq!(sent, expected);
        assert_eq!(of_untyped(["name"].into_iter(), &schema).len(), 3);
        assert!(found.iter().all(|change| change.kind.is_unusual()));
    }
}
