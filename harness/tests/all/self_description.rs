//! `list`, `explain` and `--help`: what the program says about itself.

use mcp_errconf::condition::Condition;
use mcp_errconf::suite::{Case, load_builtin};
use serde_json::Value;

use crate::program::{folder, stderr, stdout};

/// The ids of a list.
fn ids(what: &str) -> Vec<String> {
    let listed = folder().run(&["list", what, "--format", "json"]).code(0);
    let items: Vec<Value> = serde_json::from_str(&stdout(&listed)).expect("it is JSON");
    items.iter().map(|item| item["id"].as_str().expect("each has an id").to_owned()).collect()
}

/// A text without the cases that it names, which are those that are meant: one more case changes none of the rest.
fn without_cases(text: &str, is_meant: impl Fn(&Case) -> bool) -> String {
    let suite = load_builtin().expect("the built-in cases are well-formed");
    let meant = suite.cases.iter().filter(|case| is_meant(case)).map(|case| case.id.0.as_str());
    let named = |line: &str| Some(line.trim_start().strip_prefix("case ")?.split_once(':')?.0.to_owned());
    assert_eq!(text.lines().filter_map(named).collect::<Vec<_>>(), meant.collect::<Vec<_>>());
    text.lines().filter(|line| named(line).is_none()).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_list_is_the_same_for_people_and_for_programs() {
    for what in ["cases", "rules", "contracts"] {
        let listed = folder().run(&["list", what]).code(0);
        let shown = stdout(&listed);
        let shown: Vec<_> = shown.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert!(!shown.is_empty(), "{what}");
        assert_eq!(shown, ids(what), "{what}");
    }
}

#[test]
fn a_code_is_explained_with_its_conditions_and_cases() {
    let explained = folder().run(&["explain", "STR_REPLACE_AMBIGUOUS"]).code(0);
    let named = |case: &Case| case.script.condition == Some(Condition("ambiguous-match".to_owned()));
    insta::assert_snapshot!(without_cases(&stdout(&explained), named));
    let bracketed = folder().run(&["explain", "[STR_REPLACE_AMBIGUOUS]"]).code(0);
    assert_eq!(stdout(&bracketed), stdout(&explained));
}

#[test]
fn a_case_is_explained_with_what_it_brings_about() {
    insta::assert_snapshot!(stdout(&folder().run(&["explain", "replace/ambiguous"]).code(0)));
}

#[test]
fn a_requirement_a_decision_and_a_sentence_of_a_specification_are_explained() {
    let covers = |case: &Case| case.script.requirements.contains(&"BC-04".to_owned());
    insta::assert_snapshot!(without_cases(&stdout(&folder().run(&["explain", "BC-04"]).code(0)), covers));
    insta::assert_snapshot!(stdout(&folder().run(&["explain", "A16"]).code(0)));
    let explained = |id: &str| stdout(&folder().run(&["explain", id]).code(0));
    assert!(explained("EE-04").starts_with("EE-04 (a requirement of error-envelope)\n"));
    assert!(explained("A31").contains("unless the contract names the dialect"));
    assert!(explained("MCP stdio transport").contains("rule wire/stdout-noise: "));
    let output = stderr(&folder().run(&["explain", "BC-99"]).code(2));
    assert!(output.contains("`BC-99` is not a rule") && output.contains("did you mean `BC-"), "{output}");
}

#[test]
fn help_and_version_are_no_mistakes() {
    for arguments in [&["--help"][..], &["run", "--help"], &["help", "list"], &["--version"]] {
        assert!(!stdout(&folder().run(arguments).code(0)).is_empty(), "{arguments:?}");
    }
    insta::assert_snapshot!(stdout(&folder().run(&["run", "--help"]).code(0)));
}

#[test]
fn no_arguments_at_all_are_answered_with_the_help() {
    folder().run(&[]).code(2);
}

#[test]
fn everything_that_a_report_prints_is_explained() {
    let explained = |name: &str| stdout(&folder().run(&["explain", name]).code(0));
    assert!(explained("probe/create_note/arguments/missing").contains("all arguments together: left out"));
    assert!(explained("hint-missing").starts_with("message/hint-missing "));
    assert!(explained("should[message/hint-missing]").starts_with("message/hint-missing "));
    assert!(explained("plain").starts_with("plain (a contract)\n"));
    let rule = explained("leak/validation-dump");
    assert!(rule.contains("FastMCP: Add a middleware"), "{rule}");
    assert!(!rule.contains("harness/book"), "a path in the repository is of no use elsewhere: {rule}");
}
