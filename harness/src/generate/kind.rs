//! What a parameter is, such as a date or a regular expression, with a value that is right and values that are wrong.
//!
//! The main type is [`ParameterKind`]. The kinds are data: `kinds.toml` beside this file says how they are
//! read, and `documents.toml` has those of documents.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::executable::{CodeLanguage, ExecutableKind};
use super::names::name_words;
use crate::wording::mention::stands_in;

static KINDS: LazyLock<Kinds> = LazyLock::new(|| {
    let read = |text: &str| toml::from_str::<Kinds>(text).expect("a test reads this file");
    let (mut documents, rest) = (read(include_str!("documents.toml")), read(include_str!("kinds.toml")));
    documents.kind.extend(rest.kind);
    documents.number.extend(rest.number);
    documents
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kinds {
    kind: Vec<ParameterKind>,
    #[serde(default)]
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
    /// How the parameter's name ends: its last words, joined.
    #[serde(default)]
    ends: Vec<String>,
    /// What is executed, opened or sent as this.
    #[serde(default)]
    executed: Option<String>,
    /// By its name it is one only beside a parameter with one of these plain names, or where the tool's name has the word.
    #[serde(default)]
    beside: Vec<String>,
    /// A right value.
    #[serde(default)]
    valid: Option<String>,
    /// Others.
    #[serde(default)]
    others: Vec<String>,
    /// Words by which a document of this kind is called, in small letters.
    #[serde(default)]
    called: Vec<String>,
    /// Wrong ones.
    pub(super) wrong: Vec<WrongValue>,
}

/// A wrong value: its part of a probe's id, itself, and what it is in words.
#[derive(Debug, Deserialize)]
pub(super) struct WrongValue(pub(super) String, pub(super) Value, pub(super) String);

impl ParameterKind {
    /// The kind of a text, from its schema, references followed, and its parameter's name. `around` are the plain names of
    /// the tool's parameters and the words of its own name.
    pub(super) fn of_text(name: &str, schema: &Value, around: &[String]) -> Option<&'static Self> {
        let keyword = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        let description = keyword("description").to_lowercase();
        let by_words =
            || KINDS.kind.iter().find(|kind| kind.says.iter().any(|words| stands_in(&description, words)));
        Self::of_format(keyword("format")).or_else(by_words).or_else(|| named(&KINDS.kind, name, around))
    }

    /// A right value; of several each turn has its own.
    pub(super) fn valid(&self, turn: usize) -> Option<&str> {
        let values = self.valid.iter().chain(&self.others);
        values.clone().nth(turn % values.count().max(1)).map(String::as_str)
    }

    /// The kind of a text that has this format.
    pub(super) fn of_format(format: &str) -> Option<&'static Self> {
        KINDS.kind.iter().find(|kind| kind.formats.iter().any(|known| known == format))
    }

    /// The kind of a number.
    pub(super) fn of_number(name: &str) -> Option<&'static Self> {
        named(&KINDS.number, name, &[])
    }

    /// What is executed, opened or sent as this.
    pub(super) fn of_executed(executable: ExecutableKind) -> Option<&'static Self> {
        let wanted = match executable {
            ExecutableKind::Sql => "sql",
            ExecutableKind::Code(CodeLanguage::GraphQl) => "graphql",
            ExecutableKind::Code(CodeLanguage::Cypher) => "cypher",
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

/// A small valid document of a kind that is called by this word, in small letters: `graphml`, `svg`.
pub(crate) fn document(word: &str) -> Option<&'static str> {
    KINDS.kind.iter().find(|kind| kind.called.iter().any(|known| known == word))?.valid.as_deref()
}

/// The words by which documents are called.
pub(crate) fn document_words() -> impl Iterator<Item = &'static str> {
    KINDS.kind.iter().flat_map(|kind| kind.called.iter().map(String::as_str))
}

/// The kind whose parameters are called like this, by the last words of the name. Of several of a kind, such as `json_a`
/// and `json_b`, each is one.
fn named(kinds: &'static [ParameterKind], name: &str, around: &[String]) -> Option<&'static ParameterKind> {
    let mut words = name_words(name.trim_end_matches(|end: char| end.is_ascii_digit()));
    if words.len() > 1 && words.last().is_some_and(|last| ["a", "b"].contains(&last.as_str())) {
        words.pop();
    }
    let is_end = |known: &String| {
        (0..words.len()).any(|from| {
            let end = words[from..].concat();
            end == *known || end.strip_suffix('s') == Some(known.as_str())
        })
    };
    let own = words.concat();
    let is_beside = |kind: &ParameterKind| {
        kind.beside.is_empty()
            || around.iter().any(|other| *other != own && kind.beside.iter().any(|word| word == other))
    };
    kinds.iter().find(|kind| kind.ends.iter().any(is_end) && is_beside(kind))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;

    fn kind(name: &str, schema: &Value) -> Option<&'static str> {
        ParameterKind::of_text(name, schema, &[]).map(|kind| kind.name.as_str())
    }

    #[test]
    fn what_stands_beside_a_parameter_tells_what_it_is() {
        let kind = |name: &str, around: &[&str]| {
            let around: Vec<String> = around.iter().map(|word| (*word).to_owned()).collect();
            ParameterKind::of_text(name, &json!({}), &around).map(|kind| kind.name.as_str())
        };
        assert_eq!(kind("language", &["text", "language"]), Some("language"));
        assert_eq!(kind("language", &["code", "language"]), Some("programming language"));
        assert_eq!(kind("lang", &["find", "pattern", "lang"]), Some("programming language"));
        assert_eq!(kind("foreground", &["check", "contrast"]), Some("colour of a tool for colours"));
        assert_eq!(kind("foreground", &["process"]), None);
        assert_eq!(kind("color_hex", &[]), Some("colour"));
        assert_eq!(kind("musicxml", &[]), Some("musicxml"));
    }

    #[test]
    fn a_document_is_called_by_its_kind_and_each_turn_has_its_own_value() {
        for word in ["graphml", "svg", "mermaid", "geojson", "ical", "dot", "toml"] {
            assert!(document(word).is_some_and(|text| text.len() > 8), "{word}");
        }
        assert_eq!(document("alpha"), None);
        let around = ["code".to_owned()];
        let language = ParameterKind::of_text("language", &json!({}), &around).unwrap();
        assert_eq!(
            [0, 1, 3].map(|turn| language.valid(turn)),
            [Some("python"), Some("javascript"), Some("python")]
        );
    }

    #[test]
    fn a_kind_is_derived_from_format_description_and_name() {
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
            ("conversion", json!({}), None),
            ("href", json!({}), None),
            ("place", json!({"description": "A town in Indiana"}), None),
        ] {
            assert_eq!(kind(name, &schema), expected, "{name} {schema}");
        }
        assert!(ParameterKind::of_number("min_latitude").is_some());
        assert!(["count", "report", "flat"].iter().all(|name| ParameterKind::of_number(name).is_none()));
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
