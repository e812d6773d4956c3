//! What distinguishes two findings of the same rule and tool: the words of the reply that are the server's own.
//!
//! The main type is [`Marks`]. A signature masks ordinary values, but the inputs of a campaign are extremely
//! odd. They come back truncated, trimmed, with broken parts replaced, and some contain the very words of the
//! server's error, so that each would be a finding of its own.
//!
//! Some servers also change a value: they reverse it, decode it, or read it in another encoding. [`forms`] lists the
//! changes that are known. Words in any other form count as the server's own, because a real fault must not be taken for a
//! changed value; a bound on the number of marks keeps such a server from flooding the report.

use std::collections::{BTreeMap, BTreeSet};

use regex::Captures;
use serde_json::Value;

use crate::pattern;
use crate::signature::{constant_part, unnumbered};

/// In a call with very many values, or values with very many words, only the first ones are examined.
const MOST: usize = 500;
/// A rule and tool have at most this many marks; whatever differs from all of these is one more.
const MARKS: usize = 20;
/// The shortest word in letters. A shorter value, such as a blank or a brace, may occur anywhere and cannot be
/// told from the server's words.
const SHORTEST: usize = 3;
/// What languages print for no value, or for a truth value: a value like any other.
const LITERALS: [&str; 7] = ["null", "none", "nil", "undefined", "nan", "true", "false"];
/// The mark of whatever differs from all others.
const OTHER: &str = "(other words)";

/// What the marks belong to: the rule, the tool, and whether the findings are mere notes, which must hide nothing.
type Place<'a> = (&'a str, Option<&'a str>, bool);

/// The marks of the findings by their places.
#[derive(Debug, Default)]
pub(super) struct Marks(BTreeMap<(String, Option<String>, bool), Vec<Mark>>);

#[derive(Debug)]
struct Mark {
    /// The reply's words in order, without those that the call contains too.
    own: Vec<String>,
    /// All words of the reply.
    all: BTreeSet<String>,
}

impl Marks {
    /// The mark of a finding of this rule and tool, given the reply's text and signature and the call's
    /// arguments: that of an earlier finding if the words are the same except for values.
    pub(super) fn mark(&mut self, place: Place<'_>, reply: (&str, &str), arguments: &Value) -> String {
        let (rule, tool, is_note) = place;
        let place = (rule.to_owned(), tool.map(str::to_owned), is_note);
        let known = self.0.entry(place).or_default();
        let mark = Mark::new(reply, arguments);
        if let Some(same) = known.iter().find(|other| other.is_same(&mark)) {
            return same.name();
        }
        if known.len() >= MARKS {
            return OTHER.to_owned();
        }
        let name = mark.name();
        known.push(mark);
        name
    }
}

impl Mark {
    fn new((text, signature): (&str, &str), arguments: &Value) -> Self {
        let mut held = BTreeSet::new();
        collect(&readable(arguments), &mut held);
        let is_of_the_call = |word: &String| {
            LITERALS.contains(&word.as_str())
                || is_byte(word)
                || held.iter().any(|held| held.starts_with(word.as_str()) || held.ends_with(word.as_str()))
        };
        let constant = constant_part(signature);
        let own: Vec<String> =
            words(&without_letters(&constant)).filter(|word| !is_of_the_call(word)).collect();
        let all = words(text).chain(words(&unnumbered(text, " "))).chain(own.iter().cloned()).collect();
        Self { own, all }
    }

    /// Whether each one's own words occur in the other's reply or call.
    fn is_same(&self, other: &Self) -> bool {
        let says = |all: &BTreeSet<String>, own: &[String]| own.iter().all(|word| all.contains(word));
        match (self.own.is_empty(), other.own.is_empty()) {
            (false, false) => says(&self.all, &other.own) && says(&other.all, &self.own),
            (is_bare, other_is_bare) => is_bare == other_is_bare,
        }
    }

    fn name(&self) -> String {
        self.own.join(" ")
    }
}

/// The words of a text in lower case. Digits that a signature does not mask are part of the kind of error.
fn words(text: &str) -> impl Iterator<Item = String> {
    let is_telling =
        |word: &&str| word.chars().count() >= SHORTEST || word.contains(|char: char| char.is_ascii_digit());
    text.split(|char: char| !char.is_alphanumeric()).filter(is_telling).map(str::to_lowercase)
}

/// The text without single letters of another script, plain or escaped, which a runtime quotes from the middle
/// of a value; the server's own words have none.
fn without_letters(text: &str) -> String {
    pattern!("text/foreign-letter").replace_all(text, " ").into_owned()
}

/// Arguments that are text, because no parser takes them, read as JSON with each half of a surrogate pair
/// replaced, as lenient servers do.
fn readable(arguments: &Value) -> Value {
    let Value::String(line) = arguments else { return arguments.clone() };
    let whole = pattern!("text/half-surrogate").replace_all(line, "\u{fffd}");
    serde_json::from_str(&whole).unwrap_or_else(|_| arguments.clone())
}

/// Collects the words of a call's values and names.
fn collect(value: &Value, held: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => forms(text).iter().for_each(|form| held.extend(words(form).take(MOST))),
        Value::Number(number) => held.extend(words(&number.to_string())),
        Value::Array(items) => items.iter().take(MOST).for_each(|item| collect(item, held)),
        Value::Object(members) => members.iter().take(MOST).for_each(|(name, member)| {
            held.extend(words(name).take(MOST));
            collect(member, held);
        }),
        Value::Null | Value::Bool(_) => {}
    }
}

/// A value as servers print it: as it is, reversed, with its bytes read as Latin-1, and with `%00` and `\u0000` decoded.
fn forms(value: &str) -> [String; 4] {
    let decoded = pattern!("text/escape").replace_all(value, |found: &Captures<'_>| {
        let digits = found.get(1).or_else(|| found.get(2)).map_or("", |digits| digits.as_str());
        u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}').to_string()
    });
    [
        value.to_owned(),
        value.chars().rev().collect(),
        value.bytes().map(char::from).collect(),
        decoded.into_owned(),
    ]
}

/// Whether a word is a byte in a dump of a value, such as `6c`.
fn is_byte(word: &str) -> bool {
    word.len() == 2 && word.bytes().all(|digit| digit.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    /// A reply to a call with these arguments. Without a text it is the signature with values.
    #[derive(Debug, Clone, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Reply {
        signature: String,
        text: Option<String>,
        sent: Value,
    }

    /// Replies and how many findings they are, as `marks.toml` tells.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Cases {
        missing: Reply,
        like_missing: Vec<Reply>,
        one: Vec<Vec<Reply>>,
        several: Vec<Vec<Reply>>,
    }

    /// A reply in which nothing is masked.
    fn plain(text: impl Into<String>, sent: Value) -> Reply {
        Reply { signature: text.into(), text: None, sent }
    }

    /// How many marks replies have.
    fn count(replies: &[Reply]) -> usize {
        let mut marks = Marks::default();
        let place = ("leak/runtime-error", Some("view"), false);
        let names = replies.iter().map(|Reply { signature, text, sent }| {
            let with_values = signature.replace("<n>", "1").replace("<value>", "/w/x");
            marks.mark(place, (text.as_deref().unwrap_or(&with_values), signature.as_str()), sent)
        });
        names.collect::<BTreeSet<String>>().len()
    }

    #[test]
    fn replies_are_one_finding_where_they_differ_in_the_callers_words_alone() {
        let cases: Cases = toml::from_str(include_str!("marks.toml")).expect("the cases are TOML");
        for other in cases.like_missing {
            let pair = [cases.missing.clone(), other];
            let [missing, other] = pair.clone();
            assert_eq!((count(&pair), count(&[other, missing])), (1, 1), "{pair:?}");
        }
        for replies in cases.one {
            assert_eq!(count(&replies), 1, "{replies:?}");
        }
        for replies in cases.several {
            assert_eq!(count(&replies), replies.len(), "{replies:?}");
        }
    }

    #[test]
    fn a_value_that_comes_back_bare_makes_no_finding_of_its_own() {
        for (quoted, bare, value) in [
            ("<value>", "<value>", "alpha"),
            ("<value>", "<n>", "42"),
            ("<value>", "al", "al"),
            ("<value>", "${", "${"),
            (" ", "", " "),
            ("<value>", "<n>-", "1-"),
            ("<value>", "{", " {"),
        ] {
            let signature =
                format!("Could not show '{quoted}' (NoSuchElement: No value present for {bare}).");
            let text = format!("Could not show '{value}' (NoSuchElement: No value present for {value}).");
            let name = Mark::new((&text, &signature), &json!({"id": value})).name();
            assert_eq!(name, "could not show nosuchelement value present for", "{value}");
        }
    }

    #[test]
    fn a_value_in_another_form_makes_no_finding_of_its_own() {
        for derive in [
            |value: &str| format!("cannot publish {}", value.chars().rev().collect::<String>()),
            |value: &str| format!("cannot publish {} now", value.to_uppercase().replace(' ', "_")),
            |value: &str| value.bytes().map(char::from).collect::<String>() + " cannot be published",
            |value: &str| format!("cannot publish {}", value.replace("%61", "a").replace(r"\u0065", "e")),
        ] {
            let values =
                ["alpha", "beta gamma", "gr\u{fc}n", "\u{202e}delta", "alphab%61t", "b\\u0065ta", "alpha "];
            let replies = values.map(|value| plain(derive(value), json!({"title": value, "kind": "note"})));
            assert_eq!(count(&replies), 1, "{}", derive("value"));
        }
    }

    #[test]
    fn one_tool_has_a_bounded_number_of_marks() {
        let word =
            |number: usize| ["alpha", "beta", "gamma", "delta", "omega", "kappa"][number].repeat(number + 1);
        let text = |n: usize| format!("{} {} {}", word(n % 6), word(n / 6 % 6), word(n / 36));
        let replies: Vec<Reply> = (0..216).map(|n| plain(text(n), json!({}))).collect();
        assert!(count(&replies) <= MARKS + 1, "{}", count(&replies));
    }

    #[test]
    fn marks_are_of_one_rule_and_one_tool() {
        let mut marks = Marks::default();
        let mut mark = |tool: &str, text: &str, value: &str| {
            marks.mark(("leak/panic", Some(tool), false), (text, text), &json!({"title": value}))
        };
        let first = mark("view", "it panicked here", "a");
        assert_eq!(mark("view", "it panicked here", "panicked"), first);
        assert_ne!(mark("list", "it panicked here", "panicked"), first);
    }
}
