//! `code/unstable`: the same fault gets different codes.

use std::sync::LazyLock;

use crate::contract::ErrorChannel;
use crate::exchange::{Exchange, Step};
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Rule, RuleCheck, RulePage, RunContext, Tier};

/// BC-22: the same condition gives the same code on every call, in every order.
pub(crate) static RULE: Rule = Rule {
    id: "code/unstable",
    tier: Tier::Run,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-22"],
    page: LazyLock::new(|| RulePage::read(include_str!("unstable.toml"))),
    check: RuleCheck::Run(check),
};

fn check(run: &RunContext<'_>) -> Vec<(usize, Diagnostic)> {
    let coded = |exchange: &Exchange| {
        let error = run.errors[exchange.index].as_ref()?;
        error.code().filter(|_| error.channel == ErrorChannel::Tool)
    };
    let exchanges: Vec<&Exchange> =
        run.transcript.exchanges.iter().filter(|exchange| is_of_interest(exchange)).collect();
    let mut diagnostics = Vec::new();
    for (position, later) in exchanges.iter().enumerate() {
        let Some(code) = coded(later) else { continue };
        let first =
            exchanges[..position].iter().find(|first| is_same_fault(first, later) && coded(first).is_some());
        let Some(before) = first.and_then(|first| coded(first)).filter(|before| *before != code) else {
            continue;
        };
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

fn is_of_interest(exchange: &Exchange) -> bool {
    matches!(exchange.place.step, Step::Call | Step::Again)
        && matches!(exchange.place.expected, Expected::Failure(_))
}

fn is_same_fault(first: &Exchange, later: &Exchange) -> bool {
    let condition = |exchange: &Exchange| match &exchange.place.expected {
        Expected::Failure(failure) => Some(failure.condition.clone()),
        _ => None,
    };
    first.place.case == later.place.case
        && first.tool() == later.tool()
        && first.call.arguments == later.call.arguments
        && condition(first) == condition(later)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::condition::CaseId;
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
