//! Which agent has reserved which files: a table for the calls of one connection.
//!
//! The main type is [`Reservations`]. It knows no files: a pattern is a text, and two patterns overlap where one of them is
//! the other, or a folder above it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::failure::{Code, Conflict, Failure, Quoted};

/// At most this many patterns are reserved at once.
const MOST: usize = 10_000;

/// Who holds what.
#[derive(Debug, Default)]
pub(crate) struct Reservations(Mutex<BTreeMap<String, String>>);

/// What became of a reservation that was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Released {
    Reserved,
    /// Nobody held it.
    Free,
}

impl Reservations {
    /// Reserves a pattern for an agent. One that the agent holds already stays its own.
    pub(crate) fn reserve(&self, agent: &str, pattern: &str) -> Result<(), Failure> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let conflicts = conflicts(&held, agent, pattern);
        if !conflicts.is_empty() {
            let what = format!("Could not reserve {}: {}", Quoted(pattern), held_by(&conflicts));
            return Err(Failure::new(Code::Held, what)
                .about(pattern)
                .conflicting(conflicts)
                .hint("Ask the holder to release it, or reserve something else."));
        }
        if held.len() >= MOST {
            let what = format!("Could not reserve {}: {MOST} reservations are held already", Quoted(pattern));
            return Err(Failure::new(Code::Held, what)
                .about(pattern)
                .hint("Release some that are not needed."));
        }
        held.insert(pattern.to_owned(), agent.to_owned());
        Ok(())
    }

    /// Gives a pattern up.
    pub(crate) fn release(&self, agent: &str, pattern: &str) -> Result<Released, Failure> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match held.get(pattern) {
            None => Ok(Released::Free),
            Some(holder) if holder == agent => {
                held.remove(pattern);
                Ok(Released::Reserved)
            }
            Some(holder) => {
                let conflict = Conflict { pattern: pattern.to_owned(), holder: holder.clone() };
                let conflicts = vec![conflict];
                let what = format!("Could not release {}: {}", Quoted(pattern), held_by(&conflicts));
                Err(Failure::new(Code::Held, what)
                    .about(pattern)
                    .conflicting(conflicts)
                    .hint("Ask the holder to release it."))
            }
        }
    }
}

/// The reservations of others that overlap a pattern.
fn conflicts(held: &BTreeMap<String, String>, agent: &str, pattern: &str) -> Vec<Conflict> {
    let of_others = held.iter().filter(|(other, holder)| *holder != agent && overlap(other, pattern));
    of_others.map(|(other, holder)| Conflict { pattern: other.clone(), holder: holder.clone() }).collect()
}

fn held_by(conflicts: &[Conflict]) -> String {
    let named: Vec<_> =
        conflicts.iter().map(|conflict| format!("it is held by {}", Quoted(&conflict.holder))).collect();
    named.join(", ")
}

/// Whether two patterns may mean one file: as equal texts, or as a folder and what is below it.
fn overlap(one: &str, other: &str) -> bool {
    let folder = |pattern: &str| pattern.strip_suffix("/**").map(|folder| format!("{folder}/"));
    let covers = |above: &str, below: &str| folder(above).is_some_and(|folder| below.starts_with(&folder));
    one == other || covers(one, other) || covers(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_agent_holds_is_refused_with_its_name() {
        let table = Reservations::default();
        table.reserve("one", "src/**").unwrap();
        table.reserve("one", "src/**").unwrap();
        for pattern in ["src/**", "src/a.rs", "src/deep/**"] {
            let failure = table.reserve("two", pattern).unwrap_err();
            assert_eq!(
                (failure.code, failure.conflicts[0].holder.as_str()),
                (Code::Held, "one"),
                "{pattern}"
            );
        }
        table.reserve("two", "srcs/a.rs").unwrap();
        table.reserve("one", "src/a.rs").unwrap();
    }

    #[test]
    fn the_holder_alone_releases_and_then_another_one_may_reserve() {
        let table = Reservations::default();
        table.reserve("one", "a").unwrap();
        assert_eq!(table.release("two", "a").unwrap_err().conflicts[0].holder, "one");
        assert_eq!(table.release("one", "a").unwrap(), Released::Reserved);
        assert_eq!(table.release("one", "a").unwrap(), Released::Free);
        table.reserve("two", "a").unwrap();
    }
}
