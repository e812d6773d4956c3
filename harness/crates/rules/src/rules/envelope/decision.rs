//! `envelope/decision`: an agent that acts on the error reply makes the wrong decision.

use std::time::Duration;

use crate::contract::{Recourse, ReplyForm};
use crate::decision::{Decision, decide};
use crate::expectation::{Recovery, Wait};
use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Context, Rule};

/// TE-07, with TE-04 to TE-06: an agent that follows the decision table reaches the right decision for the condition.
pub(crate) static RULE: Rule = Rule::of_reply("envelope/decision", include_str!("decision.toml"), check);

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
                .then(|| (wait.to_string(), format!("Put the seconds at `{place}` of the reply.")))
        }
        (Decision::Negotiate { holders }, Recovery { holder: Some(holder), .. }) => {
            let place = &form.holders.as_ref()?.list;
            let help = format!("Name whoever holds it at `{place}` of the reply.");
            (!holders.contains(holder)).then(|| (format!("it is held by {holder}"), help))
        }
        _ => None,
    }
}

/// Whether a wait is the requested one.
fn is_right(after: Option<Duration>, wait: &Wait) -> bool {
    let passed = if wait.until.is_some() { PASSING } else { 0 };
    let (least, most) = wait.admitted(passed).into_inner();
    let admitted = Duration::from_secs(least)..=Duration::from_secs(most);
    after.is_some_and(|after| admitted.contains(&after))
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
