//! The `problem-details` style: `error`, and a `problem` as RFC 9457 has it, in one JSON object.

use serde_json::{Map, Value, json};

use super::places::Places;
use super::words::{Problem, Words};
use super::{Reply, beside, told};
use crate::failure::{Code, Failure};
use crate::success::{self, Success};
use crate::tools::{Call, Tool};

pub(super) static PLACES: Places = Places {
    code: "/problem/code",
    message: &["/error", "/problem/detail"],
    hints: None,
    retryable: None,
    typed: "/problem/extensions/path",
};

pub(super) const INSTRUCTIONS: &str = "Every result is one JSON object, in the text and in structuredContent. A failed \
    call has isError: true, the fields of the tool's result empty, and beside them `error` and `problem` (RFC 9457: `type`, \
    `title`, `status`, `detail`, `instance`, with `code` and `extensions`). A command that \
    exits non-zero has not failed as a call: its exit code stands in the text.";

pub(super) fn render(call: &Call, failure: &Failure) -> Reply {
    let Problem { code, title, status } = Words::of(failure.code).problem;
    let detail = told(failure);
    let mut extensions = Map::new();
    // What has a wrong type is told in the detail: a client may rely on the types of the extensions.
    let is_text: fn(&Value) -> bool = Value::is_string;
    for (name, is_typed) in
        [("path", is_text), ("start_line", Value::is_number), ("end_line", Value::is_number)]
    {
        if let Some(value) = call.arguments.get(name).filter(|value| is_typed(value)) {
            extensions.insert(name.to_owned(), value.clone());
        }
    }
    if failure.code == Code::NotText {
        extensions.insert("encoding".to_owned(), json!("utf-8"));
    }
    extensions.extend(beside(call, failure));
    if !failure.valid_values.is_empty() {
        extensions.insert("valid_values".to_owned(), json!(failure.valid_values));
    }
    if let Some(seconds) = failure.retry_after {
        extensions.insert("retry_after".to_owned(), json!(seconds));
    }
    let mut reply = empty(call.tool);
    reply.insert("error".to_owned(), json!(detail));
    let problem = json!({
        "type": format!("urn:mcp-errconf-reference:problem:{code}"),
        "title": title,
        "status": status,
        "detail": detail,
        "instance": format!("urn:mcp-errconf-reference:operation:{}", call.tool.name),
        "code": code,
        "extensions": Value::Object(extensions),
    });
    reply.insert("problem".to_owned(), problem);
    Reply::tool_error(Value::Object(reply).to_string())
}

/// A success is the tool's own object, and nothing else.
pub(super) fn tell(call: &Call, success: &Success) -> Reply {
    Reply::success(Value::Object(success.object(&call.tool.result)).to_string())
}

/// The tool's own object with nothing in it.
fn empty(tool: &Tool) -> Map<String, Value> {
    tool.result.iter().map(|field| (field.name.to_owned(), field.holds.empty())).collect()
}

pub(super) fn output_schema(tool: &Tool) -> Map<String, Value> {
    success::schema(&tool.result)
}

/// The object that is the text stands in `structuredContent` too.
pub(super) fn structured(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(Value::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;

    #[test]
    fn a_problem_has_every_member_and_its_detail_is_the_error() {
        let tool = tools::find("view").unwrap();
        let arguments = json!({"path": "gone.txt"}).as_object().cloned().unwrap();
        let failure =
            Failure::new(Code::PathNotFound, "Nothing exists at 'gone.txt'").hint("List the folder.");
        let reply: Value =
            serde_json::from_str(&render(&Call { tool, arguments, has_arguments: true }, &failure).text)
                .unwrap();
        let problem = &reply["problem"];
        assert_eq!(reply["error"], problem["detail"]);
        assert_eq!(problem["detail"], "Nothing exists at 'gone.txt'. List the folder.");
        assert_eq!((&problem["status"], &problem["code"]), (&json!(404), &json!("file-not-found")));
        assert_eq!(problem["type"], "urn:mcp-errconf-reference:problem:file-not-found");
        assert_eq!(problem["instance"], "urn:mcp-errconf-reference:operation:view");
        assert_eq!(problem["extensions"], json!({"path": "gone.txt"}));
        assert_eq!((&reply["path"], &reply["content"]), (&json!(""), &json!("")));
    }
}
