//! Messages about mistakes in a case file: the place, the cause, the nearest valid word.

use proptest::prelude::*;

use super::load::load_case;
use super::{Suite, load_builtin, load_dir};
use crate::argument::Argument;

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

/// Mistakes in [`CASE`]: a part of it, what stands in its place, and the message. `\n` is a line break.
const MISTAKES: &str = r#"
# Unknown keys and values.
requirements => requirments => 3:1: unknown key `requirments`: did you mean `requirements`?
arguments => argument => 11:1: unknown key `argument`: did you mean `arguments`?
[expect] => [expected] => 17:2: unknown key `expected`: did you mean `expect`?
path = "a.txt" => banana = 1 => 6:1: unknown key `banana`: the known ones are `path`, `content`
role = "read" => role = "raed" => 10:8: unknown value `raed`: did you mean `read`?
{ text = "x" } => { txet = "x" } => 7:13: unknown value `txet`: did you mean `text`?
{ text = "x" } => "directry" => 7:11: unknown value `directry`: did you mean `directory`?
# Wrong types.
["BC-05"] => "BC-05" => 3:16: wrong type: string "BC-05", expected an array
"t" => 5 => 1:9: wrong type: integer `5`, expected a string
{ text = "x" } => "text" => 7:11: a value is missing: write { KEY = VALUE }
{ text = "x" } => { text = 'a', link = 'b' } => 7:11: a table with exactly one key is required here
{ text = "x" } => {} => 7:11: a table with exactly one key is required here
{ text = "x" } => 7 => 7:11: a string or a table is required here
{ path = "{case}/b.txt" }\n\n => 5\n\n => 15:13: wrong type: integer `5`, expected a table of arguments
value = { path = "{case}/b.txt" } => value = { count = -1 } => 18:19: invalid value: integer `-1`, expected a whole number from 0
{ text = "x" } => { beyond-limit = 'a' } => 7:28: wrong type: string "a", expected a whole number
# Missing keys, and text that is not TOML.
title = "t" =>  => 1:1: missing key `title`
[call]\nrole = "read" => [call] => 13:1: missing key `role`
"t" => "t => 1:11: invalid basic string, expected `"`
condition => title = "u"\ncondition => 2:1: duplicate key
# Arguments.
path = "{case}/b.txt" }\n\n => path = { json = '{' } }\n\n => 15:22: `json` is not valid JSON: EOF while parsing an object at line 1 column 1
path = "{case}/b.txt" }\n\n => path = { json = 1 } }\n\n => 15:22: `json` takes a string: { json = '..' }
path = "{case}/b.txt" }\n\n => path = { raw = 1 } }\n\n => 15:22: `raw` takes a string: { raw = '..' }
path = "{case}/b.txt" }\n\n => path = [{ raw = 'x' }] }\n\n => 15:22: `raw` must be a whole argument, not part of one
{ path = "{case}/b.txt" }\n\n => { path = nan }\n\n => 15:22: JSON has no number `nan`: write what is to be sent as { raw = '..' }
{ path = "{case}/b.txt" }\n\n => { path = 2026-01-01 }\n\n => 15:22: JSON has no dates: write it as a string, in quotes
{case}/b.txt => x/{workpsace}/b.txt => 15:25: `{workpsace}` is not a token and would be sent as is: did you mean `{workspace}`?
# Parameters that the role does not have.
arguments = { path = "{case}/b => arguments = { pth = "{case}/b => 15:15: role `read` has no parameter `pth`: did you mean `path`?
arguments = { path = "{case}/b.txt" } => without = "file" => 15:11: role `read` has no parameter `file`: the known ones are `path`, `start`, `end`
[expect] => without = "path"\n[expect] => 17:11: `path` is both given and left out
value = { path = "{case}/b.txt" } => valid-values = "mode" => 18:16: role `read` has no parameter `mode`: the known ones are `path`, `start`, `end`
# Requirements.
["BC-05"] => [] => 3:16: a case must cover at least one requirement, such as "BC-05"
"BC-05" => "BC-05", "BC5" => 3:26: `BC5` is not a requirement id: write it like `BC-05`
# The control.
/a.txt" }\n\n => /b.txt" }\n\n => 9:2: the control is identical to the call, so the call has no fault
[control]\nrole = "read"\narguments = { path = "{case}/a.txt" } =>  => 11:2: `[control]` is missing: add the same call without the fault
role = "read"\narguments = { path = "{case}/a => role = "grep"\narguments = { path = "{case}/a => 10:8: the control must differ only in the fault: its role is `read`
# What is expected fits success or failure.
value = { path = "{case}/b.txt" } => exit-status = 1 => 18:1: `exit-status` is for a call that must succeed, but this one has a condition
condition = "path-not-found"\n =>  => 17:1: `value` is for a call that must fail, but this one has no condition
condition = "path-not-found"\n => process = "own"\n => 18:1: `value` is for a call that must fail, but this one has no condition
# Files.
path = "a.txt" => path = "../a.txt" => 6:8: `../a.txt` must be inside the case's folder: `name` or `folder/name`
path = "a.txt" => path = "/etc/a" => 6:8: `/etc/a` must be inside the case's folder: `name` or `folder/name`
[control] => [[file]]\npath = "a.txt"\ncontent = "directory"\n[control] => 6:8: the file `a.txt` is listed twice
{ text = "x" } => { beyond-limit = 1 } => 7:11: `beyond-limit` counts from the server's limit: add `needs = ["max-file-size"]`
# Preparations.
[control] => [[prepare]]\nremove-file = "a.tx"\n[control] => 10:15: the case has no file `a.tx`: did you mean `a.txt`?
[control] => [[meanwhile]]\nfill-tasks = { leave = 1, call = { role = "shell" } }\n[control] => 10:1: `fill-tasks` needs `needs = ["task-limit"]` and `process = "own"`
# Repositories.
content = { text = "x" } => content = { git = [] } => 7:19: a repository needs at least one commit, with `message` and `files`
content = { text = "x" } => content = { git = [{ message = " ", files = { "a.txt" = "x" } }] } => 7:32: a commit needs a message
content = { text = "x" } => content = { git = [{ message = "m", files = {} }] } => 7:45: a commit must add or change at least one file
content = { text = "x" } => content = { git = [{ message = "m", file = {} }] } => 7:37: unknown key `file`: did you mean `files`?
content = { text = "x" } => content = { git = [{ message = "m", files = { "../a" = "x" } }] } => 7:47: `../a` must be a path inside the repository, made of letters, digits, `.`, `_` and `-`
content = { text = "x" } => content = { git = [{ message = "m", files = { ".git/config" = "x" } }] } => 7:47: `.git/config` must be a path inside the repository, made of letters, digits, `.`, `_` and `-`
content = { text = "x" } => content = { git = [{ message = "m", files = { "a b" = "x" } }] } => 7:47: `a b` must be a path inside the repository, made of letters, digits, `.`, `_` and `-`
content = { text = "x" } => content = { git = [{ message = "m", files = { "/a" = "x" } }] } => 7:47: `/a` must be a path inside the repository, made of letters, digits, `.`, `_` and `-`
"#;

pub(super) const EDITING_CASE: &str = r#"title = "t"
condition = "match-not-found"
requirements = ["EE-05"]

[[file]]
path = "a.txt"
content = { lines = { text = "green apple", times = 3 } }

[control]
role = "multi-edit"
arguments = { path = "{case}/a.txt", edits = [{ old = "apple 1", new = "x" }] }

[call]
role = "multi-edit"
arguments = { path = "{case}/a.txt", edits = [{ old = "apple 1", new = "x" }, { old = "pear", new = "y" }, { old = "apple 2", new = "z" }] }

[expect.editing]
file = "{case}/a.txt"
edit = 1
skipped = [2]
occurs = 0
"#;

const EDITING_MISTAKES: &str = r#"
edit = 1 => edit = 3 => 19:8: the call has no edit 3: the 3 of this file are counted from 0
[2] => [1] => 20:11: the skipped edits must be those after the one that fails: [2]
occurs = 0 => occurs = 2 => 21:10: `pear` occurs 0 times in `{case}/a.txt`
edit = 1\nskipped = [2] =>  => 20:10: `occurs` counts the old text of the edit that fails: give that edit with `edit`
file = "{case}/a.txt"\nedit => file = "{case}/b.txt"\nedit => 18:8: the case creates no text file `{case}/b.txt`
edit = 1 => file-index = 0\nedit = 1 => 17:9: `file-index` must be given if the call names several files, and only then
{ old = "pear" => { odl = "pear" => 15:81: the items of `edits` have no member `odl`: did you mean `old`?
edits = [{ old = "apple 1", new = "x" }] } => old = "x" } => 11:38: `old` belongs in the items of a list: `edits = [{ old = .. }]`
"#;

pub(super) const UPSTREAM_CASE: &str = r#"title = "t"
condition = "rate-limited"
requirements = ["TE-05"]

[[upstream]]
path = "one"
answer = { page = { status = 200, body = "apple" } }

[[upstream]]
path = "two"
answer = { page = { status = 429, retry-after = { seconds = 7 } } }

[control]
role = "http"
arguments = { url = "{upstream}/one" }

[call]
role = "http"
arguments = { url = "{upstream}/two" }

[expect]
value = { path = "{upstream}/two" }
wait = 7
"#;

const UPSTREAM_MISTAKES: &str = r#"
{ page = => { pgae = => 7:12: unknown value `pgae`: did you mean `page`?
retry-after => retry-aftr => 11:35: unknown key `retry-aftr`: did you mean `retry-after`?
{upstream}/two => {upstraem}/two => 19:22: `{upstraem}` is not a token and would be sent as is: did you mean `{upstream}`?
"two"\n => "tow"\n => 10:8: no call asks for `{upstream}/tow`
"two"\n => "one"\n => 6:8: the address `one` is listed twice
"two"\n => "/two"\n => 10:8: `/two` must be what follows `{upstream}/`, made of letters, digits, `-`, `_`, `.` and `/`
429 => 42 => 11:10: `42` is not a valid status of a response: use 200 to 599
wait = 7 => wait = 8 => 23:8: no response of `upstream` asks to wait 8 s: add `retry-after`
"#;

#[test]
fn every_mistake_is_reported_with_its_place_and_what_to_write() {
    for (case, mistakes) in
        [(CASE, MISTAKES), (EDITING_CASE, EDITING_MISTAKES), (UPSTREAM_CASE, UPSTREAM_MISTAKES)]
    {
        for mistake in mistakes.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let parts: Vec<String> =
                mistake.splitn(3, " => ").map(|part| part.replace("\\n", "\n")).collect();
            let [from, to, message] = &parts[..] else { panic!("{mistake}") };
            assert!(case.contains(from), "{mistake}");
            let error = load_case("a.toml", "group/a", &case.replacen(from, to, 1)).expect_err(mistake);
            assert_eq!(error.to_string(), format!("a.toml:{message}"), "{mistake}");
        }
    }
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
        unknown[0],
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
