//! Inputs derived from a call known to succeed, with one or several labelled changes at any depth.
//!
//! The main functions are [`Generator::draw_upon`] and [`Generator::each_change`]. Whether the result may be
//! sent is decided by the generator, as for every other input.

use serde_json::Value;

use super::edit::RawTexts;
use super::generator::{Generator, KnownChanges};
use super::input::{AppliedMutation, Input};
use super::pool::Pool;
use super::rng::Rng;

impl Generator {
    /// Takes a call known to succeed as the base: every other valid input is this one, and changes are found by
    /// comparing with it. Has no effect if it may not be sent.
    pub fn base_on(&mut self, arguments: &Value) {
        if self.is_complete() && self.may_be_sent(arguments) {
            self.base = arguments.clone();
            self.known = Some(arguments.clone());
        }
    }

    /// The plain arguments that every input is compared with: a successful call, if one is known.
    pub fn plain_base(&self) -> &Value {
        &self.base
    }

    /// An input that differs from a successful call in one or several labelled changes; now and then the call
    /// itself.
    pub fn draw_upon(&self, base: &Value, rng: &mut Rng, pool: &Pool) -> Input {
        let count = match rng.below(16) {
            0 => 0,
            1..=10 => 1,
            11..=13 => 2,
            _ => 3,
        };
        let (mut value, mut raws) = (base.clone(), RawTexts::default());
        let mut changes: Vec<AppliedMutation> = Vec::with_capacity(count);
        for _ in 0..count {
            let known = if rng.one_in(2) { rng.pick(self.changes.all()) } else { None };
            // A raw text is represented by a mark, in which a further change would be made.
            let applied = known.filter(|_| raws.is_empty()).and_then(|one| self.with_change(one, &value));
            match applied {
                Some((changed, applied)) => {
                    value = changed;
                    changes.push(applied);
                }
                None => changes.extend(self.change(&mut value, &mut raws, rng, pool)),
            }
        }
        self.finished(&value, &raws, changes)
    }

    /// One input for each known change of a call, in order; those that may not be sent are left out. In
    /// confinement all may be sent, as in a run.
    pub fn each_change<'g>(&'g self, base: &'g Value) -> impl Iterator<Item = Input> + 'g {
        let applied = self.changes.all().iter().filter_map(|change| self.with_change(change, base));
        applied.filter_map(|(value, applied)| match self.changes {
            KnownChanges::Confined(_) if self.is_complete() => Some(self.unfenced(&value, vec![applied])),
            _ => self.judged(&value, &RawTexts::default(), vec![applied]),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::super::generator::tests::generator;
    use super::super::{Calls, ToolFiles, Validity, mutations, unusual};
    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "required": ["title", "edits"], "properties": {
            "title": {"type": "string"},
            "edits": {"type": "array", "items": {"type": "object", "required": ["old"], "properties": {
                "old": {"type": "string"}, "line": {"type": "integer"}}}}
        }})
    }

    fn validity() -> (Generator, Value) {
        let base = json!({"title": "n-17", "edits": [{"old": "a", "line": 1}, {"old": "b", "line": 2}]});
        let tool_files = ToolFiles::at("/w/c");
        let mut found = mutations(&schema(), &tool_files);
        found.extend(unusual(&schema(), &tool_files, &|_, _| None));
        let mut generator = generator("edit", &schema(), Calls::Complete);
        generator.know_changes(KnownChanges::Fenced(found));
        generator.base_on(&base);
        (generator, base)
    }

    #[test]
    fn what_differs_from_a_valid_call_bears_a_label_and_a_place_at_any_depth() {
        let (generator, base) = validity();
        let (mut rng, pool) = (Rng::seeded(3), Pool::default());
        let mut places = BTreeSet::new();
        for _ in 0..2_000 {
            let input = generator.draw_upon(&base, &mut rng, &pool);
            let is_plain = input.value() == Some(base.clone());
            assert!(is_plain || !input.changes.is_empty(), "{input:?}");
            places.extend(input.changes.into_iter().map(|change| change.path));
        }
        for place in ["", "/title", "/edits", "/edits/1/old", "/edits/0/line", "/edits/1/line"] {
            assert!(places.contains(place), "{place}: {places:?}");
        }
    }

    #[test]
    fn each_known_change_is_made_on_the_valid_call_and_leaves_the_rest_as_it_is() {
        let (generator, base) = validity();
        let inputs: Vec<Input> = generator.each_change(&base).collect();
        let missing = inputs.iter().find(|input| input.changes[0].keyword == "required").unwrap();
        assert_eq!((missing.changes[0].path.as_str(), missing.validity), ("/title", Validity::Invalid));
        let deep = inputs.iter().find(|input| input.changes[0].path == "/edits/1/old").unwrap();
        let value = deep.value().unwrap();
        assert_eq!((&value["title"], &value["edits"][0]), (&base["title"], &base["edits"][0]));
        assert_ne!(value["edits"][1]["old"], "b");
        assert!(inputs.iter().all(|input| input.value().unwrap() != base));
    }

    #[test]
    fn in_confinement_a_known_change_may_lead_anywhere() {
        let schema =
            json!({"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}});
        let beyond = "/no-such-folder/absent.txt";
        for is_confined in [false, true] {
            let changes = unusual(&schema, &ToolFiles::at("/w/c"), &|_, _| None);
            let mut generator = generator("read", &schema, Calls::Complete);
            generator.know_changes(match is_confined {
                true => KnownChanges::Confined(changes),
                false => KnownChanges::Fenced(changes),
            });
            let base = json!({"path": "/w/c/notes.txt"});
            let is_sent = generator.each_change(&base).any(|input| input.arguments.contains(beyond));
            assert_eq!(is_sent, is_confined);
        }
    }

    #[test]
    fn every_other_valid_input_is_the_known_call_where_it_may_be_sent() {
        let (mut generator, base) = validity();
        let (mut rng, pool) = (Rng::seeded(3), Pool::default());
        let mut known = |generator: &Generator, base: &Value| {
            (0..400).filter(|_| generator.valid(&mut rng, &pool).value().as_ref() == Some(base)).count()
        };
        assert!((120..280).contains(&known(&generator, &base)));
        let beyond = json!({"title": "https://example.com/", "edits": []});
        generator.base_on(&beyond);
        assert_eq!(known(&generator, &beyond), 0, "it leads away from the machine");
    }
}
