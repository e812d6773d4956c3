//! The JSON object in an error reply.

use serde_json::{Map, Value};

use crate::contract::{JsonForm, ReplyForm};
use crate::exchange::Outcome;
use crate::rules::Context;

/// The contract's form, for an error of a tool under a contract of JSON objects that the server promises.
pub(super) fn of_json<'a>(context: &Context<'a>) -> Option<&'a JsonForm> {
    let error = context.error.filter(|_| context.is_tool_error() && context.declared)?;
    // If there is no text at all, another rule reports that.
    let is_blank = error.text.trim().is_empty() && error.more.iter().all(|text| text.trim().is_empty());
    match &context.contract.form {
        ReplyForm::Json(form) if !is_blank => Some(form),
        ReplyForm::Json(_) | ReplyForm::Plain | ReplyForm::Bracket => None,
    }
}

/// The object with the contract's members, or else the first object in the reply.
pub(super) fn of(context: &Context<'_>) -> Option<Value> {
    let data = context.error?.data.clone();
    data.or_else(|| first(&context.exchange.outcome))
}

/// The first object in a result: a text that is one, or the structured content.
pub(super) fn first(outcome: &Outcome) -> Option<Value> {
    let parsed = |text: &&str| serde_json::from_str::<Map<String, Value>>(text).ok().map(Value::Object);
    let structured = || outcome.result()?.get("structuredContent").filter(|value| value.is_object()).cloned();
    outcome.texts().iter().find_map(parsed).or_else(structured)
}
