//! How much memory a server's process held while it answered calls.
//!
//! The main type is [`Curve`]. Measurements are added to it; a rule judges it.

use serde::{Deserialize, Serialize};

/// At most this many measurements of a process are kept, however long it lives; an even number.
const KEPT: usize = 512;

/// The memory of one process over the calls that it has answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// The number of the process, as exchanges have it.
    pub process: usize,
    /// Each measurement, in order: how many calls it had answered, and the bytes that it held with its children.
    pub samples: Vec<(u64, u64)>,
}

impl Curve {
    /// The curve of a process without measurements.
    pub fn new(process: usize) -> Self {
        Self { process, samples: Vec::new() }
    }

    /// Adds a measurement. If there are too many, every other one is dropped: the rest still spans the whole
    /// life of the process.
    pub fn add(&mut self, calls: u64, bytes: u64) {
        if self.samples.len() >= KEPT {
            let mut index = 0;
            self.samples.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
        self.samples.push((calls, bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_life_is_kept_whole_in_few_measurements() {
        let mut curve = Curve::new(0);
        for calls in 0..100_000 {
            curve.add(calls, calls * 2);
        }
        assert!((KEPT / 2..=KEPT).contains(&curve.samples.len()), "{}", curve.samples.len());
        assert_eq!(curve.samples.first(), Some(&(0, 0)));
        assert_eq!(curve.samples.last(), Some(&(99_999, 199_998)));
        assert!(curve.samples.is_sorted());
    }
}
