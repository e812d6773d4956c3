//! Judges a single exchange for a campaign, by the same rules as in a run.
//!
//! The main function is [`alone`].

use crate::contract::{Contract, ErrorReply};
use crate::exchange::Step;
use crate::expectation::Expected;
use crate::finding::{Finding, LevelSetting};
use crate::rules::handling::Premise;
use crate::rules::{Rule, RunRecord, Tier};
use crate::transcript::Transcript;
use crate::wording::Echo;

use super::{RecordedSoFar, context, errors, fold, hits_of, silenced};

/// The verdict on a single exchange.
pub struct Alone {
    /// The error in the reply, if it is one.
    pub error: Option<ErrorReply>,
    /// The findings on it.
    pub findings: Vec<Finding>,
    /// What the caller sent, in the forms in which it may be echoed; `None` if no rule needed it.
    pub echo: Option<Echo>,
}

/// Whether the server promises the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// The user chose it, or the server uses its codes.
    Declared,
    /// Nothing shows that it does.
    Undeclared,
}

/// Judges the last exchange of a transcript; the one before it, if any, is its control, which succeeded.
///
/// Rules that need a control are only applied if they hold for any fault, unless the expectation gives the
/// wrong value: for a drawn call it is unknown which words and which code the fault calls for.
pub fn alone(
    transcript: &Transcript,
    contract: &Contract,
    rules: &[&'static Rule],
    promise: Promise,
) -> Alone {
    let Some(exchange) = transcript.exchanges.last() else {
        return Alone { error: None, findings: Vec::new(), echo: None };
    };
    let levels = &transcript.head.levels;
    let must_fail = matches!(exchange.place.expected, Expected::Failure(_));
    // If the wrong argument is known, the call differs from its control only in that.
    let is_fair = matches!(&exchange.place.expected, Expected::Failure(failure) if failure.value.is_some());
    let applies = |rule: &&&'static Rule| {
        let holds_for_any = match rule.page().handling.premise {
            Premise::Failure => must_fail,
            Premise::Nothing => true,
            Premise::Value => is_fair && matches!(rule.page().tier, Tier::Gated | Tier::Softened),
        };
        levels.get(rule.id) != Some(&LevelSetting::Off)
            && (rule.page().tier == Tier::Ungated || holds_for_any)
    };
    let rules: Vec<&'static Rule> = rules.iter().filter(applies).copied().collect();
    let error = errors(std::slice::from_ref(exchange), contract).pop().flatten();
    let errors: Vec<Option<ErrorReply>> =
        std::iter::repeat_n(None, transcript.exchanges.len() - 1).chain([error]).collect();
    let succeeded = vec![true; errors.len()];
    let run_record = &RunRecord::new(&transcript.cases, &transcript.exchanges);
    let recorded = RecordedSoFar { head: &transcript.head, run_record, succeeded: Some(&succeeded) };
    let context = context(recorded, contract, promise == Promise::Declared, exchange, &errors);
    debug_assert!(exchange.place.step != Step::Twin, "a twin is judged beside another exchange");
    let mut hits = silenced(hits_of(&context, &rules));
    for hit in &mut hits {
        if let Some(level) = levels.get(hit.rule.id).and_then(|setting| setting.level()) {
            hit.level = level;
        }
    }
    let findings = fold::findings(transcript, &rules, &hits);
    let echo = context.into_echo();
    Alone { error: errors.into_iter().next_back().flatten(), findings, echo }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    use crate::exchange::Outcome;
    use crate::rules;
    use crate::rules::fixture::Fixture;

    /// The leak rules that are broken by an error reply of these texts.
    fn leaks(texts: &[&str]) -> Vec<String> {
        let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
        let content: Vec<_> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
        fixture.exchange.outcome = Outcome::Result(json!({"content": content, "isError": true}));
        let transcript = Transcript::of(fixture.head.clone(), Vec::new(), vec![fixture.exchange.clone()]);
        let of_leaks: Vec<&'static Rule> =
            rules::all().iter().filter(|rule| rule.id.starts_with("leak/")).copied().collect();
        let alone = alone(&transcript, &fixture.contract, &of_leaks, Promise::Declared);
        let mut found: Vec<String> = alone.findings.into_iter().map(|finding| finding.rule).collect();
        found.sort();
        found
    }

    #[test]
    fn leaks_at_the_same_place_of_two_texts_are_two_findings() {
        let panic = "[IO_ERROR] thread 'main' panicked at src/main.rs:4:5: boom";
        let debug = "[IO_ERROR] There is no Some(\"name\") here.";
        assert_eq!(leaks(&[panic]), ["leak/panic"]);
        assert_eq!(leaks(&[debug]), ["leak/debug-format"]);
        assert_eq!(leaks(&[panic, debug]), ["leak/debug-format", "leak/panic"]);
        assert_eq!(leaks(&[debug, panic]), ["leak/debug-format", "leak/panic"]);
    }
}
