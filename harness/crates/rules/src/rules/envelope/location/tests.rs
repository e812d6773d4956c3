//! Paths, indexes and backups that are reported rightly, wrongly or not at all.

use serde_json::json;

use super::*;
use crate::exchange::FileChange;
use crate::rules::envelope::edits::tests::{failure, fixture};

fn reported(reply: &Value, expected: Value) -> Vec<String> {
    let fixture = fixture(reply, expected);
    check(&fixture.context()).into_iter().map(|diagnostic| diagnostic.message).collect()
}

fn known() -> Value {
    let editing = json!({"file": "/workspace/a.txt", "file_index": null, "edit": 2, "skipped": [3, 4], "sought": "c", "content": null});
    failure("match-not-found", Some(editing))
}

#[test]
fn a_true_path_and_index_are_fine_in_any_form() {
    for path in ["/workspace/a.txt", "/workspace/x/../a.txt", "a.txt", "./a.txt"] {
        assert_eq!(
            reported(&json!({"file_path": path, "edit_index": 2}), known()),
            [] as [String; 0],
            "{path}"
        );
    }
}

#[test]
fn what_is_missing_or_untrue_is_told() {
    let one = reported(&json!({"edit_index": 2}), known());
    assert!(one[0].contains("`/file_path` is missing: the error is about `/workspace/a.txt`"), "{one:?}");
    let two = reported(&json!({"file_path": "/workspace/b.txt", "edit_index": 3}), known());
    assert!(two[0].contains("is \"/workspace/b.txt\"") && two[0].contains("edit 2 is at fault"), "{two:?}");
    let three = reported(&json!({"file_path": "/workspace/a.txt"}), known());
    assert!(three[0].contains("`/edit_index` is missing: one edit of 5"), "{three:?}");
}

#[test]
fn where_the_case_does_not_know_the_edit_any_of_the_list_will_do() {
    let expected = || failure("match-not-found", None);
    assert!(reported(&json!({"file_path": "/workspace/a.txt", "edit_index": 4}), expected()).is_empty());
    assert!(
        reported(&json!({"file_path": "/workspace/a.txt", "edit_index": 5}), expected())[0].contains("has 5")
    );
}

#[test]
fn what_is_no_index_is_told_as_it_came() {
    let index =
        |index: Value| reported(&json!({"file_path": "/workspace/a.txt", "edit_index": index}), known());
    for (value, words) in [
        (json!("2"), "is \"2\", which is not an index"),
        (json!(-1), "is -1, which is not an index"),
        (json!(null), "is missing"),
    ] {
        let reported = index(value);
        assert!(reported.len() == 1 && reported[0].contains(words), "{reported:?}");
    }
}

#[test]
fn only_an_error_about_a_file_must_name_one_and_whatever_file_is_named_must_be_the_right_one() {
    let reply = |path: &str| json!({"error_code": "VALIDATION_FAILED", "file_path": path});
    let bare = json!({"error_code": "VALIDATION_FAILED"});
    let invalid = || failure("missing-argument", None);
    assert_eq!(reported(&bare, invalid()), [] as [String; 0]);
    assert_eq!(reported(&reply("/workspace/a.txt"), invalid()), [] as [String; 0]);
    assert_eq!(reported(&reply("/workspace/b.txt"), invalid()).len(), 1);
    for path in ["..", "", "/", "/a.txt", "b/a.txt"] {
        let reported = reported(&json!({"file_path": path, "edit_index": 2}), known());
        assert!(reported.len() == 1 && reported[0].contains("the error is about"), "{path}: {reported:?}");
    }
}

#[test]
fn where_a_link_may_lead_no_text_tells() {
    let reported = |condition: &str, code: &str, path: &str| {
        reported(&json!({"error_code": code, "file_path": path}), failure(condition, None)).len()
    };
    assert_eq!(reported("path-outside-root", "PERMISSION_DENIED", "/outside/b.txt"), 0);
    assert_eq!(reported("path-outside-root", "PERMISSION_DENIED", "b.txt"), 1);
    assert_eq!(reported("match-not-found", "MATCH_NOT_FOUND", "/outside/b.txt"), 1);
}

#[test]
fn another_code_than_the_fault_has_is_not_looked_at() {
    assert!(reported(&json!({"error_code": "VALIDATION_FAILED"}), known()).is_empty());
}

#[test]
fn a_backup_is_there_or_is_missed() {
    let backup = "/workspace/multi-edit-x/a.txt.bak";
    let reply = json!({"file_path": "/workspace/a.txt", "edit_index": 2, "backup_path": backup});
    let mut fixture = fixture(&reply, known());
    fixture.exchange.place.case = Some(crate::condition::CaseId("multi-edit/x".into()));
    assert!(check(&fixture.context())[0].message.contains("there is no such file"));
    let change = FileChangeKind::Created { earlier_content: true };
    fixture.exchange.changes = vec![FileChange { path: "{case}/a.txt.bak".into(), change, outside: false }];
    assert!(check(&fixture.context()).is_empty());
    fixture.exchange.changes[0].change = FileChangeKind::Modified;
    assert!(check(&fixture.context()).is_empty());
    fixture.exchange.changes[0].change = FileChangeKind::Deleted;
    assert_eq!(check(&fixture.context()).len(), 1);
    fixture.exchange.changes[0].change = FileChangeKind::Modified;
    fixture.exchange.changes[0].path = "{case}/b.txt.bak".into();
    assert_eq!(check(&fixture.context()).len(), 1);
    fixture.exchange.place.case = Some(crate::condition::CaseId("multi-edit/y".into()));
    assert!(check(&fixture.context()).is_empty(), "of what lies elsewhere nothing is known");
}

#[test]
fn the_file_that_the_case_knows_counts_before_the_one_that_was_sent() {
    let editing = json!({"file": "/workspace/real.txt", "file_index": null, "edit": 2, "skipped": [3, 4], "sought": "c", "content": null});
    let expected = || failure("match-not-found", Some(editing.clone()));
    let reply = |path: &str| json!({"file_path": path, "edit_index": 2});
    assert_eq!(reported(&reply("/workspace/real.txt"), expected()), [] as [String; 0]);
    assert_eq!(reported(&reply("/workspace/a.txt"), expected()).len(), 1);
}

#[test]
fn of_a_call_without_a_list_of_edits_the_path_that_the_tool_takes_counts() {
    let reported = |tool: &str, arguments: Value, reply: Value| {
        let mut fixture = fixture(&reply, failure("match-not-found", None));
        fixture.exchange.call.tool = Some(tool.to_owned());
        fixture.exchange.call.arguments = arguments;
        fixture.head.catalog.tools.iter_mut().filter(|other| other.name == tool).for_each(|tool| {
            tool.description = "Replaces a text in a file.".into();
        });
        fixture.head.bindings = crate::roles::bind(&fixture.head.catalog);
        check(&fixture.context()).into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>()
    };
    let replace = json!({"path": "/workspace/a.txt", "old_str": "a", "new_str": "b"});
    assert_eq!(
        reported("str_replace", replace.clone(), json!({"file_path": "/workspace/a.txt"})),
        [] as [String; 0]
    );
    assert!(
        reported("str_replace", replace.clone(), json!({}))[0]
            .contains("the error is about `/workspace/a.txt`")
    );
    let relative = json!({"path": "a.txt", "old_str": "a", "new_str": "b"});
    assert_eq!(
        reported("str_replace", relative, json!({"file_path": "/workspace/a.txt"})),
        [] as [String; 0]
    );
    // An `edits` that is not a list names no edit, but the file is still named.
    let unlisted = |path: &str| json!({"file_path": path, "edits": "x"});
    assert_eq!(
        reported("multi_edit", unlisted("/workspace/a.txt"), json!({"file_path": "/workspace/b.txt"})).len(),
        1
    );
    assert_eq!(reported("multi_edit", unlisted(""), json!({})), [] as [String; 0]);
    assert_eq!(reported("multi_edit", unlisted("/"), json!({"file_path": "/"})), [] as [String; 0]);
    // A search is about anything below its path.
    let search = json!({"pattern": "a", "path": "/workspace"});
    assert_eq!(reported("grep", search, json!({"file_path": "/workspace/b.txt"})), [] as [String; 0]);
}

#[test]
fn whatever_its_condition_an_error_of_one_of_several_edits_has_its_index() {
    let bare = json!({"file_path": "/workspace/a.txt"});
    assert!(reported(&bare, failure("match-not-found", None))[0].contains("`/edit_index` is missing"));
    let invalid = |edit: Value| {
        let editing = json!({"file": "/workspace/a.txt", "file_index": null, "edit": edit, "skipped": [], "sought": null, "content": null});
        reported(
            &json!({"error_code": "VALIDATION_FAILED", "file_path": "/workspace/a.txt"}),
            failure("missing-argument", Some(editing)),
        )
    };
    assert!(invalid(json!(2))[0].contains("`/edit_index` is missing"));
    assert_eq!(invalid(json!(null)), [] as [String; 0]);
}

/// The faults reported for a call with one edit in each of these files.
fn told_of_files(files: &Value, reply: &Value, expected: Value) -> String {
    let mut fixture = fixture(reply, expected);
    fixture.exchange.call.arguments = json!({ "files": files });
    let multi_edit = fixture.head.bindings.iter_mut().find(|binding| binding.role == Role::MultiEdit);
    let binding = multi_edit.expect("the tool is bound");
    binding.role = Role::MultiEditFiles;
    binding.parameters =
        [("files", ""), ("path", "[].path"), ("edits", "[].edits"), ("old", "[].edits[].old")]
            .map(|(name, path)| (name.to_owned(), format!("files{path}")))
            .into();
    let reported: Vec<String> =
        check(&fixture.context()).into_iter().map(|diagnostic| diagnostic.message).collect();
    reported.join("\n")
}

#[test]
fn of_several_files_the_one_at_fault_is_told_by_its_path_and_its_index() {
    let file = |path: &str| json!({"path": path, "edits": [{"old": "a", "new": "b"}]});
    let (one, two) =
        (json!([file("/workspace/a.txt")]), json!([file("/workspace/a.txt"), file("/workspace/b.txt")]));
    let known = |condition: &str, file_index: Value| {
        let editing = json!({"file": "/workspace/b.txt", "file_index": file_index, "edit": 0, "skipped": [], "sought": null, "content": null});
        failure(condition, Some(editing))
    };
    let lacks = || failure("match-not-found", None);
    let invalid = |condition: &str| failure(condition, None);
    let reply = |members: Value| {
        let mut reply = members;
        reply["edit_index"] = json!(0);
        reply
    };
    let refused = |members: Value| {
        let mut reply = reply(members);
        reply["error_code"] = json!("VALIDATION_FAILED");
        reply
    };
    for (files, reply, expected, words) in [
        (&two, reply(json!({"file_path": "/workspace/b.txt", "file_index": 1})), lacks(), ""),
        (
            &two,
            reply(json!({"file_path": "/workspace/a.txt", "file_index": 1})),
            lacks(),
            "the error is about `/workspace/b.txt`",
        ),
        (
            &two,
            reply(json!({"file_path": "/workspace/c.txt"})),
            lacks(),
            "is about `/workspace/a.txt` or `/workspace/b.txt`; `/file_index` is missing: one file of 2",
        ),
        (&two, reply(json!({})), lacks(), "`/file_path` is missing: the call named several files"),
        (
            &two,
            reply(json!({"file_path": "/workspace/b.txt", "file_index": 0})),
            known("match-not-found", json!(1)),
            "file 1 is at fault",
        ),
        (
            &two,
            refused(json!({"file_path": "/workspace/b.txt"})),
            known("missing-argument", json!(1)),
            "`/file_index` is missing",
        ),
        // An error that is about no file in particular need not name one.
        (&two, refused(json!({"file_path": "/workspace/b.txt"})), known("missing-argument", json!(null)), ""),
        (&two, refused(json!({})), invalid("missing-argument"), ""),
        // If there is only one file, its path says which.
        (&one, reply(json!({"file_path": "/workspace/a.txt"})), lacks(), ""),
        (
            &one,
            reply(json!({"file_path": "/workspace/a.txt", "file_index": 1})),
            lacks(),
            "file 0 is at fault",
        ),
        (&json!("x"), reply(json!({"file_index": 0})), lacks(), ""),
    ] {
        let reported = told_of_files(files, &reply, expected);
        assert!(
            reported.contains(words) && reported.is_empty() == words.is_empty(),
            "{reply}: {reported:?}, not {words:?}"
        );
    }
    let single = json!({"file_path": "/workspace/a.txt", "edit_index": 2, "file_index": 3});
    assert_eq!(
        reported(&single, self::known()),
        [] as [String; 0],
        "of a tool for one file no index of files is looked at"
    );
}

#[test]
fn a_backup_that_the_control_may_have_left_is_not_missed() {
    let backup = "/workspace/multi-edit-x/a.txt.bak";
    let reply = json!({"file_path": "/workspace/a.txt", "edit_index": 2, "backup_path": backup});
    let missed = |control: Option<(&str, &str)>| {
        let mut fixture = fixture(&reply, known());
        fixture.exchange.place.case = Some(crate::condition::CaseId("multi-edit/x".into()));
        fixture.exchange.place.control = Some(0);
        let succeeded = control.and_then(|(path, text)| {
            let mut control = fixture.control.take()?;
            control.call.arguments = json!({ "file_path": path });
            let content = json!({"content": [{"type": "text", "text": text}]});
            control.outcome = crate::exchange::Outcome::Result(content);
            Some(control)
        });
        fixture.control = succeeded;
        check(&fixture.context()).len()
    };
    assert_eq!(missed(None), 1);
    assert_eq!(missed(Some(("/workspace/b.txt", "done"))), 1);
    assert_eq!(missed(Some(("/workspace/a.txt", "done"))), 0, "it was about the same file");
    assert_eq!(missed(Some(("/workspace/b.txt", backup))), 0, "it told of that backup");
    assert_eq!(missed(Some(("/workspace/b.txt", "kept {case}/a.txt.bak"))), 0, "it told of that backup");
}
