//! Neighbours of an input that led to something new.

use serde_json::Value;

use super::compiled::CompiledSchema;
use super::edit::{RawTexts, find};
use super::generator::Generator;
use super::input::{AppliedMutation, Input};
use super::place::ValuePlace;
use super::pool::Pool;
use super::rng::Rng;

/// At most this many changes of one input are listed; later neighbours are drawn from inputs with fewer.
const CHANGES: usize = 6;

impl Generator {
    /// A neighbour of an input that led to something new: one of its odd values slightly modified, one more
    /// change, or one of its plain values drawn again.
    pub fn near(&self, rng: &mut Rng, pool: &Pool, kept: &Input) -> Input {
        self.near_value(rng, pool, kept.value(), &kept.changes)
    }

    /// A neighbour of an input whose value is parsed already.
    pub(crate) fn near_value(
        &self,
        rng: &mut Rng,
        pool: &Pool,
        value: Option<Value>,
        kept: &[AppliedMutation],
    ) -> Input {
        let Some(mut value) = value.filter(|value| self.is_complete() && value.is_object()) else {
            return self.draw(rng, pool);
        };
        if kept.len() >= CHANGES {
            return self.draw(rng, pool);
        }
        let mut changes = kept.to_vec();
        let mut raws = RawTexts::default();
        match rng.below(8) {
            0..=3 => match self.turned(&mut value, kept, rng) {
                Some(change) => changes.push(change),
                None => changes.extend(self.change(&mut value, &mut raws, rng, pool)),
            },
            4 | 5 => {
                if let Some(change) = self.changed_again(&mut value, &mut raws, kept, rng, pool) {
                    changes.push(change);
                }
            }
            6 => self.redrawn(&mut value, kept, rng, pool),
            _ => changes.extend(self.change(&mut value, &mut raws, rng, pool)),
        }
        changes.dedup();
        self.finished(&value, &raws, changes)
    }

    /// An odd value slightly modified.
    fn turned(
        &self,
        value: &mut Value,
        changes: &[AppliedMutation],
        rng: &mut Rng,
    ) -> Option<AppliedMutation> {
        let path = match rng.pick(changes) {
            Some(change) => change.path.clone(),
            None => format!("/{}", rng.pick(&self.parameters().collect::<Vec<_>>())?),
        };
        let place =
            ValuePlace::at(&self.compiled, value, &path).filter(|place| place.executable.is_none())?;
        let found = find(value, &place.path)?;
        let label = turn(found, rng)?;
        Some(AppliedMutation { path, keyword: "turned".to_owned(), label })
    }

    /// Another change at a place that is changed already.
    fn changed_again(
        &self,
        value: &mut Value,
        raws: &mut RawTexts,
        changes: &[AppliedMutation],
        rng: &mut Rng,
        pool: &Pool,
    ) -> Option<AppliedMutation> {
        let change = rng.pick(changes)?;
        let place = ValuePlace::at(&self.compiled, value, &change.path)?;
        self.change_at(&place, value, raws, rng, pool)
    }

    /// A plain value drawn again, or an optional one added or removed.
    fn redrawn(&self, value: &mut Value, changes: &[AppliedMutation], rng: &mut Rng, pool: &Pool) {
        let names: Vec<&str> = self.parameters().collect();
        let Some(name) = rng.pick(&names).copied() else { return };
        let is_changed = changes.iter().any(|change| change.path.split('/').nth(1) == Some(name));
        let Some(id) = self.compiled.member(CompiledSchema::ROOT, name).filter(|_| !is_changed) else {
            return;
        };
        let Value::Object(members) = value else { return };
        if members.contains_key(name) && rng.one_in(3) {
            members.shift_remove(name);
        } else {
            let drawn = self.drawer(rng, pool).value(id);
            members.insert(name.to_owned(), drawn);
        }
    }
}

/// Slightly modifies a value; returns how.
fn turn(value: &mut Value, rng: &mut Rng) -> Option<String> {
    match value {
        Value::Number(number) => {
            let before = number.as_f64()?;
            let (label, after) = match rng.below(8) {
                0 => ("one more", before + 1.0),
                1 => ("one less", before - 1.0),
                2 => ("twice", before * 2.0),
                3 => ("half", (before / 2.0).trunc()),
                4 => ("ten times", before * 10.0),
                5 => ("a tenth", (before / 10.0).trunc()),
                6 => ("negative", -before),
                _ => ("some more", before + (before.abs() * rng.fraction()).trunc()),
            };
            *value = super::edit::number(after);
            Some(label.to_owned())
        }
        Value::String(text) => {
            let letters: Vec<char> = text.chars().collect();
            let at = rng.below(letters.len() + 1);
            let half = letters.len() / 2;
            let (label, after): (&str, String) = match rng.below(8) {
                0 => ("one letter more", with(&letters, at, odd_letter(rng))),
                1 => (
                    "one letter less",
                    letters.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, l)| l).collect(),
                ),
                2 => ("half", letters[..half].iter().collect()),
                3 => ("the other half", letters[half..].iter().collect()),
                4 if letters.len() < 8_192 => ("twice", text.repeat(2)),
                5 => ("in large letters", text.to_uppercase()),
                6 => ("an odd letter at its end", with(&letters, letters.len(), odd_letter(rng))),
                _ => ("a few letters more", format!("{}{text}", "a".repeat(1 + rng.below(8)))),
            };
            *text = after;
            Some(label.to_owned())
        }
        Value::Array(items) if !items.is_empty() => {
            let at = rng.below(items.len());
            if rng.one_in(2) {
                items.remove(at);
                Some("an item less".to_owned())
            } else {
                let item = items[at].clone();
                items.insert(at, item);
                Some("an item twice".to_owned())
            }
        }
        Value::Object(members) if !members.is_empty() => {
            let name = members.keys().nth(rng.below(members.len()))?.clone();
            members.shift_remove(&name);
            Some(format!("without `{name}`"))
        }
        _ => None,
    }
}

fn with(letters: &[char], at: usize, letter: char) -> String {
    letters[..at].iter().copied().chain([letter]).chain(letters[at..].iter().copied()).collect()
}

fn odd_letter(rng: &mut Rng) -> char {
    ['/', '\0', '\n', '%', '{', '"', '\\', '\u{e9}', '\u{301}', '\u{202e}', '\u{1f600}', ' '][rng.below(12)]
}
