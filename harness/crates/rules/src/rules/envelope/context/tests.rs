//! Comparing what replies show of a file with the file.

use serde_json::{Value, json};

use super::*;
use crate::rules::envelope::edits::tests::{failure, fixture};

fn reported(condition: &str, content: Option<&str>, context: &Value, message: &str) -> String {
    let editing = json!({"file": "/workspace/a.txt", "file_index": null, "edit": 2, "skipped": [3, 4], "sought": "the c", "content": content});
    let code = if condition == "ambiguous-match" { "AMBIGUOUS_MATCH" } else { "MATCH_NOT_FOUND" };
    let reply = json!({"error_code": code, "message": message, "file_path": "/workspace/a.txt", "edit_index": 2, "context": context});
    let fixture = fixture(&reply, failure(condition, Some(editing)));
    check(&fixture.context()).into_iter().map(|diagnostic| diagnostic.message).collect()
}

#[test]
fn of_many_places_five_are_shown_and_the_rest_is_counted() {
    let text = "the c\n".repeat(200);
    let at = |line: usize| json!({"line": line, "snippet": "the c\nthe c\n"});
    let check = |shown: usize, message: &str| {
        let places: Vec<Value> = (1..=shown).map(at).collect();
        reported("ambiguous-match", Some(&text), &json!({"match_locations": places}), message)
    };
    assert_eq!((check(5, "200 places"), check(5, "195 more")), (String::new(), String::new()));
    assert!(check(5, "many places").contains("does not say how many more there are"));
    assert!(check(6, "200 places").contains("shows 6 places, but at most 5 are allowed"));
    assert!(check(200, "200 places").contains("EE-15") || check(200, "200 places").contains("at most 5"));
}

#[test]
fn the_bytes_of_all_of_it_are_bounded() {
    let long = format!("{}\n", "x".repeat(1200)).repeat(10);
    let reported = reported("match-not-found", Some(&long), &json!({ "snippet": long }), "Read it again");
    assert!(reported.contains("but must stay under 10240"), "{reported}");
    let of_bytes = |bytes: usize| {
        let context = json!({"snippet": "x".repeat(bytes - json!({"snippet": ""}).to_string().len())});
        self::reported("match-not-found", None, &context, "Read it again")
    };
    assert_eq!(of_bytes(10_239), "");
    assert!(of_bytes(10_240).contains("has 10240 bytes"));
}
