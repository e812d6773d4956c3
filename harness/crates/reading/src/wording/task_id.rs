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
    use serde_json::Value;

    use super::in_reply;
    use crate::exchange::Outcome;

    #[test]
    fn the_id_of_each_reply_is_that_of_its_line() {
        for line in include_str!("task_id/cases.jsonl").lines() {
            let case: Value = serde_json::from_str(line).expect("a line is a case");
            let found = in_reply(&Outcome::Result(case["result"].clone()));
            assert_eq!(found.as_deref(), case["id"].as_str(), "{line}");
        }
    }
}
