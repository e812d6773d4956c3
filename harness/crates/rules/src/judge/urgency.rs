//! The one order of findings, in every report: what to fix first.
//!
//! The main function is [`most_urgent_first`]. Harm comes before level. A level says how sure it is that a promise
//! is broken, and whether that fails the run; it does not say what the fault does to anybody. Somebody has to look
//! at a file that may have been disclosed before anybody improves a sentence, even if the sentence is a Must and the
//! disclosure is a Should. Notes ask for no change, and what the baseline accepts needs none now, so that both
//! come last. What only an exhausted machine brings about comes after what ordinary calls meet.

use std::cmp::Reverse;

use crate::condition::{self, ConditionTrait};
use crate::finding::{Finding, Level, State};
use crate::rules::{Harm, UNPROMISED, handling};

/// Sorts findings: new ones first, what nothing promises last, then what ordinary calls meet, then the most harmful, the highest level, the most
/// certain, those in the most places; then by rule and tool, so that the order is always the same.
pub fn most_urgent_first(findings: &mut [Finding]) {
    findings.sort_by(|one, other| key(one).cmp(&key(other)));
}

type Key<'f> = (bool, bool, bool, Harm, Reverse<Level>, bool, Reverse<usize>, [&'f str; 4]);

fn key(finding: &Finding) -> Key<'_> {
    let cause = finding.cause.as_ref().map_or("", |cause| cause.id.as_str());
    let harm = harm(finding);
    (
        finding.state == State::Known,
        harm >= Harm::Unpromised,
        needs_an_obstacle(finding),
        harm,
        Reverse(finding.level),
        finding.stable == Some(false),
        Reverse(finding.places.len().max(1)),
        [&finding.rule, finding.tool.as_deref().unwrap_or_default(), &finding.signature, cause],
    )
}

/// Whether the fault was met only where the machine stood in the way of a valid call: ordinary calls do not meet it.
fn needs_an_obstacle(finding: &Finding) -> bool {
    let is_obstacle = |condition: &str| condition::has(condition, ConditionTrait::Obstacle);
    !finding.places.is_empty()
        && finding.places.iter().all(|place| place.condition.as_deref().is_some_and(is_obstacle))
}

/// What a finding's fault does to those who rely on the server.
pub fn harm(finding: &Finding) -> Harm {
    let harm = match finding.requirement.as_str() {
        UNPROMISED => Harm::Unpromised,
        _ => handling(&finding.rule).harm,
    };
    at_level(harm, finding.level)
}

/// A fault's harm, if it is found at this level: a Note asks for no change.
pub(super) fn at_level(harm: Harm, level: Level) -> Harm {
    if level == Level::Note { Harm::Remark } else { harm }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(rule: &str, level: Level, places: usize) -> Finding {
        let place = json!({"case": null, "tool": "view", "condition": null, "state": "new"});
        serde_json::from_value(json!({
            "rule": rule, "level": level, "case": null, "tool": null, "message": "m", "evidence": null,
            "sent": null, "requirement": "", "help": "", "count": places, "signature": "", "layer": null,
            "places": vec![place; places], "state": "new",
        }))
        .expect("a finding")
    }

    /// Asserts that findings are already in the right order, from whichever order they come.
    fn check(ordered: &[Finding]) {
        for start in 0..ordered.len() {
            let mut shuffled = ordered.to_vec();
            shuffled.rotate_left(start);
            most_urgent_first(&mut shuffled);
            assert_eq!(shuffled, ordered, "rotated by {start}");
        }
        let mut reversed: Vec<Finding> = ordered.iter().rev().cloned().collect();
        most_urgent_first(&mut reversed);
        assert_eq!(reversed, ordered);
    }

    #[test]
    fn harm_comes_before_level_and_number_of_places() {
        let unpromised =
            Finding { requirement: UNPROMISED.to_owned(), ..found("code/missing", Level::Must, 90) };
        check(&[
            found("effect/escaped-root", Level::Should, 1),
            found("leak/secret", Level::Must, 1),
            found("effect/changed-files", Level::Must, 1),
            found("liveness/crash", Level::Must, 1),
            found("channel/disguised-error", Level::Must, 2),
            found("channel/disguised-error", Level::Should, 5),
            found("code/missing", Level::Must, 3),
            found("leak/runtime-error", Level::Must, 40),
            found("message/empty", Level::Must, 80),
            found("message/hint-missing", Level::Should, 99),
            unpromised,
            found("effect/changed-files", Level::Note, 9),
        ]);
    }

    #[test]
    fn equal_harm_is_ordered_by_level_certainty_places_and_rule() {
        let unstable = Finding { stable: Some(false), ..found("message/vague", Level::Must, 9) };
        let known = Finding { state: State::Known, ..found("effect/escaped-root", Level::Must, 9) };
        check(&[
            found("message/vague", Level::Must, 3),
            found("message/empty", Level::Must, 2),
            found("message/vague", Level::Must, 2),
            unstable,
            found("message/empty", Level::Should, 9),
            known,
        ]);
    }

    #[test]
    fn what_only_a_full_disk_brings_about_comes_after_what_ordinary_calls_meet() {
        let under = |conditions: &[Option<&str>], finding: Finding| {
            let mut finding = finding;
            for (place, condition) in finding.places.iter_mut().zip(conditions) {
                place.condition = condition.map(str::to_owned);
            }
            finding
        };
        check(&[
            under(&[Some("storage-failure"), None], found("effect/changed-files", Level::Must, 2)),
            found("message/vague", Level::Should, 1),
            under(&[Some("storage-failure")], found("effect/changed-files", Level::Must, 1)),
            under(&[Some("no-descriptors")], found("leak/runtime-error", Level::Must, 1)),
            found("code/missing", Level::Note, 9),
        ]);
    }

    #[test]
    fn a_rule_that_is_not_known_is_about_words() {
        check(&[found("leak/panic", Level::Must, 1), found("other/rule", Level::Must, 9)]);
    }
}
