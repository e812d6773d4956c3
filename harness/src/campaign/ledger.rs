//! The findings of a campaign, without duplicates.
//!
//! The main type is [`Ledger`]. One fault is one finding however many inputs show it: findings are merged by
//! rule, tool and signature before they are examined, and again once their inputs are minimized.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::Finding;

use super::verdict::Key;

/// At most this many findings are examined; the places of the first ones show enough.
const MOST: usize = 500;
/// How often a key is examined again after an examination found nothing.
const TRIES: usize = 3;

/// The state of something that may be a finding.
#[derive(Debug)]
enum Entry {
    /// It is being examined.
    Open,
    /// It is the finding with this index.
    Settled(usize),
}

/// The findings of a campaign.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    entries: BTreeMap<Key, Entry>,
    counts: BTreeMap<Key, usize>,
    /// How often examining a key found nothing.
    tried: BTreeMap<Key, usize>,
    settled: Vec<(Key, Finding)>,
    /// The keys that a comparison has shown.
    compared: BTreeSet<Key>,
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
        if let Some(count) = self.counts.get_mut(key) {
            *count += 1;
            return Novelty::Known;
        }
        if self.counts.len() >= MOST {
            return Novelty::Known;
        }
        self.counts.insert(key.clone(), 1);
        self.entries.insert(key.clone(), Entry::Open);
        Novelty::New
    }

    /// Records that a comparison showed a finding. It is examined once for that, even if it is already known
    /// from another call, which may show it less well.
    pub(super) fn note_compared(&mut self, key: &Key) -> Novelty {
        let is_settled = matches!(self.entries.get(key), Some(Entry::Settled(_)));
        let is_known = is_settled || self.compared.contains(key);
        if self.note(key) == Novelty::Known && (is_known || !self.counts.contains_key(key)) {
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
            self.counts.remove(key);
            self.entries.remove(key);
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
            self.counts.entry(key.clone()).or_insert(0);
            self.entries.insert(key.clone(), Entry::Settled(number));
        }
        if at.is_some() {
            return None;
        }
        self.settled.push((shown.clone(), finding));
        Some(number)
    }

    /// The number of settled findings.
    pub(super) fn len(&self) -> usize {
        self.settled.len()
    }

    /// A settled finding by its index, with its present count.
    pub(super) fn get(&self, number: usize) -> Option<Finding> {
        let (_, finding) = self.settled.get(number)?;
        let count = self.count(number).max(finding.count);
        Some(Finding { count, ..finding.clone() })
    }

    fn count(&self, number: usize) -> usize {
        let shows = |(key, entry): (&Key, &Entry)| match entry {
            Entry::Settled(of) if *of == number => self.counts.get(key).copied(),
            _ => None,
        };
        self.entries.iter().filter_map(shows).sum()
    }

    /// All settled findings, in the order in which they were found.
    pub(super) fn findings(&self) -> Vec<Finding> {
        (0..self.settled.len()).filter_map(|number| self.get(number)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::finding::{Level, State};

    use super::*;

    fn key(mark: &str) -> Key {
        Key { rule: "leak/panic".into(), tool: Some("view".into()), mark: mark.into() }
    }

    fn finding(input: Value) -> Finding {
        Finding {
            rule: "leak/panic".into(),
            level: Level::Must,
            case: None,
            tool: Some("view".into()),
            message: String::new(),
            evidence: None,
            sent: Value::Null,
            requirement: String::new(),
            help: String::new(),
            count: 1,
            signature: String::new(),
            layer: None,
            places: Vec::new(),
            cause: None,
            wordings: Vec::new(),
            state: State::New,
            input: Some(input),
            stable: Some(true),
            unconfirmed: None,
            replay: None,
            texts: Vec::new(),
        }
    }

    #[test]
    fn what_shrinks_to_the_same_input_is_one_finding() {
        let mut ledger = Ledger::default();
        for mark in ["one", "two"] {
            assert_eq!(ledger.note(&key(mark)), Novelty::New);
        }
        assert_eq!(ledger.note(&key("two")), Novelty::Known);
        assert_eq!(ledger.settle(&key("one"), &key("one"), finding(json!({}))), Some(0));
        assert_eq!(ledger.settle(&key("two"), &key("two"), finding(json!({}))), None);
        let findings = ledger.findings();
        assert_eq!((findings.len(), findings[0].count), (1, 3));
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
