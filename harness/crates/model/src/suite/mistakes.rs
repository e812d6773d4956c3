//! Messages about mistakes in a case file: the place, the cause, the nearest valid word.

use proptest::prelude::*;

use super::load::load_case;
use super::{Suite, load_builtin, load_dir};
use crate::argument::Argument;

const CASE: &str = include_str!("mistakes/case.toml");
const MISTAKES: &str = include_str!("mistakes/case.mistakes");
pub(super) const EDITING_CASE: &str = include_str!("mistakes/editing.toml");
const EDITING_MISTAKES: &str = include_str!("mistakes/editing.mistakes");
pub(super) const UPSTREAM_CASE: &str = include_str!("mistakes/upstream.toml");
const UPSTREAM_MISTAKES: &str = include_str!("mistakes/upstream.mistakes");

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
