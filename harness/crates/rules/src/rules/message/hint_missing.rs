//! `message/hint-missing`: nothing in the message says how to fix the call.

use std::sync::LazyLock;

use crate::condition;
use crate::contract::ErrorReply;
use crate::expectation::{ExpectedFailure, ExpectedValue};
use crate::finding::{Diagnostic, Level};
use crate::rules::message::value_missing::{is_of_another, is_of_state};
use crate::rules::should_read::sentence;
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};
use crate::wording::escape::readings;
use crate::wording::hint::{self, Advice};
use crate::wording::mention;

/// BC-19: when applicable, the message suggests how to fix the request. BC-14 names `replace_all`.
pub(crate) static RULE: Rule = Rule {
    id: "message/hint-missing",
    tier: Tier::Softened,
    level: Level::Should,
    handling: super::HANDLING,
    requirements: &["BC-19", "EE-04", "PL-02"],
    page: LazyLock::new(|| RulePage::read(include_str!("hint_missing.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (Some(error), Some(failure)) = (context.error, asked_for(context)) else { return Vec::new() };
    // The hint must be about this fault, not about another argument, which may be right.
    let is_of_another = |value: &ExpectedValue| is_of_another(context, error, value);
    if context.succeeded_control().is_none() && failure.value.as_ref().is_some_and(is_of_another) {
        return Vec::new();
    }
    let is_of_an_argument = failure.value.as_ref().is_some_and(|value| !value.parameters().is_empty());
    if failure.hint.is_none() && is_of_an_argument && is_of_state(context, error) {
        return Vec::new();
    }
    let condition = failure.condition.0.replace('-', " ");
    let mut diagnostic = match &failure.hint {
        Some(hint) => {
            if error.advice().any(|text| mention::names_parameter(text, &hint.parameter)) {
                return Vec::new();
            }
            let way = format!("`{}: {}`", hint.parameter, hint.value);
            Diagnostic::new(
                format!("the message does not say that {way} fixes the call ({condition})"),
                format!("Name the solution in the message: \"... or send {way}\".{}", sentence(context)),
            )
            .level(Level::Must)
        }
        None => {
            if is_told_by_name(context, error, failure) || advice(context, error) != Advice::Lacking {
                return Vec::new();
            }
            Diagnostic::new(
                format!("nothing in the message says how to fix the call ({condition})"),
                match condition::next_step(&failure.condition.0) {
                    Some(step) => format!("End the message with the next step: {step}.{}", sentence(context)),
                    None => format!("End the message with the next step.{}", sentence(context)),
                },
            )
        }
    };
    diagnostic.evidence = context.reply();
    diagnostic.requirement =
        context.answer().filter(|_| failure.hint.is_some()).map(|answer| answer.requirement.clone());
    vec![diagnostic]
}

/// Whether the message is in a language that is not analysed, so that the rule gives no verdict on it.
pub(in crate::rules) fn is_unread(context: &Context<'_>) -> bool {
    let (Some(error), Some(failure)) = (context.error, asked_for(context)) else { return false };
    let is_foreign = || context.with_asked(|asked| hint::is_foreign(error.message(), asked));
    failure.hint.is_none()
        && is_foreign()
        && !is_told_by_name(context, error, failure)
        && advice(context, error) == Advice::Unread
}

/// The expected failure, if the reply must say how to fix it.
fn asked_for<'a>(context: &'a Context<'_>) -> Option<&'a ExpectedFailure> {
    context.refused_for().filter(|_| context.is_repairable())
}

/// Whether a name alone is a sufficient hint: that of a missing argument, or of a surplus one that is called
/// unknown.
fn is_told_by_name(context: &Context<'_>, error: &ErrorReply, failure: &ExpectedFailure) -> bool {
    let names = |text: &str| {
        failure.value.as_ref().is_some_and(|value| {
            mention::mentions(text, value, &context.head.folders)
                || value.parameters().iter().any(|name| mention::stands_as_word(text, name))
        })
    };
    match failure.condition.0.as_str() {
        // A surplus argument is fixed by leaving it out, so naming it as unknown is enough.
        "unknown-argument" => {
            // The argument's own name may contain such words.
            let parameters = failure.value.as_ref().map(ExpectedValue::parameters).unwrap_or_default();
            let unnamed =
                |text: &str| parameters.iter().fold(text.to_owned(), |text, name| text.replace(name, "''"));
            error
                .advice()
                .flat_map(readings)
                .any(|text| names(&text) && hint::calls_it_unknown(&unnamed(&text)))
        }
        // Naming what is missing says what to send; of several missing arguments one is enough. A message that
        // names what already exists need not say that another name would do.
        "missing-argument" | "missing-prompt-argument" | "already-exists" => error.advice().any(names),
        _ => false,
    }
}

/// Whether the reply says how to fix the call.
pub(super) fn gives_advice(context: &Context<'_>, error: &ErrorReply) -> bool {
    advice(context, error) == Advice::Given
}

/// What the reply says on how to fix the call, in its texts and structured data.
fn advice(context: &Context<'_>, error: &ErrorReply) -> Advice {
    if error.values.iter().any(|data| hint::lists_beside(data)) {
        return Advice::Given;
    }
    context.with_asked(|asked| {
        let mut read = Advice::Lacking;
        for text in error.advice() {
            match hint::advice(text, asked) {
                Advice::Given => return Advice::Given,
                Advice::Unread => read = Advice::Unread,
                Advice::Lacking => {}
            }
        }
        read
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::finding::Level;
    use crate::rules::Example;
    use crate::rules::fixture::Fixture;

    fn diagnostics(condition: &str, hint: &serde_json::Value, text: &str) -> Vec<Option<Level>> {
        let expected: Expected = serde_json::from_value(json!({"failure": {"condition": condition, "value": null, "hint": hint, "valid_values_of": null}})).expect("an expectation");
        let fixture = Fixture::refusal(text, &json!({"path": "/workspace/a"}), expected);
        super::check(&fixture.context()).into_iter().map(|diagnostic| diagnostic.level).collect()
    }

    #[test]
    fn a_known_way_out_must_be_named() {
        let hint = || json!({"parameter": "replace_all", "value": true});
        assert_eq!(
            diagnostics("ambiguous-match", &hint(), "[STR_REPLACE_AMBIGUOUS] 3 times; add context"),
            [Some(Level::Must)]
        );
        assert!(
            diagnostics("ambiguous-match", &hint(), "[STR_REPLACE_AMBIGUOUS] 3 times; or set replace_all")
                .is_empty()
        );
    }

    #[test]
    fn naming_a_surplus_argument_is_a_sufficient_hint() {
        let check = |text: &str| {
            let expected: Expected =
                serde_json::from_value(json!({"failure": {"condition": "unknown-argument",
                "value": {"parameter": "no_such_argument"}, "hint": null, "valid_values_of": null}}))
                .expect("an expectation");
            super::check(&Fixture::refusal(text, &json!({"no_such_argument": true}), expected).context())
                .len()
        };
        assert_eq!(
            check("[INVALID_INPUT] view has no parameter 'no_such_argument'. Its parameters are path."),
            0
        );
        assert_eq!(check("[INVALID_INPUT] there is something here that does not belong"), 1);
        assert_eq!(check("[INVALID_INPUT] no_such_argument went wrong"), 1);
        let expected = json!({"failure": {"condition": "path-not-found", "value": {"path": "/workspace/a"}, "hint": null, "valid_values_of": null}});
        let expected = serde_json::from_value(expected).expect("an expectation");
        let known = Fixture::refusal("The path /workspace/a is not known", &json!({}), expected);
        assert_eq!(super::check(&known.context()).len(), 1, "a path is fixed by another one");
    }

    #[test]
    fn what_no_argument_could_change_asks_for_no_way_to_send_one() {
        let check = |text: &str| {
            let expected = json!({"failure": {"condition": "missing-argument", "value": {"parameter": "item_path"}, "hint": null, "valid_values_of": null}});
            let expected = serde_json::from_value(expected).expect("an expectation");
            super::check(&Fixture::refusal(text, &json!({}), expected).context()).len()
        };
        assert_eq!(check("Command failed: You do not have a first version yet"), 0);
        assert_eq!(check("Command failed: You do not have a first version"), 1);
    }

    #[test]
    fn existing_names_beside_the_message_are_a_hint() {
        for (context, found) in [
            (json!({"available_files": ["b.txt", "c.txt"]}), 0),
            (json!({"available_files": []}), 1),
            (json!({"folder": "b.txt"}), 1),
        ] {
            let object = json!({"error_code": "FILE_NOT_FOUND", "message": "There is none", "retryable": true, "recovery_hints": [], "context": context});
            let reply = json!({"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": object.to_string()}], "isError": true}});
            let fixture = Fixture::of(&Example {
                reply: reply.to_string(),
                beside: r#"{"contract": "error-envelope"}"#.to_owned(),
                ..super::RULE.page.bad.clone()
            });
            assert_eq!(super::check(&fixture.context()).len(), found, "{context}");
        }
    }

    #[test]
    fn only_a_hint_that_the_contract_demands_has_its_requirement() {
        let check = |hint: serde_json::Value| {
            let expected = json!({"failure": {"condition": "ambiguous-match", "value": null, "hint": hint, "valid_values_of": null}});
            let expected = serde_json::from_value(expected).expect("an expectation");
            super::check(&Fixture::refusal("3 times", &json!({}), expected).context()).remove(0).requirement
        };
        assert_eq!(check(json!({"parameter": "replace_all", "value": true})).as_deref(), Some("BC-14"));
        assert_eq!(check(json!(null)), None);
    }

    #[test]
    fn the_help_has_an_example_of_the_next_step_for_each_condition() {
        for (condition, step) in [
            ("path-not-found", "list its folder"),
            ("path-outside-root", "the allowed folder"),
            ("match-not-found", "read the file again"),
            ("ambiguous-match", "more context, or replace all"),
            ("task-not-found", "the existing tasks"),
            ("invalid-regex", "the compiler's reason"),
            ("invalid-glob", "how to escape"),
            ("file-too-large", "the limit in bytes"),
            ("missing-argument", "name the parameter"),
            ("empty-command", "name the parameter"),
            ("null-argument", "what to send in it"),
            ("empty-argument", "what to send in it"),
            ("invalid-type", "the expected type"),
            ("wrong-item", "the expected type"),
            ("out-of-range", "state the limit"),
            ("unknown-argument", "the unknown argument"),
        ] {
            assert!(
                crate::condition::next_step(condition).is_some_and(|own| own.contains(step)),
                "{condition}"
            );
        }
        assert_eq!(crate::condition::next_step("invalid-output-mode"), None);
    }

    #[test]
    fn a_hint_is_seen_through_the_escapes_of_a_json_text() {
        let diagnostics = |text: &str| diagnostics("path-not-found", &json!(null), text).len();
        assert_eq!(diagnostics(r#"{"message":"no such file:\n/workspace/a\nuse grep to find it"}"#), 0);
        assert_eq!(diagnostics(r#"failed: {"message":"no such file:\nuse grep to find it"}"#), 0);
        assert_eq!(diagnostics(r#"failed: {"message":"no such file:\nthere is none"}"#), 1);
        assert_eq!(diagnostics(r#"{"message":"no such file:\n/workspace/a"}"#), 1);
    }

    #[test]
    fn a_missing_argument_that_is_named_needs_no_other_hint() {
        let diagnostics = |text: &str| {
            let expected: Expected = serde_json::from_value(json!({"failure": {"condition": "missing-argument", "value": {"parameter": "path"}, "hint": null, "valid_values_of": null}})).expect("an expectation");
            let fixture = Fixture::refusal(text, &json!({}), expected);
            super::check(&fixture.context()).len()
        };
        for text in ["path: Required", "path: field required", "Missing 1 argument: path", "need path"] {
            assert_eq!(diagnostics(text), 0, "{text}");
        }
        assert_eq!(diagnostics("Bad arguments."), 1);
    }

    #[test]
    fn a_message_about_another_argument_need_not_say_how_to_send_the_missing_one() {
        let diagnostics = |text: &str, is_controlled: bool| {
            let expected: Expected = serde_json::from_value(json!({"failure": {"condition": "missing-argument", "value": {"parameter": "time_a"}, "hint": null, "valid_values_of": null}})).expect("an expectation");
            let mut fixture = Fixture::refusal(text, &json!({"time_b": "alpha"}), expected);
            if !is_controlled {
                fixture.control = None;
            }
            super::check(&fixture.context()).len()
        };
        assert_eq!(diagnostics("invalid format for time_b: \"alpha\"", false), 0);
        assert_eq!(diagnostics("invalid format for time_b: \"alpha\"", true), 1, "it is known to be right");
        assert_eq!(diagnostics("invalid format", false), 1);
        let of_both = |text: &str| {
            let expected: Expected = serde_json::from_value(json!({"failure": {"condition": "invalid-type", "value": {"parameter": "time_a"}, "hint": null, "valid_values_of": null}})).expect("an expectation");
            let mut fixture = Fixture::refusal(text, &json!({"time_a": 20, "time_b": "alpha"}), expected);
            fixture.control = None;
            super::check(&fixture.context()).len()
        };
        assert_eq!(of_both("invalid format for time_b: \"alpha\""), 0);
        assert_eq!(of_both("invalid format"), 1);
    }

    #[test]
    fn of_several_missing_arguments_one_that_is_named_is_enough() {
        let diagnostics = |text: &str| {
            let expected: Expected = serde_json::from_value(json!({"failure": {"condition": "missing-argument", "value": {"any-of": [{"parameter": "path"}, {"parameter": "pattern"}]}, "hint": null, "valid_values_of": null}})).expect("an expectation");
            let fixture = Fixture::refusal(text, &json!({}), expected);
            super::check(&fixture.context()).len()
        };
        for text in
            ["Invalid arguments for view: path: required", "Invalid arguments for view: Required at pattern"]
        {
            assert_eq!(diagnostics(text), 0, "{text}");
        }
        assert_eq!(diagnostics("Bad arguments."), 1);
    }

    #[test]
    fn nothing_is_asked_of_input_and_output_errors_and_of_an_unknown_tool() {
        for condition in ["io-failure", "unknown-tool", "task-limit"] {
            assert!(
                diagnostics(condition, &json!(null), "it failed for some reason").is_empty(),
                "{condition}"
            );
        }
    }
}
