//! `message/vague`: a message says only that something failed.

use crate::exchange::Outcome;
use crate::finding::{Diagnostic, Level};
use crate::json::texts;
use crate::roles::Role;
use crate::rules::leak::Shown;
use crate::rules::should_read::sentence;
use crate::rules::{Context, Rule, fix};
use crate::wording::echo::FILL;
use crate::wording::{hint, vague};

/// BC-19: every message states what happened.
pub(crate) static RULE: Rule = Rule::of_reply("message/vague", include_str!("vague.toml"), check);

/// From this many bytes of a value on, a message counts as naming it: "Invalid parameter: x" says which one was
/// wrong.
const SHOWN: usize = 4;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let found = said_nothing(context);
    if found.is_empty() { one_text_for_all(context).into_iter().collect() } else { found }
}

/// One reply for whatever the service behind the server answers: that it does not allow the request, that the request is wrong,
/// and that it fails for a while. What to do about each is something else.
fn one_text_for_all(context: &Context<'_>) -> Option<Diagnostic> {
    /// From so many conditions on, nothing of the cause reaches the reply.
    const MANY: usize = 4;
    const CAUSES: [&[&str]; 3] = [
        &["upstream-unauthorized", "upstream-forbidden"],
        &["upstream-invalid", "upstream-not-found"],
        &["rate-limited", "upstream-failed", "upstream-unavailable"],
    ];
    context.condition().filter(|condition| CAUSES.iter().any(|cause| cause.contains(condition)))?;
    let _ = (context.error?, context.succeeded_control()?);
    let conditions = context.run_record.service_conditions_of(context.exchange)?;
    let is_one_for_all =
        CAUSES.iter().all(|cause| cause.iter().any(|condition| conditions.contains(*condition)));
    if conditions.len() < MANY || !is_one_for_all {
        return None;
    }
    let message = format!(
        "`{}` gives the same message for every error of the service behind it: no access, a bad request, an outage",
        context.called()
    );
    let help = "Say what the service answered, such as its HTTP status, and what to do: ask for access, correct the call, \
        or try again later.";
    Some(context.diagnostic(message, help).level(Level::Should))
}

/// A message that says only that something failed.
fn said_nothing(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error else { return Vec::new() };
    // A program that asks for a method reads the code. The service's status is enough beside words for what it means.
    let is_told =
        context.tells_status() && context.tells_of_circumstance() && !vague::is_status_alone(error.message());
    if context.condition() == Some("unknown-method") || is_told {
        return Vec::new();
    }
    // A parameter may have the name of the tool: then the name says which value is meant.
    let is_parameter = |name: &&str| context.tool.is_some_and(|tool| tool.parameter(name).is_some());
    let tool = context.exchange.tool().filter(|name| !is_parameter(name));
    // What a command printed may be its input.
    let blank = |text: &str| context.echo().blank(text);
    let names_a_value =
        |text: &str| blank(text).as_bytes().windows(SHOWN).any(|part| part.iter().all(|byte| *byte == FILL));
    let is_vague = |text: &str| {
        vague::is_vague(text, tool)
            && !vague::names_a_parameter(text, context.parameters())
            && !names_a_value(text)
    };
    let mut beside = error.more.iter().chain(&error.hints).chain(&error.values);
    if beside.any(|text| !vague::is_bare(text) && !is_vague(text)) {
        return Vec::new();
    }
    // "No command was given" has no word that counts, but says what to send.
    let gives_hint = || context.with_asked(|asked| !hint::signs(error.message(), asked).is_empty());
    let is_vague = is_vague(error.message()) && !gives_hint();
    let gives_back = !is_vague
        && vague::may_give_back(error.message())
        && !context.plays(Role::Shell)
        && vague::gives_back(&blank(error.message()), FILL, tool);
    // "Invalid time value" is reported as a leak.
    if !is_vague && !gives_back || context.leaks().iter().any(Shown::is_certain) {
        return Vec::new();
    }
    let message = match (gives_back, has_details(&context.exchange.outcome, error.message())) {
        (true, _) => "the message repeats a value from the call but does not say what is wrong with it",
        (false, true) => {
            "the message says only that the call failed: what happened is in a place that the model does not \
             read"
        }
        (false, false) => "the message says only that the call failed",
    };
    let help = format!("Say what is wrong with which value, and what to send instead.{}", sentence(context));
    let masked = is_masked(error.message()).then(|| fix::in_sdk(&RULE, "the Python SDK")).flatten();
    let help = masked.map_or(help.clone(), |advice| format!("{help} {advice}"));
    let mut diagnostic = context.diagnostic(message, help);
    // Words alone fail a run only where the server promises what they lack.
    if !context.declared || context.contract.codes.is_empty() {
        diagnostic = diagnostic.level(Level::Should);
    }
    vec![diagnostic]
}

/// Whether this is the text with which version 2 of the Python SDK replaces an unexpected exception.
fn is_masked(message: &str) -> bool {
    let tool = message.strip_prefix("Error executing tool ");
    tool.is_some_and(|tool| !tool.contains([' ', ':']))
}

/// Whether `error.data` or `structuredContent` says more than the message.
fn has_details(outcome: &Outcome, message: &str) -> bool {
    let details = match outcome {
        Outcome::Error(error) => error.data.as_ref(),
        Outcome::Result(result) => result.get("structuredContent"),
        _ => None,
    };
    let says_more =
        |text: &str| !text.trim().is_empty() && !text.contains(message) && !message.contains(text);
    details.is_some_and(|details| texts(details).any(says_more))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::Exchange;
    use crate::expectation::Expected;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;
    use crate::rules::{Context, RunRecord};

    /// The levels of what is found in the last of these refusals, each with its condition.
    fn levels(refusals: &[(&str, &str)]) -> Vec<Option<Level>> {
        let refusal = |(condition, text): &(&str, &str)| {
            let expected = json!({"failure": {"condition": condition, "value": null, "hint": null, "valid_values_of": null}});
            let expected = serde_json::from_value(expected).expect("an expectation");
            Fixture::refusal(text, &json!({"id": "alpha"}), expected)
        };
        let recorded: Vec<Exchange> = refusals.iter().map(|refused| refusal(refused).exchange).collect();
        let run_record = RunRecord::new(&[], &recorded);
        let last = refusals.last().map(refusal).expect("there is one");
        let context = Context { run_record: &run_record, ..last.context() };
        super::check(&context).into_iter().map(|found| found.level).collect()
    }

    #[test]
    fn one_text_for_all_answers_of_a_service_hides_the_cause() {
        const CONDITIONS: [&str; 4] =
            ["upstream-forbidden", "upstream-not-found", "upstream-conflict", "upstream-failed"];
        let text = "Could not load template alpha";
        let alike = CONDITIONS.map(|condition| (condition, text));
        assert_eq!(levels(&alike), [Some(Level::Should)]);
        assert_eq!(levels(&alike[1..]), [], "nothing of access");
        assert_eq!(levels(&[alike[0], alike[1], alike[3]]), [], "only three");
        assert_eq!(levels(&[alike[0], alike[1], alike[2], ("upstream-failed", "Too many templates")]), []);
    }

    #[test]
    fn message_with_the_status_of_the_service_is_not_vague() {
        let text = "The API failed (HTTP 500), which is not the call's fault. Try again in a minute.";
        assert_eq!(levels(&[("upstream-failed", text)]), []);
        assert_eq!(levels(&[("upstream-failed", "The API failed. Try again in a minute.")]).len(), 1);
    }

    #[test]
    fn what_the_python_sdk_hides_is_told_by_its_own_exception() {
        for (text, is_hidden) in [
            ("Error executing tool view", true),
            ("Error executing tool view: error", false),
            ("Tool error", false),
        ] {
            let fixture = Fixture::refusal(text, &json!({}), Expected::Anything);
            let help = super::check(&fixture.context()).remove(0).help;
            assert_eq!(help.contains("`ToolError`"), is_hidden, "{text}");
        }
    }
}
