//! `envelope/structured-mismatch`: text and structured content of an error reply disagree.

use serde_json::{Map, Value};

use crate::contract::{CodeField, ErrorReply, PROPOSED};
use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Context, Rule};

/// A18: structured content beside the text is allowed; when both are there they must agree.
pub(crate) static RULE: Rule =
    Rule::of_reply("envelope/structured-mismatch", include_str!("structured_mismatch.toml"), check);

/// Member names for a code in structured content.
const CODES: [&str; 4] = ["code", "error_code", "errorCode", "type"];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error.filter(|_| context.is_tool_error()) else { return Vec::new() };
    // A proposal has its own words for codes: only one that the contract has too can contradict.
    let documented = |code: &&str| context.contract.code(code).is_some();
    if let (CodeField::Present { name, .. }, Some(other)) =
        (&error.code, error.proposed.as_deref().filter(documented))
        && name != other
    {
        let message = format!("the text has the code `{name}`, but `_meta[\"{PROPOSED}\"]` has `{other}`");
        return vec![diagnostic(message, error)];
    }
    let structured = context.exchange.outcome.result().and_then(|result| result.get("structuredContent"));
    let Some(structured) = structured.and_then(Value::as_object) else { return Vec::new() };
    let texts = context.exchange.outcome.texts();
    let objects = texts.iter().filter_map(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
    let differing = objects.into_iter().find_map(|object| differing(&object, structured));
    let message = match differing {
        Some(name) => format!(
            "`{name}` has one value in the text and a different one in \
            `structuredContent`"
        ),
        None => {
            let Some(code) = error.code() else { return Vec::new() };
            let reported = CODES.iter().find_map(|name| structured.get(*name).and_then(Value::as_str));
            // A word that is not a code, such as a content type, says nothing about the fault.
            let Some(other) =
                reported.filter(|reported| *reported != code && context.contract.spelled(reported).is_some())
            else {
                return Vec::new();
            };
            if context.contract.spelled(other) == context.contract.spelled(code) {
                return Vec::new();
            }
            format!("the text has the code `{code}`, but `structuredContent` has `{other}`")
        }
    };
    vec![diagnostic(message, error)]
}

fn diagnostic(message: String, error: &ErrorReply) -> Diagnostic {
    Diagnostic::new(message, "Write the text and the structured content from the same value.")
        .evidence(Evidence::whole(error.text.as_str()))
}

/// The first member that both have with different values.
fn differing(object: &Map<String, Value>, structured: &Map<String, Value>) -> Option<String> {
    let differs =
        |(name, value): &(&String, &Value)| structured.get(*name).is_some_and(|other| other != *value);
    object.iter().find(differs).map(|(name, _)| name.clone())
}
