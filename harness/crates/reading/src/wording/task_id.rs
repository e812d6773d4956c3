//! The id of a background task in a reply: in a member of its own, or in the text.

use serde_json::Value;

use crate::exchange::Outcome;

/// Names of members with the id, the most certain first, in lower case and without separators.
const MEMBERS: [&str; 9] =
    ["taskid", "backgroundid", "jobid", "processid", "sessionid", "shellid", "bashid", "pid", "id"];
/// How deep structured content is searched for an id.
const DEEPEST: usize = 4;

/// The id in a reply to the start of a task: structured content is preferred to text.
pub fn in_reply(outcome: &Outcome) -> Option<String> {
    let structured = outcome.result().and_then(|result| result.get("structuredContent"));
    let member =
        structured.and_then(|content| MEMBERS.iter().find_map(|name| member(content, name, DEEPEST)));
    member.or_else(|| outcome.texts().into_iter().find_map(task_id).map(str::to_owned))
}

/// The text or number in the first member of this name.
fn member(value: &Value, name: &str, depth: usize) -> Option<String> {
    let is_named = |key: &str| {
        let letters = key.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|letter| letter.to_ascii_lowercase()).eq(name.chars())
    };
    let own = value.as_object().into_iter().flatten().filter(|(key, _)| is_named(key));
    let reported = own.filter_map(|(_, value)| match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let within = || {
        let (members, items) =
            (value.as_object().into_iter().flatten(), value.as_array().into_iter().flatten());
        let inner = members.map(|(_, value)| value).chain(items);
        inner.into_iter().find_map(|inner| member(inner, name, depth.checked_sub(1)?))
    };
    reported.into_iter().next().or_else(within)
}

use crate::pattern;

/// The id in the text of a reply to the start of a task: a member or a label such as `task_id: 7`, `PID 4711`,
/// `"sessionId": "a-1"`.
pub fn task_id(text: &str) -> Option<&str> {
    let found =
        pattern!("state/task-id").captures(text).or_else(|| pattern!("state/task-name").captures(text))?;
    found.name("id").map(|id| id.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{in_reply, task_id};
    use crate::exchange::Outcome;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(task_id(text), expected, "{text}");
    }

    #[test]
    fn an_id_is_found_behind_its_label() {
        check("task_id: 3\nThe command runs in the background", Some("3"));
        check("Process started with PID 4711", Some("4711"));
        check(r#"{"sessionId": "a1-b2", "status": "running"}"#, Some("a1-b2"));
        check("Started background task bash_1 (running)", Some("bash_1"));
        check("Background process started. ID: 9f8e", Some("9f8e"));
    }

    #[test]
    fn other_words_are_no_ids() {
        check("The task was started.", None);
        check("did it", None);
    }

    fn reply(structured: &Value, text: &str, expected: Option<&str>) {
        let result = json!({"content": [{"type": "text", "text": text}], "structuredContent": structured});
        assert_eq!(in_reply(&Outcome::Result(result)).as_deref(), expected, "{structured} beside {text}");
    }

    #[test]
    fn an_id_that_stands_in_the_structured_content_alone_is_found() {
        reply(&json!({"exit_code": null, "task_id": "b-7"}), "It runs in the background.", Some("b-7"));
        reply(&json!({"result": {"processId": 4711, "id": "x"}}), "It runs in the background.", Some("4711"));
        reply(&json!({"tasks": [{"id": "a1"}]}), "It runs in the background.", Some("a1"));
        reply(&json!({"command": "sleep 9", "title": "x"}), "It runs in the background.", None);
    }

    #[test]
    fn the_structured_content_goes_before_the_words_and_an_empty_member_is_none() {
        reply(&json!({"taskId": "long-7"}), "Started job 7", Some("long-7"));
        reply(&json!({"task_id": "", "pid": null}), "task_id: 3", Some("3"));
        reply(&json!({"task_id": ""}), "did it", None);
        reply(&json!([[[[[[{"id": "deep"}]]]]]]), "did it", None);
    }
}
