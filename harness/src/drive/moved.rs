//! Moving a call from one folder to another.
//!
//! The main function is [`moved`].

use serde_json::Value;

use crate::json::with_texts;

/// The value with one folder's path replaced by another's, wherever a text names the whole folder.
pub(super) fn moved(value: &Value, from: &str, to: &str) -> Value {
    with_texts(value, &|text| moved_text(text, from, to))
}

fn moved_text(text: &str, from: &str, to: &str) -> String {
    let is_of_a_name = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    let mut moved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let begins =
            from.starts_with('/') || !before.ends_with(|letter| is_of_a_name(letter) || letter == '/');
        let is_whole = begins && !after.starts_with(is_of_a_name);
        moved.push_str(before);
        moved.push_str(if is_whole { to } else { from });
        rest = after;
    }
    moved + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_folder_is_another_one_wherever_a_text_names_it_as_a_whole() {
        for (text, expected) in [
            ("/w/probe-a", "/w/fuzz"),
            ("/w/probe-a/x.txt", "/w/fuzz/x.txt"),
            ("cat '/w/probe-a/x' /w/probe-ab/x", "cat '/w/fuzz/x' /w/probe-ab/x"),
            ("/w/probe-a.txt /w/probe-a-b", "/w/probe-a.txt /w/probe-a-b"),
            ("plain", "plain"),
        ] {
            assert_eq!(moved_text(text, "/w/probe-a", "/w/fuzz"), expected, "{text}");
        }
        for (text, expected) in
            [("probe-a/x", "fuzz/x"), ("/w/probe-a/x", "/w/probe-a/x"), ("a-probe-a", "a-probe-a")]
        {
            assert_eq!(moved_text(text, "probe-a", "fuzz"), expected, "{text}");
        }
    }

    #[test]
    fn every_text_of_a_call_is_moved_and_others_stay() {
        let arguments = json!({"repo": "/w/a", "files": ["/w/a/x", "/w/ab/x", "a"], "n": 1});
        let expected = json!({"repo": "/w/b", "files": ["/w/b/x", "/w/ab/x", "a"], "n": 1});
        assert_eq!(moved(&arguments, "/w/a", "/w/b"), expected);
    }
}
