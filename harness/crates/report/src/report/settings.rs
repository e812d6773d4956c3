//! How a report is written, whatever its format.

use std::collections::BTreeMap;

use crate::contract::Contract;
use crate::judge::Strictness;
use crate::rules;

use super::{Given, Theme};

/// How much is shown of long lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// One line for each finding: `--format concise`.
    Concise,
    /// Long lists are cut, and the reasons of bindings left out.
    Brief,
    /// Everything is shown: `-v`.
    Full,
}

/// A line of the server's sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// The file, relative to the repository, with slashes.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
}

/// The settings of a report, whatever its format.
#[derive(Debug, Clone)]
pub struct ReportSettings {
    /// The sentences behind requirement ids.
    pub promises: Promises,
    /// Which findings count for the exit code.
    pub strictness: Strictness,
    /// The colours, for formats that have any.
    pub theme: Theme,
    /// How much is shown, for formats that shorten anything.
    pub detail: Detail,
    /// The number of columns of the terminal that the report is written to; `None` if it is written elsewhere.
    pub columns: Option<usize>,
    /// What the user gave that a next command needs too.
    pub given: Given,
    /// When the report is written, for formats that say so; `None` where it is not said.
    pub date: Option<String>,
    /// The file at which code hosts show findings, relative to the working folder: the configuration, or the server's
    /// own program where that lies there.
    pub anchor: Option<String>,
    /// Where a tool of this name is defined.
    pub definition: fn(&str) -> Option<SourceLine>,
    /// The file of the workflow that runs this, relative to the repository.
    pub workflow: Option<String>,
}

impl ReportSettings {
    /// The settings of a report that is written to a file: brief, without colours, date or width, Must findings count.
    pub fn of_file(promises: Promises) -> Self {
        Self {
            promises,
            strictness: Strictness::Must,
            theme: Theme::plain(),
            detail: Detail::Brief,
            columns: None,
            given: Given::default(),
            date: None,
            anchor: None,
            definition: |_| None,
            workflow: None,
        }
    }
}

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
