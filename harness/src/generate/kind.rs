//! What a parameter is, such as a date or a regular expression, with a value that is right and values that are wrong.
//!
//! The main type is [`ParameterKind`]. The kinds are data: `kinds.toml` beside this file says how they are read.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::executable::{ExecutableKind, Language};
use super::names::plain_name;

static KINDS: LazyLock<Kinds> =
    LazyLock::new(|| toml::from_str(include_str!("kinds.toml")).expect("a test reads this file"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kinds {
    kind: Vec<ParameterKind>,
    number: Vec<ParameterKind>,
}

/// What a parameter is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParameterKind {
    #[cfg_attr(not(test), expect(dead_code, reason = "it is for whoever reads the table"))]
    name: String,
    /// Formats of the schema.
    #[serde(default)]
    formats: Vec<String>,
    /// Words of the description, in small letters.
    #[serde(default)]
    says: Vec<String>,
    /// How the parameter's plain name ends.
    #[serde(default)]
    ends: Vec<String>,
    /// What is executed, opened or sent as this.
    #[serde(default)]
    executed: Option<String>,
    /// A right value.
    #[serde(default)]
    pub(super) valid: Option<String>,
    /// Wrong ones.
    pub(super) wrong: Vec<WrongValue>,
}

/// A wrong value: its part of a probe's id, itself, and what it is in words.
#[derive(Debug, Deserialize)]
pub(super) struct WrongValue(pub(super) String, pub(super) Value, pub(super) String);

impl ParameterKind {
    /// The kind of a text, from its schema, references followed, and its parameter's name.
    pub(super) fn of_text(name: &str, schema: &Value) -> Option<&'static Self> {
        let said = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        let format = said("format");
        let by_format = || {
            KINDS
                .kind
                .iter()
                .find(|kind| !format.is_empty() && kind.formats.iter().any(|known| known == format))
        };
        let description = said("description").to_lowercase();
        let by_words =
            || KINDS.kind.iter().find(|kind| kind.says.iter().any(|words| description.contains(words)));
        by_format().or_else(by_words).or_else(|| named(&KINDS.kind, &plain_name(name)))
    }

    /// The kind of a number.
    pub(super) fn of_number(name: &str) -> Option<&'static Self> {
        named(&KINDS.number, &plain_name(name))
    }

    /// What is executed, opened or sent as this.
    pub(super) fn of_executed(executable: ExecutableKind) -> Option<&'static Self> {
        let wanted = match executable {
            ExecutableKind::Sql => "sql",
            ExecutableKind::Code(Language::GraphQl) => "graphql",
            ExecutableKind::Code(Language::Cypher) => "cypher",
            ExecutableKind::Code(_) => "code",
            ExecutableKind::Template => "template",
            ExecutableKind::Url => "url",
            ExecutableKind::Mail => "mail",
            ExecutableKind::Command
            | ExecutableKind::Words
            | ExecutableKind::Flags
            | ExecutableKind::Program
            | ExecutableKind::Host
            | ExecutableKind::Port
            | ExecutableKind::Phone
            | ExecutableKind::Package => return None,
        };
        KINDS.kind.iter().find(|kind| kind.executed.as_deref() == Some(wanted))
    }
}

/// The kind whose parameters are called like this. Of several of a kind, such as `json_a` and `json_b`, each is one.
fn named(kinds: &'static [ParameterKind], name: &str) -> Option<&'static ParameterKind> {
    let single = name.strip_suffix('s').unwrap_or(name);
    let of_several = name.trim_end_matches(|end: char| end.is_ascii_digit());
    let of_several = of_several.strip_suffix(['a', 'b']).unwrap_or(of_several);
    let ends = |known: &String| [name, single, of_several].iter().any(|name| name.ends_with(known.as_str()));
    kinds.iter().find(|kind| kind.ends.iter().any(ends))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;

    fn kind(name: &str, schema: &Value) -> Option<&'static str> {
        ParameterKind::of_text(name, schema).map(|kind| kind.name.as_str())
    }

    #[test]
    fn a_kind_is_told_from_format_description_and_name() {
        for (name, schema, expected) in [
            ("when", json!({"format": "date"}), Some("date")),
            ("when", json!({"description": "Day (YYYY-MM-DD)"}), Some("date")),
            ("start_date", json!({}), Some("date")),
            ("dates", json!({}), Some("date")),
            ("dueAt", json!({"description": "ISO 8601"}), Some("date-time")),
            ("source_timezone", json!({}), Some("time-zone")),
            ("json_a", json!({}), Some("json")),
            ("csv1", json!({}), Some("csv")),
            ("branch_name", json!({}), Some("revision")),
            ("title", json!({}), None),
        ] {
            assert_eq!(kind(name, &schema), expected, "{name} {schema}");
        }
        assert!(ParameterKind::of_number("min_latitude").is_some());
        assert!(ParameterKind::of_number("count").is_none());
    }

    #[test]
    fn every_kind_of_the_table_can_be_reached_and_its_wrong_values_have_names_of_their_own() {
        let mut names = HashSet::new();
        for kind in KINDS.kind.iter().chain(&KINDS.number) {
            assert!(names.insert(&kind.name), "{}", kind.name);
            let reached = kind.ends.iter().chain(&kind.says).chain(&kind.formats).chain(&kind.executed);
            assert!(reached.count() > 0, "{}", kind.name);
            let mut parts = HashSet::new();
            for WrongValue(part, value, label) in &kind.wrong {
                assert!(parts.insert(part) && !label.is_empty(), "{} {part}", kind.name);
                assert!(value.as_str() != kind.valid.as_deref() || value.is_number(), "{} {part}", kind.name);
            }
        }
    }
}
