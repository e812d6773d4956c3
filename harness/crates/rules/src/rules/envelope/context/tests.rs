//! Comparing what replies show of a file with the file.

use serde_json::{Value, json};

use super::*;
use crate::rules::envelope::edits::tests::{failure, fixture};

fn file() -> String {
    (1..=30)
        .map(|line| if line % 10 == 5 { format!("the c {line}\n") } else { format!("line {line}\n") })
        .collect()
}

fn lines(range: std::ops::RangeInclusive<usize>) -> String {
    let text = file();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines[range.start() - 1..*range.end()].concat()
}

fn reported(condition: &str, content: Option<&str>, context: &Value, message: &str) -> String {
    let editing = json!({"file": "/workspace/a.txt", "file_index": null, "edit": 2, "skipped": [3, 4], "sought": "the c", "content": content});
    let code = if condition == "ambiguous-match" { "AMBIGUOUS_MATCH" } else { "MATCH_NOT_FOUND" };
    let reply = json!({"error_code": code, "message": message, "file_path": "/workspace/a.txt", "edit_index": 2, "context": context});
    let fixture = fixture(&reply, failure(condition, Some(editing)));
    check(&fixture.context()).into_iter().map(|diagnostic| diagnostic.message).collect()
}

fn snippet(snippet: &str) -> String {
    reported("match-not-found", Some(&file()), &json!({ "snippet": snippet }), "Read it again")
}

#[test]
fn ten_to_fifteen_lines_of_the_file_are_shown_and_fewer_at_its_edge() {
    for fine in
        [lines(8..=17), lines(8..=22), lines(1..=5), lines(26..=30), lines(8..=18).trim_end().to_owned()]
    {
        assert_eq!(snippet(&fine), "", "{fine}");
    }
    assert!(snippet(&lines(8..=16)).contains("has 9 lines of 30, but at least 10 are required"));
    assert!(snippet(&lines(8..=23)).contains("has 16 lines, but at most 15 are allowed"));
    assert!(snippet(&lines(1..=4)).contains("has 4 lines"));
    assert!(snippet("").contains("`/context/snippet` is missing"));
    assert!(!snippet("").contains("0 lines"), "what is missing has no length as well");
    assert_eq!(reported("match-not-found", Some("a\nb\n"), &json!({"snippet": "a\nb"}), "Read it again"), "");
}

#[test]
fn line_numbers_and_changed_text_are_told_apart() {
    let numbered: String =
        lines(8..=18).lines().zip(8..).map(|(line, number)| format!("{number:>4}\t{line}\n")).collect();
    assert!(snippet(&numbered).contains("has line numbers"), "{}", snippet(&numbered));
    assert!(snippet(&lines(8..=18).replace("line 9", "line  9")).contains("is not the file's own text"));
    let unknown = reported("match-not-found", None, &json!({ "snippet": numbered }), "Read it again");
    assert!(unknown.contains("has line numbers"), "{unknown}");
    assert_eq!(reported("match-not-found", None, &json!({"snippet": "what is it"}), "Read it again"), "");
}

#[test]
fn the_advice_to_read_again_is_missed() {
    let reported =
        |message| reported("match-not-found", Some(&file()), &json!({"snippet": lines(8..=18)}), message);
    let other = reported("It is gone: use a longer `old_string`.");
    assert!(other.contains("none of its advice is to read the file again"), "{other}");
    assert_eq!((reported("It is gone"), reported("Read the file again")), (String::new(), String::new()));
}

fn at(line: usize) -> Value {
    json!({"line": line, "snippet": lines(line.saturating_sub(3).max(1)..=(line + 3).min(30))})
}

#[test]
fn every_place_is_shown_with_its_line_and_its_surroundings() {
    let check = |places: Value| {
        reported("ambiguous-match", Some(&file()), &json!({"match_locations": places}), "3 of them")
    };
    assert_eq!(check(json!([at(5), at(15), at(25)])), "");
    assert!(check(json!([at(5), at(15)])).contains("shows 2 of 3 places"));
    assert!(check(json!([])).contains("is missing"));
    assert!(check(json!([at(5), at(15), at(24)])).contains("names line 24"));
    assert!(
        check(json!([at(5), at(15), {"line": 25, "snippet": lines(13..=17)}]))
            .contains("what is elsewhere in the file")
    );
    assert!(
        check(json!([at(5), at(15), {"line": 25, "snippet": lines(25..=25)}]))
            .contains("nothing but the line")
    );
    assert!(check(json!([at(5), at(15), {"line": 25}])).contains("shows nothing of what is around line 25"));
    assert!(check(json!([at(5), at(5), at(15)])).contains("shows line 5 twice"));
}

#[test]
fn a_place_is_judged_by_what_the_file_has_there() {
    let check = |content: Option<&str>, places: Value| {
        reported("ambiguous-match", content, &json!({"match_locations": places}), "in several places")
    };
    let content = file();
    let twice = content.replace("the c 5", "the c and the c 5");
    let place = |line: usize, text: &str| json!({"line": line, "snippet": text});
    let five = "the c\n-\nthe c\n-\nthe c\n-\nthe c\n-\nthe c\n-\n";
    let two = |line: usize| place(line, "the c\n-\n");
    let (surroundings, own) = ("line 4\nthe c and the c 5\nline 6\n", "the c, the c\n");
    for (content, places, fault) in [
        (Some(&*content), json!([at(5), at(15), at(25)]), ""),
        (Some(&twice), json!([place(5, surroundings), place(5, surroundings), at(15), at(25)]), ""),
        (Some(five), json!([two(1), two(3), two(5), two(7), two(9)]), ""),
        (None, json!([at(5), at(15)]), ""),
        (None, json!([at(5), at(5)]), ""),
        (None, json!([at(5)]), "shows one place of several"),
        (Some(&content), json!([at(5), at(15), place(25, " \n")]), "nothing of what is around line 25"),
        (None, json!([at(5), place(25, " \n")]), "nothing of what is around line 25"),
        (Some(own), json!([place(1, own), place(1, own)]), ""),
        (Some("the c\nthe c\n"), json!([place(1, "the c\n"), place(2, "the c\n")]), "nothing but the line"),
    ] {
        let reported = check(content, places.clone());
        assert!(reported.contains(fault) && reported.is_empty() == fault.is_empty(), "{places}: {reported}");
    }
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
fn how_many_places_there_are_may_be_told_wherever_a_reader_finds_it() {
    let text = "the c\n".repeat(200);
    let places: Vec<Value> = (1..=5).map(|line| json!({"line": line, "snippet": "the c\nthe c\n"})).collect();
    let reported = |more: &Value, noted: &Value| {
        let editing = json!({"file": "/workspace/a.txt", "file_index": null, "edit": 2, "skipped": [3, 4], "sought": "the c", "content": text});
        let mut reply = json!({"error_code": "AMBIGUOUS_MATCH", "file_path": "/workspace/a.txt", "edit_index": 2, "context": {"match_locations": places}});
        for (object, members) in [("", more), ("/context", noted)] {
            let object = reply.pointer_mut(object).expect("it is there");
            for (name, member) in members.as_object().into_iter().flatten() {
                object[name] = member.clone();
            }
        }
        check(&fixture(&reply, failure("ambiguous-match", Some(editing))).context()).is_empty()
    };
    for (more, noted) in [
        (json!({"message": "It stands in 200 places"}), json!({})),
        (json!({"recovery_hints": ["There are 195 more: read the file"]}), json!({})),
        (json!({"note": "and 195 more"}), json!({})),
        (json!({"count": 200}), json!({})),
        (json!({}), json!({"note": "5 of 200"})),
        (json!({}), json!({"more": 195})),
    ] {
        assert!(reported(&more, &noted), "{more} {noted}");
    }
    for (more, noted) in [
        (json!({}), json!({})),
        (json!({"count": 199}), json!({"more": 194})),
        (json!({"note": "and 96 more"}), json!({})),
        (json!({}), json!({"excerpt": "line 199\nline 200"})),
        (json!({"listed": [200]}), json!({"all": true})),
    ] {
        assert!(!reported(&more, &noted), "{more} {noted}");
    }
}

#[test]
fn only_of_an_edit_whose_text_was_not_found_or_too_often_the_file_must_be_shown() {
    let known = json!({"file": "/workspace/a.txt", "file_index": null, "edit": 0, "skipped": [], "sought": "a", "content": null});
    let missed = |tool: &str, condition: &str, code: &str, known: Option<&Value>| {
        let reply = json!({"error_code": code, "message": "Read it again"});
        let mut fixture = fixture(&reply, failure(condition, known.cloned()));
        fixture.exchange.call.tool = Some(tool.to_owned());
        check(&fixture.context()).len()
    };
    assert_eq!(missed("multi_edit", "match-not-found", "MATCH_NOT_FOUND", None), 1);
    assert_eq!(missed("multi_edit", "missing-argument", "VALIDATION_FAILED", None), 0);
    assert_eq!(missed("str_replace", "match-not-found", "MATCH_NOT_FOUND", Some(&known)), 1);
    assert_eq!(missed("str_replace", "match-not-found", "MATCH_NOT_FOUND", None), 0);
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
