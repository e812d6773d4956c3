//! Messages about mistakes in a case file: the place, the cause, the nearest valid word.

use proptest::prelude::*;

use super::load::load_case;
use super::{Suite, load_builtin, load_dir};
use crate::argument::Argument;
use crate::condition::CaseId;

const CASE: &str = r#"title = "t"
condition = "path-not-found"
requirements = ["BC-05"]

[[file]]
path = "a.txt"
content = { text = "x" }

[control]
role = "read"
arguments = { path = "{case}/a.txt" }

[call]
role = "read"
arguments = { path = "{case}/b.txt" }

[expect]
value = { path = "{case}/b.txt" }
"#;

/// Checks the message after replacing one part of a valid case, which is `a` of its group.
pub(super) fn check_in(case: &str, group: &str, (from, to): (&str, &str), expected: &str) {
    assert!(case.contains(from), "{from}");
    let error = load_case("a.toml", &format!("{group}/a"), &case.replacen(from, to, 1)).expect_err(to);
    assert_eq!(error.to_string(), format!("a.toml:{expected}"));
}

fn check(from: &str, to: &str, expected: &str) {
    check_in(CASE, "read", (from, to), expected);
}

/// A case with a repository whose only commit is written like this.
fn repository(commit: &str) -> String {
    format!("content = {{ git = [{commit}] }}")
}

#[test]
fn a_repository_has_commits_with_messages_and_files_that_stay_in_it() {
    let text = r#"content = { text = "x" }"#;
    check(text, &repository(""), "7:19: a repository needs at least one commit, with `message` and `files`");
    let commit = r#"{ message = " ", files = { "a.txt" = "x" } }"#;
    check(text, &repository(commit), "7:32: a commit needs a message");
    check(
        text,
        &repository(r#"{ message = "m", files = {} }"#),
        "7:45: a commit must add or change at least one file",
    );
    for path in ["../a", ".git/config", "a b", "/a"] {
        let commit = format!(r#"{{ message = "m", files = {{ "{path}" = "x" }} }}"#);
        let expected = format!(
            "7:47: `{path}` must be a path inside the repository, made of letters, digits, `.`, `_` and `-`"
        );
        check(text, &repository(&commit), &expected);
    }
    check(
        text,
        &repository(r#"{ message = "m", file = {} }"#),
        "7:37: unknown key `file`: did you mean `files`?",
    );
}

#[test]
fn the_good_case_is_loaded() {
    assert_eq!(load_case("a.toml", "read/a", CASE).unwrap().id, CaseId("read/a".into()));
}

#[test]
fn an_unknown_key_is_reported_with_the_nearest() {
    check("requirements", "requirments", "3:1: unknown key `requirments`: did you mean `requirements`?");
    check("arguments", "argument", "11:1: unknown key `argument`: did you mean `arguments`?");
    check("[expect]", "[expected]", "17:2: unknown key `expected`: did you mean `expect`?");
}

#[test]
fn an_unknown_key_far_from_all_is_reported_with_all() {
    check(
        "path = \"a.txt\"",
        "banana = 1",
        "6:1: unknown key `banana`: the known ones are `path`, \
        `content`",
    );
}

#[test]
fn an_unknown_value_is_reported_with_the_nearest() {
    check("role = \"read\"", "role = \"raed\"", "10:8: unknown value `raed`: did you mean `read`?");
    check("{ text = \"x\" }", "{ txet = \"x\" }", "7:13: unknown value `txet`: did you mean `text`?");
    check("{ text = \"x\" }", "\"directry\"", "7:11: unknown value `directry`: did you mean `directory`?");
}

#[test]
fn a_wrong_type_is_reported_with_the_right_one() {
    check("[\"BC-05\"]", "\"BC-05\"", "3:16: wrong type: string \"BC-05\", expected an array");
    check("\"t\"", "5", "1:9: wrong type: integer `5`, expected a string");
}

#[test]
fn a_choice_between_keys_is_reported_in_the_files_terms() {
    check("{ text = \"x\" }", "\"text\"", "7:11: a value is missing: write { KEY = VALUE }");
    check(
        "{ text = \"x\" }",
        "{ text = 'a', link = 'b' }",
        "7:11: a table with exactly one key is required here",
    );
    check("{ text = \"x\" }", "{}", "7:11: a table with exactly one key is required here");
    check("{ text = \"x\" }", "7", "7:11: a string or a table is required here");
    check(
        "{ path = \"{case}/b.txt\" }\n\n",
        "5\n\n",
        "15:13: wrong type: integer `5`, expected a table of arguments",
    );
}

#[test]
fn a_number_out_of_its_range_is_reported() {
    check(
        "value = { path = \"{case}/b.txt\" }",
        "value = { count = -1 }",
        "18:19: invalid value: integer `-1`, expected a whole number from 0",
    );
    check(
        "{ text = \"x\" }",
        "{ beyond-limit = 'a' }",
        "7:28: wrong type: string \"a\", expected a whole number",
    );
}

#[test]
fn a_missing_key_is_reported_where_its_table_begins() {
    check("title = \"t\"", "", "1:1: missing key `title`");
    check("[call]\nrole = \"read\"", "[call]", "13:1: missing key `role`");
}

#[test]
fn what_is_no_toml_is_reported_where_it_ends_to_be() {
    check("\"t\"", "\"t", "1:11: invalid basic string, expected `\"`");
    check("condition", "title = \"u\"\ncondition", "2:1: duplicate key");
}

#[test]
fn json_that_is_none_is_reported_with_its_cause() {
    check(
        "path = \"{case}/b.txt\" }\n\n",
        "path = { json = '{' } }\n\n",
        "15:22: `json` is not valid JSON: EOF while parsing an object at line 1 column 1",
    );
    check(
        "path = \"{case}/b.txt\" }\n\n",
        "path = { json = 1 } }\n\n",
        "15:22: `json` takes a string: { json = '..' }",
    );
    check(
        "path = \"{case}/b.txt\" }\n\n",
        "path = { raw = 1 } }\n\n",
        "15:22: `raw` takes a string: { raw = '..' }",
    );
    check(
        "path = \"{case}/b.txt\" }\n\n",
        "path = [{ raw = 'x' }] }\n\n",
        "15:22: `raw` must be a whole argument, not part of one",
    );
}

#[test]
fn what_json_cannot_say_is_reported() {
    check(
        "{ path = \"{case}/b.txt\" }\n\n",
        "{ path = nan }\n\n",
        "15:22: JSON has no number `nan`: write what is to be sent as { raw = '..' }",
    );
    check(
        "{ path = \"{case}/b.txt\" }\n\n",
        "{ path = 2026-01-01 }\n\n",
        "15:22: JSON has no dates: write it as a string, in quotes",
    );
}

#[test]
fn a_misspelt_token_is_reported_where_it_stands() {
    check(
        "{case}/b.txt",
        "x/{workpsace}/b.txt",
        "15:25: `{workpsace}` is not a token and would be sent as is: did you mean `{workspace}`?",
    );
}

#[test]
fn a_parameter_that_the_role_does_not_have_is_reported() {
    check(
        "arguments = { path = \"{case}/b",
        "arguments = { pth = \"{case}/b",
        "15:15: role `read` has no parameter `pth`: did you mean `path`?",
    );
    check(
        "arguments = { path = \"{case}/b.txt\" }",
        "without = \"file\"",
        "15:11: role `read` has no parameter `file`: the known ones are `path`, `start`, `end`",
    );
    check("[expect]", "without = \"path\"\n[expect]", "17:11: `path` is both given and left out");
    check(
        "value = { path = \"{case}/b.txt\" }",
        "valid-values = \"mode\"",
        "18:16: role `read` has no parameter `mode`: the known ones are `path`, `start`, `end`",
    );
}

#[test]
fn requirements_are_given_and_have_their_form() {
    check("[\"BC-05\"]", "[]", "3:16: a case must cover at least one requirement, such as \"BC-05\"");
    check("\"BC-05\"", "\"BC-05\", \"BC5\"", "3:26: `BC5` is not a requirement id: write it like `BC-05`");
}

#[test]
fn a_control_is_there_and_differs_from_the_call() {
    check(
        "/a.txt\" }\n\n",
        "/b.txt\" }\n\n",
        "9:2: the control is identical to the call, so the call has no fault",
    );
    check(
        "[control]\nrole = \"read\"\narguments = { path = \"{case}/a.txt\" }",
        "",
        "11:2: `[control]` is missing: add the same call without the fault",
    );
    check(
        "role = \"read\"\narguments = { path = \"{case}/a",
        "role = \"grep\"\narguments = { path = \"{case}/a",
        "10:8: the control must differ only in the fault: its role is `read`",
    );
}

#[test]
fn what_is_expected_fits_to_success_or_failure() {
    check(
        "value = { path = \"{case}/b.txt\" }",
        "exit-status = 1",
        "18:1: `exit-status` is for a call that must succeed, but this one has a condition",
    );
    check(
        "condition = \"path-not-found\"\n",
        "",
        "17:1: `value` is for a call that must fail, but this one has no condition",
    );
    check(
        "condition = \"path-not-found\"\n",
        "process = \"own\"\n",
        "18:1: `value` is for a call that must fail, but this one has no condition",
    );
}

#[test]
fn a_file_lies_below_the_case_and_is_there_once() {
    check(
        "path = \"a.txt\"",
        "path = \"../a.txt\"",
        "6:8: `../a.txt` must be inside the case's folder: `name` or `folder/name`",
    );
    check(
        "path = \"a.txt\"",
        "path = \"/etc/a\"",
        "6:8: `/etc/a` must be inside the case's folder: `name` or `folder/name`",
    );
    check(
        "[control]",
        "[[file]]\npath = \"a.txt\"\ncontent = \"directory\"\n[control]",
        "6:8: the file `a.txt` is listed twice",
    );
    check(
        "{ text = \"x\" }",
        "{ beyond-limit = 1 }",
        "7:11: `beyond-limit` counts from the server's limit: add `needs = [\"max-file-size\"]`",
    );
}

#[test]
fn a_preparation_fits_to_the_rest_of_the_case() {
    check(
        "[control]",
        "[[prepare]]\nremove-file = \"a.tx\"\n[control]",
        "10:15: the case has no file `a.tx`: did you mean `a.txt`?",
    );
    check(
        "[control]",
        "[[meanwhile]]\nfill-tasks = { leave = 1, call = { role = \"shell\" } }\n[control]",
        "10:1: `fill-tasks` needs `needs = [\"task-limit\"]` and `process = \"own\"`",
    );
}

#[test]
fn an_id_in_another_form_is_reported() {
    let error = load_case("Read/A.toml", "Read/A", CASE).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Read/A.toml: `Read/A` is not a case id: use lower-case letters, digits and hyphens in folder \
         and file names"
    );
}

#[test]
fn arguments_keep_their_order_and_say_what_toml_cannot() {
    let text = CASE.replace("role = \"read\"", "role = \"replace\"").replace(
        "path = \"{case}/b.txt\" }\n\n",
        "path = 'p', old = { raw = '\"\\ud800\"' }, new = { json = 'null' }, all = [{ json = '1e400' }, 2] }\n\n",
    );
    let error = load_case("a.toml", "read/a", &text).unwrap_err();
    assert!(error.cause.starts_with("`json` is not valid JSON: number out of range"), "{error}");
    let case = load_case("a.toml", "read/a", &text.replace("1e400", "null")).unwrap();
    let arguments = &case.script.call.arguments;
    assert_eq!(arguments.names().collect::<Vec<_>>(), ["path", "old", "new", "all"]);
    assert_eq!(arguments.get("old"), Some(&Argument::Raw(r#""\ud800""#.into())));
    assert_eq!(arguments.get("new"), Some(&Argument::Json(serde_json::Value::Null)));
    assert_eq!(arguments.get("all"), Some(&Argument::Json(serde_json::json!([null, 2]))));
}

#[test]
fn a_folder_is_loaded_with_its_paths_as_ids_and_a_mistake_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("read/deep")).unwrap();
    std::fs::write(folder.path().join("read/deep/b.toml"), CASE).unwrap();
    std::fs::write(folder.path().join("a.toml"), CASE).unwrap();
    std::fs::write(folder.path().join("NOTES.md"), "not a case").unwrap();
    let ids = |suite: &Suite| suite.cases.iter().map(|case| case.id.0.clone()).collect::<Vec<_>>();
    let suite = load_dir(folder.path()).unwrap();
    assert_eq!(ids(&suite), ["a", "read/deep/b"]);

    let bad = folder.path().join("read/bad.toml");
    std::fs::write(&bad, "title = 1").unwrap();
    let error = load_dir(folder.path()).unwrap_err();
    assert_eq!(error.file, bad.display().to_string());
    assert!(load_dir(&folder.path().join("none")).unwrap_err().cause.starts_with("cannot be read: "));
}

#[test]
fn a_glob_selects_cases_by_id() {
    let suite = load_builtin().unwrap();
    let selected = |glob: &str| suite.filter(glob).unwrap().cases.len();
    let replacing = suite.cases.iter().filter(|case| case.id.0.starts_with("replace/"));
    assert_eq!(selected("replace/*"), replacing.count());
    let missing = suite.cases.iter().filter(|case| case.id.0.ends_with("/missing-argument"));
    assert_eq!(selected("*/missing-argument"), missing.count());
    assert_eq!(selected("*"), suite.cases.len());
    assert_eq!(selected("{read,write}/outside-absolute"), 2);
    assert_eq!(selected("nothing"), 0);
    assert_eq!(
        suite.filter("[a").unwrap_err().to_string(),
        "`[a` is not a valid glob for case ids such as `replace/ambiguous`: unclosed character class; \
         missing ']'"
    );
}

#[test]
fn a_condition_that_the_contract_does_not_know_is_reported_with_the_nearest() {
    let contract = crate::contract::load_builtin("bracket-code").unwrap().unwrap();
    let case = load_case("a.toml", "read/a", &CASE.replace("path-not-found", "path-not-fond")).unwrap();
    let unknown = Suite { cases: vec![case] }.unknown_conditions(&contract);
    assert_eq!(
        unknown[0].to_string(),
        "case `read/a`: contract `bracket-code` does not know the condition `path-not-fond`: did you mean `path-not-found`?"
    );
}

proptest! {
    #[test]
    fn loading_any_text_gives_a_case_or_a_mistake(text: String) {
        let _ = load_case("a.toml", "a", &text);
    }

    #[test]
    fn loading_a_damaged_case_gives_a_case_or_a_mistake_within_the_text(at in 0..CASE.len(), length in 0..20_usize, put in "[a-z{}\\[\\]=\"'.\nä]{0,6}") {
        let mut text = CASE.to_owned();
        text.replace_range(at..(at + length).min(CASE.len()), &put);
        if let Err(error) = load_case("a.toml", "a", &text) {
            prop_assert!(error.position.is_none_or(|(line, _)| line <= text.matches('\n').count() + 1));
            prop_assert!(!error.cause.is_empty() && !error.cause.contains('\n'));
        }
    }
}
