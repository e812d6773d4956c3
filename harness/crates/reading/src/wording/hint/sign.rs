//! The signs of a hint as data: `signs.toml`, parsed and compiled on first use.
//!
//! The main type is [`Sign`]. A sign that depends on the call has no expression but a function in a sibling
//! module; its block still contains the examples.

use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

use crate::expression::Expression;
use crate::pattern::filled;

/// One way in which a text says what to change in a call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sign {
    /// Its id.
    pub(super) id: String,
    /// What makes a text a hint by this sign.
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the expression for its reader"))]
    pub(super) says: String,
    /// The source in which it was first seen.
    pub(super) source: String,
    /// Its expression, which ignores case; `None` if a function looks for it.
    #[serde(default)]
    pub(super) expression: Option<String>,
    #[serde(skip)]
    filled: OnceLock<Expression>,
    /// The arguments of the call that the examples answer, as JSON.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    #[serde(default)]
    pub(super) call: Option<String>,
    /// Texts that it must match.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    #[serde(default)]
    pub(super) examples: Vec<String>,
    /// Similar texts that no sign may match.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    #[serde(default)]
    pub(super) counter_examples: Vec<String>,
}

/// Parts that are removed before the signs read a text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cut {
    id: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the expressions for its reader"))]
    pub(super) says: String,
    expressions: Vec<String>,
    #[serde(skip)]
    filled: OnceLock<Expression>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    pub(super) examples: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    pub(super) counter_examples: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signs {
    cut: Vec<Cut>,
    sign: Vec<Sign>,
}

static SIGNS: LazyLock<Signs> =
    LazyLock::new(|| toml::from_str(include_str!("signs.toml")).expect("a test reads the file"));

/// Every sign, in the file's order.
pub(super) fn all() -> &'static [Sign] {
    &SIGNS.sign
}

/// The ids of the signs whose expressions match a text.
pub(super) fn reported(text: &str) -> impl Iterator<Item = &'static str> + '_ {
    all().iter().filter(|sign| sign.tells(text)).map(|sign| sign.id.as_str())
}

/// Whether any sign's expression matches a text.
pub(super) fn tells(text: &str) -> bool {
    all().iter().any(|sign| sign.tells(text))
}

impl Sign {
    /// Whether its expression matches a text.
    fn tells(&self, text: &str) -> bool {
        let compiled = |source: &String| Expression::new(filled(&format!("(?i)(?:{source})")));
        self.expression
            .as_ref()
            .is_some_and(|source| self.filled.get_or_init(|| compiled(source)).is_match(text))
    }
}

/// The expression for the removed parts of this name.
pub(super) fn cut(id: &str) -> &'static Expression {
    let cut = SIGNS.cut.iter().find(|cut| cut.id == id).expect("a test reads the file");
    cut.filled.get_or_init(|| Expression::new(format!("(?i){}", cut.expressions.join("|"))))
}

/// The blocks of removed parts.
#[cfg(test)]
pub(super) fn cuts() -> impl Iterator<Item = (&'static str, &'static Cut)> {
    SIGNS.cut.iter().map(|cut| (cut.id.as_str(), cut))
}

/// Whether a name looks like an identifier, which does not occur in a sentence by chance.
pub(super) fn is_distinct(name: &str) -> bool {
    name.contains(['_', '-']) || name.chars().skip(1).any(char::is_uppercase)
}
