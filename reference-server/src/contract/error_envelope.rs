//! The `error-envelope` style: the text is one JSON object that says what failed, whether to try again and how.

use serde_json::{Map, Value, json};

use super::written::Places;
use super::{Reply, sentence};
use crate::context::Context;
use crate::failure::{Code, Failure};
use crate::tools::Call;

pub(super) static PLACES: Places =
    Places { code: "/error_code", message: &["/message"], hints: Some("/recovery_hints") };

pub(super) const INSTRUCTIONS: &str = "A failed call has isError: true and one text, a JSON object: `success` (false), \
    `error_code`, `message`, `retryable`, `recovery_hints`, and where they apply `file_path`, `context`, `edit_index` \
    and `edit_status`. A command that exits non-zero has not failed as a call: its exit code stands in the text.";

/// How much of a text to replace is shown, in characters.
const PREVIEW: usize = 40;

/// The word for a code, and whether the same tool may succeed with another input.
fn word(code: Code) -> (&'static str, bool) {
    match code {
        Code::InvalidInput
        | Code::FileTooLarge
        | Code::BashEmptyCommand
        | Code::BashTaskLimit
        | Code::BashTaskNotFound
        | Code::UpstreamInvalid
        | Code::GrepInvalidPattern
        | Code::GrepInvalidOutputMode
        | Code::GlobInvalidPattern
        | Code::GlobInvalidType => ("VALIDATION_FAILED", true),
        Code::PathNotFound | Code::UpstreamNotFound => ("FILE_NOT_FOUND", true),
        Code::AccessDenied => ("PATH_TRAVERSAL", true),
        Code::StrReplaceNotFound => ("MATCH_NOT_FOUND", true),
        Code::StrReplaceAmbiguous => ("AMBIGUOUS_MATCH", true),
        Code::PathLoop => ("SYMLINK_LOOP", false),
        Code::PathDenied | Code::UpstreamForbidden => ("PERMISSION_DENIED", false),
        Code::NotText => ("INVALID_ENCODING", false),
        Code::IoError => ("WRITE_FAILED", false),
        Code::ServerFault
        | Code::BashStartFailed
        | Code::UpstreamUnauthorized
        | Code::UpstreamConflict
        | Code::UpstreamUnavailable
        | Code::UpstreamUnreachable
        | Code::UpstreamTimeout
        | Code::Held => ("UNKNOWN_ERROR", false),
    }
}

pub(super) fn render(call: &Call, failure: &Failure) -> Reply {
    let (code, retryable) = word(failure.code);
    let mut envelope = Map::new();
    let mut put = |name: &str, value: Value| envelope.insert(name.to_owned(), value);
    put("success", json!(false));
    put("error_code", json!(code));
    put("message", json!(message(failure)));
    put("retryable", json!(retryable));
    put("recovery_hints", json!(hints(failure)));
    if let Some(path) = call.text("path") {
        put("file_path", json!(path));
    }
    if let Some(context) = &failure.context {
        put("context", shown(context));
    }
    if let Some(old) = call.text("old_str").filter(|_| failure.context.is_some()) {
        let preview: String = old.chars().take(PREVIEW).collect();
        put("edit_index", json!(0));
        put(
            "edit_status",
            json!([{"edit_index": 0, "status": "failed", "error_code": code, "old_string_preview": preview}]),
        );
    }
    Reply::tool_error(Value::Object(envelope).to_string())
}

fn message(failure: &Failure) -> String {
    let mut message = sentence(failure);
    if let Some(more) = failure.context.as_ref().map(|context| context.more).filter(|more| *more > 0) {
        message.push_str(&format!(" {more} more places are not shown."));
    }
    message
}

/// General advice: what to send in particular is for the caller to find.
fn hints(failure: &Failure) -> Vec<String> {
    let mut hints = Vec::new();
    if !failure.valid_values.is_empty() {
        hints.push(format!("Valid values: {}.", failure.valid_values.join(", ")));
    }
    if failure.context.is_some() {
        hints.push("Read the file again before the next try: it may have changed.".to_owned());
    }
    hints.extend(failure.hint.as_deref().map(str::to_owned));
    if hints.is_empty() {
        hints.push("Nothing in the call can mend this: tell the operator of this server.".to_owned());
    }
    hints
}

fn shown(context: &Context) -> Value {
    let mut shown = Map::new();
    if let Some(beginning) = &context.beginning {
        shown.insert("snippet".to_owned(), json!(beginning));
    }
    if let Some(first) = context.spots.first() {
        let spots = context.spots.iter().map(|spot| json!({"line": spot.line, "snippet": spot.snippet}));
        shown.insert("snippet".to_owned(), json!(first.snippet));
        shown.insert("match_locations".to_owned(), spots.collect());
    }
    Value::Object(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;

    fn rendered(arguments: &Value, failure: &Failure) -> Value {
        let tool = tools::find("str_replace").unwrap();
        let arguments = arguments.as_object().cloned().unwrap();
        let reply = render(&Call { tool, arguments }, failure);
        serde_json::from_str(&reply.text).unwrap()
    }

    #[test]
    fn an_ambiguous_match_shows_its_places_and_its_edit() {
        let text = "a\nb\na\n";
        let failure = Failure::new(Code::StrReplaceAmbiguous, "The text 'a' occurs 2 times in 'f'")
            .showing(Context::places_of("a", text))
            .hint("Lengthen it.");
        let envelope = rendered(&json!({"path": "f", "old_str": "a".repeat(60)}), &failure);
        assert_eq!(envelope["success"], false);
        assert_eq!(envelope["error_code"], "AMBIGUOUS_MATCH");
        assert_eq!(envelope["file_path"], "f");
        assert_eq!(envelope["context"]["match_locations"][1], json!({"line": 3, "snippet": text}));
        assert_eq!(envelope["edit_status"][0]["old_string_preview"].as_str().unwrap().len(), PREVIEW);
    }

    #[test]
    fn there_is_a_hint_even_where_the_caller_can_do_nothing() {
        let envelope = rendered(&json!({}), &Failure::new(Code::ServerFault, "It broke"));
        assert_eq!(envelope["recovery_hints"].as_array().map(Vec::len), Some(1));
        assert_eq!(envelope["retryable"], false);
        assert!(envelope.get("file_path").is_none() && envelope.get("edit_status").is_none());
    }
}
