//! `message/value-missing`: the value that was wrong is not in the message.

use std::sync::LazyLock;

use regex::Regex;

use crate::contract::{self, ErrorReply};
use crate::expectation::ExpectedValue;
use crate::expression::expression;
use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};
use crate::wording::escape::readings;
use crate::wording::{self, mention};

/// BC-19: every message includes the relevant value; A7, A8 say which one and in which form.
pub(crate) static RULE: Rule = Rule {
    id: "message/value-missing",
    tier: Tier::Softened,
    level: Level::Must,
    requirements: &["BC-19", "PD-10", "PL-02"],
    summary: "the value that was wrong (path, pattern, id, count, parameter) is not in the message",
    page: r#"A model that sent five paths has to know which one was wrong, and "3 matches" tells it how far it is from one.

**Counts:** a scenario's wrong value that the message does not hold: a path as sent, resolved, relative to the root or by
a telling last part; a count as a number of its own; a pattern or an id as sent, escaped or with lost digits; for a
missing, empty or mistyped argument the parameter's name; for a range of lines one of its numbers, where the contract asks for
them, else the parameter will do. Must for path, pattern, id and count under a declared `bracket-code`, else Should. For a
parameter it is judged without a control too.

**Does not count:** a word that the message would hold anyway (a parameter is named where its name stands as a word, or as
words, of its own, but not `value`, `input` or `type`, nor the tool's own name, without quotation marks; a port, a line, a
time or a version is no count, and what the reply to another value holds too is none of the caller's); of a value over 200 characters everything behind its
beginning. What changes with the value when the call is sent once more with another one names it in any form.

**To mend it:** put the value into the message, between quotation marks."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] The file does not exist. List the folder first."}],"isError":true}}"#,
        expected: r#"{"failure": {"condition": "path-not-found", "value": {"path": "/workspace/missing.txt"}, "hint": null, "valid_values_of": null}}"#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] /workspace/missing.txt does not exist. List the folder first."}],"isError":true}}"#,
        expected: r#"{"failure": {"condition": "path-not-found", "value": {"path": "/workspace/missing.txt"}, "hint": null, "valid_values_of": null}}"#,
        beside: "{}",
    },
};

/// The requirements that ask for the value by themselves.
const NAME_THE_VALUE: [&str; 6] = ["BC-05", "BC-06", "BC-08", "BC-12", "BC-14", "PD-10"];
/// Those of them that ask for the number that is wrong: a parameter's name in its place will not do.
const NAME_THE_NUMBER: [&str; 1] = ["PD-10"];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (Some(error), Some(failure)) = (context.error, context.expected_failure()) else { return Vec::new() };
    let Some(value) = &failure.value else { return Vec::new() };
    let promised = context.answer().map(|answer| answer.requirement.as_str());
    // What the server may as well accept is no promise of its refusal.
    let by_number = promised.is_some_and(|id| NAME_THE_NUMBER.contains(&id)) && !failure.or_success;
    let numbers = by_number.then(|| numbers_of(value)).flatten();
    let value = numbers.as_ref().unwrap_or(value);
    let parameter = is_parameter(value);
    // The SDK refuses the whole call, whatever its arguments: "method not found" is not about any of them.
    if parameter && error.text.starts_with("MCP error -32601") {
        return Vec::new();
    }
    if context.succeeded_control().is_none() && !parameter {
        return Vec::new();
    }
    if parameter && (is_of_state(context, error) || is_of_another(context, error, value)) {
        return Vec::new();
    }
    if is_named(context, error, value) || (!parameter && !context.altered_echoes().is_empty()) {
        return Vec::new();
    }
    let what = in_words(value);
    let message = format!("the message does not name {what}");
    let help = match value {
        ExpectedValue::Parameter(name) if context.arguments().get(name).is_some() => {
            format!(
                "Name the parameter in the message, and say what is wrong with its value: `'{name}' must be ..`."
            )
        }
        ExpectedValue::Parameter(name) => {
            format!("Name the parameter in the message: `'{name}' is required`.")
        }
        _ if parameter => format!("Name the parameter in the message: {what}."),
        _ => format!("Put {what} into the message, between quotation marks."),
    };
    let mut diagnostic = Diagnostic::new(message, help);
    diagnostic.evidence = context.reply();
    diagnostic.requirement =
        promised.filter(|requirement| NAME_THE_VALUE.contains(requirement)).map(str::to_owned);
    if parameter || !context.declared || context.contract.id != "bracket-code" {
        diagnostic = diagnostic.level(Level::Should);
    }
    vec![diagnostic]
}

/// What of a value is a number, where other things stand beside it that a message may name instead.
fn numbers_of(value: &ExpectedValue) -> Option<ExpectedValue> {
    let ExpectedValue::AnyOf(values) = value else { return None };
    let is_number = |value: &&ExpectedValue| match value {
        ExpectedValue::Count(_) => true,
        ExpectedValue::Text(text) => text.parse::<i64>().is_ok(),
        _ => false,
    };
    let numbers: Vec<ExpectedValue> = values.iter().filter(is_number).cloned().collect();
    (!numbers.is_empty()).then_some(ExpectedValue::AnyOf(numbers))
}

/// Whether the message names the value, and not by chance: what the reply to another value names too is a word of the
/// server's own.
fn is_named(context: &Context<'_>, error: &ErrorReply, value: &ExpectedValue) -> bool {
    if let ExpectedValue::AnyOf(values) = value {
        return values.iter().any(|value| is_named(context, error, value));
    }
    let names =
        |error: &ErrorReply| error.told().any(|text| mention::mentions(text, value, &context.head.folders));
    let sent = match value {
        ExpectedValue::Parameter(name) => {
            return names(error)
                || holds_the_name(context, error, name)
                || holds_noun_and_value(context, error, name);
        }
        ExpectedValue::Count(count) => return counts(context, error, *count),
        ExpectedValue::Path(sent) | ExpectedValue::Text(sent) => Some(sent),
        _ => None,
    };
    if let ExpectedValue::Text(word) = value
        && is_own_word(context, word)
        && !error.told().any(|text| mention::is_marked(text, word))
    {
        return false;
    }
    let by_chance = || {
        sent.zip(context.twin).is_some_and(|(sent, twin)| {
            let sent_again = mention::stands_in(&twin.call.arguments.to_string(), sent);
            !sent_again && contract::read(context.contract, twin).is_some_and(|other| names(&other))
        })
    };
    names(error) && !by_chance()
}

/// Whether a parameter's name stands in the message as a word of its own, the caller's texts and the tool's name left out:
/// those hold it by chance.
fn holds_the_name(context: &Context<'_>, error: &ErrorReply, name: &str) -> bool {
    let sent = context.arguments().as_object().into_iter().flat_map(|arguments| arguments.values());
    let texts = sent.filter_map(serde_json::Value::as_str).chain([context.called()]);
    let by_chance: Vec<&str> = texts.filter(|text| text.len() > name.len() && text.contains(name)).collect();
    let is_the_tool = context.called().eq_ignore_ascii_case(name);
    error.told().any(|told| {
        let rest = by_chance.iter().fold(told.to_owned(), |rest, text| rest.replace(text, "''"));
        !is_the_tool && mention::stands_as_word(&rest, name)
    })
}

/// Whether the message holds the noun of a parameter, as "item" of `item_id`, and the value that was sent in it.
fn holds_noun_and_value(context: &Context<'_>, error: &ErrorReply, name: &str) -> bool {
    let noun = ["_id", "_ids", "_key", "_uuid", "_name", "_path", "Id", "Ids", "Key", "Uuid", "Name", "Path"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .filter(|noun| !noun.is_empty());
    let sent = match context.arguments().get(name) {
        Some(serde_json::Value::String(text)) => text.trim().to_owned(),
        Some(value) => value.to_string(),
        None => return false,
    };
    noun.is_some_and(|noun| {
        error.told().any(|told| {
            !sent.is_empty()
                && mention::stands_in(told, &sent)
                && mention::stands_as_word(&told.to_lowercase(), &noun.to_lowercase())
        })
    })
}

/// Whether the call was refused for something that no argument could change: too many calls, or what must be done before.
fn is_of_state(context: &Context<'_>, error: &ErrorReply) -> bool {
    static STATE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\brate[ -]?limit|\btoo many requests\b|\bquota\b|\b(?:set|export|environment|env)\W+(?:[a-z]+\W+){0,3}(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b",
        )
    });
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)\b(?:first|before)\b"));
    let names_a_tool = |told: &str| {
        let tools = context.head.catalog.tools.iter().map(|tool| tool.name.as_str());
        let mut others = tools.filter(|name| *name != context.called() && name.contains(['_', '-']));
        BEFORE.is_match(told) && others.any(|name| mention::stands_in(told, name))
    };
    error.told().any(|told| STATE.is_match(told) || names_a_tool(told))
}

/// Whether the message names the value of another argument and not that of this one: it is that one which was refused.
fn is_of_another(context: &Context<'_>, error: &ErrorReply, value: &ExpectedValue) -> bool {
    let ExpectedValue::Parameter(name) = value else { return false };
    let others = context.arguments().as_object().into_iter().flatten().filter(|(other, _)| *other != name);
    let mut texts = others.filter_map(|(_, value)| value.as_str()).filter(|text| text.len() >= 4);
    // A message that shows the whole call tells nothing of one.
    let own = context.arguments().get(name).map(serde_json::Value::to_string).unwrap_or_default();
    texts.any(|text| {
        error
            .told()
            .any(|told| mention::stands_in(told, text) && !mention::stands_in(told, own.trim_matches('"')))
    })
}

/// Whether the message names the count, and not only a number that a reply which has nothing to count holds too, between
/// the same words.
fn counts(context: &Context<'_>, error: &ErrorReply, count: u64) -> bool {
    let others = context.succeeded_control().into_iter().chain(context.twin);
    let uncounted = others.filter(|other| contract::read(context.contract, other).is_none());
    let held: Vec<_> = uncounted
        .flat_map(|other| other.outcome.texts())
        .flat_map(|text| mention::settings(text, count))
        .collect();
    let told = error.told().flat_map(readings);
    told.flat_map(|text| mention::settings(&text, count)).any(|setting| !held.contains(&setting))
}

/// Whether a value is a word that a message about this fault may hold whatever was sent: one of the condition's, the
/// code's, or the tool's and its parameters' names.
fn is_own_word(context: &Context<'_>, value: &str) -> bool {
    let code = context.answer().and_then(|answer| answer.expected.as_deref());
    let parameters = context.tool.into_iter().flat_map(|tool| tool.parameters().map(|(name, _)| name));
    let phrases = context.condition().into_iter().chain(code).chain([context.called()]).chain(parameters);
    let mut words = phrases.flat_map(|phrase| phrase.split(|c: char| !c.is_alphanumeric()));
    words.any(|word| word.eq_ignore_ascii_case(value))
}

/// Whether a message must name a parameter and nothing else.
fn is_parameter(value: &ExpectedValue) -> bool {
    match value {
        ExpectedValue::Parameter(_) => true,
        ExpectedValue::AnyOf(values) => values.iter().all(is_parameter),
        ExpectedValue::Path(_)
        | ExpectedValue::Count(_)
        | ExpectedValue::Text(_)
        | ExpectedValue::Argument(_)
        | ExpectedValue::Limit(_) => false,
    }
}

/// What a message must name, for a sentence.
fn in_words(value: &ExpectedValue) -> String {
    match value {
        ExpectedValue::Path(path) => format!("the path `{}`", wording::excerpt(path)),
        ExpectedValue::Count(count) => format!("the count {count}"),
        ExpectedValue::Text(text) => format!("the value `{}`", wording::excerpt(text)),
        ExpectedValue::Parameter(name) => format!("the parameter `{name}`"),
        ExpectedValue::Argument(name) => format!("what was sent in `{name}`"),
        ExpectedValue::Limit(_) => "the limit".to_owned(),
        ExpectedValue::AnyOf(values) => {
            let words: Vec<String> = values.iter().map(in_words).collect();
            words.join(" or ")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::exchange::Outcome;
    use crate::expectation::Expected;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;

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
            "'item_id' must be a number",
        ] {
            assert_eq!(check(text), 0, "{text}");
        }
        for text in ["It was not found", "Not found: twelve", "The folder and the call were refused"] {
            assert_eq!(check(text), 1, "{text}");
        }
    }

    #[test]
    fn a_path_is_a_must_of_the_declared_contract_alone() {
        let mut fixture =
            fixture(&json!({"path": "/workspace/missing.txt"}), "[PATH_NOT_FOUND] no such file");
        let diagnostics = super::check(&fixture.context());
        assert_eq!((diagnostics[0].level, diagnostics[0].requirement.as_deref()), (None, Some("BC-05")));
        fixture.declared = false;
        assert_eq!(super::check(&fixture.context())[0].level, Some(Level::Should));
    }

    /// That a range of lines is refused, under a contract of these, with what the error may hold beside its words.
    fn of_a_range(value: &Value, contract: &str, detail: &str, extensions: &Value) -> Fixture {
        let problem = json!({"detail": detail, "code": "invalid-parameter", "extensions": extensions});
        let text = json!({"error": detail, "problem": problem}).to_string();
        let mut fixture = fixture(value, &text);
        fixture.contract =
            crate::contract::load_builtin(contract).expect("it is sound").expect("it is built in");
        let Expected::Failure(failure) = &mut fixture.exchange.place.expected else { panic!("it fails") };
        failure.condition.0 = "invalid-range".to_owned();
        fixture.answered()
    }

    #[test]
    fn where_the_contract_asks_for_the_numbers_of_a_range_a_parameters_name_will_not_do() {
        let either =
            json!({"any-of": [{"parameter": "start_line"}, {"parameter": "end_line"}, {"text": "-3"}]});
        let check = |id: &str, detail: &str, extensions: Value, requirement: Option<&str>| {
            let fixture = of_a_range(&either, id, detail, &extensions);
            let told: Vec<_> = super::check(&fixture.context())
                .into_iter()
                .map(|diagnostic| (diagnostic.level, diagnostic.requirement))
                .collect();
            let expected = requirement.map(|requirement| (Some(Level::Should), Some(requirement.to_owned())));
            assert_eq!(told, expected.into_iter().collect::<Vec<_>>(), "{id}: {detail}");
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
        let mut fixture =
            of_a_range(&either, "problem-details", "'start_line' is behind the end", &json!({}));
        assert_eq!(super::check(&fixture.context()).len(), 1);
        let Expected::Failure(failure) = &mut fixture.exchange.place.expected else { panic!("it fails") };
        failure.or_success = true;
        assert!(super::check(&fixture.context()).is_empty());
    }

    #[test]
    fn the_finding_says_what_is_missing_and_how_to_name_it() {
        let quoted = |what: &str| format!("Put {what} into the message, between quotation marks.");
        let both = "the parameter `old_str` or the parameter `new_str`";
        for (value, what, help) in [
            (
                json!({"path": "/x/missing.txt"}),
                "the path `/x/missing.txt`",
                quoted("the path `/x/missing.txt`"),
            ),
            (json!({"count": 3}), "the count 3", quoted("the count 3")),
            (json!({"text": "sideways"}), "the value `sideways`", quoted("the value `sideways`")),
            (
                json!({"parameter": "old_str"}),
                "the parameter `old_str`",
                "Name the parameter in the message: `'old_str' is required`.".to_owned(),
            ),
            (
                json!({"any-of": [{"parameter": "old_str"}, {"parameter": "new_str"}]}),
                both,
                format!("Name the parameter in the message: {both}."),
            ),
        ] {
            let diagnostic = super::check(&fixture(&value, "[PATH_NOT_FOUND] no").context()).remove(0);
            assert_eq!(diagnostic.message, format!("the message does not name {what}"));
            assert_eq!(diagnostic.help, help);
        }
        let mut sent = fixture(&json!({"parameter": "old_str"}), "[PATH_NOT_FOUND] no");
        sent.exchange.call.arguments = json!({"old_str": 7});
        let help = super::check(&sent.context()).remove(0).help;
        assert!(help.ends_with("what is wrong with its value: `'old_str' must be ..`."), "{help}");
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
        let text = "Access denied - symlink target outside allowed directories: /outside/canary.txt not in /workspace";
        assert!(super::check(&fixture(&either, text).context()).is_empty());
        let either = json!({"any-of": [{"path": "/workspace/lacking.txt"}, {"text": "green apple"}]});
        assert!(
            super::check(&fixture(&either, "Could not find exact match for edit:\ngreen apple").context())
                .is_empty()
        );
    }
}
