//! `message/hint-wrong`: the hint of a message does not help.

use std::ops::Range;
use std::sync::LazyLock;

use crate::exchange::Step;
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Steps;
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};
use crate::wording::escape::readings;
use crate::wording::{Passage, passages};

mod absent;
mod beyond;
mod misled;

/// BC-14: following the hint succeeds.
pub(crate) static RULE: Rule = Rule {
    id: "message/hint-wrong",
    tier: Tier::Gated,
    level: Level::Must,
    handling: Handling {
        // The call that a message led to shows whether the message was right.
        steps: Steps::CasesAndRepairs,
        ..super::HANDLING
    },
    requirements: &["BC-14", "PL-02"],
    page: LazyLock::new(|| RulePage::read(include_str!("hint_wrong.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.exchange.place.step == Step::Mend {
        return misled::misled(context).or_else(|| misled::in_a_circle(context)).into_iter().collect();
    }
    if context.exchange.place.step == Step::Control && context.follows.is_some() {
        return misled::in_vain(context).into_iter().collect();
    }
    if context.is_follow() {
        return followed(context).into_iter().collect();
    }
    let Some(error) = context.error else { return Vec::new() };
    if context.expected_failure().is_none() {
        return Vec::new();
    }
    let wrong = readings_of(&error.text).into_iter().find_map(|passage| {
        let text = &passage.text;
        let wrong = absent::tool(context, text)
            .or_else(|| absent::parameter(context, text))
            .or_else(|| absent::name(context, text))
            .or_else(|| beyond::schema(context, text))
            .or_else(|| beyond::sent(context, text))
            .or_else(|| beyond::file_size(context, text))?;
        Some(wrong.diagnostic.evidence(Evidence::marked(&error.text, passage.locate(wrong.span))))
    });
    wrong.into_iter().collect()
}

/// A wrong hint, and its position in the text.
struct Wrong {
    diagnostic: Diagnostic,
    span: Range<usize>,
}

/// What a reader sees in a text: for JSON the strings that describe something, otherwise the text itself and
/// its unescaped form.
fn readings_of(text: &str) -> Vec<Passage<'_>> {
    let mut read = passages(text);
    read.retain(|passage| !passage.names_a_kind());
    if read.iter().all(|passage| passage.key.is_none()) {
        let whole = 0..text.len();
        let resolved = readings(text).into_iter().skip(1);
        read.extend(resolved.map(|text| Passage { text, range: whole.clone(), key: None, in_list: false }));
    }
    read
}

/// The diagnostic for a call that did what the hint said and was refused, or had no effect.
fn followed(context: &Context<'_>) -> Option<Diagnostic> {
    let Expected::Success { why, changes_file, .. } = &context.exchange.place.expected else { return None };
    let is_idle = *changes_file && context.answered_without_error() && context.exchange.changes.is_empty();
    let then = match context.error {
        Some(_) => "was refused",
        None if is_idle => "was answered with a success, although no file changed",
        None => return None,
    };
    let message = format!("a hint of `{}` does not help: {why}, and it {then}", context.called());
    let mut diagnostic = Diagnostic::new(
        message,
        "Hint at what the server accepts: take names and values from the place that checks them.",
    );
    diagnostic.evidence = context.reply();
    Some(diagnostic)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::{Guidance, LivenessCheck, Outcome, Step};
    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    fn check(text: &str, diagnostics: usize) {
        let expected = serde_json::from_value(
            json!({"failure": {"condition": "path-not-found", "value": null, "hint": null, "valid_values_of": null}}),
        );
        let fixture = Fixture::refusal(text, &json!({}), expected.expect("an expectation"));
        let found = super::check(&fixture.context());
        assert_eq!(found.len(), diagnostics, "{text}");
        assert!(found.iter().all(|diagnostic| diagnostic.evidence.is_some()), "{text}");
    }

    #[test]
    fn a_hint_is_seen_through_the_escapes_of_a_json_text() {
        check(r#"{"message":"no such file:\nuse the `list_dir` tool"}"#, 1);
        check(r#"failed: {"message":"no such file:\nuse the `list_dir` tool"}"#, 1);
        check(r#"{"message":"no such file. Set \"replace_every\": true"}"#, 1);
        check(r#"{"message":"no such file:\nuse the `grep` tool","code":"use the `list_dir` tool"}"#, 0);
    }

    #[test]
    fn where_a_call_need_not_fail_no_hint_is_looked_at() {
        let fixture = Fixture::refusal("no. Use the `list_dir` tool", &json!({}), Expected::Anything);
        assert!(super::check(&fixture.context()).is_empty());
    }

    #[test]
    fn a_refused_call_that_follows_a_hint_shows_that_the_hint_was_wrong() {
        let expected = Expected::Success {
            exit_status: None,
            why: "the hint said so".into(),
            task_limit: false,
            changes_file: false,
        };
        let mut fixture = Fixture::refusal("[INVALID_INPUT] no", &json!({}), expected);
        fixture.exchange.place.step = Step::Follow;
        fixture.exchange.place.follows = Some(0);
        fixture.follows = fixture.control.clone();
        assert_eq!(super::check(&fixture.context()).len(), 1);
    }

    #[test]
    fn a_message_leads_wrong_where_the_call_that_obeys_it_is_refused_in_the_same_words() {
        let led = |mode: &str, then: &str, is_stated: bool| {
            let why = "the earlier reply said so".into();
            let expected = match is_stated {
                true => Expected::Success { exit_status: None, why, task_limit: false, changes_file: false },
                false => Expected::Anything,
            };
            let mut fixture = Fixture::refusal(then, &json!({"mode": mode}), expected);
            fixture.exchange.place.step = Step::Mend;
            fixture.exchange.place.follows = Some(0);
            let earlier = "[INVALID_INPUT] 'x' is no mode. Use 'a' or 'b'.";
            let earlier = Fixture::refusal(earlier, &json!({"mode": "x"}), Expected::Anything).exchange;
            fixture.follows = Some(earlier);
            super::check(&fixture.context()).len()
        };
        let same = "[INVALID_INPUT] 'a' is no mode. Use 'a' or 'b'.";
        assert_eq!(led("a", same, true), 1);
        assert_eq!(led("a", same, false), 0, "what to send was filled in");
        assert_eq!(
            led("a", "[INVALID_INPUT] 'a' needs a path.", true),
            0,
            "it is refused for another reason"
        );
    }

    #[test]
    fn a_refusal_that_quotes_what_the_reader_left_as_it_was_is_not_about_what_he_changed() {
        let led = |then: serde_json::Value, text: &str| {
            let why = "the earlier reply said so".into();
            let expected =
                Expected::Success { exit_status: None, why, task_limit: false, changes_file: false };
            let mut fixture = Fixture::refusal(text, &then, expected);
            fixture.exchange.place.step = Step::Mend;
            fixture.exchange.place.follows = Some(0);
            let sent = json!({"sheet": "none", "cell": "A1"});
            let earlier = "No sheet 'none'. Available: 'Sheet1', 'alpha'.";
            fixture.follows = Some(Fixture::refusal(earlier, &sent, Expected::Anything).exchange);
            super::check(&fixture.context()).len()
        };
        let same = "No sheet 'none'. Available: 'Sheet1', 'alpha'.";
        assert_eq!(led(json!({"sheet": "none", "cell": "Sheet1"}), same), 0, "'Sheet1' is no cell");
        let then = "No sheet 'Sheet1'. Available: 'Sheet1', 'alpha'.";
        assert_eq!(led(json!({"sheet": "Sheet1", "cell": "A1"}), then), 1);
    }

    /// What is found of a call in the search for one that succeeds, to which an earlier refusal led.
    fn in_vain(before: &serde_json::Value, earlier: &str, then: &serde_json::Value, text: &str) -> usize {
        let why = "the earlier reply said so".into();
        let expected = Expected::Success { exit_status: None, why, task_limit: false, changes_file: false };
        let mut fixture = Fixture::refusal(text, then, expected);
        fixture.exchange.place.step = Step::Control;
        fixture.exchange.place.follows = Some(0);
        fixture.follows = Some(Fixture::refusal(earlier, before, Expected::Anything).exchange);
        super::check(&fixture.context()).len()
    }

    #[test]
    fn a_hint_that_is_followed_in_vain_is_wrong_where_no_call_is_known_that_succeeds() {
        let refusal = |mode: &str| format!("`mode` \"{mode}\" is not valid: use `fast` or `slow`.");
        let of = |mode: &str| json!({"mode": mode});
        assert_eq!(in_vain(&of("alpha"), &refusal("alpha"), &of("fast"), &refusal("fast")), 1);
        let other = "`mode` \"fast\" needs a path: see the help.";
        assert_eq!(in_vain(&of("alpha"), &refusal("alpha"), &of("fast"), other), 0, "another reason");
    }

    #[test]
    fn where_something_else_may_be_why_no_hint_is_blamed_for_a_call_in_the_search() {
        let refusal = |mode: &str| format!("`mode` \"{mode}\" is not valid: use `fast` or `slow`.");
        let two = |mode: &str, path: &str| json!({"mode": mode, "path": path});
        let check = |then: &serde_json::Value, more: &str| {
            let text = |mode: &str| refusal(mode) + more;
            in_vain(&two("alpha", "a"), &text("alpha"), then, &text("fast"))
        };
        assert_eq!(check(&two("fast", "a"), ""), 1);
        assert_eq!(check(&two("fast", "b"), ""), 0, "two arguments differ");
        assert_eq!(check(&two("fast", "a"), " It belongs to `path`."), 0, "it speaks of another one");
        assert_eq!(check(&two("fast", "a"), " Temporarily, try again."), 0, "it may pass");
        assert_eq!(check(&two("fast", "a"), " Permission denied."), 0, "no argument changes it");
        let unnamed = |mode: &str| format!("\"{mode}\" is not valid: use `fast` or `slow`.");
        let of = |mode: &str| json!({"mode": mode});
        assert_eq!(in_vain(&of("alpha"), &unnamed("alpha"), &of("fast"), &unnamed("fast")), 0);
    }

    #[test]
    fn a_value_that_the_schema_forbids_is_no_value_that_a_message_led_to() {
        let refusal = |limit: &str| format!("`path` {limit} is no path: use `5` or `6`.");
        let of = |path: serde_json::Value| json!({ "path": path });
        assert_eq!(in_vain(&of(json!(20)), &refusal("20"), &of(json!(5)), &refusal("5")), 0);
        assert_eq!(in_vain(&of(json!(20)), &refusal("20"), &of(json!("5")), &refusal("5")), 1);
    }

    #[test]
    fn two_messages_that_send_each_to_the_other_lead_in_a_circle() {
        let found = |guidance: Option<Guidance>| {
            let why = "the earlier reply said so".into();
            let expected =
                Expected::Success { exit_status: None, why, task_limit: false, changes_file: false };
            let mut fixture = Fixture::refusal("'a' is closed. Use 'x'.", &json!({"mode": "a"}), expected);
            fixture.exchange.place.step = Step::Mend;
            fixture.exchange.guidance = guidance;
            let earlier =
                Fixture::refusal("'x' is no mode. Use 'a'.", &json!({"mode": "x"}), Expected::Anything);
            fixture.follows = Some(earlier.exchange);
            super::check(&fixture.context()).len()
        };
        assert_eq!(found(Some(Guidance::Circular)), 1);
        assert_eq!(found(Some(Guidance::Spent)), 0);
        assert_eq!(found(None), 0);
    }

    #[test]
    fn a_followed_hint_that_is_said_to_succeed_changes_a_file() {
        let follow = |changes_file: bool| {
            let why = "the hint said so".into();
            let expected = Expected::Success { exit_status: None, why, task_limit: false, changes_file };
            let mut fixture = Fixture::refusal("", &json!({}), expected);
            fixture.exchange.outcome =
                Outcome::Result(json!({"content": [{"type": "text", "text": "done"}]}));
            fixture.exchange.place.step = Step::Follow;
            fixture
        };
        let diagnostics = |changes_file: bool, changes: serde_json::Value| {
            let mut fixture = follow(changes_file);
            fixture.exchange.changes = serde_json::from_value(changes).expect("changes");
            super::check(&fixture.answered().context()).len()
        };
        let unanswered = || {
            let mut fixture = follow(true);
            fixture.exchange.outcome = Outcome::NoReply { waited_ms: 9, liveness: LivenessCheck::default() };
            super::check(&fixture.answered().context()).len()
        };
        assert_eq!(diagnostics(true, json!([])), 1);
        assert_eq!(unanswered(), 0, "what has no reply is said to succeed by nobody");
        assert_eq!(
            diagnostics(true, json!([{"path": "{case}/a", "change": "modified", "outside": false}])),
            0
        );
        assert_eq!(diagnostics(false, json!([])), 0);
    }
}
