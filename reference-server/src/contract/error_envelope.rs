//! The `error-envelope` style: the text is one JSON object that says what failed, whether to try again and how.

use serde_json::{Map, Value, json};

use super::places::Places;
use super::words::Words;
use super::{Reply, file, sentence};
use crate::context::Context;
use crate::failure::{Failure, Part};
use crate::success::Success;
use crate::tools::Call;

pub(super) static PLACES: Places = Places {
    code: "/error_code",
    message: &["/message"],
    hints: Some("/recovery_hints"),
    retryable: Some("/retryable"),
    typed: "/success",
};

pub(super) const INSTRUCTIONS: &str = "A failed call has isError: true and one text, a JSON object: `success` (false), \
    `error_code`, `message`, `retryable`, `recovery_hints`, and where they apply `file_path`, `file_index`, `edit_index`, \
    `context`, `edit_status` and `backup_path`. A command that exits non-zero has not failed as a call: its exit code stands in the text.";

/// How much of a text to replace is shown, in characters.
const PREVIEW: usize = 40;

pub(super) fn render(call: &Call, failure: &Failure) -> Reply {
    let words = Words::of(failure.code);
    let code = words.error_envelope;
    let mut envelope = Map::new();
    let mut put = |name: &str, value: Value| envelope.insert(name.to_owned(), value);
    put("success", json!(false));
    put("error_code", json!(code));
    put("message", json!(message(failure)));
    put("retryable", json!(words.is_retryable()));
    put("recovery_hints", json!(hints(failure)));
    if let Some(path) = file(call, failure) {
        put("file_path", json!(path));
    }
    if let Some(context) = &failure.context {
        put("context", shown(context));
    }
    let whole_call = || {
        let old = call.text("old_str").filter(|_| failure.context.is_some())?;
        Some(Part { edit: Some(0), tried: vec![old.to_owned()], ..Part::default() })
    };
    if let Some(part) = failure.part.as_deref().cloned().or_else(whole_call) {
        if let Some(index) = part.file_index {
            put("file_index", json!(index));
        }
        if let Some(index) = part.edit {
            put("edit_index", json!(index));
            let status = status(&part.tried, index, code);
            if !status.is_empty() {
                put("edit_status", Value::Array(status));
            }
        }
    }
    if let Some(backup) = &failure.backup {
        put("backup_path", json!(backup));
    }
    Reply::tool_error(Value::Object(envelope).to_string())
}

/// A success keeps the tool's own fields, and says that it is one.
pub(super) fn tell(call: &Call, success: &Success) -> Reply {
    let mut result = Map::new();
    result.insert("success".to_owned(), json!(true));
    result.extend(success.object(&call.tool.result));
    Reply::success(Value::Object(result).to_string())
}

/// The edits that failed or were not tried after that; what is not listed would have been done.
fn status(tried: &[String], failed: usize, code: &str) -> Vec<Value> {
    let of = |(index, old): (usize, &String)| {
        let preview: String = old.chars().take(PREVIEW).collect();
        let state = if index == failed { "failed" } else { "skipped" };
        let mut status = json!({"edit_index": index, "status": state, "old_string_preview": preview});
        if index == failed {
            status["error_code"] = json!(code);
        }
        status
    };
    tried.iter().enumerate().skip(failed).map(of).collect()
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
    hints.extend(failure.hint.as_deref().map(str::to_owned));
    if hints.is_empty() {
        hints.push("No change to the call can fix this: tell the operator of this server.".to_owned());
    }
    hints
}

fn shown(context: &Context) -> Value {
    let mut shown = Map::new();
    if let Some(excerpt) = &context.excerpt {
        shown.insert("snippet".to_owned(), json!(excerpt));
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
    use crate::failure::Code;
    use crate::tools;

    fn rendered(arguments: &Value, failure: &Failure) -> Value {
        let tool = tools::find("str_replace").unwrap();
        let arguments = arguments.as_object().cloned().unwrap();
        let reply = render(&Call { tool, arguments, has_arguments: true }, failure);
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
    fn a_success_says_so_beside_the_fields_of_the_tool_alone() {
        let call =
            Call { tool: tools::find("str_replace").unwrap(), arguments: Map::new(), has_arguments: true };
        let reply = tell(&call, &Success::new("Done.").with("path", "f").with("replaced", 2));
        assert_eq!(reply, Reply::success(r#"{"success":true,"path":"f","replaced":2}"#));
    }

    #[test]
    fn what_failed_and_what_was_not_tried_is_listed_and_what_would_have_been_done_is_not() {
        let tried = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        let part = Part { file: "/w/f".to_owned(), file_index: Some(1), edit: Some(2), tried };
        let failure =
            Failure::new(Code::StrReplaceNotFound, "It is not there").within(part).kept_in("/w/f.bak");
        let envelope = rendered(&json!({}), &failure);
        let listed: Vec<_> = envelope["edit_status"].as_array().unwrap().iter().collect();
        let states = listed.iter().map(|status| (status["edit_index"].clone(), status["status"].clone()));
        assert_eq!(
            states.collect::<Vec<_>>(),
            [(2, "failed"), (3, "skipped"), (4, "skipped")]
                .map(|(index, state)| (json!(index), json!(state)))
        );
        assert_eq!((&envelope["file_index"], &envelope["edit_index"]), (&json!(1), &json!(2)));
        assert_eq!((&envelope["file_path"], &envelope["backup_path"]), (&json!("/w/f"), &json!("/w/f.bak")));
    }

    #[test]
    fn there_is_a_hint_even_where_the_caller_can_do_nothing() {
        let envelope = rendered(&json!({}), &Failure::new(Code::ServerFault, "It broke"));
        assert_eq!(envelope["recovery_hints"].as_array().map(Vec::len), Some(1));
        assert_eq!(envelope["retryable"], false);
        assert!(envelope.get("file_path").is_none() && envelope.get("edit_status").is_none());
    }
}
