//! What the server keeps between calls, in memory alone.
//!
//! The main type is [`Store`]: bounded, and deterministic in the names that it gives.

use std::collections::{BTreeMap, BTreeSet};

use crate::refusal::{Refusal, quoted};
use crate::seed::Seed;

/// At most this many things are kept, and this many names of deleted ones.
const KEPT: usize = 20_000;
/// At most this many characters of a text are kept.
const LENGTH: usize = 200;

/// How the things that are kept get their names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Naming {
    noun: &'static str,
    /// What stands before the number, where the server gives the names.
    prefix: Option<&'static str>,
    first: u64,
}

impl Naming {
    /// Drawn.
    pub(crate) fn of(seed: &mut Seed) -> Self {
        let noun = *seed.one(&["note", "ticket", "draft", "recipe"]);
        let prefix = seed.percent(70).then(|| *seed.one(&["n-", "item", "ref/", "#"]));
        Self { noun, prefix, first: seed.within(1..=9999) }
    }

    /// What one of them is called.
    pub(crate) fn noun(self) -> &'static str {
        self.noun
    }

    /// Whether the caller gives the names.
    pub(crate) fn is_callers(self) -> bool {
        self.prefix.is_none()
    }

    /// The name of the first thing that is made.
    pub(crate) fn first(self) -> String {
        self.prefix.map_or_else(|| "a".to_owned(), |prefix| format!("{prefix}{}", self.first))
    }
}

/// What is kept.
#[derive(Debug)]
pub(crate) struct Store {
    naming: Naming,
    next: u64,
    kept: BTreeMap<String, String>,
    deleted: BTreeSet<String>,
}

impl Store {
    /// An empty one.
    pub(crate) fn new(naming: Naming) -> Self {
        Self { naming, next: naming.first, kept: BTreeMap::new(), deleted: BTreeSet::new() }
    }

    /// Whether this was made, and deleted afterwards.
    pub(crate) fn was_deleted(&self, id: &str) -> bool {
        self.deleted.contains(id)
    }

    pub(crate) fn create(&mut self, id: &str, text: &str) -> Result<String, Refusal> {
        let noun = self.naming.noun;
        let id = match self.naming.prefix {
            None if self.kept.contains_key(id) => {
                return Err(Refusal::input(format!(
                    "There is a {noun} {} already. Give another name.",
                    quoted(id)
                )));
            }
            None => id.to_owned(),
            Some(prefix) => {
                self.next += 1;
                format!("{prefix}{}", self.next - 1)
            }
        };
        if self.kept.len() >= KEPT {
            self.kept.pop_first();
        }
        self.deleted.remove(&id);
        self.kept.insert(id.clone(), text.chars().take(LENGTH).collect());
        Ok(match self.naming.prefix {
            Some("item" | "#") => format!("{{\"id\": \"{id}\", \"kept\": true}}"),
            _ => format!("Kept the {noun} {}.", quoted(&id)),
        })
    }

    pub(crate) fn read(&self, id: &str) -> Result<String, Refusal> {
        self.kept.get(id).cloned().ok_or_else(|| self.unknown(id))
    }

    pub(crate) fn delete(&mut self, id: &str) -> Result<String, Refusal> {
        if self.kept.remove(id).is_none() {
            return Err(self.unknown(id));
        }
        if self.deleted.len() >= KEPT {
            self.deleted.pop_first();
        }
        self.deleted.insert(id.to_owned());
        Ok(format!("The {} {} is deleted.", self.naming.noun, quoted(id)))
    }

    pub(crate) fn list(&self) -> String {
        let names: Vec<_> = self.kept.keys().take(20).map(String::as_str).collect();
        format!("{} kept. The first: {}", self.kept.len(), names.join(", "))
    }

    fn unknown(&self, id: &str) -> Refusal {
        let noun = self.naming.noun;
        Refusal::input(format!("There is no {noun} {}. Use list_{noun}s to see which there are.", quoted(id)))
    }
}
