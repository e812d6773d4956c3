//! `envelope/decision`: an agent that acts on the error reply makes the wrong decision.

use std::sync::LazyLock;
use std::time::Duration;

use crate::contract::{Recourse, ReplyForm};
use crate::decision::{Decision, decide};
use crate::expectation::{Recovery, Wait};
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};

/// TE-07, with TE-04 to TE-06: an agent that follows the decision table reaches the right decision for the condition.
pub(crate) static RULE: Rule = Rule {
    id: "envelope/decision",
    tier: Tier::Gated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["TE-07", "TE-04", "TE-08", "BC-19", "EE-02", "PD-06"],
    page: LazyLock::new(|| RulePage::read(include_str!("decision.toml"))),
    check: RuleCheck::Exchange(check),
};

/// How many seconds may pass between a service's answer and the reply that counts from its date.
const PASSING: u64 = 2;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (Some(error), Some(answer)) = (context.error.filter(|_| context.is_tool_error()), context.answer())
    else {
        return Vec::new();
    };
    // Without a code of the contract there is no decision, and another rule reports that.
    if answer.recourse.is_empty() || error.recourse.is_none() {
        return Vec::new();
    }
    let decision = decide(error);
    let recovery =
        context.expected_failure().and_then(|failure| failure.recovery.clone()).unwrap_or_default();
    let condition = context.condition().unwrap_or_default().replace('-', " ");
    let (why, help) = match answer.recourse.contains(&decision.recourse()) {
        false => {
            let right = right(&answer.recourse);
            let help = "Answer with a code, and with data next to it, from which an agent can conclude that.";
            (format!("in this condition ({condition}) it should {right}"), help.to_owned())
        }
        true => match misled(context, &decision, &recovery) {
            Some(misled) => misled,
            None => return Vec::new(),
        },
    };
    let message = format!("an agent that reads this reply {decision}: {why}");
    let evidence = Evidence::whole(error.text.as_str());
    vec![
        Diagnostic::new(message, help)
            .evidence(evidence)
            .requirement(requirement(&answer.requirement, &decision)),
    ]
}

/// The requirement for this condition. A wait and a holder have one of their own.
fn requirement(of_condition: &str, decision: &Decision) -> String {
    let of_data = matches!(decision, Decision::Retry { .. } | Decision::Negotiate { .. });
    match of_condition.strip_prefix("TE-") {
        Some(_) if of_data => "TE-04".to_owned(),
        Some(_) => "TE-07".to_owned(),
        None => of_condition.to_owned(),
    }
}

/// What is wrong with the details of a decision of the right kind, and how to fix it.
fn misled(context: &Context<'_>, decision: &Decision, recovery: &Recovery) -> Option<(String, String)> {
    let ReplyForm::Json(form) = &context.contract.form else { return None };
    match (decision, recovery) {
        (Decision::Retry { after, .. }, Recovery { wait: Some(wait), .. }) => {
            let place = form.retry_after.as_deref()?;
            (!is_right(*after, wait))
                .then(|| (asked(wait), format!("Put the seconds at `{place}` of the reply.")))
        }
        (Decision::Negotiate { holders }, Recovery { holder: Some(holder), .. }) => {
            let place = &form.holders.as_ref()?.list;
            let help = format!("Name whoever holds it at `{place}` of the reply.");
            (!holders.contains(holder)).then(|| (format!("it is held by {holder}"), help))
        }
        _ => None,
    }
}

/// Whether a wait is the requested one: no shorter, and at most half as long again, which leaves room for
/// jitter.
fn is_right(after: Option<Duration>, wait: &Wait) -> bool {
    let passed = if wait.until.is_some() { PASSING } else { 0 };
    let least = Duration::from_secs(wait.seconds.saturating_sub(passed));
    let most = Duration::from_secs(
        wait.seconds.saturating_add(wait.seconds / 2).max(wait.seconds.saturating_add(1)),
    );
    after.is_some_and(|after| (least..=most).contains(&after))
}

fn asked(wait: &Wait) -> String {
    // The date itself differs in each run, so it is not shown in a finding.
    let form = if wait.until.is_some() { ", by a date" } else { "" };
    format!("the service behind the server asks to wait {} s{form}", wait.seconds)
}

/// What the reply should make an agent do.
fn right(recourse: &[Recourse]) -> String {
    let does = |recourse: &Recourse| match recourse {
        Recourse::Retry => "wait and send the call again",
        Recourse::Mend => "correct the call",
        Recourse::Skip => "try another resource",
        Recourse::Negotiate => "turn to the holder, by name",
        Recourse::Escalate => "ask its user",
        Recourse::GiveUp => "give up",
    };
    let does: Vec<_> = recourse.iter().map(does).collect();
    does.join(", or ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::contract::builtin;
    use crate::decision::Decision;
    use crate::rules::fixture::Fixture;

    fn diagnostics(contract: &str, condition: &str, recovery: &Value, text: &str) -> Vec<String> {
        let expected = json!({"failure": {
            "condition": condition, "value": null, "hint": null, "valid_values_of": null, "recovery": recovery,
        }});
        let mut fixture =
            Fixture::refusal(text, &json!({}), serde_json::from_value(expected).expect("an expectation"));
        fixture.contract =
            builtin().iter().find(|known| known.id == contract).expect("it is built in").clone();
        super::check(&fixture.answered().context()).into_iter().map(|diagnostic| diagnostic.message).collect()
    }

    fn check(condition: &str, recovery: &Value, kind: &str, data: &Value, expected: usize) {
        let text = json!({"type": kind, "message": "m", "recoverable": true, "data": data}).to_string();
        let found = diagnostics("tool-error", condition, recovery, &text);
        assert_eq!(found.len(), expected, "{condition} {recovery} {text}: {found:?}");
    }

    #[test]
    fn a_wait_is_neither_shorter_nor_much_longer_than_what_was_asked_for() {
        let wait = || json!({"wait": {"seconds": 30}});
        for (after, expected) in [
            (json!(30), 0),
            (json!(30.5), 0),
            (json!(45), 0),
            (json!(29), 1),
            (json!(46), 1),
            (json!("30"), 1),
            (json!(30_000), 1),
        ] {
            check("rate-limited", &wait(), "TRANSIENT", &json!({"retry_after": after}), expected);
        }
        check("rate-limited", &wait(), "TRANSIENT", &json!({}), 1);
        check("upstream-unavailable", &Value::Null, "TRANSIENT", &json!({}), 0);
    }

    #[test]
    fn the_message_tells_the_wait_that_was_asked_for_and_no_date() {
        let reported = |wait: &Value| {
            let text =
                json!({"type": "TRANSIENT", "message": "m", "recoverable": true, "data": {"retry_after": 1}});
            diagnostics("tool-error", "rate-limited", &json!({ "wait": wait }), &text.to_string()).concat()
        };
        let plain = reported(&json!({"seconds": 30}));
        assert!(plain.contains("asks to wait 30 s") && !plain.contains("by a date"), "{plain}");
        let dated = reported(&json!({"seconds": 30, "until": "Sun, 06 Nov 1994 08:49:37 GMT"}));
        assert!(dated.contains("asks to wait 30 s, by a date") && !dated.contains("1994"), "{dated}");
    }

    #[test]
    fn a_wait_and_a_holder_have_a_requirement_of_their_own() {
        let retry = Decision::Retry { after: None, attempts: 3 };
        let negotiate = Decision::Negotiate { holders: Vec::new() };
        for (decision, requirement) in
            [(&retry, "TE-04"), (&negotiate, "TE-04"), (&Decision::Mend, "TE-07"), (&Decision::Skip, "TE-07")]
        {
            assert_eq!(super::requirement("TE-03", decision), requirement, "{decision:?}");
            assert_eq!(super::requirement("EE-06", decision), "EE-06", "{decision:?}");
        }
    }

    #[test]
    fn a_date_leaves_time_for_the_reply() {
        let wait = || json!({"wait": {"seconds": 30, "until": "Sun, 06 Nov 1994 08:49:37 GMT"}});
        for (after, expected) in [(28, 0), (29, 0), (30, 0), (27, 1), (784_111_777, 1)] {
            check("rate-limited", &wait(), "TRANSIENT", &json!({"retry_after": after}), expected);
        }
    }

    #[test]
    fn a_conflict_names_the_one_who_holds_it() {
        let held = || json!({"holder": "agent-one"});
        let by = |name: &str| json!({"conflicts": [{"agent_id": name, "pattern": "p", "held_by": name}]});
        check("held-by-another", &held(), "CONFLICT", &by("agent-one"), 0);
        check("held-by-another", &held(), "CONFLICT", &by("agent-two"), 1);
        check("held-by-another", &held(), "CONFLICT", &json!({}), 1);
        check("upstream-conflict", &Value::Null, "CONFLICT", &json!({}), 0);
    }

    #[test]
    fn a_fault_that_passes_is_not_told_as_a_mistake_of_the_call() {
        for contract in ["bracket-code", "error-envelope"] {
            let reply = |code: &str| match contract {
                "bracket-code" => format!("[{code}] m"),
                _ => json!({"error_code": code, "message": "m", "retryable": true}).to_string(),
            };
            let (mend, give_up) = match contract {
                "bracket-code" => ("INVALID_INPUT", "IO_ERROR"),
                _ => ("VALIDATION_FAILED", "UNKNOWN_ERROR"),
            };
            assert_eq!(
                diagnostics(contract, "upstream-timeout", &Value::Null, &reply(mend)).len(),
                1,
                "{contract}"
            );
            assert_eq!(
                diagnostics(contract, "upstream-timeout", &Value::Null, &reply(give_up)).len(),
                0,
                "{contract}"
            );
            assert_eq!(
                diagnostics(contract, "upstream-invalid", &Value::Null, &reply(give_up)).len(),
                0,
                "{contract}"
            );
        }
    }

    #[test]
    fn without_a_code_of_the_contract_another_rule_speaks() {
        for text in ["503 Service Unavailable", r#"{"type": "RATE_LIMITED", "message": "m"}"#] {
            assert_eq!(
                diagnostics("tool-error", "upstream-unavailable", &Value::Null, text).len(),
                0,
                "{text}"
            );
        }
    }
}
