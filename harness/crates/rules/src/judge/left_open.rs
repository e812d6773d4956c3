//! Which replies say nothing about what their case tests, and why: such a case does not count as passed.
//!
//! The main functions are [`of_exchanges`] and [`left_open`].

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::condition::CaseId;
use crate::contract::{Contract, ErrorChannel, ErrorReply};
use crate::exchange::{Exchange, Outcome, Step};
use crate::expectation::{Expected, ExpectedFailure};
use crate::finding::Level;
use crate::rules::{Group, HINT_WRONG};
use crate::signature::deny_alike;
use crate::transcript::Transcript;
use crate::wording::layer::answers_itself;
use crate::wording::{is_rationed, says_started, statuses};

use super::RuleHit;
use super::verdict::Reason;

/// The condition of a call of a tool that the server does not list.
const UNKNOWN_TOOL: &str = "unknown-tool";

/// Why nothing is judged of some exchanges; of several reasons for one, the last counts.
pub(super) fn of_exchanges<const N: usize>(reasons: [(Reason, Vec<usize>); N]) -> HashMap<usize, Reason> {
    let each =
        |(reason, exchanges): (Reason, Vec<usize>)| exchanges.into_iter().map(move |index| (index, reason));
    reasons.into_iter().flat_map(each).collect()
}

/// The calls that no rule for messages finds fault with, although they have the reply of one with the same fault with which
/// a rule does: they may have passed for want of a control, or because several arguments are wrong.
pub(super) fn said_elsewhere(
    transcript: &Transcript,
    errors: &[Option<ErrorReply>],
    hits: &[RuleHit],
) -> Vec<usize> {
    // A wrong hint is one for the value that was sent, and may be right for another.
    let of_messages = hits.iter().filter(|hit| {
        hit.rule.group() == Group::Message && hit.rule.id != HINT_WRONG.id && hit.level > Level::Note
    });
    let found: HashSet<usize> = of_messages.map(|hit| hit.exchange).collect();
    let exchanges = &transcript.exchanges;
    // The conditions of the faults, by what was said of them and by the argument that was wrong.
    let mut faults: HashMap<_, HashMap<&str, HashSet<Option<&str>>>> = HashMap::new();
    for exchange in exchanges.iter().filter(|exchange| found.contains(&exchange.index)) {
        let Some(said) = said(exchange, errors) else { continue };
        let of_reply = faults.entry(said).or_default();
        for name in changed(exchange, exchanges) {
            of_reply.entry(name).or_default().insert(condition(exchange));
        }
    }
    let is_said = |exchange: &&Exchange| {
        let of_reply = said(exchange, errors).and_then(|said| faults.get(&said));
        let own = condition(exchange);
        // Where a condition is not known, it may be the same.
        let is_one = |conditions: &HashSet<Option<&str>>| {
            own.is_none() || conditions.contains(&None) || conditions.contains(&own)
        };
        of_reply.is_some_and(|of_reply| {
            changed(exchange, exchanges).iter().filter_map(|name| of_reply.get(name)).any(is_one)
        })
    };
    let calls = exchanges.iter().filter(|exchange| exchange.place.step == Step::Call);
    let open = calls.filter(|exchange| !found.contains(&exchange.index));
    open.filter(is_said).map(|exchange| exchange.index).collect()
}

fn condition(exchange: &Exchange) -> Option<&str> {
    match &exchange.place.expected {
        Expected::Failure(failure) => Some(&failure.condition.0),
        _ => None,
    }
}

/// The tool, and the text of its error.
fn said<'e>(exchange: &'e Exchange, errors: &'e [Option<ErrorReply>]) -> Option<(&'e str, &'e str)> {
    Some((exchange.tool()?, errors[exchange.index].as_ref()?.text.as_str()))
}

/// The arguments in which a call differs from its control.
fn changed<'e>(exchange: &'e Exchange, exchanges: &'e [Exchange]) -> Vec<&'e str> {
    let control = exchange.place.control.map(|index| &exchanges[index].call.arguments);
    let (Some(Value::Object(before)), Value::Object(after)) = (control, &exchange.call.arguments) else {
        return Vec::new();
    };
    let added = after.keys().filter(|name| !before.contains_key(*name));
    let differs = |name: &&String| before.get(*name) != after.get(*name);
    before.keys().chain(added).filter(differs).map(String::as_str).collect()
}

/// The calls of cases whose control did not succeed.
pub(super) fn uncontrolled<'e>(
    exchanges: &'e [Exchange],
    succeeded: &'e [bool],
) -> impl Iterator<Item = usize> + 'e {
    let calls = exchanges.iter().filter(|exchange| exchange.place.step == Step::Call);
    let fails = |exchange: &&Exchange| {
        exchange.place.control.is_some_and(|index| exchanges[index].tool().is_some() && !succeeded[index])
    };
    calls.filter(fails).map(|exchange| exchange.index)
}

/// The cases whose call was answered in a way that may be right but does not show what they test; with the
/// reason.
pub(super) fn left_open<'t>(
    transcript: &'t Transcript,
    contract: &Contract,
    errors: &[Option<ErrorReply>],
    open: &HashMap<usize, Reason>,
) -> HashMap<&'t CaseId, Reason> {
    // What the contract takes for an error is one, flagged or not.
    let is_error = |exchange: &Exchange| {
        let error = errors[exchange.index].as_ref();
        exchange.outcome.is_tool_error() || error.is_some_and(|error| error.channel == ErrorChannel::Tool)
    };
    // The expectation is cheap to check; the reply is only read if that matters.
    let reason = |exchange: &Exchange| match &exchange.place.expected {
        _ if open.contains_key(&exchange.index) => open.get(&exchange.index).copied(),
        expected
            if expected.may_be_hidden_by_a_limit()
                && errors[exchange.index].as_ref().is_some_and(|error| is_rationed(&error.text)) =>
        {
            Some(Reason::RateLimit)
        }
        Expected::Failure(failure) if is_of_sdk(exchange, failure) => Some(Reason::AnsweredBySdk),
        _ if exchange.outcome.result().is_none() => None,
        Expected::Failure(failure) if failure.condition.0 == UNKNOWN_TOOL && is_error(exchange) => {
            let code = contract.answer(&failure.condition).and_then(|answer| answer.expected.as_ref());
            code.is_none().then_some(Reason::UnknownToolAnswered)
        }
        Expected::Failure(failure)
            if !failure.or_success
                && !is_error(exchange)
                && exchange.place.control.is_some_and(|control| {
                    deny_alike(exchange, &transcript.exchanges[control], &transcript.head.folders)
                }) =>
        {
            Some(Reason::DeniedLikeControl)
        }
        Expected::Failure(_) if names_no_tool(exchange) && is_error(exchange) => {
            Some(Reason::NamelessCallAnswered)
        }
        Expected::Failure(failure) if failure.only_if_declared && !failure.or_success => {
            (!is_error(exchange)).then_some(Reason::AcceptedAsAllowed)
        }
        Expected::Success { exit_status: Some(_), .. } if !is_error(exchange) => {
            let texts = exchange.outcome.texts();
            let tells_no_status = texts.iter().all(|text| statuses(text).is_empty());
            (tells_no_status && texts.into_iter().any(says_started)).then_some(Reason::StartedOnly)
        }
        _ => None,
    };
    let mut left = HashMap::new();
    let mut judged = HashSet::new();
    for exchange in transcript.exchanges.iter().filter(|exchange| exchange.place.step == Step::Call) {
        let Some(case) = exchange.place.case.as_ref() else { continue };
        match reason(exchange) {
            Some(reason) => drop(left.insert(case, reason)),
            // What one session leaves open, because its control was refused, another may have judged.
            None if exchange.place.control.is_some() => drop(judged.insert(case)),
            None => {}
        }
    }
    left.retain(|case, reason| *reason != Reason::ControlFailed || !judged.contains(case));
    left
}

/// Whether an SDK answers a request before the server's own code sees it.
fn is_of_sdk(exchange: &Exchange, failure: &ExpectedFailure) -> bool {
    let Outcome::Error(error) = &exchange.outcome else { return false };
    answers_itself(&failure.condition.0, &exchange.call.method, &error.message)
}

fn names_no_tool(exchange: &Exchange) -> bool {
    exchange.call.method == "tools/call" && exchange.tool().is_none()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::condition::CaseId;
    use crate::exchange::Outcome;
    use crate::rules::fixture::Fixture;

    use super::super::tally::cases;
    use super::super::{CaseVerdict, Status, Strictness};
    use super::*;
    use crate::transcript::DrivenCase;

    fn status(expected: Value, result: Value) -> (Status, Option<String>) {
        status_among(expected, result, &HashMap::new())
    }

    fn status_among(
        expected: Value,
        result: Value,
        open: &HashMap<usize, Reason>,
    ) -> (Status, Option<String>) {
        let expected = serde_json::from_value(expected).expect("an expectation");
        let mut exchange = Fixture::refusal("", &json!({}), expected).exchange;
        exchange.outcome = Outcome::Result(result);
        status_of(exchange, open)
    }

    fn failure(condition: &str) -> Value {
        json!({"failure": {"condition": condition, "value": null, "hint": null, "valid_values_of": null}})
    }

    fn check((status, reason): (Status, Option<String>), expected: Reason) {
        assert_eq!((status, reason), (Status::NotJudged, Some(expected.to_string())));
    }

    #[test]
    fn the_words_of_a_finding_do_not_pass_with_the_same_argument_in_another_case() {
        let calls = [
            (json!({"path": "a"}), "done"),
            (json!({"path": "b"}), "no"),
            (json!({"path": "b", "more": 1}), "no"),
            (json!({"path": "a", "more": 1}), "no"),
            (json!({"path": "c"}), "no such file: c"),
        ];
        let exchanges = calls.iter().enumerate().map(|(index, (arguments, text))| {
            let mut exchange = Fixture::refusal(text, arguments, Expected::Anything).exchange;
            exchange.index = index;
            exchange.place.control = Some(0);
            exchange
        });
        let fixture = Fixture::refusal("", &json!({}), Expected::Anything);
        let transcript = Transcript::of(fixture.head, Vec::new(), exchanges.collect());
        let errors = super::super::errors(&transcript.exchanges, &fixture.contract);
        let rule = crate::rules::find("message/hint-missing").expect("it is there");
        let diagnostic = crate::finding::Diagnostic::new("it lacks a hint", "Add one.");
        let hit = RuleHit { rule, level: Level::Should, exchange: 1, is_certain: false, diagnostic };
        assert_eq!(said_elsewhere(&transcript, &errors, &[hit]), [2]);
    }

    /// The status of a case with this exchange alone.
    fn status_of(mut exchange: Exchange, open: &HashMap<usize, Reason>) -> (Status, Option<String>) {
        let id = CaseId("a/b".to_owned());
        exchange.place.case = Some(id.clone());
        let case = DrivenCase::of(id);
        let fixture = Fixture::refusal("", &json!({}), Expected::Anything);
        let transcript = Transcript::of(fixture.head, vec![case], vec![exchange]);
        let errors = super::super::errors(&transcript.exchanges, &fixture.contract);
        let CaseVerdict { status, reason, .. } =
            cases(&transcript, &fixture.contract, &errors, &[], open, Strictness::Must).remove(0);
        (status, reason)
    }

    #[test]
    fn what_may_be_accepted_and_was_is_not_judged() {
        let refused = |only_if_declared: bool, or_success: bool| {
            json!({"failure": {"condition": "invalid-regex", "value": null, "hint": null, "valid_values_of": null,
                "only_if_declared": only_if_declared, "or_success": or_success}})
        };
        let (accepted, error) = (json!({"content": []}), json!({"content": [], "isError": true}));
        check(status(refused(true, false), accepted.clone()), Reason::AcceptedAsAllowed);
        assert_eq!(status(refused(true, false), error).0, Status::Passed);
        assert_eq!(status(refused(true, true), accepted).0, Status::Passed, "it is as right everywhere");
    }

    #[test]
    fn a_case_rests_on_a_call_that_succeeded() {
        let exchange = |index: usize, control: Option<usize>| {
            let mut exchange = Fixture::refusal("", &json!({}), Expected::Anything).exchange;
            (exchange.index, exchange.place.control, exchange.place.step) = (index, control, Step::Call);
            exchange
        };
        let mut control = exchange(0, None);
        control.place.step = Step::Control;
        let exchanges = [control, exchange(1, Some(0)), exchange(2, None)];
        let open = |succeeds: bool| uncontrolled(&exchanges, &[succeeds, false, false]).collect::<Vec<_>>();
        assert_eq!((open(true), open(false)), (vec![], vec![1]));
    }

    #[test]
    fn what_one_session_leaves_open_another_may_have_judged() {
        let mut fixture = Fixture::refusal("`id` is no number", &json!({}), Expected::Anything);
        fixture.exchange.place.step = Step::Call;
        let case = Some(CaseId("a/b".to_owned()));
        let call = |index: usize, control: usize| {
            let mut exchange = fixture.exchange.clone();
            (exchange.index, exchange.place.control, exchange.place.case) =
                (index, Some(control), case.clone());
            exchange
        };
        let left = |exchanges: Vec<Exchange>, open: &[usize]| {
            let transcript = Transcript::of(fixture.head.clone(), Vec::new(), exchanges);
            let errors = super::super::errors(&transcript.exchanges, &fixture.contract);
            let open = open.iter().map(|index| (*index, Reason::ControlFailed)).collect();
            left_open(&transcript, &fixture.contract, &errors, &open).len()
        };
        assert_eq!(left(vec![call(0, 7)], &[0]), 1);
        assert_eq!(left(vec![call(0, 7), call(1, 8)], &[0]), 0);
        assert_eq!(left(vec![call(0, 7), call(1, 8)], &[0, 1]), 1);
    }

    #[test]
    fn a_message_in_a_language_that_is_not_read_leaves_its_hint_open() {
        let failure = failure("invalid-type");
        let error = json!({"content": [{"type": "text", "text": "count \u{65e0}\u{6548}"}], "isError": true});
        check(
            status_among(failure.clone(), error.clone(), &HashMap::from([(0, Reason::Unread)])),
            Reason::Unread,
        );
        assert_eq!(status(failure, error).0, Status::Passed);
    }

    #[test]
    fn what_an_sdk_answers_itself_judges_no_server() {
        let failure = json!({"failure": {"condition": "unknown-method", "value": null, "hint": null, "valid_values_of": null,
            "authority": "protocol"}});
        let expected = serde_json::from_value(failure).expect("an expectation");
        let mut fixture = Fixture::refusal("", &json!({}), expected);
        let Expected::Failure(expected) = fixture.exchange.place.expected.clone() else {
            panic!("it must fail")
        };
        for (message, is_sdks) in [("Invalid request parameters", true), ("There is no such method.", false)]
        {
            let error = crate::exchange::RpcError { code: -32602, message: message.into(), data: None };
            fixture.exchange.outcome = Outcome::Error(error);
            assert_eq!(is_of_sdk(&fixture.exchange, &expected), is_sdks, "{message}");
            let status = status_of(fixture.exchange.clone(), &HashMap::new()).0;
            assert_eq!(status, if is_sdks { Status::Skipped } else { Status::Passed }, "{message}");
        }
    }

    #[test]
    fn a_refusal_for_too_many_calls_judges_none() {
        let failure = failure("invalid-type");
        let reply = |text: &str| json!({"content": [{"type": "text", "text": text}], "isError": true});
        check(
            status(failure.clone(), reply("Rate limit exceeded: max 10 requests per second")),
            Reason::RateLimit,
        );
        assert_eq!(status(failure, reply("'rate' must be a number")).0, Status::Passed);
    }

    #[test]
    fn an_unknown_tool_is_answered_by_the_protocol_unless_the_contract_has_a_code_for_it() {
        check(
            status(failure(UNKNOWN_TOOL), json!({"content": [], "isError": true})),
            Reason::UnknownToolAnswered,
        );
    }

    #[test]
    fn a_call_that_names_no_tool_is_not_judged_by_a_tools_error_result() {
        let failure = json!({"failure": {"condition": "wrong-params", "value": null, "hint": null, "valid_values_of": null,
            "authority": "protocol"}});
        let expected: Expected = serde_json::from_value(failure).expect("an expectation");
        let mut fixture = Fixture::refusal("Unknown tool: ", &json!({}), expected);
        fixture.exchange.call.tool = None;
        check(status_of(fixture.exchange.clone(), &HashMap::new()), Reason::NamelessCallAnswered);
        let error =
            crate::exchange::RpcError { code: -32602, message: "`name` is missing".into(), data: None };
        fixture.exchange.outcome = Outcome::Error(error);
        assert_eq!(status_of(fixture.exchange, &HashMap::new()).0, Status::Passed);
    }

    #[test]
    fn a_command_that_was_only_started_has_no_status_to_judge() {
        let ended = json!({"success": {"exit_status": 3, "why": "", "task_limit": false}});
        let reply = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        check(status(ended.clone(), reply("Process started with PID 7")), Reason::StartedOnly);
        let ended_reply = reply("Process started with PID 7\nexit status 3");
        assert_eq!(status(ended, ended_reply).0, Status::Passed, "its end is told too");
    }
}
