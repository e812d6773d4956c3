//! `channel/protocol-error`: a bad argument or a tool's own failure is answered by a JSON-RPC error.

use crate::exchange::Outcome;
use crate::finding::{Diagnostic, Evidence, Layer, Level};
use crate::rules::{self, Context, Rule};
use crate::wording::{is_rationed, layer};

/// SEP-1303, in MCP from 2025-11-25 on: input validation errors are tool errors, so that the model can correct itself.
pub(crate) static RULE: Rule =
    Rule::of_reply("channel/protocol-error", include_str!("protocol_error.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Outcome::Error(error) = &context.exchange.outcome else { return Vec::new() };
    // A15: -32602 is right for a tool that does not exist.
    let is_unknown = context.tool.is_none() || context.condition() == Some("unknown-tool");
    // The specification itself makes a malformed request a protocol error.
    // A limit on calls is about neither the arguments nor the tool.
    if is_unknown || !context.is_request() || is_rationed(&error.message) {
        return Vec::new();
    }
    let sdk = layer::sdk(&error.message);
    let message = if let Some(sdk) = sdk {
        // A2: one finding for all tools, because one change fixes them all.
        format!(
            "{} rejects bad arguments itself, with the JSON-RPC error {}, before the tool's own code runs",
            sdk.name(),
            error.code
        )
    } else {
        // One place in a server answers for all tools: the texts differ, the fix does not.
        format!(
            "a tool call is answered with the JSON-RPC error {} instead of a result with `isError: true`",
            error.code
        )
    };
    let mut diagnostic = Diagnostic::new(
        message,
        sdk.map_or_else(
            || {
                "Return a tool result with `isError: true` that says what failed, so that the model sees it."
                    .to_owned()
            },
            rules::of_validation,
        ),
    )
    .evidence(Evidence::whole(error.message.as_str()))
    .folded();
    // Older versions of the specification do not ask for this.
    if context.head.protocol_version.as_str() < "2025-11-25" {
        diagnostic = diagnostic.level(Level::Note);
    }
    if sdk.is_some() {
        diagnostic.layer = Some(Layer::Sdk);
    }
    vec![diagnostic]
}
