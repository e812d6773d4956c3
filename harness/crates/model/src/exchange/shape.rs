//! Whether the result of a tool's call has the shape that MCP gives it.
//!
//! The main type is [`ShapeError`]. A client's library reads a result by the schema of `CallToolResult` and
//! rejects what does not fit, so that the model sees neither content nor error.

use serde_json::Value;

use super::Outcome;

/// What is wrong with the shape of a result, in words for a sentence about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// It is not an object.
    #[error("it is not an object")]
    NoObject,
    /// `isError` is present and not a boolean.
    #[error("its `isError` is not a boolean")]
    Flag,
    /// `isError` is null, as sent by servers that leave it unset. Clients disagree on its meaning.
    #[error("its `isError` is null")]
    NullFlag,
    /// There is no `content`, nor anything in its place.
    #[error("it has no `content`")]
    NoContent,
    /// There is `structuredContent` without `content`.
    #[error("it has `structuredContent` but no `content`")]
    StructuredAlone,
    /// `content` is not an array.
    #[error("its `content` is not an array")]
    ContentNoArray,
    /// An item of `content` has no `type`, or is not an object.
    #[error("an item of its `content` is not an object with a `type`")]
    ItemWithoutType,
    /// An item of type `text` has no text.
    #[error("an item of its `content` is of type `text` but has no text")]
    ItemWithoutText,
    /// An item has a type that MCP does not define.
    #[error("an item of its `content` is of a type that MCP does not have")]
    ItemOfUnknownType,
    /// An item lacks what its type requires.
    #[error("an item of its `content` lacks what its type requires, such as `data` and `mimeType`")]
    ItemIncomplete,
    /// An item's audience is unknown to MCP, or its `annotations` are not an object.
    #[error("an item of its `content` has an `audience` other than user and assistant")]
    ItemAnnotations,
    /// `_meta` is not an object.
    #[error("its `_meta` is not an object")]
    MetaNoObject,
    /// `structuredContent` is not an object, as MCP requires before version 2026-07-28.
    #[error("its `structuredContent` is not an object")]
    StructuredNoObject,
}

impl ShapeError {
    /// Whether clients were seen to accept it anyway, with a clear meaning.
    pub fn is_clear(self) -> bool {
        matches!(self, Self::NullFlag | Self::StructuredAlone | Self::StructuredNoObject)
    }
}

impl Outcome {
    /// What is wrong with the shape of a tool's result, the gravest fault first; `None` if it is right, or not
    /// a result.
    pub fn misshapen(&self) -> Option<ShapeError> {
        let Self::Result(result) = self else { return None };
        let Value::Object(result) = result else { return Some(ShapeError::NoObject) };
        let flag = match result.get("isError") {
            None | Some(Value::Bool(_)) => None,
            Some(Value::Null) => Some(ShapeError::NullFlag),
            Some(_) => return Some(ShapeError::Flag),
        };
        let content = match result.get("content") {
            Some(Value::Array(items)) => items.iter().find_map(item),
            Some(_) => Some(ShapeError::ContentNoArray),
            // The first version of MCP had `toolResult` instead.
            None if result.contains_key("structuredContent") || result.contains_key("toolResult") => {
                Some(ShapeError::StructuredAlone)
            }
            None => Some(ShapeError::NoContent),
        };
        let is_object = |name: &str| result.get(name).is_none_or(Value::is_object);
        let meta = (!is_object("_meta")).then_some(ShapeError::MetaNoObject);
        let structured = (!is_object("structuredContent")).then_some(ShapeError::StructuredNoObject);
        content.filter(|fault| !fault.is_clear()).or(meta).or(flag).or(content).or(structured)
    }
}

fn item(item: &Value) -> Option<ShapeError> {
    let Some(kind) = item.get("type").and_then(Value::as_str) else {
        return Some(ShapeError::ItemWithoutType);
    };
    let has = |member: &str| item.get(member).is_some_and(Value::is_string);
    let is_complete = match kind {
        "text" if !has("text") => return Some(ShapeError::ItemWithoutText),
        "text" => true,
        "image" | "audio" => has("data") && has("mimeType"),
        "resource_link" => has("uri") && has("name"),
        "resource" => item.get("resource").is_some_and(|resource| {
            let has = |member: &str| resource.get(member).is_some_and(Value::is_string);
            has("uri") && (has("text") || has("blob"))
        }),
        _ => return Some(ShapeError::ItemOfUnknownType),
    };
    let is_for_whom = |whom: &Value| matches!(whom.as_str(), Some("user" | "assistant"));
    let is_annotated = item.get("annotations").is_none_or(|annotations| {
        let audience = annotations.get("audience").map(|audience| audience.as_array().map(Vec::as_slice));
        annotations.is_object()
            && audience.is_none_or(|list| list.is_some_and(|list| list.iter().all(is_for_whom)))
    });
    match (is_complete, is_annotated) {
        (false, _) => Some(ShapeError::ItemIncomplete),
        (true, false) => Some(ShapeError::ItemAnnotations),
        (true, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result, and the name of what the schema of a result forbids in it.
    #[derive(serde::Deserialize)]
    struct Case {
        result: Value,
        error: Option<String>,
    }

    #[test]
    fn what_the_schema_of_a_result_forbids_is_found() {
        for line in include_str!("shape/cases.jsonl").lines() {
            let Case { result, error } = serde_json::from_str(line).expect("a line is a case");
            let found = Outcome::Result(result).misshapen().map(|error| format!("{error:?}"));
            assert_eq!(found, error, "{line}");
        }
        assert_eq!(Outcome::Ended(crate::exchange::Exit::Status(0)).misshapen(), None);
    }
}
