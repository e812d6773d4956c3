//! The `problem-details` style: `error`, and a `problem` as RFC 9457 has it, in one JSON object.

use serde_json::{Map, Value, json};

use super::written::Places;
use super::{Reply, told};
use crate::failure::{Code, Failure};
use crate::tools::Call;

pub(super) static PLACES: Places =
    Places { code: "/problem/code", message: &["/error", "/problem/detail"], hints: None };

pub(super) const INSTRUCTIONS: &str = "A failed call has isError: true and one text, a JSON object: `error`, and \
    `problem` (RFC 9457: `type`, `title`, `status`, `detail`, `instance`, with `code` and `extensions`). A command that \
    exits non-zero has not failed as a call: its exit code stands in the text.";

/// A type of problem: one title and one status for each.
struct Kind {
    code: &'static str,
    title: &'static str,
    status: u16,
}

const INVALID_PARAMETER: Kind = Kind { code: "invalid-parameter", title: "Invalid parameter", status: 400 };
const FILE_NOT_FOUND: Kind = Kind { code: "file-not-found", title: "File not found", status: 404 };
const OUTSIDE: Kind = Kind { code: "path-outside-repo", title: "Path outside the repository", status: 403 };
const ENCODING: Kind = Kind { code: "unsupported-encoding", title: "Unsupported encoding", status: 415 };
const UNAVAILABLE: Kind = Kind { code: "backend-unavailable", title: "Backend unavailable", status: 503 };
const INTERNAL: Kind = Kind { code: "internal-error", title: "Internal error", status: 500 };

fn kind(code: Code) -> Kind {
    match code {
        Code::InvalidInput
        | Code::FileTooLarge
        | Code::BashEmptyCommand
        | Code::BashTaskNotFound
        | Code::UpstreamInvalid
        | Code::UpstreamForbidden
        | Code::StrReplaceNotFound
        | Code::StrReplaceAmbiguous
        | Code::GrepInvalidPattern
        | Code::GrepInvalidOutputMode
        | Code::GlobInvalidPattern
        | Code::GlobInvalidType => INVALID_PARAMETER,
        Code::PathNotFound | Code::PathLoop | Code::UpstreamNotFound => FILE_NOT_FOUND,
        Code::AccessDenied | Code::PathDenied => OUTSIDE,
        Code::NotText => ENCODING,
        Code::BashTaskLimit
        | Code::UpstreamConflict
        | Code::UpstreamUnavailable
        | Code::UpstreamUnreachable
        | Code::UpstreamTimeout
        | Code::Held => UNAVAILABLE,
        Code::IoError | Code::ServerFault | Code::BashStartFailed | Code::UpstreamUnauthorized => INTERNAL,
    }
}

pub(super) fn render(call: &Call, failure: &Failure) -> Reply {
    let Kind { code, title, status } = kind(failure.code);
    let detail = told(failure);
    let mut extensions = Map::new();
    if let Some(path) = call.text("path") {
        extensions.insert("path".to_owned(), json!(path));
    }
    if !failure.valid_values.is_empty() {
        extensions.insert("valid_values".to_owned(), json!(failure.valid_values));
    }
    if let Some(seconds) = failure.retry_after {
        extensions.insert("retry_after".to_owned(), json!(seconds));
    }
    let reply = json!({
        "error": detail,
        "problem": {
            "type": format!("urn:mcp-errconf-reference:problem:{code}"),
            "title": title,
            "status": status,
            "detail": detail,
            "instance": format!("urn:mcp-errconf-reference:operation:{}", call.tool.name),
            "code": code,
            "extensions": Value::Object(extensions),
        },
    });
    Reply::tool_error(reply.to_string())
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
        let reply: Value = serde_json::from_str(&render(&Call { tool, arguments }, &failure).text).unwrap();
        let problem = &reply["problem"];
        assert_eq!(reply["error"], problem["detail"]);
        assert_eq!(problem["detail"], "Nothing exists at 'gone.txt'. List the folder.");
        assert_eq!((&problem["status"], &problem["code"]), (&json!(404), &json!("file-not-found")));
        assert_eq!(problem["type"], "urn:mcp-errconf-reference:problem:file-not-found");
        assert_eq!(problem["instance"], "urn:mcp-errconf-reference:operation:view");
        assert_eq!(problem["extensions"], json!({"path": "gone.txt"}));
    }
}
