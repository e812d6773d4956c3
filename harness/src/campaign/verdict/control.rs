//! The calls of each tool that are known to succeed, and which of them a refusal is judged beside.
//!
//! The main type is [`Controls`].

use std::collections::BTreeMap;

use serde_json::Value;

use crate::exchange::Exchange;
use crate::generate::{Input, Validity};

use super::fair::{FairControl, fair};

/// At most this many are known of a tool: the first one, and of those that were found by looking for them the last
/// ones.
const MOST: usize = 6;

/// The controls of each tool.
#[derive(Debug, Default)]
pub(super) struct Controls(BTreeMap<String, Vec<StoredControl>>);

/// A call that succeeded.
#[derive(Debug, Clone)]
pub(super) struct StoredControl {
    pub(super) exchange: Exchange,
    pub(super) input: Input,
}

impl Controls {
    /// The first one of a tool.
    pub(super) fn first(&self, tool: &str) -> Option<&StoredControl> {
        self.0.get(tool)?.first()
    }

    pub(super) fn has(&self, tool: &str) -> bool {
        self.0.contains_key(tool)
    }

    /// Adds one; where there are enough it takes the place of the oldest but the first.
    pub(super) fn add(&mut self, tool: &str, exchange: &Exchange, input: &Input) {
        let known = self.0.entry(tool.to_owned()).or_default();
        if known.iter().any(|control| control.input.arguments == input.arguments) {
            return;
        }
        if known.len() == MOST {
            known.remove(1);
        }
        let exchange = Exchange { index: 0, ..exchange.clone() };
        known.push(StoredControl { exchange, input: input.clone() });
    }

    /// The nearest one beside which a refusal of these arguments may be judged, and by what.
    pub(super) fn nearest(
        &self,
        tool: &str,
        arguments: &Value,
        validity: Validity,
        violated: &[String],
    ) -> Option<(&StoredControl, FairControl)> {
        let judged = self.0.get(tool)?.iter().filter_map(|control| {
            let fair = fair(arguments, &control.exchange.call.arguments, validity, violated)?;
            Some((control, fair))
        });
        judged.min_by_key(|(_, fair)| fair.distance)
    }
}
