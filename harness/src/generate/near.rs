//! Neighbours of an input that led to something new.

use serde_json::Value;

use super::compiled::CompiledSchema;
use super::edit::RawTexts;
use super::generator::Generator;
use super::input::{AppliedMutation, Input};
use super::odd;
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
            0..=3 => match self.turned(&mut value, &mut raws, kept, rng, pool) {
                Some(change) => changes.push(change),
                None => changes.extend(self.change(&mut value, &mut raws, rng, pool)),
            },
            4 | 5 => {
                let path = rng.pick(kept).map(|change| change.path.as_str());
                let place = path.and_then(|path| ValuePlace::at(&self.compiled, &value, path));
                let change = place
                    .and_then(|place| self.change_at(&place, &mut value, &mut raws, rng, pool, odd::change));
                changes.extend(change);
            }
            6 => self.redrawn(&mut value, kept, rng, pool),
            _ => changes.extend(self.change(&mut value, &mut raws, rng, pool)),
        }
        changes.dedup();
        self.finished(&value, &raws, changes)
    }

    /// An odd value, or that of a parameter, slightly modified.
    fn turned(
        &self,
        value: &mut Value,
        raws: &mut RawTexts,
        changes: &[AppliedMutation],
        rng: &mut Rng,
        pool: &Pool,
    ) -> Option<AppliedMutation> {
        let path = match rng.pick(changes) {
            Some(change) => change.path.clone(),
            None => format!("/{}", rng.pick(&self.parameters().collect::<Vec<_>>())?),
        };
        let place =
            ValuePlace::at(&self.compiled, value, &path).filter(|place| place.executable.is_none())?;
        self.change_at(&place, value, raws, rng, pool, odd::turn)
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
