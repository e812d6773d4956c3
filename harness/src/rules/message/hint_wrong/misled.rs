//! A message that said outright what would do, and refuses it in the same words.

use serde_json::{Value, json};

use crate::contract;
use crate::exchange::{Call, Exchange, Guidance};
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::Context;
use crate::signature::signature_by;
use crate::wording::Echo;
use crate::wording::mention::is_marked;

/// The call that a reader sent next did exactly what the reply said, and was refused for the same reason.
pub(super) fn misled(context: &Context<'_>) -> Option<Diagnostic> {
    let Expected::Success { why, .. } = &context.exchange.place.expected else { return None };
    let earlier = context.follows?;
    let error = contract::read(context.contract, context.exchange)?;
    let first = contract::read(context.contract, earlier)?;
    // A value that only one of the calls has is the caller's own in both replies.
    let both = Call {
        arguments: json!([earlier.call.arguments, context.exchange.call.arguments]),
        ..earlier.call.clone()
    };
    let masked = |text: &str, exchange: &Exchange| {
        signature_by(text, Echo::of(&both, &context.head.folders), exchange.tool())
    };
    if masked(&first.text, earlier) != masked(&error.text, context.exchange) {
        return None;
    }
    if quotes_what_stayed(earlier, context.exchange, [&first.text, &error.text]) {
        return None;
    }
    let message = format!(
        "a message of `{}` leads wrong: {why}, and it was refused in the same words",
        context.called()
    );
    let mut diagnostic = Diagnostic::new(
        message,
        "Say what the tool accepts: take names, values and limits from the place that checks them.",
    );
    diagnostic.evidence = Some(Evidence::whole(error.text));
    Some(diagnostic)
}

/// Whether both refusals quote a text that both calls sent, and the new one no text that only the new call sent, but for what
/// the first one named: it is about an argument that the reader left as it was.
fn quotes_what_stayed(earlier: &Exchange, then: &Exchange, [first, text]: [&str; 2]) -> bool {
    let leaves = |exchange: &Exchange| leaves_of(&exchange.call.arguments);
    let (before, after) = (leaves(earlier), leaves(then));
    let is_quoted = |value: &String| value.chars().count() > 2 && is_marked(text, value);
    let (stayed, changed): (Vec<&String>, Vec<&String>) =
        after.iter().filter(|value| is_quoted(value)).partition(|value| before.contains(value));
    // Of a number that was changed nothing is known: it stands in no quotation marks.
    let is_text = after.iter().any(|value| !before.contains(value));
    is_text && !stayed.is_empty() && changed.iter().all(|value| is_marked(first, value))
}

/// Every text in the arguments of a call.
fn leaves_of(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(leaves_of).collect(),
        Value::Object(members) => members.values().flat_map(leaves_of).collect(),
        _ => Vec::new(),
    }
}

/// The call that a reader sent next did what the reply said, and is refused with the advice to send the first one again.
pub(super) fn in_a_circle(context: &Context<'_>) -> Option<Diagnostic> {
    let Expected::Success { why, .. } = &context.exchange.place.expected else { return None };
    let error = contract::read(context.contract, context.exchange)?;
    if context.follows.is_none() || context.exchange.guidance != Some(Guidance::Circular) {
        return None;
    }
    let message = format!(
        "two messages of `{}` lead in a circle: {why}; it was refused, and the new message says to send what was \
         refused before",
        context.called()
    );
    let help = "Take what both messages say from the place that checks it, and check everything before the first reply.";
    Some(Diagnostic::new(message, help).level(Level::Note).evidence(Evidence::whole(error.text)))
}
