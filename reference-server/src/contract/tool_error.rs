//! The `tool-error` style: the text is one JSON object of `type`, `message`, `recoverable` and, where it helps, `data`.

use serde_json::{Map, Value, json};

use super::places::Places;
use super::words::Words;
use super::{Reply, beside, told};
use crate::failure::{Code, Conflict, Failure};
use crate::tools::Call;

pub(super) static PLACES: Places = Places {
    code: "/type",
    message: &["/message"],
    hints: None,
    retryable: Some("/recoverable"),
    typed: "/recoverable",
};

pub(super) const INSTRUCTIONS: &str = "A failed call has isError: true and one text, a JSON object: `type` (NOT_FOUND, \
    CONFLICT, VALIDATION, PERMISSION, TRANSIENT or INTERNAL), `message`, `recoverable`, and where it helps `data`. A \
    command that exits non-zero has not failed as a call: its exit code stands in the text.";

/// How long what may work later is worth waiting for, in seconds.
const WAIT: u64 = 5;

pub(super) fn render(call: &Call, failure: &Failure) -> Reply {
    let words = Words::of(failure.code);
    let mut data = Map::new();
    data.extend(beside(call, failure));
    if !failure.valid_values.is_empty() {
        data.insert("valid_values".to_owned(), json!(failure.valid_values));
    }
    let wait = failure.retry_after.or((failure.code == Code::BashTaskLimit).then_some(WAIT));
    if let Some(seconds) = wait {
        data.insert("retry_after".to_owned(), json!(seconds));
    }
    if !failure.conflicts.is_empty() {
        let conflict = |conflict: &Conflict| {
            let Conflict { pattern, holder } = conflict;
            json!({"agent_id": holder, "pattern": pattern, "held_by": holder})
        };
        data.insert("conflicts".to_owned(), failure.conflicts.iter().map(conflict).collect());
    }
    let mut error = Map::new();
    error.insert("type".to_owned(), json!(words.tool_error));
    error.insert("message".to_owned(), json!(told(failure)));
    error.insert("recoverable".to_owned(), json!(words.is_recoverable()));
    if !data.is_empty() {
        error.insert("data".to_owned(), Value::Object(data));
    }
    Reply::tool_error(Value::Object(error).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;

    fn rendered(arguments: &Value, failure: &Failure) -> Value {
        let tool = tools::find("bash").unwrap();
        let reply = render(
            &Call { tool, arguments: arguments.as_object().cloned().unwrap(), has_arguments: true },
            failure,
        );
        serde_json::from_str(&reply.text).unwrap()
    }

    #[test]
    fn what_may_work_later_says_when() {
        let error = rendered(&json!({}), &Failure::new(Code::BashTaskLimit, "Too many").hint("Wait."));
        let expected = json!({"type": "TRANSIENT", "message": "Too many. Wait.", "recoverable": true, "data": {"retry_after": WAIT}});
        assert_eq!(error, expected);
    }

    #[test]
    fn the_holder_is_named_and_a_requested_wait_is_reported() {
        let conflict = Conflict { pattern: "src/**".to_owned(), holder: "one".to_owned() };
        let mut failure = Failure::new(Code::Held, "Held").conflicting(vec![conflict]);
        failure.retry_after = Some(30);
        let data = &rendered(&json!({}), &failure)["data"];
        let expected = json!({"retry_after": 30, "conflicts": [{"agent_id": "one", "pattern": "src/**", "held_by": "one"}]});
        assert_eq!(data, &expected);
    }

    #[test]
    fn nothing_stands_beside_the_members_of_the_contract() {
        let error = rendered(&json!({}), &Failure::new(Code::ServerFault, "It broke"));
        assert_eq!(error, json!({"type": "INTERNAL", "message": "It broke.", "recoverable": false}));
    }
}
