//! The sentences behind the ids of requirements.

use std::collections::BTreeMap;

use crate::contract::Contract;
use crate::rules;

/// The sentences behind requirement ids.
#[derive(Debug, Clone, Default)]
pub struct Promises(BTreeMap<String, String>);

impl Promises {
    /// The sentences of one contract.
    pub fn new(contract: &Contract) -> Self {
        Self(contract.requirements.clone())
    }

    /// The sentences of several contracts, for when it is not known yet which one applies.
    pub fn of_each(contracts: &[Contract]) -> Self {
        Self(contracts.iter().flat_map(|contract| contract.requirements.clone()).collect())
    }

    /// The sentence behind an id: the contract's, or a specification's.
    pub fn sentence(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str).or_else(|| rules::promise(id))
    }
}
