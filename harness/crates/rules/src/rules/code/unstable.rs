//! `code/unstable`: the same fault gets different codes.

use std::collections::HashMap;

use crate::condition::{CaseId, Condition};
use crate::contract::ErrorChannel;
use crate::exchange::{Exchange, Step};
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Rule, RunContext};

/// BC-22: the same condition gives the same code on every call, in every order.
pub(crate) static RULE: Rule = Rule::of_run("code/unstable", include_str!("unstable.toml"), check);

fn check(run: &RunContext<'_>) -> Vec<(usize, Diagnostic)> {
    let coded = |exchange: &Exchange| {
        let error = run.errors[exchange.index].as_ref()?;
        error.code().filter(|_| error.channel == ErrorChannel::Tool)
    };
    // The first call with each fault that was answered with a code, and the code.
    let mut firsts: HashMap<Fault<'_>, Vec<(&Exchange, &str)>> = HashMap::new();
    let mut diagnostics = Vec::new();
    for later in &run.transcript.exchanges {
        let (Some(fault), Some(code)) = (Fault::of(later), coded(later)) else { continue };
        let firsts = firsts.entry(fault).or_default();
        let Some((_, before)) = firsts.iter().find(|(first, _)| first.call.arguments == later.call.arguments)
        else {
            firsts.push((later, code));
            continue;
        };
        if *before == code {
            continue;
        }
        let tool = later.tool().unwrap_or_default();
        let message = format!(
            "`{tool}` answers a call with `{code}` although it answered the same call with \
                `{before}` earlier"
        );
        let help = "Choose the code by the cause alone: the same fault must get the same code on every call.";
        let mut diagnostic = Diagnostic::new(message, help);
        diagnostic.evidence =
            run.errors[later.index].as_ref().map(|error| Evidence::whole(error.text.as_str()));
        diagnostics.push((later.index, diagnostic));
    }
    diagnostics
}

/// What calls with the same fault share besides their arguments.
#[derive(PartialEq, Eq, Hash)]
struct Fault<'a> {
    case: Option<&'a CaseId>,
    tool: Option<&'a str>,
    condition: &'a Condition,
}

impl<'a> Fault<'a> {
    /// The fault of a call that must fail.
    fn of(exchange: &'a Exchange) -> Option<Self> {
        let Expected::Failure(failure) = &exchange.place.expected else { return None };
        let is_tried = matches!(exchange.place.step, Step::Call | Step::Again);
        is_tried.then(|| Self {
            case: exchange.place.case.as_ref(),
            tool: exchange.tool(),
            condition: &failure.condition,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exchange::{Outcome, RpcError};
    use crate::rules::fixture::Fixture;

    /// How many code changes are found in calls answered with these texts, after `alter` has changed each
    /// exchange.
    fn changes(texts: &[&str], alter: impl Fn(usize, &mut Exchange)) -> usize {
        let expected = json!({"failure": {"condition": "path-not-found", "value": null, "hint": null, "valid_values_of": null}});
        let expected: Expected = serde_json::from_value(expected).expect("an expectation");
        let mut fixture = Fixture::refusal("", &json!({}), expected.clone());
        fixture.declared = true;
        let exchanges: Vec<Exchange> = texts
            .iter()
            .enumerate()
            .map(|(index, text)| {
                let mut exchange = Fixture::refusal(text, &json!({"path": "x"}), expected.clone()).exchange;
                exchange.place.step = if index == 0 { Step::Call } else { Step::Again };
                alter(index, &mut exchange);
                exchange
            })
            .collect();
        fixture.survey_of(exchanges, check).len()
    }

    const TWO: [&str; 2] = ["[PATH_NOT_FOUND] no", "[IO_ERROR] no"];

    #[test]
    fn a_code_is_compared_with_that_of_the_first_call_that_had_one() {
        assert_eq!(changes(&TWO, |_, _| {}), 1);
        assert_eq!(changes(&["no", TWO[0], TWO[1]], |_, _| {}), 1);
        assert_eq!(changes(&[TWO[0], TWO[0], "no"], |_, _| {}), 0);
    }

    #[test]
    fn another_call_or_another_fault_may_have_another_code() {
        let later = |change: fn(&mut Exchange)| {
            changes(&TWO, move |index, exchange| {
                if index > 0 {
                    change(exchange);
                }
            })
        };
        assert_eq!(later(|call| call.call.tool = Some("grep".into())), 0);
        assert_eq!(later(|call| call.call.arguments = json!({"path": "y"})), 0);
        assert_eq!(later(|call| call.place.case = Some(CaseId("read/other".into()))), 0);
        assert_eq!(later(|call| call.place.step = Step::Twin), 0);
        let other = |call: &mut Exchange| {
            let Expected::Failure(failure) = &mut call.place.expected else { panic!("it fails") };
            failure.condition.0 = "io-failure".into();
        };
        assert_eq!(later(other), 0);
        let error = |call: &mut Exchange| {
            let message = "[IO_ERROR] no".to_owned();
            call.outcome = Outcome::Error(RpcError { code: -32602, message, data: None });
        };
        assert_eq!(later(error), 0);
    }

    #[test]
    fn what_need_not_fail_may_fail_in_several_ways() {
        assert_eq!(changes(&TWO, |_, call| call.place.expected = Expected::Anything), 0);
    }
}
