//! One part of a campaign, or of a list of servers, that several machines share.
//!
//! The main types are [`Shard`] and [`ShardChoice`]. No shard needs another one: which part it has follows from its number
//! and from how many there are.

use std::fmt;
use std::str::FromStr;

use crate::generate::Rng;

mod engine;

pub use engine::Variables;

/// The shard with this number of so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    number: u64,
    count: u64,
}

impl Shard {
    /// All of the work.
    pub const WHOLE: Self = Self { number: 1, count: 1 };

    /// The shard with this number, from 1, of so many; `None` if there is none.
    pub fn new(number: u64, count: u64) -> Option<Self> {
        (1..=count).contains(&number).then_some(Self { number, count })
    }

    /// Whether it has all of the work.
    pub fn is_whole(self) -> bool {
        self == Self::WHOLE
    }

    /// How many shards there are.
    pub fn count(self) -> u64 {
        self.count
    }

    /// The seed of this shard, given that of the whole; different for each of them.
    #[must_use]
    pub fn seed(self, seed: u64) -> u64 {
        match self.is_whole() {
            true => seed,
            // Readers of JSON keep integers of 53 bits.
            false => Rng::seeded(seed).fork(&self.to_string()).number() >> 11,
        }
    }

    /// Whether the item at this position belongs to this shard.
    pub fn has(self, position: usize) -> bool {
        position as u64 % self.count == self.number - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.count)
    }
}

/// Which shard the user asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardChoice {
    /// This one.
    Named(Shard),
    /// The one that the engine's variables name; with the number of shards, if the user gave it.
    Auto(Option<u64>),
}

impl ShardChoice {
    /// The shard, given the variables of the environment.
    ///
    /// # Errors
    /// If no engine's variables, or those of several, name one; with what to write instead.
    pub fn shard(self, variables: Variables<'_>) -> Result<Shard, String> {
        match self {
            Self::Named(shard) => Ok(shard),
            Self::Auto(count) => engine::shard(variables, count),
        }
    }
}

impl FromStr for ShardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is no shard: write `2/8` for the second of eight, or `auto` (`auto/8`) for the one that the variables \
                 of the engine name"
            )
        };
        let number = |text: &str| text.parse().ok().filter(|number| *number > 0).ok_or_else(wrong);
        match text.split_once('/') {
            None if text == "auto" => Ok(Self::Auto(None)),
            None => Err(wrong()),
            Some(("auto", count)) => number(count).map(|count| Self::Auto(Some(count))),
            Some((part, count)) => {
                Shard::new(number(part)?, number(count)?).map(Self::Named).ok_or_else(wrong)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn shard(text: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let find = |name: &str| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        ShardChoice::from_str(text)?.shard(&find).map(|shard| shard.to_string())
    }

    #[test]
    fn engines_variables_name_the_shard() {
        for (text, variables, expected) in [
            ("2/8", &[][..], "2/8"),
            ("auto/5", &[("JOB_COMPLETION_INDEX", "0")], "1/5"),
            (
                "auto",
                &[
                    ("SLURM_ARRAY_TASK_ID", "12"),
                    ("SLURM_ARRAY_TASK_MIN", "10"),
                    ("SLURM_ARRAY_TASK_COUNT", "4"),
                ],
                "3/4",
            ),
            ("auto", &[("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "3")], "3/3"),
            ("auto/3", &[("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "3")], "3/3"),
            ("auto", &[("BUILDKITE_PARALLEL_JOB", "0"), ("BUILDKITE_PARALLEL_JOB_COUNT", "2")], "1/2"),
            ("auto", &[("AWS_BATCH_JOB_ARRAY_INDEX", "9"), ("AWS_BATCH_JOB_ARRAY_SIZE", "10")], "10/10"),
            ("auto", &[("SYSTEM_JOBPOSITIONINPHASE", "1"), ("SYSTEM_TOTALJOBSINPHASE", "2")], "1/2"),
            ("auto/8", &[("PARALLEL_SEQ", "8")], "8/8"),
        ] {
            assert_eq!(shard(text, variables).as_deref(), Ok(expected), "{text} {variables:?}");
        }
    }

    #[test]
    fn wrong_and_incomplete_combinations_are_refused() {
        for (text, variables, cause) in [
            ("0/8", &[][..], "is no shard"),
            ("9/8", &[], "is no shard"),
            ("auto/0", &[], "is no shard"),
            ("auto", &[], "no variable numbers this run; known are"),
            ("auto", &[("JOB_COMPLETION_INDEX", "0")], "does not say how many runs there are"),
            ("auto", &[("CI_NODE_TOTAL", "3")], "sets `CI_NODE_TOTAL`, but not `CI_NODE_INDEX`"),
            ("auto", &[("CI_NODE_INDEX", "3")], "`CI_NODE_TOTAL` is not set"),
            ("auto", &[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "3")], "is none of 3 runs numbered from 1"),
            ("auto", &[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "3")], "`x`, which is no number"),
            ("auto/4", &[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "3")], "`CI_NODE_TOTAL` is 3"),
            ("auto/4", &[("PARALLEL_SEQ", "1"), ("JOB_COMPLETION_INDEX", "1")], "number this run"),
        ] {
            let refused = shard(text, variables).unwrap_err();
            assert!(refused.contains(cause), "{text} {variables:?}: {refused}");
        }
    }

    proptest! {
        #[test]
        fn every_position_belongs_to_one_shard_and_every_shard_has_its_own_seed(
            count in 1_u64..40, position in 0_usize..1_000, seed: u64
        ) {
            let shards = || (1..=count).filter_map(|number| Shard::new(number, count));
            prop_assert_eq!(shards().filter(|shard| shard.has(position)).count(), 1);
            let seeds: BTreeSet<u64> = shards().map(|shard| shard.seed(seed)).collect();
            prop_assert_eq!(seeds.len() as u64, count);
        }
    }
}
