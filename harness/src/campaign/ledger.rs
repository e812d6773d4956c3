//! The findings of a campaign, without duplicates.
//!
//! The main type is [`Ledger`]. One fault is one finding however many inputs show it: findings are merged by
//! rule, tool and signature before they are examined, and again once their inputs are minimized.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::finding::Finding;

use super::verdict::Key;

/// At most this many findings are examined; the places of the first ones show enough.
const MOST: usize = 500;
/// At most this many calls that show a finding are kept beside its input.
const EXAMPLES: usize = 9;
/// Only this many of the first calls that show a finding may become examples, because most are repetitions.
const OFFERED: usize = 1_000;
/// How often a key is examined again after an examination found nothing.
const TRIES: usize = 3;

/// The findings of a campaign.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    seen: BTreeMap<Key, Seen>,
    /// How often examining a key found nothing.
    tried: BTreeMap<Key, usize>,
    settled: Vec<(Key, Finding)>,
    /// The keys that a comparison has shown.
    compared: BTreeSet<Key>,
}

/// Something that may be a finding.
#[derive(Debug, Default)]
struct Seen {
    /// The index of the finding that it is; `None` while it is being examined.
    settled: Option<usize>,
    /// How many calls showed it.
    count: usize,
    /// Some of them, without duplicates.
    examples: Vec<Value>,
}

/// Whether something was seen before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Novelty {
    /// It is to be examined.
    New,
    /// It is being, or has been, examined.
    Known,
}

impl Ledger {
    /// Records that a finding showed.
    pub(super) fn note(&mut self, key: &Key) -> Novelty {
        self.note_call(key, || None)
    }

    /// Records that a finding showed in a call, which is kept as an example if there are few. `None` stands for one
    /// that is too long.
    pub(super) fn note_call(&mut self, key: &Key, call: impl FnOnce() -> Option<Value>) -> Novelty {
        let is_known = self.seen.contains_key(key);
        if !is_known && self.seen.len() >= MOST {
            return Novelty::Known;
        }
        let seen = self.seen.entry(key.clone()).or_default();
        seen.count += 1;
        if seen.examples.len() < EXAMPLES && seen.count <= OFFERED {
            seen.examples.extend(call().filter(|call| !seen.examples.contains(call)));
        }
        if is_known { Novelty::Known } else { Novelty::New }
    }

    /// Records that a comparison showed a finding. It is examined once for that, even if it is already known
    /// from another call, which may show it less well.
    pub(super) fn note_compared(&mut self, key: &Key) -> Novelty {
        let is_settled = self.seen.get(key).is_some_and(|seen| seen.settled.is_some());
        let is_known = is_settled || self.compared.contains(key);
        if self.note(key) == Novelty::Known && (is_known || !self.seen.contains_key(key)) {
            return Novelty::Known;
        }
        self.compared.insert(key.clone());
        Novelty::New
    }

    /// Records that an examination found nothing, so that another call may show it better.
    pub(super) fn reopen(&mut self, key: &Key) {
        let tried = self.tried.entry(key.clone()).or_default();
        *tried += 1;
        if *tried < TRIES {
            self.seen.remove(key);
        }
    }

    /// Whether a finding of this rule and tool is settled, whatever its mark.
    pub(super) fn has(&self, rule: &str, tool: &str) -> bool {
        self.settled.iter().any(|(key, _)| key.rule == rule && key.tool.as_deref() == Some(tool))
    }

    /// Settles the finding that was examined under `key` and whose minimized input shows it under `shown`.
    /// Returns its index if it is a new one.
    pub(super) fn settle(&mut self, key: &Key, shown: &Key, finding: Finding) -> Option<usize> {
        let is_same = |(other, settled): &(Key, Finding)| {
            other == shown
                || other == key
                || (other.rule == shown.rule && other.tool == shown.tool && settled.input == finding.input)
        };
        let at = self.settled.iter().position(is_same);
        let number = at.unwrap_or(self.settled.len());
        for key in [key, shown] {
            self.seen.entry(key.clone()).or_default().settled = Some(number);
        }
        if at.is_some() {
            return None;
        }
        self.settled.push((shown.clone(), finding));
        Some(number)
    }

    /// Takes over a finding of an earlier start of the campaign.
    pub(super) fn restore(&mut self, key: &Key, finding: Finding) {
        let (count, examples) = (finding.count, finding.examples.clone());
        if let settled @ Some(_) = self.settle(key, key, finding) {
            self.seen.insert(key.clone(), Seen { settled, count, examples });
        }
    }

    /// Records whether a finding of an earlier start was confirmed.
    pub(super) fn confirm(&mut self, key: &Key, confirmed: &Finding) {
        for (_, finding) in self.settled.iter_mut().filter(|(other, _)| other == key) {
            finding.level = confirmed.level;
            finding.stable = confirmed.stable;
            finding.unconfirmed.clone_from(&confirmed.unconfirmed);
        }
    }

    /// Takes what was examined for one of these findings, if one is known: its calls show that in a fresh process,
    /// so that only values of earlier calls made the difference.
    pub(super) fn merge(&mut self, key: &Key, shown: &[Key]) -> bool {
        let known = shown.iter().find_map(|shown| self.seen.get(shown).filter(|_| shown != key));
        let Some(settled) = known.map(|seen| seen.settled) else { return false };
        if settled.is_some() {
            self.seen.entry(key.clone()).or_default().settled = settled;
        }
        true
    }

    /// The number of settled findings.
    pub(super) fn len(&self) -> usize {
        self.settled.len()
    }

    /// A settled finding by its index, with its present count and examples.
    pub(super) fn get(&self, number: usize) -> Option<Finding> {
        let (_, finding) = self.settled.get(number)?;
        let seen: Vec<&Seen> = self.seen.values().filter(|seen| seen.settled == Some(number)).collect();
        let count = seen.iter().map(|seen| seen.count).sum::<usize>().max(finding.count);
        let mut examples: Vec<Value> = Vec::new();
        for call in seen.into_iter().flat_map(|seen| &seen.examples) {
            if finding.input.as_ref() != Some(call) && !examples.contains(call) {
                examples.push(call.clone());
            }
        }
        examples.sort_by_cached_key(|call| call.to_string().len());
        examples.truncate(EXAMPLES);
        Some(Finding { count, examples, ..finding.clone() })
    }

    /// All settled findings, in the order in which they were found.
    pub(super) fn findings(&self) -> Vec<Finding> {
        (0..self.settled.len()).filter_map(|number| self.get(number)).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn key(mark: &str) -> Key {
        Key { rule: "leak/panic".into(), tool: Some("view".into()), mark: mark.into() }
    }

    pub(in super::super) fn finding(input: &Value) -> Finding {
        serde_json::from_value(json!({
            "rule": "leak/panic", "level": "must", "case": null, "tool": "view", "message": "", "evidence": null,
            "sent": null, "requirement": "", "help": "", "count": 1, "signature": "", "layer": null, "places": [],
            "state": "new", "input": input, "stable": true,
        }))
        .expect("it is a finding")
    }

    #[test]
    fn what_shrinks_to_the_same_input_is_one_finding() {
        let mut ledger = Ledger::default();
        for mark in ["one", "two"] {
            assert_eq!(ledger.note(&key(mark)), Novelty::New);
        }
        assert_eq!(ledger.note(&key("two")), Novelty::Known);
        assert_eq!(ledger.settle(&key("one"), &key("one"), finding(&json!({}))), Some(0));
        assert_eq!(ledger.settle(&key("two"), &key("two"), finding(&json!({}))), None);
        let findings = ledger.findings();
        assert_eq!((findings.len(), findings[0].count), (1, 3));
    }

    #[test]
    fn what_a_fresh_process_shows_as_a_known_finding_is_no_other_one() {
        let mut ledger = Ledger::default();
        ledger.note(&key("one"));
        ledger.settle(&key("one"), &key("one"), finding(&json!({})));
        ledger.note(&key("state"));
        ledger.note(&key("state"));
        assert!(!ledger.merge(&key("state"), &[key("state"), key("two")]));
        assert!(ledger.merge(&key("state"), &[key("two"), key("one")]));
        assert_eq!((ledger.findings().len(), ledger.findings()[0].count), (1, 3));
    }

    #[test]
    fn the_shortest_of_the_first_calls_are_examples_and_all_are_counted() {
        let mut ledger = Ledger::default();
        let call = |length: usize| Some(json!({"name": "view", "arguments": {"path": "a".repeat(length)}}));
        for length in [30, 2, 30, 1, 20, 19, 18, 17, 16, 15, 14, 13, 12] {
            ledger.note_call(&key("one"), || call(length));
        }
        ledger.note_call(&key("one"), || None);
        ledger.settle(&key("one"), &key("one"), finding(&call(1).expect("it is short")));
        let findings = ledger.findings();
        let lengths: Vec<_> = findings[0]
            .examples
            .iter()
            .map(|call| call["arguments"]["path"].as_str().expect("a text").len())
            .collect();
        assert_eq!((findings[0].count, lengths), (14, vec![2, 15, 16, 17, 18, 19, 20, 30]));
    }

    #[test]
    fn what_came_to_nothing_is_looked_into_again_and_not_for_ever() {
        let mut ledger = Ledger::default();
        for _ in 0..TRIES {
            assert_eq!(ledger.note(&key("one")), Novelty::New);
            assert_eq!(ledger.note(&key("one")), Novelty::Known);
            ledger.reopen(&key("one"));
        }
        assert_eq!(ledger.note(&key("one")), Novelty::Known);
        assert!(ledger.findings().is_empty());
        assert_eq!(ledger.note_compared(&key("one")), Novelty::New, "another call shows it");
        assert_eq!(ledger.note_compared(&key("one")), Novelty::Known);
    }
}
