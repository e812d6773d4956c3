//! The id of a background task, as a reply tells it.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;

/// The id that stands in a reply to the start of a task: a member or a label such as `task_id: 7`, `PID 4711`,
/// `"sessionId": "a-1"`.
pub fn task_id(text: &str) -> Option<&str> {
    static ID: LazyLock<Regex> = LazyLock::new(|| {
        expression(concat!(
            r"(?i)\b(?:(?:task|process|job|session|shell|bash|background)[ _-]?id|pid|id)\b",
            r"[\x22'`]?\s*(?:is\s+|[:=#]\s*)?[\x22'`]?(?P<id>[A-Za-z0-9][\w-]{0,63})",
        ))
    });
    static NAMED: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:task|job|session)\s+[\x22'`]?(?P<id>[\w-]*\d[\w-]{0,63})"));
    let found = ID.captures(text).or_else(|| NAMED.captures(text))?;
    found.name("id").map(|id| id.as_str())
}

#[cfg(test)]
mod tests {
    use super::task_id;

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
}
