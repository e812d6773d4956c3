//! The names of the machine and of its user, outside of paths.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::machine::Named;
use crate::rules::Context;

/// A word that may be a name.
static WORD: LazyLock<Regex> = LazyLock::new(|| expression(r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?"));
/// Words that introduce a name.
static LED: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)(?:@|\b(?:user(?:name)?|host(?:name)?|owner|machine|node|computer|account|login|uid|on|by|as)\b\s*[:=]?\s*["'`(]?)\z"#,
    )
});

/// The name of the machine or of its user in an error reply, unless the caller sent it.
pub(super) fn diagnostic(context: &Context<'_>, help: &str) -> Option<Diagnostic> {
    let names = &context.head.machine;
    if names.is_empty() || context.error.is_none() {
        return None;
    }
    context.texts().into_iter().find_map(|text| {
        let words = WORD.find_iter(text).filter_map(|word| Some((word.range(), names.names(word.as_str())?)));
        let mut words = words.peekable();
        words.peek()?;
        let blank = context.echo().blank(text);
        words.find_map(|(span, named)| {
            let is_callers = blank.as_bytes().get(span.clone()) != text.as_bytes().get(span.clone());
            // A part of a path, or of a longer name, belongs to another pattern or is no name.
            let (before, after) = (&text[..span.start], &text[span.end..]);
            let is_part = before.ends_with(['/', '\\', '~', '.', '_']) || after.starts_with(['/', '\\']);
            if is_callers || is_part || is_own_word(context, &text[span.clone()]) {
                return None;
            }
            let whose = match named {
                Named::User => "the name of the user who runs the server",
                Named::Host => "the name of the machine on which the server runs",
            };
            // A name may also be an ordinary word.
            let is_told_as_name = LED.is_match(before) || after.starts_with('@');
            let level = if is_told_as_name { Level::Should } else { Level::Note };
            let message = format!("the error reply of `{}` shows {whose}", context.called());
            Some(Diagnostic::new(message, help).level(level).evidence(Evidence::marked(text, span)))
        })
    })
}

/// Whether the server or its tools use the word for something of their own.
fn is_own_word(context: &Context<'_>, word: &str) -> bool {
    let word = word.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&word);
    let tools = &context.head.catalog.tools;
    has(&context.head.server_name)
        || tools
            .iter()
            .any(|tool| has(&tool.name) || has(&tool.description) || has(&tool.input_schema.to_string()))
}
