//! A message that said outright what would do, and refuses it in the same words.

use serde_json::json;

use crate::contract;
use crate::exchange::{Call, Exchange};
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence};
use crate::rules::Context;
use crate::signature::signature_by;
use crate::wording::Echo;

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
