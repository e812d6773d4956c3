//! The catalogue of changes as data: `changes.toml` beside this file, which explains the format.
//!
//! The main types are [`Row`], a single change for the probes of a run, and [`OddGroup`], odd values for a campaign.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::edit::Edit;

static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| toml::from_str(include_str!("changes.toml")).expect("a test reads this file"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalogue {
    run: BTreeMap<String, Vec<Row>>,
    campaign: BTreeMap<String, Vec<OddGroup>>,
}

/// A change of one parameter or value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    /// Its part of a probe's id.
    pub(super) id: String,
    /// Those with the lowest number are sent first.
    #[serde(default)]
    pub(super) turn: u8,
    edit: Option<Edit>,
    label: String,
    pub(super) owed: Option<Owed>,
}

/// What a server owes whose schema or contract forbids the change.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owed {
    /// The condition that it reports.
    pub condition: String,
    /// What its message names.
    pub names: Named,
    /// The keyword of JSON Schema that is violated.
    pub(super) keyword: Option<String>,
    /// Whether it may take the value for what it means instead.
    #[serde(default)]
    pub lax: bool,
    /// Whether the text is wrong in every dialect.
    #[serde(default)]
    pub certain: bool,
}

/// What a good message names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Named {
    /// The parameter.
    Parameter,
    /// The parameter or the value.
    Either,
    /// The path that was sent.
    Path,
    /// The text that was sent.
    Text,
}

/// Values to fill in, by name.
pub(super) type Fill = (&'static str, Value);

impl Row {
    /// What is done, with these values filled in. A row for several places has nothing of its own.
    pub(super) fn edit(&self, fills: &[&[Fill]]) -> Option<Edit> {
        let mut of = |name: &str| named(fills, name);
        Some(match self.edit.as_ref()? {
            Edit::Set(value) => Edit::Set(filled(value, &mut of)),
            Edit::Add(item) => Edit::Add(filled(item, &mut of)),
            other => other.clone(),
        })
    }

    /// The change in words, with these values filled in.
    pub(super) fn label(&self, fills: &[&[Fill]]) -> String {
        filled_text(&self.label, &mut |name| named(fills, name))
    }
}

fn named(fills: &[&[Fill]], name: &str) -> Option<Value> {
    if name == "null" {
        return Some(Value::Null);
    }
    fills.iter().copied().flatten().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
}

/// The changes for a sort of parameter or value.
pub(super) fn rows(sort: &str) -> &'static [Row] {
    &CATALOGUE.run[sort]
}

/// The changes of the probes: the part of an id, and the change in words where these need no filling in.
pub fn changes_in_words() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let words = |row: &'static Row| Some(row.label.as_str()).filter(|label| !label.contains('{'));
    CATALOGUE.run.values().flatten().map(move |row| (row.id.as_str(), words(row)))
}

/// Odd values, with the weight of drawing one of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct OddGroup {
    pub(super) weight: usize,
    pub(super) rows: Vec<OddRow>,
    /// The sort that they are taken from instead.
    pub(super) of: Option<String>,
    /// The function that makes them instead.
    pub(super) make: Option<Make>,
    /// Whether they are given as JSON text.
    pub(super) json: bool,
}

/// An odd value: the schema keyword that it violates or the name of the change, the change in words, and the value.
#[derive(Debug, Deserialize)]
pub(super) struct OddRow(pub(super) String, pub(super) String, pub(super) String);

/// Odd values that depend on more than a text can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Make {
    Emoji,
    Long,
    BeyondLength,
    LongName,
    DeepPath,
    Middling,
    Magnitude,
    Negative,
    BeyondRange,
    Near,
    Fraction,
}

/// The odd values for a sort of value.
pub(super) fn odd(sort: &str) -> &'static [OddGroup] {
    &CATALOGUE.campaign[sort]
}

/// The odd values for a sort of value as they are written, without those that are taken from another sort or made.
pub(crate) fn odd_texts(sort: &str) -> Vec<&'static str> {
    odd(sort).iter().flat_map(|group| &group.rows).map(|row| row.2.as_str()).collect()
}

/// A value with what `of` gives in place of each `{name}`; a text that is nothing else becomes what it gives.
fn filled(value: &Value, of: &mut dyn FnMut(&str) -> Option<Value>) -> Value {
    let Value::String(text) = value else { return value.clone() };
    let name = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    name.and_then(&mut *of).unwrap_or_else(|| Value::String(filled_text(text, of)))
}

/// A text with what `of` gives in place of each `{name}`; other braces stay.
pub(super) fn filled_text(text: &str, of: &mut dyn FnMut(&str) -> Option<Value>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at);
        let name = after[1..].split_once('}').map(|(name, _)| name);
        out.push_str(before);
        rest = match name.and_then(|name| Some((name, of(name)?))) {
            Some((name, value)) => {
                out.push_str(&value.as_str().map_or_else(|| value.to_string(), str::to_owned));
                &after[name.len() + 2..]
            }
            None => {
                out.push('{');
                &after[1..]
            }
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_name_in_braces_is_filled_in_and_other_braces_stay() {
        let mut of = |name: &str| (name == "a").then(|| json!(7));
        assert_eq!(filled_text("{a} {b} {{a} {", &mut of), "7 {b} {7 {");
        assert_eq!(filled(&json!("{a}"), &mut of), 7);
        assert_eq!(filled(&json!("{a}{a}"), &mut of), "77");
    }

    #[test]
    fn every_row_has_an_id_that_a_probe_may_have_and_a_label() {
        let is_part = |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        for row in CATALOGUE.run.values().flatten() {
            assert!(is_part(&row.id) && !row.label.is_empty(), "{row:?}");
        }
        for group in CATALOGUE.campaign.values().flatten() {
            let sources = [!group.rows.is_empty(), group.of.is_some(), group.make.is_some()];
            let is_one = sources.iter().filter(|is_given| **is_given).count() == 1;
            assert!(is_one && group.weight > 0, "{group:?}");
            assert!(group.rows.iter().all(|row| is_part(&row.0) && !row.1.is_empty()), "{group:?}");
        }
    }
}
