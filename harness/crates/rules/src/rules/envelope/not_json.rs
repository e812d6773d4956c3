//! `envelope/not-json`: an error reply is not a JSON object, although the contract requires one.

use crate::finding::{Diagnostic, Layer};
use crate::pattern;
use crate::rules::{self, Context, Rule};
use crate::wording::layer;

use super::object;

/// EE-01: no plain text. TE-01: the text parses as JSON. PD-03: the problem stands in a JSON object.
pub(crate) static RULE: Rule = Rule::of_reply("envelope/not-json", include_str!("not_json.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (Some(form), Some(error)) = (object::of_json(context), context.error) else { return Vec::new() };
    if object::of(context).is_some() {
        return Vec::new();
    }
    let mut diagnostic = match layer::sdk(&error.text) {
        Some(sdk) => {
            let message = format!(
                "{} answers bad arguments itself, in plain text instead of a JSON object",
                sdk.name()
            );
            let mut diagnostic = Diagnostic::new(message, rules::of_validation(sdk)).folded();
            diagnostic.layer = Some(Layer::Sdk);
            diagnostic
        }
        None if is_of_an_unknown_tool(context, &error.text) => {
            let message = "a call of a tool that does not exist is answered in plain text, as SDKs do before any \
                           tool's code runs, instead of a JSON object";
            let help = "Answer it with the JSON-RPC error -32602, as MCP asks, or take over in the SDK what \
                        looks up the tool.";
            let mut diagnostic = Diagnostic::new(message, help).folded();
            diagnostic.layer = Some(Layer::Sdk);
            diagnostic
        }
        None => Diagnostic::new(
            format!("an error of `{}` is plain text, not a JSON object", context.called()),
            format!(
                "Send the error as one JSON object, with the code at `{}` and the message at `{}`.",
                form.code, form.message
            ),
        ),
    };
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}

/// Whether a text only says that an unlisted tool is unknown, in the words of an SDK.
fn is_of_an_unknown_tool(context: &Context<'_>, text: &str) -> bool {
    let unlisted = context.exchange.tool().filter(|_| context.tool.is_none());
    unlisted.is_some_and(|name| {
        !context.head.catalog.tools.is_empty()
            && pattern!("failure/unknown-tool").is_match(text.replace(name, "\u{1a}").trim())
    })
}
