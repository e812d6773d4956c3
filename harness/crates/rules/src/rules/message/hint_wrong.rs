//! `message/hint-wrong`: the hint of a message does not help.

use std::ops::Range;

use crate::exchange::Step;
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::pattern;
use crate::rules::{Context, Rule};
use crate::wording::escape::readings;
use crate::wording::{Passage, passages};

mod absent;
mod beyond;
mod contradiction;
mod misled;

/// BC-14: following the hint succeeds.
pub(crate) static RULE: Rule = Rule::of_reply("message/hint-wrong", include_str!("hint_wrong.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let step = context.exchange.place.step;
    if step == Step::Mend || step == Step::Control && context.follows.is_some() {
        let found = match step {
            Step::Mend => misled::misled(context).or_else(|| misled::in_a_circle(context)),
            _ => misled::in_vain(context),
        };
        // An example may only mean the form.
        let is_weaker = |level: Option<Level>| level.is_none() && follows_an_example(context);
        return found
            .map(|found| if is_weaker(found.level) { found.level(Level::Should) } else { found })
            .into_iter()
            .collect();
    }
    if context.is_follow() {
        return followed(context).into_iter().collect();
    }
    let Some(error) = context.error else { return Vec::new() };
    if context.refused_for().is_none() {
        return Vec::new();
    }
    let wrong = readings_of(&error.text).into_iter().find_map(|passage| {
        let text = &passage.text;
        let wrong = absent::tool(context, text)
            .or_else(|| absent::parameter(context, text))
            .or_else(|| absent::name(context, text))
            .or_else(|| absent::value(context, text))
            .or_else(|| beyond::schema(context, text))
            .or_else(|| beyond::sent(context, text))
            .or_else(|| beyond::file_size(context, text))
            .or_else(|| contradiction::bounds(context, text))
            .or_else(|| contradiction::reported_number(context, text))
            .or_else(|| contradiction::stated_type(context, text))
            .or_else(|| contradiction::listed(context, text))?;
        Some(wrong.diagnostic.evidence(Evidence::marked(&error.text, passage.locate(wrong.span))))
    });
    wrong.into_iter().collect()
}

/// Whether the earlier reply leaves open which other values it takes: it gives an example, or says so of its list.
fn follows_an_example(context: &Context<'_>) -> bool {
    let texts = context.follows.map(|earlier| earlier.outcome.texts()).unwrap_or_default();
    texts.into_iter().any(|text| pattern!("value/open-ended").is_match(text))
}

/// A wrong hint, and its position in the text.
struct Wrong {
    diagnostic: Diagnostic,
    span: Range<usize>,
}

/// What a reader sees in a text: for JSON the strings that describe something, otherwise the text itself and
/// its unescaped form.
fn readings_of(text: &str) -> Vec<Passage<'_>> {
    let mut read = passages(text);
    read.retain(|passage| !passage.names_a_kind());
    if read.iter().all(|passage| passage.key.is_none()) {
        let whole = 0..text.len();
        let resolved = readings(text).into_iter().skip(1);
        read.extend(resolved.map(|text| Passage { text, range: whole.clone(), key: None, in_list: false }));
    }
    read
}

/// The diagnostic for a call that did what the hint said and was refused, or had no effect.
fn followed(context: &Context<'_>) -> Option<Diagnostic> {
    let Expected::Success { why, changes_file, .. } = &context.exchange.place.expected else { return None };
    let is_idle = *changes_file && context.answered_without_error() && context.exchange.changes.is_empty();
    let then = match context.error {
        Some(_) => "was refused",
        None if is_idle => "was answered with a success, although no file changed",
        None => return None,
    };
    let message = format!("a hint of `{}` does not help: {why}, and it {then}", context.called());
    Some(context.diagnostic(
        message,
        "Hint at what the server accepts: take names and values from the place that checks them.",
    ))
}
