//! Values of which a schema says nothing, and which a server may refuse all the same: what a tester tries next.
//!
//! The main function is [`unusual`]. What comes back is judged for what every error reply owes; whether the server should
//! have refused the value nobody can say.

use serde_json::{Value, json};

use super::executable::{ExecutableKind, Language};
use super::mutation::{Mutation, MutationKind};
use super::schema::{flattened, types};

/// A text that names nothing.
const UNLISTED: &str = "no-such-value";
/// A text that no parser of expressions, queries or patterns takes.
const UNPARSABLE: &str = "((\"[1 +* ";
/// So many letters are more than a name or a title has.
const LONG: usize = 5_000;
/// Larger than what is counted in pages or lines, and small enough to be worked off.
const LARGE: i64 = 100_000;

/// Unusual values of a tool's parameters, parameter by parameter. What `executed` says of one is executed, opened or sent:
/// it gets what does no harm, or nothing.
pub(crate) fn unusual(
    schema: &Value,
    executed: &dyn Fn(&str, &Value) -> Option<ExecutableKind>,
) -> Vec<Mutation> {
    let whole = flattened(schema, schema);
    let properties = whole.get("properties").and_then(Value::as_object);
    let mut found = Vec::new();
    for (name, parameter) in properties.into_iter().flatten() {
        let flat = flattened(parameter, schema);
        let is_closed = flat.get("enum").is_some() || flat.get("const").is_some();
        if is_closed {
            continue;
        }
        let of = |kind, value, label: &str| Mutation::of(name, kind, Some(value), label);
        if let Some(executable) = executed(name, &flat) {
            let is_text = types(&flat).first() == Some(&"string");
            let wrong = wrong_of(executable).iter().filter(|_| is_text);
            found.extend(wrong.map(|(kind, value, label)| of(*kind, json!(value), label)));
            continue;
        }
        match types(&flat).first().copied() {
            Some("string") => found.extend([
                of(MutationKind::Unlisted, json!(UNLISTED), "a name of something that does not exist"),
                of(MutationKind::Unparsable, json!(UNPARSABLE), "a text that no parser accepts"),
                of(MutationKind::Long, json!("a".repeat(LONG)), "a text of 5,000 letters"),
                of(MutationKind::Unfilled, json!(""), "the empty text, which the schema allows"),
            ]),
            Some("integer" | "number") => found.extend([
                of(MutationKind::Zero, json!(0), "0"),
                of(MutationKind::Negative, json!(-1), "-1"),
                of(MutationKind::Large, json!(LARGE), "100,000"),
            ]),
            _ => {}
        }
    }
    found
}

/// What is refused in the place of something that is executed, and does no harm whatever a server makes of it.
fn wrong_of(executable: ExecutableKind) -> &'static [(MutationKind, &'static str, &'static str)] {
    match executable {
        ExecutableKind::Sql => &[
            (
                MutationKind::Unlisted,
                "SELECT * FROM no_such_table",
                "a statement about a table that does not exist",
            ),
            (MutationKind::Unparsable, "SELEC 1", "a statement that no database accepts"),
        ],
        ExecutableKind::Code(Language::GraphQl) => &[
            (MutationKind::Unlisted, "{ no_such_field }", "a query for a field that does not exist"),
            (MutationKind::Unparsable, "{ __typename", "a query that does not end"),
        ],
        ExecutableKind::Code(Language::Cypher) => {
            &[(MutationKind::Unparsable, "MATCH (n RETURN", "a query that no database accepts")]
        }
        ExecutableKind::Code(_) => &[
            (MutationKind::Unlisted, "no_such_name", "an unknown name"),
            (MutationKind::Unparsable, "1 +", "an expression that does not end"),
            (MutationKind::Zero, "1 / 0", "a division by zero"),
        ],
        ExecutableKind::Template => {
            &[(MutationKind::Unparsable, "{{ 1 +", "an expression that does not end")]
        }
        ExecutableKind::Url | ExecutableKind::Mail => {
            &[(MutationKind::Unparsable, "not an address", "a text that is not an address")]
        }
        ExecutableKind::Command
        | ExecutableKind::Words
        | ExecutableKind::Flags
        | ExecutableKind::Program
        | ExecutableKind::Host
        | ExecutableKind::Port
        | ExecutableKind::Phone
        | ExecutableKind::Package => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_numbers_get_what_their_schema_is_silent_of_and_what_is_executed_what_does_no_harm() {
        let schema = json!({"type": "object", "properties": {
            "title": {"type": "string"},
            "order": {"enum": ["a", "b"]},
            "limit": {"type": "integer"},
            "command": {"type": "string"},
            "query": {"type": "string"},
            "flag": {"type": "boolean"}
        }});
        let found = unusual(&schema, &|name, _| match name {
            "command" => Some(ExecutableKind::Command),
            "query" => Some(ExecutableKind::Sql),
            _ => None,
        });
        let told: Vec<String> = found
            .iter()
            .map(|mutation| {
                format!("{} {}", mutation.parameter.as_deref().unwrap_or_default(), mutation.kind.slug())
            })
            .collect();
        let texts = ["unlisted", "unparsable", "long", "unfilled"].map(|kind| format!("title {kind}"));
        let numbers = ["zero", "negative", "large"].map(|kind| format!("limit {kind}"));
        let queries = ["unlisted", "unparsable"].map(|kind| format!("query {kind}"));
        assert_eq!(told, [&texts[..], &numbers[..], &queries[..]].concat());
    }
}
