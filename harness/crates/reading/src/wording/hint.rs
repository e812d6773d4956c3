//! Whether a message tells the caller what to change in the call.
//!
//! A hint is a named parameter that is missing or empty, an expected type or format, a bound with its number,
//! valid values or existing names, a parameter or a tool to use, a compiler's reason, or an instruction that
//! can be followed. "Please try again" is not a hint. Whether the hint is right is another question.
//!
//! The signs of a hint are blocks of `hint/signs.toml`. The call itself (its parameters, the tools, and the
//! numbers, names and types that were sent) is considered before words, since it needs no language. If only
//! words in a language that is not analysed could decide, there is no verdict against the message.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::escape::readings;
use super::{Echo, beginning, passages};
use crate::pattern;
use view::View;

mod example;
mod instruction;
mod language;
mod measure;
mod member;
mod named;
mod near;
mod root;
mod rule;
mod schema;
mod set;
mod sign;
mod types;
mod view;

pub use member::lists_beside;

/// The parts of a call on which a hint depends.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The values that the caller sent, without folders.
    pub echo: &'a Echo,
    /// The arguments: another number beside one that was sent is a bound.
    pub arguments: &'a Value,
    /// The name of the called tool.
    pub tool: &'a str,
    /// The names of the tool's parameters.
    pub parameters: &'a [&'a str],
    /// The schemas of the tool's parameters, by name, as far as they are known.
    pub schemas: &'a [(&'a str, &'a Value)],
    /// The parameters of which one is wrong; empty if unknown.
    pub wrong: &'a [&'a str],
    /// The required parameters.
    pub required: &'a [&'a str],
    /// The names of the server's tools.
    pub tools: &'a [&'a str],
    /// The folder that the server must not leave: naming it is a hint.
    pub workspace: &'a str,
    /// The condition for which the call must fail; empty if unknown.
    pub condition: &'a str,
}

impl<'a> Asked<'a> {
    /// Whether this argument may be the wrong one; if unknown, any that was sent.
    fn is_suspect(&self, name: &str) -> bool {
        match self.wrong {
            [] => self.arguments.get(name).is_some(),
            wrong => wrong.contains(&name),
        }
    }

    /// The parameters that may be wrong, with their schemas.
    fn suspects(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.schemas.iter().filter(|(name, _)| self.is_suspect(name)).copied()
    }

    /// The arguments that may be wrong.
    fn suspected_values(&self) -> impl Iterator<Item = &'a Value> {
        let arguments = self.arguments.as_object().into_iter().flatten();
        arguments.filter(|(name, _)| self.is_suspect(name)).map(|(_, value)| value)
    }
}

/// Whether a message says how to fix the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// It gives a hint.
    Given,
    /// It gives no hint.
    Lacking,
    /// It is in a language that is not analysed, and contains no hint that needs no language.
    Unread,
}

/// Looks for a hint in a message.
pub fn advice(message: &str, asked: &Asked<'_>) -> Advice {
    let mut foreign = None;
    let reported = texts(message).any(|text| match text {
        Text::Lists => true,
        Text::Read(text) => {
            let view = View::of(&text, asked);
            let is_foreign = language::is_foreign(&view, asked);
            *foreign.get_or_insert(true) &= is_foreign;
            LOOKED_FOR.iter().any(|(_, tells)| tells(&view, asked))
                || view.in_words(asked).iter().any(|text| sign::tells(text))
        }
    });
    match reported {
        true => Advice::Given,
        false if foreign == Some(true) => Advice::Unread,
        false => Advice::Lacking,
    }
}

/// Whether a message gives a hint, or is in a language that is not analysed.
pub fn gives_hint(message: &str, asked: &Asked<'_>) -> bool {
    advice(message, asked) != Advice::Lacking
}

/// Whether a message is completely in another language than English.
pub fn is_foreign(message: &str, asked: &Asked<'_>) -> bool {
    let mut read = texts(message).filter_map(|text| match text {
        Text::Read(text) => Some(language::is_foreign(&View::of(&text, asked), asked)),
        Text::Lists => None,
    });
    read.next().is_some_and(|first| first && read.all(|is_foreign| is_foreign))
}

/// The ids of all signs in a message, and `language` if it is in a language that is not analysed: for measuring
/// the value of each sign.
pub fn signs(message: &str, asked: &Asked<'_>) -> BTreeSet<&'static str> {
    let mut signs = BTreeSet::new();
    let mut foreign = None;
    for text in texts(message) {
        let Text::Read(text) = text else {
            signs.insert("member");
            continue;
        };
        let view = View::of(&text, asked);
        *foreign.get_or_insert(true) &= language::is_foreign(&view, asked);
        signs.extend(LOOKED_FOR.iter().filter(|(_, tells)| tells(&view, asked)).map(|(id, _)| id));
        view.in_words(asked).iter().for_each(|text| signs.extend(sign::reported(text)));
    }
    if foreign == Some(true) {
        signs.insert("language");
    }
    signs
}

/// The ids of all signs, in their order.
pub fn all_signs() -> impl Iterator<Item = &'static str> {
    sign::all().iter().map(|sign| sign.id.as_str())
}

/// A text without phrases that only sound helpful.
pub(super) fn without_courtesies(text: &str) -> Cow<'_, str> {
    sign::cut("courtesy").replace_all(text, " ")
}

/// The source in which a sign was first seen, as named in the corpus of hints.
pub fn sign_source(id: &str) -> Option<&'static str> {
    sign::all().iter().find(|sign| sign.id == id).map(|sign| sign.source.as_str())
}

/// A function that looks for a sign that depends on the call.
type Tells = fn(&View<'_>, &Asked<'_>) -> bool;

/// The signs without an expression, which are described by their blocks.
const LOOKED_FOR: [(&str, Tells); 13] = [
    ("unsent", named::names_an_unsent_parameter),
    ("missing", named::names_what_is_missing),
    ("tool", named::names_another_tool),
    ("identifier", named::names_an_identifier),
    ("measure", |view, asked| measure::gives_bound(view, asked) || schema::gives_a_bound(view, asked)),
    ("near", near::offers_a_like_name),
    ("set", |view, asked| set::lists(view, asked) || schema::lists_valid_values(view, asked)),
    ("example", example::shows_the_format),
    ("types", |view, asked| types::tells_a_type(view, asked) || types::tells_an_ending(view, asked)),
    ("address", |view, _| gives_an_address(&view.text)),
    ("root", root::names_root),
    ("instruction", instruction::instructs),
    ("rule", |view, asked| {
        rule::states_a_rule(view) || rule::states_it_of_a_parameter(view, asked) || rule::goes_on(view)
    }),
];

/// Whether a page with more information is named; an address that was sent does not count.
fn gives_an_address(text: &str) -> bool {
    pattern!("order/page").is_match(text)
}

/// A part of a message.
enum Text {
    /// A JSON member whose name says that it lists valid values.
    Lists,
    /// Running text.
    Read(String),
}

/// The texts of a message. JSON within a text, or truncated JSON, is also read with its escapes resolved,
/// because they would hide word boundaries.
fn texts(message: &str) -> impl Iterator<Item = Text> {
    let message = beginning(message);
    let lists = member::gives_a_bound(message).then_some(Text::Lists);
    let read = passages(message).into_iter().filter(|passage| !passage.names_a_kind()).flat_map(|passage| {
        match passage.key {
            Some(key) if member::lists_by_name(key) => vec![Text::Lists],
            _ => readings(&passage.text).into_iter().map(|text| Text::Read(text.into_owned())).collect(),
        }
    });
    lists.into_iter().chain(read)
}

/// Whether a text calls something unknown or unwanted, which is a sufficient hint for a surplus argument.
pub fn calls_it_unknown(text: &str) -> bool {
    pattern!("name/unknown").is_match(text)
        || text.contains('_') && pattern!("name/unknown").is_match(&text.replace('_', " "))
}

#[cfg(test)]
mod tests;
