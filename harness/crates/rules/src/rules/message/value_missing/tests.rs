//! What counts as naming the wrong value, and what does not.

use serde_json::{Value, json};

use crate::exchange::{Exchange, Outcome, RpcError};
use crate::expectation::Expected;
use crate::finding::Level;
use crate::rules::fixture::Fixture;
use crate::rules::{Context, RunRecord};

fn fixture(value: &Value, text: &str) -> Fixture {
    let expected = json!({"failure": {"condition": "path-not-found", "value": value, "hint": null, "valid_values_of": null}});
    Fixture::refusal(text, &json!({}), serde_json::from_value(expected).expect("an expectation"))
}

#[test]
fn what_no_argument_could_change_and_what_is_of_another_argument_asks_for_no_parameter() {
    let check = |text: &str| {
        let mut fixture = fixture(&json!({"parameter": "item_id"}), text);
        fixture.exchange.call.arguments = json!({"item_id": "twelve", "folder": "alpha"});
        super::check(&fixture.answered().context()).len()
    };
    for text in [
        "Rate limit exceeded: 100 requests per 1 minutes for client: global",
        "No project specified. Set KANBAN_PROJECT_DIR in the configuration",
        "ENOENT: no such file or directory, stat '/workspace/alpha'",
        "Item not found: twelve",
        "Query failed: Get \"http://127.0.0.1:9/api\": dial tcp 127.0.0.1:9: connect: connection refused",
        "fetch failed",
        "Command failed: You do not have a first version yet",
        "Not logged in. Ask the user to run `login`.",
        "'item_id' must be a number",
    ] {
        assert_eq!(check(text), 0, "{text}");
    }
    for text in [
        "It was not found",
        "Not found: twelve",
        "The folder and the call were refused",
        "You do not have a first version. It is not right. Try yet another one",
    ] {
        assert_eq!(check(text), 1, "{text}");
    }
}

#[test]
fn a_word_of_any_message_is_named_beside_what_says_that_it_is_empty_or_missing() {
    let found = |arguments: &Value, text: &str| {
        let mut fixture = fixture(&json!({"parameter": "code"}), text);
        fixture.exchange.call.arguments = arguments.clone();
        super::check(&fixture.answered().context()).len()
    };
    let (empty, missing) = (json!({"code": ""}), json!({}));
    assert_eq!(found(&empty, "The code you sent was empty, so there is nothing to look for."), 0);
    assert_eq!(found(&missing, "It looks like you left code blank."), 0);
    assert_eq!(found(&empty, "It failed with this code. Try again."), 1);
    assert_eq!(found(&missing, "It failed with this code. Try again."), 1);
}

#[test]
fn a_parameter_that_is_called_like_its_tool_is_named_where_the_tool_is_not() {
    let found = |text: &str| {
        let mut fixture = fixture(&json!({"parameter": "view"}), text);
        fixture.exchange.call.arguments = json!({});
        super::check(&fixture.answered().context()).len()
    };
    assert_eq!(found("Your request does not state the view, without which it is not considered."), 0);
    assert_eq!(found("view failed and came to nothing"), 1);
    assert_eq!(found("Error executing tool view. It came to nothing"), 1);
}

#[test]
fn a_short_number_that_a_report_speaks_of_is_the_value() {
    let level = |text: &str| {
        let mut fixture = fixture(&json!({"parameter": "status"}), text);
        fixture.exchange.call.arguments = json!({"status": 20});
        super::check(&fixture.answered().context()).first().and_then(|one| one.level)
    };
    assert_eq!(level("Input validation error: 20 is not of type 'string'"), Some(Level::Note));
    assert_eq!(level("Input validation error: 20 is greater than the maximum of 9"), Some(Level::Note));
    assert_eq!(level("Input validation error: line 20 was refused"), Some(Level::Should));
    let of_serde = "failed to read parameters: invalid type: integer `20`, expected a string";
    assert_eq!(level(of_serde), Some(Level::Note));
    assert_eq!(level("failed to read parameters: integer overflow near 20"), Some(Level::Should));
}

#[test]
fn where_a_nul_is_the_fault_naming_it_is_enough() {
    let check = |text: &str, sent: &str| {
        let mut fixture = fixture(&json!({"parameter": "script"}), text);
        fixture.exchange.call.arguments = json!({"script": sent});
        super::check(&fixture.answered().context()).len()
    };
    for text in
        ["Unsupported syntax: character '\\x00'", "it holds a NUL", "embedded null byte", "bad \\u0000"]
    {
        assert_eq!(check(text, "echo a\0b"), 0, "{text}");
        assert_eq!(check(text, "echo a b"), 1, "{text}");
    }
    assert_eq!(check("Unsupported syntax", "echo a\0b"), 1);
}

#[test]
fn the_address_of_a_resource_may_stand_in_the_data_of_the_error() {
    let check = |data: Value, tool: Option<&str>| {
        let mut fixture = fixture(&json!({"text": "no-such-scheme://alpha"}), "Resource not found");
        fixture.exchange.call.tool = tool.map(str::to_owned);
        fixture.exchange.call.arguments = json!({"uri": "no-such-scheme://alpha"});
        let message = "Resource not found".to_owned();
        fixture.exchange.outcome = Outcome::Error(RpcError { code: -32602, message, data: Some(data) });
        super::check(&fixture.answered().context()).len()
    };
    assert_eq!(check(json!({"uri": "no-such-scheme://alpha"}), None), 0);
    assert_eq!(check(json!({"uri": "no-such-scheme://beta"}), None), 1);
    assert_eq!(check(json!({}), None), 1);
    assert_eq!(check(json!({"uri": "no-such-scheme://alpha"}), Some("view")), 1, "a model does not see it");
}

#[test]
fn a_message_about_another_argument_that_it_names_asks_for_no_missing_one() {
    let check = |text: &str| {
        let mut fixture = fixture(&json!({"parameter": "time_a"}), text);
        fixture.exchange.call.arguments = json!({"time_b": "alpha", "format": ""});
        fixture.control = None;
        super::check(&fixture.answered().context()).len()
    };
    assert_eq!(check("invalid_time: invalid format for time_b: \"alpha\""), 0);
    for text in ["invalid format: \"alpha\"", "invalid format for time_b", "format: could not be read"] {
        assert_eq!(check(text), 1, "{text}");
    }
}

#[test]
fn what_may_as_well_be_accepted_is_not_what_a_message_about_another_argument_means() {
    let check = |text: &str, or_success: bool| {
        let value = json!({"any-of": [{"parameter": "content"}, {"text": "t"}]});
        let mut fixture = fixture(&value, text);
        if let Expected::Failure(failure) = &mut fixture.exchange.place.expected {
            failure.or_success = or_success;
        }
        fixture.exchange.call.arguments = json!({"path": "/workspace/sub", "content": "t"});
        super::check(&fixture.answered().context()).len()
    };
    let (of_path, of_none) = ("Could not write '/workspace/sub': it is a directory.", "It failed.");
    assert_eq!((check(of_path, true), check(of_path, false)), (0, 1));
    assert_eq!((check(of_none, true), check(of_none, false)), (1, 1));
}

#[test]
fn a_value_that_comes_back_without_its_parameter_is_a_note_and_in_another_language_enough() {
    let check = |sent: Value, text: &str| {
        let mut fixture = fixture(&json!({"parameter": "amount"}), text);
        fixture.exchange.call.arguments = json!({"amount": sent, "folder": "alpha 4711"});
        let diagnostic = super::check(&fixture.answered().context()).pop();
        diagnostic.map(|diagnostic| diagnostic.level.expect("it says its level"))
    };
    assert_eq!(check(json!("twelve"), "Not valid: twelve"), Some(Level::Note));
    assert_eq!(check(json!(50_000), "50,000 is too much"), Some(Level::Note));
    assert_eq!(check(json!(7), "7 is too much"), Some(Level::Should), "any number may stand there");
    assert_eq!(check(json!(4711), "4711 is too much"), Some(Level::Should), "it was sent elsewhere, too");
    assert_eq!(
        check(json!("path"), "The path is not valid"),
        Some(Level::Should),
        "it is the fault's own word"
    );
    assert_eq!(check(json!("twelve"), "Der Betrag twelve ist nicht zul\u{e4}ssig"), None);
    assert_eq!(check(json!("twelve"), "Der Betrag ist nicht zul\u{e4}ssig"), Some(Level::Note));
}

#[test]
fn what_is_said_of_every_parameter_alike_names_none() {
    let text = "Check name and amount.";
    let of = |name: &str| {
        let mut fixture = fixture(&json!({"parameter": name}), text);
        fixture.exchange.call.arguments = json!({"name": "", "amount": 0});
        fixture.answered()
    };
    let (one, other) = (of("amount"), of("name"));
    assert!(super::check(&one.context()).is_empty());
    let recorded = [one.exchange.clone(), other.exchange.clone()];
    let check = |recorded: &[Exchange]| {
        super::check(&Context { run_record: &RunRecord::new(&[], recorded), ..one.context() }).len()
    };
    assert_eq!(check(&recorded), 1);
    assert_eq!(check(&recorded[..1]), 0, "its own reply is no other");
    let mut elsewhere = other.exchange.clone();
    elsewhere.call.tool = Some("grep".to_owned());
    assert_eq!(check(&[elsewhere]), 0, "another tool's parameters are its own");
}

#[test]
fn a_path_is_a_must_of_the_declared_contract_alone() {
    let mut fixture = fixture(&json!({"path": "/workspace/missing.txt"}), "[PATH_NOT_FOUND] no such file");
    let diagnostics = super::check(&fixture.context());
    assert_eq!((diagnostics[0].level, diagnostics[0].requirement.as_deref()), (None, Some("BC-05")));
    fixture.declared = false;
    assert_eq!(super::check(&fixture.context())[0].level, Some(Level::Should));
}

/// A refusal of a range of lines under one of the contracts, with this detail and these extensions.
fn of_a_range(value: &Value, contract: &str, detail: &str, extensions: &Value) -> Fixture {
    let problem = json!({"detail": detail, "code": "invalid-parameter", "extensions": extensions});
    let text = json!({"error": detail, "problem": problem}).to_string();
    let mut fixture = fixture(value, &text);
    fixture.contract = crate::contract::load_builtin(contract).expect("it is sound").expect("it is built in");
    let Expected::Failure(failure) = &mut fixture.exchange.place.expected else { panic!("it fails") };
    failure.condition.0 = "invalid-range".to_owned();
    fixture.answered()
}

#[test]
fn where_the_contract_asks_for_the_numbers_of_a_range_a_parameters_name_will_not_do() {
    let either = json!({"any-of": [{"parameter": "start_line"}, {"parameter": "end_line"}, {"text": "-3"}]});
    let check = |id: &str, detail: &str, extensions: Value, requirement: Option<&str>| {
        let fixture = of_a_range(&either, id, detail, &extensions);
        let reported: Vec<_> = super::check(&fixture.context())
            .into_iter()
            .map(|diagnostic| (diagnostic.level, diagnostic.requirement))
            .collect();
        let expected = requirement.map(|requirement| (Some(Level::Should), Some(requirement.to_owned())));
        assert_eq!(reported, expected.into_iter().collect::<Vec<_>>(), "{id}: {detail}");
    };
    let unnumbered = "'start_line' must be positive";
    check("problem-details", unnumbered, json!({"path": "a.txt"}), Some("PD-10"));
    check("problem-details", unnumbered, json!({"start_line": -3, "end_line": 2}), None);
    check("problem-details", "'start_line' is -3 and must be positive", json!({}), None);
    check("problem-details", "'start_line' must be positive, not 3", json!({}), Some("PD-10"));
    check("tool-error", unnumbered, json!({}), None);
}

#[test]
fn a_count_is_a_number_of_a_range_too_and_what_may_be_accepted_needs_none() {
    let either = json!({"any-of": [{"parameter": "start_line"}, {"count": 40}]});
    let mut fixture = of_a_range(&either, "problem-details", "'start_line' is behind the end", &json!({}));
    assert_eq!(super::check(&fixture.context()).len(), 1);
    let Expected::Failure(failure) = &mut fixture.exchange.place.expected else { panic!("it fails") };
    failure.or_success = true;
    assert!(super::check(&fixture.context()).is_empty());
}

#[test]
fn the_finding_says_what_is_missing_and_how_to_name_it() {
    let quoted = |what: &str| format!("Put {what} in the message, in quotation marks.");
    let both = "the parameter `old_str` or the parameter `new_str`";
    for (value, what, help) in [
        (json!({"path": "/x/missing.txt"}), "the path `/x/missing.txt`", quoted("the path `/x/missing.txt`")),
        (json!({"count": 3}), "the count 3", quoted("the count 3")),
        (json!({"text": "sideways"}), "the value `sideways`", quoted("the value `sideways`")),
        (
            json!({"parameter": "old_str"}),
            "the parameter `old_str`",
            "Name the parameter `old_str` in the message, and what to send in it.".to_owned(),
        ),
        (
            json!({"any-of": [{"parameter": "old_str"}, {"parameter": "new_str"}]}),
            both,
            format!("Name the parameter in the message: {both}."),
        ),
    ] {
        let diagnostic = super::check(&fixture(&value, "[PATH_NOT_FOUND] no").context()).remove(0);
        assert_eq!(diagnostic.message, format!("the message does not name {what}"));
        let (reported, example) =
            diagnostic.help.split_once(" Here it could read: ").unwrap_or((&diagnostic.help, ""));
        assert_eq!(reported, help);
        assert!(example.is_empty() || example.starts_with("`[PATH_NOT_FOUND] "), "{example}");
    }
    let mut sent = fixture(&json!({"parameter": "old_str"}), "[PATH_NOT_FOUND] no");
    sent.exchange.call.arguments = json!({"old_str": 7});
    let help = super::check(&sent.context()).remove(0).help;
    assert!(help.contains("`old_str` in the message, and say what is wrong with its value."), "{help}");
}

#[test]
fn only_a_requirement_that_asks_for_the_value_is_told_as_the_broken_one() {
    let mut fixture = fixture(&json!({"parameter": "path"}), "[INVALID_INPUT] no");
    let Expected::Failure(failure) = &mut fixture.exchange.place.expected else { panic!("it fails") };
    failure.condition.0 = "missing-argument".to_owned();
    assert_eq!(super::check(&fixture.context())[0].requirement, None);
}

#[test]
fn without_a_control_only_a_parameter_is_judged() {
    let mut path = fixture(&json!({"path": "/workspace/missing.txt"}), "[PATH_NOT_FOUND] no such file");
    path.control = None;
    assert!(super::check(&path.context()).is_empty());
    let mut parameter = fixture(&json!({"parameter": "path"}), "[INVALID_INPUT] an argument is missing");
    parameter.control = None;
    assert_eq!(super::check(&parameter.context())[0].level, Some(Level::Should));
}

#[test]
fn a_call_that_the_sdk_refuses_whatever_its_arguments_need_not_name_one() {
    let parameter = json!({"parameter": "topic"});
    let text = "MCP error -32601: Tool research requires task augmentation (taskSupport: 'required')";
    assert!(super::check(&fixture(&parameter, text).context()).is_empty());
    assert_eq!(super::check(&fixture(&parameter, "MCP error -32602: no").context()).len(), 1);
    let path = json!({"path": "/workspace/missing.txt"});
    assert_eq!(super::check(&fixture(&path, text).context()).len(), 1);
}

#[test]
fn what_changes_with_the_twins_value_names_it_and_what_stays_does_not() {
    let path = json!({"path": "/workspace/missing.txt"});
    let (sent, other) =
        (json!({"path": "/workspace/missing.txt"}), json!({"path": "/workspace/tpzzpun.txt"}));
    let check = |text: &str, twin: &str, diagnostics: [usize; 2]| {
        let expected = json!({"failure": {"condition": "path-not-found", "value": path, "hint": null, "valid_values_of": null}});
        let expected = serde_json::from_value(expected).expect("an expectation");
        let alone = Fixture::refusal(text, &sent, expected);
        assert_eq!(super::check(&alone.context()).len(), diagnostics[0], "{text}");
        let beside = alone.beside(&other, twin);
        assert_eq!(super::check(&beside.context()).len(), diagnostics[1], "{text} beside {twin}");
    };
    check("[PATH_NOT_FOUND] no MISSING.TXT", "[PATH_NOT_FOUND] no TPZZPUN.TXT", [1, 0]);
    check("[PATH_NOT_FOUND] not found", "[PATH_NOT_FOUND] not found", [1, 1]);
    let chance = "[PATH_NOT_FOUND] see missing.txt for files that are missing";
    check(chance, chance, [0, 1]);
    check("[PATH_NOT_FOUND] no missing.txt", "[PATH_NOT_FOUND] no tpzzpun.txt", [0, 0]);
    check("[PATH_NOT_FOUND] gone (3 ms)", "[PATH_NOT_FOUND] gone (9 ms)", [1, 1]);
    check("[PATH_NOT_FOUND] no missing.txt", "[IO_ERROR] the disk is full", [0, 0]);
    let expected = json!({"failure": {"condition": "path-not-found", "value": {"parameter": "path"}, "hint": null, "valid_values_of": null}});
    let expected = serde_json::from_value(expected).expect("an expectation");
    let parameter = Fixture::refusal("[PATH_NOT_FOUND] no MISSING.TXT", &sent, expected)
        .beside(&other, "[PATH_NOT_FOUND] no TPZZPUN.TXT");
    assert_eq!(super::check(&parameter.context()).len(), 1, "the parameter's name is what is missing");
}

#[test]
fn a_value_that_the_twin_sent_too_is_no_chance_word() {
    let path = json!({"path": "/workspace/missing.txt"});
    let text = "[PATH_NOT_FOUND] no missing.txt";
    assert!(super::check(&fixture(&path, text).beside(&path, text).context()).is_empty());
}

#[test]
fn a_value_is_seen_through_the_escapes_of_a_json_text() {
    let either = json!({"any-of": [{"path": "/workspace/lacking.txt"}, {"text": "green apple"}]});
    let text = r#"{"code":-32603,"message":"Could not find exact match for edit:\ngreen apple"}"#;
    assert!(super::check(&fixture(&either, text).context()).is_empty());
    let text = r#"{"code":-32603,"message":"Could not find exact match for edit:\nevergreen apple"}"#;
    assert_eq!(super::check(&fixture(&either, text).context()).len(), 1);
}

#[test]
fn a_number_that_the_control_holds_too_is_not_the_count() {
    let check = |text: &str, control: &str, diagnostics: usize| {
        for value in [json!({"count": 3}), json!({"any-of": [{"count": 3}, {"text": "sideways"}]})] {
            let mut fixture = fixture(&value, text);
            let outcome = json!({"content": [{"type": "text", "text": control}]});
            fixture.control.as_mut().expect("a control").outcome = Outcome::Result(outcome);
            assert_eq!(super::check(&fixture.context()).len(), diagnostics, "{text} beside {control}");
        }
    };
    check("[STR_REPLACE_AMBIGUOUS] job 3: several matches", "job 3: several changes", 1);
    check("[STR_REPLACE_AMBIGUOUS] job 3: 3 matches", "job 3: several changes", 0);
    check("[STR_REPLACE_AMBIGUOUS] 3 matches", "replaced 1 of 3 lines", 0);
    check("[STR_REPLACE_AMBIGUOUS] several matches at main.rs:3 after 3 ms", "done", 1);
}

#[test]
fn a_number_of_an_uncounted_twin_is_not_the_count_and_that_of_a_refused_one_may_be() {
    let expected = json!({"failure": {"condition": "ambiguous-match", "value": {"count": 3}, "hint": null, "valid_values_of": null}});
    let fixture = || {
        let expected = serde_json::from_value(expected.clone()).expect("an expectation");
        Fixture::refusal("[STR_REPLACE_AMBIGUOUS] found 3 in all", &json!({}), expected)
    };
    let refused = fixture().beside(&json!({}), "[STR_REPLACE_AMBIGUOUS] found 3 in all");
    assert!(super::check(&refused.context()).is_empty());
    let mut uncounted = fixture().beside(&json!({}), "");
    let outcome = json!({"content": [{"type": "text", "text": "changed: 3 in all"}]});
    uncounted.twin.as_mut().expect("a twin").outcome = Outcome::Result(outcome);
    assert!(super::check(&uncounted.context()).is_empty());
    let outcome = json!({"content": [{"type": "text", "text": "found 3 in all"}]});
    uncounted.twin.as_mut().expect("a twin").outcome = Outcome::Result(outcome);
    assert_eq!(super::check(&uncounted.context()).len(), 1);
}

#[test]
fn a_word_that_a_message_about_the_fault_holds_anyway_counts_only_as_a_value() {
    let check = |value: &str, text: &str, diagnostics: usize| {
        assert_eq!(
            super::check(&fixture(&json!({"text": value}), text).context()).len(),
            diagnostics,
            "{text}"
        );
    };
    for word in ["found", "path", "view"] {
        check(word, &format!("[PATH_NOT_FOUND] the {word} was not there"), 1);
        check(word, &format!("[PATH_NOT_FOUND] '{word}' was not there"), 0);
        check(word, &format!("[PATH_NOT_FOUND] not there: {word}"), 0);
    }
    check("sideways", "[PATH_NOT_FOUND] no sideways there", 0);
}

#[test]
fn where_a_link_leads_and_what_was_looked_for_name_the_value_too() {
    let either = json!({"any-of": [{"path": "/workspace/door.txt"}, {"path": "/outside/canary.txt"}]});
    let text =
        "Access denied - symlink target outside allowed directories: /outside/canary.txt not in /workspace";
    assert!(super::check(&fixture(&either, text).context()).is_empty());
    let either = json!({"any-of": [{"path": "/workspace/lacking.txt"}, {"text": "green apple"}]});
    assert!(
        super::check(&fixture(&either, "Could not find exact match for edit:\ngreen apple").context())
            .is_empty()
    );
}

#[test]
fn the_noun_of_an_id_is_the_tools() {
    let found = |tool: &str, parameter: &str, value: serde_json::Value, text: &str| {
        let mut fixture = fixture(&json!({"parameter": parameter}), text);
        fixture.exchange.call.tool = Some(tool.to_owned());
        fixture.exchange.call.arguments = json!({parameter: value});
        super::check(&fixture.answered().context()).len()
    };
    assert_eq!(found("get_chunk", "id", json!(20), "Chunk \"20\" not found"), 0);
    assert_eq!(found("deleteProject", "name", json!(null), "Project \"null\" not found"), 0);
    assert_eq!(found("copy_sheet", "srcSheetName", json!(20), "Invalid argument: sheet not found: 20"), 0);
    assert_eq!(found("get_note", "note_id", json!(null), "There is no note None"), 0);
    assert_eq!(found("get_note", "note_id", json!(null), "There is no note here"), 1);
    assert_eq!(found("get_chunk", "id", json!(20), "Chunk not found"), 1);
    assert_eq!(found("get_chunk", "id", json!(20), "Something is wrong with 20"), 1);
}

#[test]
fn the_noun_of_an_id_and_what_a_program_writes_for_nothing_name_what_was_left_out() {
    let found = |text: &str| {
        let mut fixture = fixture(&json!({"parameter": "workflowId"}), text);
        fixture.exchange.call.tool = Some("get_workflow".to_owned());
        fixture.exchange.call.arguments = json!({});
        super::check(&fixture.answered().context()).len()
    };
    assert_eq!(found("Unknown workflow: undefined"), 0);
    assert_eq!(found("There is no workflow None."), 0);
    assert_eq!(found("Unknown workflow"), 1, "it may be any");
    assert_eq!(found("Not found: undefined"), 1);
}

#[test]
fn an_item_of_a_list_is_named_in_the_singular_and_nothing_else_is() {
    let check = |sent: Value, text: &str| {
        let mut fixture = fixture(&json!({"parameter": "shelves"}), text);
        fixture.exchange.call.arguments = json!({"shelves": sent});
        super::check(&fixture.answered().context()).len()
    };
    assert_eq!(check(json!([20]), "The 'shelves' argument takes texts alone."), 0);
    let check = |sent: Value, text: &str| {
        let mut fixture = fixture(&json!({"parameter": "books"}), text);
        fixture.exchange.call.arguments = json!({"books": sent});
        super::check(&fixture.answered().context()).len()
    };
    let text = "The \"book\" argument must be of type string.";
    assert_eq!((check(json!([true]), text), check(json!(true), text)), (0, 1));
}
