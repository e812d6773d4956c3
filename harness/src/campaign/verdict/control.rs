//! The calls of each tool that are known to succeed, and which of them a refusal is compared with.
//!
//! The main type is [`Controls`].

use std::collections::BTreeMap;

use serde_json::Value;

use crate::exchange::Exchange;
use crate::generate::{Input, Validity};

use super::fair::{FairControl, fair};

/// At most this many controls of a tool are kept: the first one, and the latest of those found by comparisons.
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
    /// The first control of a tool.
    pub(super) fn first(&self, tool: &str) -> Option<&StoredControl> {
        self.0.get(tool)?.first()
    }

    pub(super) fn has(&self, tool: &str) -> bool {
        self.0.contains_key(tool)
    }

    /// Adds a control; if there are enough, it replaces the oldest one but the first.
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

    /// The nearest control for a refusal of these arguments, and what it allows to be expected.
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
