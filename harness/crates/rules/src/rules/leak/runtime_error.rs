//! `leak/runtime-error`: the raw error of a runtime or library comes through.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::expression::expression;
use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};

/// BC-20: no raw runtime error without context; A6 says where the border runs.
pub(crate) static RULE: Rule = Rule {
    id: "leak/runtime-error",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6", "EE-13", "PD-09"],
    page: LazyLock::new(|| RulePage::read(include_str!("runtime_error.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Catch this error in the tool, say in your own words which operation failed on what, and keep \
        the raw error for the log.";
    super::judged(context, RULE.id, "a raw runtime error", help)
}

/// Whether the words are about what the caller wrote: a constraint error of a database if the call contains a
/// statement that changes rows, a division by zero if the call contains one, or a sentence that names a parameter and the
/// value that was sent in it.
pub(super) fn is_of_what_was_written(context: &Context<'_>, found: &str, line: &str) -> bool {
    static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:insert\s+(?:or\s+\w+\s+)?into|replace\s+into|update|delete\s+from|merge\s+into|alter\s+table)\s+\S",
        )
    });
    static DIVIDES: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)(?:[/%\u{f7}]|\b(?:div|mod)\b)\s*\(?\s*0+(?:\.0*)?\s*(?:[^\s\d.]|\z)")
    });
    let holds = |what: &Regex| super::sends_text(context.arguments(), &|text| what.is_match(text));
    found.contains("constraint") && holds(&CHANGES)
        || found.contains("by zero") && holds(&DIVIDES)
        || names_what_was_sent(context, line)
}

/// Whether a sentence begins with a parameter and the value that was sent in it, or with its bound, or marks both:
/// `year 0 is out of range`, `month must be in 1..12`, `The argument 'flags' is invalid. Received 'q'`. That a library
/// wrote it is not to be seen.
fn names_what_was_sent(context: &Context<'_>, line: &str) -> bool {
    let line = line.lines().next().unwrap_or_default();
    context.arguments().as_object().into_iter().flatten().any(|(name, sent)| {
        match sent {
            Value::Number(number) => {
                // What a part of a date is called there, whatever language the parameter's name is in.
                let parts = ["year", "month", "day", "hour", "minute", "second"];
                let value = number.to_string();
                let behind = |prefix: &str| Some(line.strip_prefix(prefix)?.strip_prefix(' ')?.trim_start());
                let is_value = |rest: &str| {
                    rest.strip_prefix(&value).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
                };
                let is_bound =
                    |rest: &str| rest.strip_prefix("must be in ").is_some_and(|rest| rest.contains(".."));
                behind(name).is_some_and(|rest| is_value(rest) || is_bound(rest))
                    || parts.into_iter().filter_map(behind).any(is_value)
            }
            Value::String(text) => {
                !text.is_empty()
                    && line.starts_with(&format!("The argument '{name}' is invalid"))
                    && line.ends_with(&format!("Received '{text}'"))
            }
            _ => false,
        }
    })
}

/// Whether the words are raw, and no more than the end of what the server says itself: behind advice, or of a text that the
/// caller sent to be read as code.
pub(super) fn is_less(text: &str, span: &Range<usize>) -> bool {
    is_behind_advice(text, span) || is_of_code_sent(text, span)
}

/// Whether a parser of JSON speaks of a text that was sent to a tool for JSON, and is none.
pub(super) fn is_of_json_sent(context: &Context<'_>, found: &str) -> bool {
    let is_for_json = context.called().to_ascii_lowercase().contains("json");
    let is_none = |sent: &str| serde_json::from_str::<Value>(sent).is_err();
    let is_of_a_place = found.starts_with("Expecting ") || found.starts_with("Extra data");
    is_for_json && is_of_a_place && super::sends_text(context.arguments(), &is_none)
}

/// Whether Python's compiler speaks of a text that is in no file, behind other words:
/// `Evaluation failed: invalid syntax (<string>, line 1)`.
fn is_of_code_sent(text: &str, span: &Range<usize>) -> bool {
    static PLACE: LazyLock<Regex> =
        LazyLock::new(|| expression(r"\A[^\n]{0,120}? ?\(<(?:string|unknown)>, line \d+\)"));
    let lead = text[..span.start].trim_end();
    PLACE.is_match(&text[span.start..]) && lead.contains(": ") && !lead.ends_with("Error:")
}

/// Whether the words stand in brackets at the end of a text that says before them, in words of its own, what to do: the cause is
/// there for whoever wants it.
fn is_behind_advice(text: &str, span: &Range<usize>) -> bool {
    static ADVICE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?:\A|[.!?;:,] )(?:[Pp]lease )?(?i:check|verify|make sure|ensure|set|start|use|try|configure|install)\b",
        )
    });
    let Some(open) = text[..span.start].rfind('(') else { return false };
    let is_open = !text[open..span.start].contains(')');
    is_open
        && text[span.end..].trim_end().trim_end_matches('.').ends_with(')')
        && ADVICE.is_match(&text[..open])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;

    #[test]
    fn a_constraint_is_the_callers_where_the_call_holds_the_statement() {
        let found = |arguments: &serde_json::Value| {
            let text = "Error executing tool add: UNIQUE constraint failed: projects.id";
            let fixture = Fixture::refusal(text, arguments, Expected::Anything);
            super::check(&fixture.context()).len()
        };
        assert_eq!(found(&json!({"id": "alpha"})), 1);
        assert_eq!(found(&json!({"sql": "INSERT INTO projects VALUES ('alpha')"})), 0);
        assert_eq!(found(&json!({"statements": [{"text": "update projects set id = 1"}]})), 0);
        assert_eq!(found(&json!({"id": "update"})), 1);
    }

    #[test]
    fn a_sentence_with_the_parameter_and_the_value_that_was_sent_is_no_librarys() {
        let found = |text: &str| {
            let sent = json!({"year": 0, "month": 13, "flags": "q"});
            super::check(&Fixture::refusal(text, &sent, Expected::Anything).context()).len()
        };
        assert_eq!(found("Error calling tool 'days': year 0 is out of range"), 0);
        assert_eq!(found("month must be in 1..12"), 0);
        assert_eq!(found("The argument 'flags' is invalid. Received 'q'"), 0);
        assert_eq!(found("The argument 'mode' is invalid. Received 'q'"), 1);
        assert_eq!(found("hour must be in 0..23"), 1);
        let found = |sent: &serde_json::Value| {
            super::check(&Fixture::refusal("year 0 is out of range", sent, Expected::Anything).context())
                .len()
        };
        assert_eq!((found(&json!({"anno": 0})), found(&json!({"anno": 7}))), (0, 1));
    }

    #[test]
    fn what_a_validators_report_says_of_a_value_is_its_own() {
        let found = |text: &str| {
            let fixture = Fixture::refusal(text, &json!({"url": ""}), Expected::Anything);
            super::check(&fixture.context()).len()
        };
        let issue =
            json!({"code": "invalid_format", "format": "url", "path": ["url"], "message": "Invalid URL"});
        assert_eq!(found(&serde_json::to_string_pretty(&json!([issue])).expect("it is JSON")), 0);
        assert_eq!(found("Invalid URL"), 1);
    }

    #[test]
    fn the_type_of_null_is_told_back_where_null_was_sent() {
        let found = |arguments: &serde_json::Value, text: &str| {
            super::check(&Fixture::refusal(text, arguments, Expected::Anything).context()).len()
        };
        let own = "Argument 'text' must be a string, got NoneType";
        assert_eq!(found(&json!({"text": null}), own), 0);
        assert_eq!(found(&json!({"text": "alpha"}), own), 1);
        let raw = "the JSON object must be str, bytes or bytearray, not NoneType";
        assert_eq!(found(&json!({"text": null}), raw), 1);
    }

    #[test]
    fn a_division_by_zero_is_the_callers_where_the_call_holds_it() {
        let found = |arguments: &serde_json::Value| {
            let text = "Error calling tool 'calculate': division by zero";
            let fixture = Fixture::refusal(text, arguments, Expected::Anything);
            super::check(&fixture.context()).len()
        };
        for written in ["1 / 0", "1/0.0", "(2 + 3) % (0)", "10 mod 0"] {
            assert_eq!(found(&json!({"expression": written})), 0, "{written}");
        }
        for written in ["1 / 0.5", "1 / 10", "0 / 1", "width 0"] {
            assert_eq!(found(&json!({"expression": written, "width": 0})), 1, "{written}");
        }
    }

    #[test]
    fn a_cause_in_brackets_behind_advice_is_less_than_a_leak_alone() {
        let level = |text: &str| {
            let fixture = Fixture::refusal(text, &json!({}), Expected::Anything);
            let found = super::check(&fixture.context());
            found.into_iter().map(|one| one.level).collect::<Vec<_>>()
        };
        let cause = "Get \"http://127.0.0.1:9/api\": dial tcp 127.0.0.1:9: connect: connection refused";
        let own = "failed to list groups: the service is unreachable";
        assert_eq!(level(&format!("{own}. Check GITLAB_URL ({cause})")), [Some(Level::Should)]);
        assert_ne!(level(&format!("{own} ({cause})")), [Some(Level::Should)]);
        assert_ne!(level(&format!("{own}. Check GITLAB_URL: {cause}")), [Some(Level::Should)]);
    }

    #[test]
    fn what_a_parser_says_of_a_text_that_was_sent_to_a_tool_for_json_is_less() {
        let level = |tool: &str, sent: &str| {
            let text = "Error calling tool 'x': Expecting value: line 1 column 1 (char 0)";
            let mut fixture = Fixture::refusal(text, &json!({"text": sent}), Expected::Anything);
            fixture.exchange.call.tool = Some(tool.to_owned());
            super::check(&fixture.context()).into_iter().map(|one| one.level).collect::<Vec<_>>()
        };
        assert_eq!(level("pretty_json", "alpha"), [Some(Level::Should)]);
        assert_ne!(level("pretty_json", "{}"), [Some(Level::Should)]);
        assert_ne!(level("read_page", "alpha"), [Some(Level::Should)]);
    }

    #[test]
    fn what_a_compiler_says_of_a_text_that_was_sent_is_less_behind_words_of_the_servers_own() {
        let level = |text: &str| {
            let fixture = Fixture::refusal(text, &json!({"expression": "(1 + 1"}), Expected::Anything);
            super::check(&fixture.context()).into_iter().map(|one| one.level).collect::<Vec<_>>()
        };
        let place = "'(' was never closed (<string>, line 1)";
        assert_eq!(level(&format!("Error: Evaluation failed: {place}")), [Some(Level::Should)]);
        assert_eq!(
            level("Error: Evaluation failed: invalid syntax (<string>, line 1)"),
            [Some(Level::Should)]
        );
        assert_ne!(level(place), [Some(Level::Should)]);
        assert_ne!(
            level("Error: Evaluation failed: '(' was never closed (a.py, line 1)"),
            [Some(Level::Should)]
        );
    }
}
