//! `channel/cut-json`: a success contains a JSON document that ends in the middle.

use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::class::Class;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::names::{is_path, plain_name};
use crate::rules::{Context, Rule};
use crate::wording::echo::FILL;

/// A73: a result that is too long.
pub(crate) static RULE: Rule = Rule::of_reply("channel/cut-json", include_str!("cut_json.toml"), check);

/// The shortest text, in bytes, of which it is certain that it was meant as a document.
const SHORTEST: usize = 40;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.exchange.tool().is_none() || !context.answered_without_error() || returns_a_file(context) {
        return Vec::new();
    }
    let is_own = |text: &str| !context.echo().blank(text).trim_start().starts_with(char::from(FILL));
    let texts = context.exchange.outcome.texts();
    let Some(text) = texts.into_iter().find(|text| is_cut(text) && is_own(text)) else {
        return Vec::new();
    };
    let is_whole_elsewhere = context
        .succeeded_control()
        .is_some_and(|control| control.outcome.texts().into_iter().any(is_document));
    let level = if is_whole_elsewhere { Level::Must } else { Level::Should };
    let message =
        format!("`{}` reports success with a JSON document that ends in the middle", context.called());
    let help = "Leave out whole items until the document fits, and say in it how many there are and how to get the rest.";
    vec![Diagnostic::new(message, help).evidence(Evidence::whole(text)).level(level)]
}

/// Whether a tool returns the contents of something else, such as a file, of which a part is no fault of the server.
fn returns_a_file(context: &Context<'_>) -> bool {
    let is_place = |name: &String| {
        is_path(&plain_name(name), "") || ["url", "uri"].iter().any(|end| plain_name(name).ends_with(end))
    };
    match context.tool.map_or(Class::Unknown, Class::from_tool) {
        Class::Write => false,
        Class::Read | Class::Unknown => {
            context.arguments().as_object().is_some_and(|sent| sent.keys().any(is_place))
        }
        Class::Effect => true,
    }
}

/// Whether a text begins as a JSON object or list and ends before that does.
fn is_cut(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', '\u{2026}']);
    let mut letters = text.chars().filter(|letter| !letter.is_whitespace());
    let begins = match letters.next() {
        Some('{') => letters.next() == Some('"'),
        Some('[') => letters.next().is_some_and(|next| "{[\"".contains(next)),
        _ => false,
    };
    begins
        && text.len() >= SHORTEST
        && serde_json::from_str::<&RawValue>(text).is_err_and(|error| error.classify() == Category::Eof)
}

fn is_document(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<&RawValue>(text).is_ok()
}
