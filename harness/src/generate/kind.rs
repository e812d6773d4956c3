//! The kinds of values that parameters take, such as dates or regular expressions, each with right and wrong
//! values.
//!
//! The main type is [`ParameterKind`]. The kinds are data: `kinds.toml` beside this file, which explains the
//! format, and `documents.toml` for kinds of documents.

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
    documents.any.extend(rest.any);
    documents
});

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Kinds {
    kind: Vec<ParameterKind>,
    number: Vec<ParameterKind>,
    any: Vec<ParameterKind>,
}

/// A kind of value.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ParameterKind {
    /// Its own name.
    name: String,
    /// What it is told as, if not by its own name.
    same: Option<String>,
    /// Formats in a schema that identify the kind.
    formats: Vec<String>,
    /// Words in a description that identify it, in lower case.
    says: Vec<String>,
    /// How many of these words a description must contain, if more than one.
    at_least: Option<usize>,
    /// Endings of a parameter's name that identify it: the last words, joined.
    ends: Vec<String>,
    /// The executable kind that it corresponds to.
    executed: Option<String>,
    /// If not empty, the name counts only beside a parameter with one of these plain names, or if the tool's
    /// name contains the word.
    beside: Vec<String>,
    /// A right value.
    valid: Option<String>,
    /// Further right values.
    others: Vec<String>,
    /// Two right values, one before and one after all data that a server may have.
    far: Option<[String; 2]>,
    /// Words for a document of this kind, in lower case.
    called: Vec<String>,
    /// Wrong values.
    pub(super) wrong: Vec<WrongValue>,
}

/// A wrong value: its part of a probe's id, the value, and its description in words.
#[derive(Debug, Deserialize)]
pub(super) struct WrongValue(pub(super) String, pub(super) Value, pub(super) String);

impl ParameterKind {
    /// The kind of a text parameter, by its schema with references followed and its name. `around` are the
    /// plain names of the tool's parameters and the words of its name.
    pub(super) fn of_text(name: &str, schema: &Value, around: &[String]) -> Option<&'static Self> {
        Self::declared(name, schema).or_else(|| named(&KINDS.kind, name, around))
    }

    /// The kind that the schema or the description of a text parameter declares.
    fn declared(name: &str, schema: &Value) -> Option<&'static Self> {
        let keyword = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        let description = keyword("description").to_lowercase();
        let says = |kind: &&Self| {
            let said = kind.says.iter().filter(|words| stands_in(&description, words));
            said.count() >= kind.at_least.unwrap_or(1)
        };
        let by_words = || KINDS.kind.iter().find(says).filter(|_| !is_about_a_form(name));
        Self::of_format(keyword("format")).or_else(by_words)
    }

    /// A right value; different turns give different ones if there are several.
    pub(super) fn valid(&self, turn: usize) -> Option<&str> {
        let values = self.valid.iter().chain(&self.others);
        values.clone().nth(turn % values.count().max(1)).map(String::as_str)
    }

    /// The kind of a text with this format.
    pub(super) fn of_format(format: &str) -> Option<&'static Self> {
        KINDS.kind.iter().find(|kind| kind.is_of_format(format))
    }

    /// What it is told as.
    pub(super) fn name(&self) -> &str {
        self.same.as_deref().unwrap_or(&self.name)
    }

    /// Whether texts with this format are of the kind.
    pub(super) fn is_of_format(&self, format: &str) -> bool {
        self.formats.iter().any(|known| known == format)
    }

    /// The kind, without values of its own, of a text with this name.
    pub(super) fn of_any(name: &str) -> Option<&'static Self> {
        named(&KINDS.any, name, &[])
    }

    /// The kind of a number with this name.
    pub(super) fn of_number(name: &str) -> Option<&'static Self> {
        named(&KINDS.number, name, &[])
    }

    /// The kind for an executable value.
    pub(super) fn of_executed(executable: ExecutableKind) -> Option<&'static Self> {
        let wanted = match executable {
            ExecutableKind::Code(CodeLanguage::Python | CodeLanguage::JavaScript) => "code",
            other => other.name(),
        };
        KINDS.kind.iter().find(|kind| kind.executed.as_deref() == Some(wanted))
    }
}

/// Two right values of a parameter that is declared to be a date: one before and one after all data that a server may have.
pub(crate) fn far_values(name: &str, schema: &Value) -> Option<&'static [String; 2]> {
    ParameterKind::declared(name, schema)?.far.as_ref()
}

/// A small valid document of the kind with this name, in lower case: `graphml`, `svg`.
pub(crate) fn document(word: &str) -> Option<&'static str> {
    KINDS.kind.iter().find(|kind| kind.called.iter().any(|known| known == word))?.valid.as_deref()
}

/// The words for documents of all kinds.
pub(crate) fn document_words() -> impl Iterator<Item = &'static str> {
    KINDS.kind.iter().flat_map(|kind| kind.called.iter().map(String::as_str))
}

/// Whether a parameter says in which form something else is, so that its description tells of that: `date_format`.
fn is_about_a_form(name: &str) -> bool {
    let last = name_words(name).pop().unwrap_or_default();
    ["format", "field", "fields", "type", "mode", "style", "encoding"].contains(&last.as_str())
}

/// The kind of a parameter by the last words of its name. With several parameters of a kind, such as `json_a`
/// and `json_b`, each is recognised.
fn named(kinds: &'static [ParameterKind], name: &str, around: &[String]) -> Option<&'static ParameterKind> {
    let mut words = name_words(name.trim_end_matches(|end: char| end.is_ascii_digit()));
    if words.len() > 1 && words.last().is_some_and(|last| ["a", "b"].contains(&last.as_str())) {
        words.pop();
    }
    // A number may belong to the word: `data_base64`.
    let whole = name_words(name);
    let is_end_of = |words: &[String], known: &str| {
        (0..words.len()).any(|from| {
            let end = words[from..].concat();
            end == known || end.strip_suffix('s') == Some(known)
        })
    };
    let is_end = |known: &String| is_end_of(&words, known) || is_end_of(&whole, known);
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

    #[test]
    fn far_values_are_known_of_declared_dates_alone() {
        let far = |schema: Value| far_values("since", &schema).map(|far| far[1].as_str());
        assert_eq!(far(json!({"type": "string", "format": "date"})), Some("2999-12-31"));
        assert_eq!(far(json!({"description": "from this day on, as YYYY-MM-DD"})), Some("2999-12-31"));
        assert_eq!(far(json!({"description": "An ISO 8601 time"})), Some("2999-12-31T00:00:00Z"));
        assert_eq!(far(json!({"description": "from this day on"})), None);
        assert_eq!(far_values("start_date", &json!({"type": "string"})), None);
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
    fn every_kind_of_the_table_can_be_reached_and_its_wrong_values_have_names_of_their_own() {
        let mut names = HashSet::new();
        let plain = || KINDS.any.iter().map(|kind| (kind, "any"));
        let valued = KINDS
            .kind
            .iter()
            .map(|kind| (kind, "kind"))
            .chain(KINDS.number.iter().map(|kind| (kind, "number")));
        for (kind, table) in valued.chain(plain()) {
            assert!(names.insert((&kind.name, table)), "{}", kind.name);
            let reached = kind.ends.iter().chain(&kind.says).chain(&kind.formats).chain(&kind.executed);
            assert!(reached.count() > 0, "{}", kind.name);
            let mut parts = HashSet::new();
            for WrongValue(part, value, label) in &kind.wrong {
                assert!(parts.insert(part) && !label.is_empty(), "{} {part}", kind.name);
                assert!(value.as_str() != kind.valid.as_deref() || value.is_number(), "{} {part}", kind.name);
            }
        }
        assert!(plain().all(|(kind, _)| kind.valid.is_none() && kind.wrong.is_empty()));
    }
}
