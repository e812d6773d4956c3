//! The signs of a hint as data: `signs.toml`, read and compiled when the first text is looked at.
//!
//! The main type is [`Sign`]. What a sign cannot say as an expression, since it depends on the call, a module beside this
//! one looks for; its block has the examples all the same.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde::Deserialize;

use crate::expression::{expression, expressions};

/// One way in which a text tells what to change in a call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sign {
    /// Its name.
    pub(super) id: String,
    /// What is a hint by it.
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the expression for its reader"))]
    pub(super) says: String,
    /// Where it was seen first.
    pub(super) source: String,
    /// What it looks for, letters without case; none where a module looks.
    #[serde(default)]
    pub(super) expression: Option<String>,
    /// The arguments of the call that the examples answer, as JSON.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    #[serde(default)]
    pub(super) call: Option<String>,
    /// Texts that it finds.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    #[serde(default)]
    pub(super) examples: Vec<String>,
    /// Texts that are alike, and that no sign finds.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    #[serde(default)]
    pub(super) counter_examples: Vec<String>,
}

/// What is left out before the signs read a text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cut {
    id: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the expressions for its reader"))]
    pub(super) says: String,
    expressions: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    pub(super) examples: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    pub(super) counter_examples: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signs {
    /// What stands in braces in an expression.
    parts: BTreeMap<String, String>,
    cut: Vec<Cut>,
    sign: Vec<Sign>,
}

static SIGNS: LazyLock<Signs> =
    LazyLock::new(|| toml::from_str(include_str!("signs.toml")).expect("a test reads the file"));

/// Every sign, in the file's order.
pub(super) fn all() -> &'static [Sign] {
    &SIGNS.sign
}

/// The ids of the signs whose expressions stand in a text.
pub(super) fn reported(text: &str) -> impl Iterator<Item = &'static str> {
    SET.1.matches(text).into_iter().map(|index| SET.0[index])
}

/// Whether the expression of some sign stands in a text: quicker than to ask which.
pub(super) fn tells(text: &str) -> bool {
    SET.1.is_match(text)
}

static SET: LazyLock<(Vec<&'static str>, RegexSet)> = LazyLock::new(|| {
    let reported = SIGNS.sign.iter().filter_map(|sign| Some((sign.id.as_str(), sign.expression.as_deref()?)));
    let (ids, sources): (Vec<_>, Vec<_>) = reported.map(|(id, source)| (id, filled(source))).unzip();
    (ids, expressions(sources))
});

/// An expression with its parts put in.
fn filled(source: &str) -> String {
    let parts = SIGNS.parts.iter();
    parts.fold(source.to_owned(), |source, (name, part)| source.replace(&format!("{{{name}}}"), part))
}

/// What is left out under this name.
pub(super) fn cut(id: &str) -> &'static Regex {
    static CUTS: LazyLock<BTreeMap<&'static str, Regex>> = LazyLock::new(|| {
        let cuts = SIGNS.cut.iter();
        cuts.map(|cut| (cut.id.as_str(), expression(&format!("(?i){}", cut.expressions.join("|"))))).collect()
    });
    &CUTS[id]
}

/// The blocks of what is left out.
#[cfg(test)]
pub(super) fn cuts() -> impl Iterator<Item = (&'static str, &'static Cut)> {
    SIGNS.cut.iter().map(|cut| (cut.id.as_str(), cut))
}

/// Whether a name has the form that programs give to names: it stands in no sentence by chance.
pub(super) fn is_distinct(name: &str) -> bool {
    name.contains(['_', '-']) || name.chars().skip(1).any(char::is_uppercase)
}
