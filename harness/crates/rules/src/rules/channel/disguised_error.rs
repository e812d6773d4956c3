//! `channel/disguised-error`: an error is sent as a success.

use std::ops::Range;
use std::sync::LazyLock;

use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::{FixCheck, Premise, Recheck, Retold};
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};
use crate::wording::DisguisedError;

/// A16: an error inside a success is a finding of its own, Should where only the text begins like one.
pub(crate) static RULE: Rule = Rule {
    id: "channel/disguised-error",
    tier: Tier::Softened,
    level: Level::Must,
    handling: Handling {
        recheck: Recheck::Always,
        premise: Premise::Nothing,
        fixed: FixCheck::Refused,
        retold: Retold::Passage,
        ..super::HANDLING
    },
    requirements: &["A16", "A17"],
    page: LazyLock::new(|| RulePage::read(include_str!("disguised_error.toml"))),
    check: RuleCheck::Exchange(check),
};

const HELP: &str =
    "Set `isError: true` on this reply: clients and agents branch on the flag, not on the text.";
/// The help for requests that are not tool calls: their results have no `isError`.
const HELP_BESIDE_TOOLS: &str = "Answer with a JSON-RPC error (-32602) that names what is not there: a client takes this text for what it asked for.";

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let tool = context.called();
    if is_contracts_own(context) {
        // A17: one finding for each tool, whatever its errors say.
        let message = format!(
            "`{tool}` reports its errors in ordinary results, without `isError: true`, as its contract does"
        );
        let diagnostic = Diagnostic::new(message, HELP).level(Level::Should);
        return vec![Diagnostic { folded: true, of_one_tool: true, evidence: context.reply(), ..diagnostic }];
    }
    let Some(found) = context.unflagged_failure() else { return Vec::new() };
    let (lacks, help) = match context.exchange.tool() {
        Some(_) => ("has no `isError: true`", HELP),
        None => ("is no JSON-RPC error", HELP_BESIDE_TOOLS),
    };
    let diagnostic = match found {
        DisguisedError::Member { name, text } => {
            Diagnostic::new(format!("`{tool}` says that it failed (`{name}`), but the reply {lacks}"), help)
                .evidence(Evidence::whole(text.as_str()))
        }
        DisguisedError::Opening { text, span } => {
            let words = &text[span.clone()];
            let message = format!("the reply of `{tool}` begins like an error (`{words}`), but {lacks}");
            Diagnostic::new(message, help).evidence(marked(text, span)).level(Level::Should)
        }
        DisguisedError::Statement { text, span } => {
            let words = &text[span.clone()];
            let what = if words == "error" { "failed" } else { "found or achieved nothing" };
            let message = format!("the reply of `{tool}` says that the call {what} (`{words}`), but {lacks}");
            Diagnostic::new(message, help).evidence(marked(text, span)).level(Level::Should)
        }
        DisguisedError::Refusal { text, span } => {
            let words = &text[span.clone()];
            let did = match (context.condition(), context.changes_files()) {
                (Some("task-limit"), _) => " started nothing and",
                (_, true) => " changed nothing and",
                (_, false) => "",
            };
            let message =
                format!("`{tool}`{did} says that it refused the call (`{words}`), but the reply {lacks}");
            Diagnostic::new(message, help).evidence(marked(text, span)).level(Level::Should)
        }
    };
    vec![match (found, context.expected_failure()) {
        (_, Some(_)) => diagnostic,
        // Only the reply itself says that the call failed: one finding for each tool, whatever its errors say.
        (DisguisedError::Member { name, .. }, None) => {
            let without = if context.exchange.tool().is_some() {
                "without `isError: true`"
            } else {
                "that is no error"
            };
            let message = format!("`{tool}` reports a failure (`{name}`) in a reply {without}");
            let level = if context.is_certain_failure() { None } else { Some(Level::Should) };
            Diagnostic { message, folded: true, of_one_tool: true, level, ..diagnostic }
        }
        (_, None) => diagnostic.level(Level::Should),
    }]
}

fn marked(text: &str, span: &Range<usize>) -> Evidence {
    Evidence::marked(text, span.clone())
}

/// Whether the reply is an error in the contract's own form without the flag: the contract reads it as an error
/// anyway.
fn is_contracts_own(context: &Context<'_>) -> bool {
    context.is_tool_error() && !context.exchange.outcome.is_tool_error()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::Outcome;
    use crate::expectation::Expected;
    use crate::finding::Level;
    use crate::roles::{Binding, Role};
    use crate::rules::fixture::Fixture;

    fn fixture(text: &str) -> Fixture {
        let expected: Expected = serde_json::from_value(json!({"failure": {"condition": "path-not-found", "value": null, "hint": null, "valid_values_of": null}})).expect("an expectation");
        let mut fixture = Fixture::refusal("", &json!({"path": "/workspace/x"}), expected);
        fixture.exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": text}]}));
        fixture.answered()
    }

    /// The fixture's tool in a role.
    fn binding(role: Role) -> Binding {
        Binding {
            role,
            tool: "view".into(),
            parameters: std::collections::BTreeMap::new(),
            wrapper: None,
            fixed: serde_json::Map::new(),
            numbers: Vec::new(),
            milliseconds: Vec::new(),
            why: String::new(),
        }
    }

    #[test]
    fn a_text_that_only_begins_like_an_error_is_a_should() {
        let fixture = fixture("Error: no such file");
        let diagnostics = super::check(&fixture.context());
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(diagnostics[0].level, Some(Level::Should));
    }

    #[test]
    fn a_refusal_in_plain_words_is_one_where_the_tools_own_schema_forbids_the_call() {
        let found = |text: &str, authority: &str| {
            let expected: Expected = serde_json::from_value(json!({"failure": {"condition": "wrong-type",
                "value": {"parameter": "page"}, "hint": null, "valid_values_of": null, "authority": authority}}))
            .expect("an expectation");
            let mut fixture = Fixture::refusal("", &json!({"page": "twelve"}), expected);
            fixture.exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": text}]}));
            super::check(&fixture.answered().context()).len()
        };
        assert_eq!(found("The call is invalid: page must be an integer", "schema"), 1);
        assert_eq!(found("\"twelve\" is invalid here", "schema"), 1);
        assert_eq!(found("An invalid ticket cannot be used", "schema"), 0, "it may be the answer");
        assert_eq!(found("The call is invalid: page must be an integer", "contract"), 0);
    }

    #[test]
    fn beside_a_call_that_succeeds_a_text_that_begins_with_the_word_needs_no_fault_to_be_one() {
        let found = |text: &str, control: bool| {
            let mut fixture = fixture(text);
            fixture.exchange.place.expected = Expected::Anything;
            if !control {
                fixture.control = None;
            }
            super::check(&fixture.answered().context()).len()
        };
        assert_eq!(found("Error: 'NoneType' object has no attribute 'fetchall'", true), 1);
        assert_eq!(found("Error: 'NoneType' object has no attribute 'fetchall'", false), 0);
        assert_eq!(found("No such value is in the list", true), 0, "it may be the answer");
    }

    #[test]
    fn an_error_in_plain_words_needs_no_other_call_where_the_tool_writes_its_replies_itself() {
        let found = |tool: &str, text: &str| {
            let mut fixture = fixture(text);
            fixture.exchange.place.expected = Expected::Anything;
            fixture.exchange.call.tool = Some(tool.to_owned());
            fixture.control = None;
            super::check(&fixture.answered().context()).len()
        };
        assert_eq!(found("create_diagram", "Error: flowcharts require `nodes`."), 1);
        assert_eq!(found("create_diagram", "Errors: none"), 0);
        assert_eq!(found("get_log", "Error: flowcharts require `nodes`."), 0, "somebody else wrote it");
        assert_eq!(found("validate_diagram", "Error: flowcharts require `nodes`."), 0, "it is the answer");
    }

    #[test]
    fn that_a_thing_is_not_there_is_a_failure_of_a_tool_that_changes_it() {
        let found = |tool: &str| {
            let mut fixture = fixture("Service 'alpha' not found.");
            fixture.exchange.place.expected = Expected::Anything;
            fixture.exchange.call.tool = Some(tool.to_owned());
            super::check(&fixture.answered().context()).len()
        };
        assert_eq!(found("set_domain"), 1);
        assert_eq!(found("describe_domain"), 0);
        assert_eq!(found("delete_service"), 0, "then all is as it was asked for");
    }

    #[test]
    fn a_dictionary_of_python_says_it_as_an_object_does() {
        let said = fixture("{'error': {'code': 'NOT_INDEXED', 'message': 'there is no index'}}");
        let found = super::check(&said.context());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].level, None, "{}", found[0].message);
        assert!(super::check(&fixture("{'errors': [], 'found': 1}").context()).is_empty());
    }

    #[test]
    fn a_request_beside_the_tools_has_no_flag_to_set() {
        let mut fixture = fixture("Error retrieving schema: table x not found");
        fixture.exchange.call.tool = None;
        fixture.exchange.call.method = "resources/read".to_owned();
        let found = super::check(&fixture.answered().context());
        assert!(found[0].message.ends_with("but is no JSON-RPC error"), "{}", found[0].message);
        assert!(!found[0].help.contains("isError"), "{}", found[0].help);
    }

    #[test]
    fn a_call_that_must_fail_needs_no_other_that_succeeds_for_first_words_that_say_so() {
        for (text, count) in [("Error: old must not be empty", 1), ("Unknown", 0), ("No such note", 0)] {
            let mut fixture = fixture(text);
            fixture.control = None;
            assert_eq!(super::check(&fixture.context()).len(), count, "{text}");
        }
    }

    #[test]
    fn a_member_or_first_words_tell_a_failure_beside_a_call_that_succeeds_whatever_was_asked_for() {
        let found = |text: &str, control: &str| {
            let mut fixture = fixture(text);
            fixture.exchange.place.expected = Expected::Anything;
            fixture.exchange.call.arguments = json!({"path": "a", "items": ["x"]});
            let other = fixture.control.as_mut().expect("there is one");
            other.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": control}]}));
            super::check(&fixture.answered().context()).into_iter().map(|found| found.level).next()
        };
        let must = Some(None);
        for (text, control) in [
            (r#"{"error": "unknown algorithm"}"#, r#"{"hash": "1a"}"#),
            (r#"{"errore": "formato non valido"}"#, r#"{"data": "x", "ora": 1}"#),
            (r#"{"rows": [{"success": false, "error": "no"}]}"#, r#"{"rows": [{"success": true}]}"#),
            (r#"[{"error": "no such row"}]"#, r#"[{"id": 12}]"#),
            (r#"{"exception": "no digits"}"#, r#"{"id": 12}"#),
        ] {
            assert_eq!(found(text, control), must, "{text}");
        }
        let should = Some(Some(Level::Should));
        for (text, control) in [
            (r#"{"success": false, "edges_removed": 0}"#, r#"{"success": true, "edges_removed": 1}"#),
            (r#"{"added": 0, "errors": 1}"#, r#"{"added": 1, "errors": 0}"#),
            ("\u{274c} Extraction failed: no such file", "done"),
            ("**Error**: no such file", "done"),
            (
                r#"{"value": null, "exact": null, "error": "no such name"}"#,
                r#"{"value": 2, "exact": true, "error": null}"#,
            ),
            (
                r#"{"content": [{"type": "text", "text": "**Error:** no such name"}]}"#,
                r#"{"content": [{"type": "text", "text": "7"}]}"#,
            ),
            (r#"{"state": "failed", "why": "no digits"}"#, r#"{"id": 12, "name": "thing"}"#),
            (r#"{"code": 404, "msg": "no digits", "data": null}"#, r#"{"id": 12, "name": "thing"}"#),
            ("<error>the id must be digits</error>", "<thing>12</thing>"),
            ("Failed: the id must be digits", "thing 12"),
            ("I'm sorry, the id must be digits", "thing 12"),
            ("status: error\nmessage: the id must be digits", "status: ok"),
            ("\u{274c} No notes are here. Call make_notes first.", "\u{2705} Two notes"),
            ("Extraction ended. Succeeded: 0, failed: 1", "Extraction ended. Succeeded: 1, failed: 0"),
        ] {
            assert_eq!(found(text, control), should, "{text}");
        }
        for (text, control) in [
            (
                r#"{"id": 7, "name": "build", "error": "it did not compile"}"#,
                r#"{"id": 6, "name": "build", "size": 1}"#,
            ),
            (r#"{"valid": false, "error": "no"}"#, r#"{"valid": true}"#),
            (r#"[{"error": "no"}, {"error": "no"}]"#, "[]"),
            ("\u{274c} buy milk", "\u{2705} sell milk"),
            ("Not found: id=1", "note 1"),
            ("Invalid.", "Valid."),
            (
                r#"{"id": 7, "state": "failed", "reason": "it did not compile"}"#,
                r#"{"id": 6, "state": "done"}"#,
            ),
            (r#"{"code": 404, "message": "gone", "body": "<p>"}"#, r#"{"code": 200, "body": "<p>"}"#),
            (r#"{"id": 7, "name": null, "error": "it did not compile"}"#, r#"{"id": 6, "error": null}"#),
            ("Failed: 2", "Failed: 0"),
            ("exit status 0", "exit status 1"),
            ("[INFO] the id must be digits", "thing 12"),
        ] {
            assert_eq!(found(text, control), None, "{text}");
        }
    }

    #[test]
    fn an_error_object_of_a_tool_that_reads_or_searches_is_a_must() {
        let found = |role: Role, text: &str| {
            let mut fixture = fixture(text);
            fixture.exchange.place.expected = Expected::Anything;
            fixture.head.bindings.push(binding(role));
            let control = fixture.control.as_mut().expect("there is one");
            control.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": "alpha beta"}]}));
            super::check(&fixture.answered().context()).into_iter().map(|found| found.level).next()
        };
        for text in [
            r#"{"error": "no such file"}"#,
            r#"{"success": false, "error": "no such file", "path": "/workspace/x"}"#,
            r#"[{"error": "no such file"}]"#,
        ] {
            for role in [Role::Read, Role::Grep, Role::Glob] {
                assert_eq!(found(role, text), Some(None), "{role}: {text}");
            }
            assert_eq!(found(Role::Shell, text), None, "a command may print it: {text}");
        }
        let entry = r#"{"time": 3, "level": "error", "error": "the disk is full"}"#;
        assert_eq!(found(Role::Read, entry), None, "a file may hold it");
    }

    #[test]
    fn a_tool_that_checks_fails_only_where_it_refuses_a_number_that_was_sent() {
        let found = |tool: &str, arguments: serde_json::Value, text: &str| {
            let mut fixture = fixture(text);
            fixture.exchange.place.expected = Expected::Anything;
            fixture.exchange.call.tool = Some(tool.to_owned());
            fixture.exchange.call.arguments = arguments;
            let other = fixture.control.as_mut().expect("there is one");
            let success = r#"{"within": true, "sum": 4}"#;
            other.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": success}]}));
            super::check(&fixture.answered().context()).len()
        };
        let refusal = r#"{"error": "c must be between 0 and 100, got -1.0"}"#;
        assert_eq!(found("ink_check", json!({"c": -1.0}), refusal), 1);
        assert_eq!(found("ink_check", json!({"c": "no"}), refusal), 0, "it may be what is checked");
        let outcome = r#"{"error": "json is not valid: '}' is missing"}"#;
        assert_eq!(found("validate", json!({"json": "{", "depth": 3}), outcome), 0, "it is the answer");
    }

    #[test]
    fn what_a_log_or_a_program_says_is_no_failure_of_the_tool_that_shows_it() {
        let found = |tool: &str, text: &str| {
            let mut fixture = fixture(text);
            fixture.exchange.place.expected = Expected::Anything;
            fixture.exchange.call.tool = Some(tool.to_owned());
            super::check(&fixture.answered().context()).len()
        };
        for text in ["[ERROR] the disk is full", "the disk is full\nexit status 1"] {
            assert_eq!((found("get_logs", text), found("make_note", text)), (0, 1), "{text}");
        }
    }

    #[test]
    fn first_words_before_a_raw_error_need_nothing_else() {
        let found = |text: &str| {
            let mut fixture = fixture(text);
            fixture.exchange.place.expected = Expected::Anything;
            fixture.control = None;
            super::check(&fixture.answered().context()).len()
        };
        assert_eq!(found("保存便签失败: [Errno 28] No space left on device"), 1);
        assert_eq!(found("保存便签失败: 磁盘已满"), 0);
        assert_eq!(found("保存便签: [Errno 28] No space left on device"), 0);
    }

    #[test]
    fn an_unflagged_problem_of_the_contract_is_one_finding_for_each_tool() {
        let fixture = Fixture::of(&crate::rules::Example {
            call: r#"{"tool": "view", "arguments": {"path": "a"}}"#.to_owned(),
            reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"error\": \"no a\", \"problem\": {\"code\": \"file-not-found\", \"detail\": \"no a\"}}"}]}}"#.to_owned(),
            expected: crate::expectation::Expected::Anything,
            beside: r#"{"contract": "problem-details"}"#.to_owned(),
        });
        let diagnostics = super::check(&fixture.context());
        assert_eq!(diagnostics.len(), 1);
        assert!(diagnostics[0].folded && diagnostics[0].level == Some(Level::Should));
    }

    #[test]
    fn a_beginning_that_changes_with_the_twins_value_is_content() {
        let fixture = |text: &str, twin: &str| {
            let mut fixture = fixture(text);
            fixture.exchange.call.arguments = json!({"path": "/workspace/error: name.txt"});
            fixture.beside(&json!({"path": "/workspace/lyyvy: uhtl.txt"}), twin)
        };
        assert!(super::check(&fixture("Error: Name.txt", "Lyyvy: Uhtl.txt").context()).is_empty());
        let own = fixture("Error: no Name.txt", "Error: no Uhtl.txt");
        assert_eq!(super::check(&own.context()).len(), 1);
    }

    #[test]
    fn a_reply_that_declares_its_failure_is_one_whatever_was_asked_for() {
        let found = |text: &str, role: Option<Role>| {
            let mut fixture = Fixture::refusal("", &json!({"path": "a"}), Expected::Anything);
            fixture.exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": text}]}));
            fixture.control = None;
            fixture.head.bindings.extend(role.map(binding));
            super::check(&fixture.answered().context()).len()
        };
        let nested = r#"{"content": [{"type": "text", "text": "no"}], "isError": true}"#;
        for text in [
            r#"{"success": false, "error": "no such session"}"#,
            r#"{"error": "no such session"}"#,
            r#"{"result": {"success": false, "error": "no such session"}}"#,
            r#"{"status": "error", "message": "no such session"}"#,
            nested,
        ] {
            assert_eq!(found(text, None), 1, "{text}");
            assert_eq!(found(text, Some(Role::Read)), 0, "a file may hold it: {text}");
            assert_eq!(found(text, Some(Role::Write)), 1, "{text}");
        }
        for text in [
            "Error: no such session",
            r#"{"status": "failed", "id": 7}"#,
            r#"{"errors": ["one line is too long"]}"#,
            r#"{"id": 7, "name": "build", "begun": 1, "ended": 2, "error": "it did not compile"}"#,
            r#"[{"success": false}]"#,
            r#"{"valid": false, "error": "Unexpected token"}"#,
            r#"{"result": {"valid": false, "error": "Unexpected token"}}"#,
            r#"{"job": {"id": 7, "name": "build", "begun": 1, "ended": 2, "error": "it did not compile"}}"#,
        ] {
            assert_eq!(found(text, None), 0, "{text}");
        }
    }

    #[test]
    fn the_output_of_a_command_is_no_error_in_disguise() {
        let mut fixture = fixture("Error: no such file");
        fixture.head.bindings.push(binding(Role::Shell));
        assert!(super::check(&fixture.context()).is_empty());
    }

    #[test]
    fn a_task_too_many_that_is_refused_in_words_has_started_nothing() {
        let mut fixture = fixture("The limit of 3 tasks is reached.");
        let Expected::Failure(failure) = &mut fixture.exchange.place.expected else { panic!("it fails") };
        failure.condition.0 = "task-limit".into();
        let diagnostics = super::check(&fixture.context());
        assert!(diagnostics[0].message.contains("started nothing"), "{}", diagnostics[0].message);
    }

    /// An editing call that is answered without the flag.
    fn edited(text: &str, changes: serde_json::Value) -> Fixture {
        let mut fixture = fixture(text);
        fixture.head.bindings = vec![binding(Role::Replace)];
        fixture.exchange.changes = serde_json::from_value(changes).expect("changes");
        fixture
    }

    #[test]
    fn an_editor_that_changes_nothing_and_says_why_has_refused() {
        let text = "Expected 1 occurrences but found 3 in a.txt.";
        let diagnostics = super::check(&edited(text, json!([])).context());
        assert_eq!(
            diagnostics.iter().map(|diagnostic| diagnostic.level).collect::<Vec<_>>(),
            [Some(Level::Should)]
        );
        assert!(diagnostics[0].message.contains("changed nothing"), "{}", diagnostics[0].message);
        let changed = json!([{"path": "{case}/a.txt", "change": "modified", "outside": false}]);
        assert!(super::check(&edited(text, changed).context()).is_empty(), "what was changed was accepted");
        assert!(super::check(&edited("Replaced 0 times.", json!([])).context()).is_empty());
    }
}
