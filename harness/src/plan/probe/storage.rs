//! Storage that fails: a tool's valid call, sent once more while the server can write to no file.
//!
//! The main type is [`PlannedStorage`].

use crate::catalog::Tool;
use crate::class::Class;
use crate::condition::{CaseId, Condition};
use crate::contract::Contract;
use crate::expectation::{Authority, Expected, ExpectedFailure};

use super::{Known, ProbeChoice, ProbeScope};

/// The last part of the ids.
const GROUP: &str = "storage/fails";
/// The condition of such a call, if the tool writes anything.
const FAILURE: &str = "storage-failure";

/// A successful call to be repeated while nothing can be written.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStorage {
    /// `probe/<tool>/storage/fails`.
    pub id: CaseId,
    /// What happens, in words.
    pub title: String,
    /// What must hold of the reply.
    pub expected: Expected,
    /// The requirements that it covers.
    pub requirements: Vec<String>,
}

impl PlannedStorage {
    /// The planned call of a tool of this class whose probes have this folder, if one may be sent and is wanted. A
    /// tool that reads gets one only if it is called anyway: most write nothing.
    pub(super) fn of(
        known: Known<'_>,
        choice: &ProbeChoice,
        tool: &Tool,
        (class, folder, is_called): (Class, &CaseId, bool),
    ) -> Option<Self> {
        let is_harmless = matches!(known.scope, ProbeScope::Complete(_));
        if !is_harmless || choice.most == 0 || class == Class::Read && !is_called {
            return None;
        }
        let planned = Self::new(&tool.name, folder, known.contract);
        let is_chosen = choice.filter.as_ref().is_none_or(|filter| filter.is_match(&planned.id.0));
        (is_chosen && known.scope.wants(&planned.id)).then_some(planned)
    }

    /// Why the call may fail, if the contract knows that.
    pub fn condition(&self) -> Option<&str> {
        match &self.expected {
            Expected::Failure(failure) => Some(&failure.condition.0),
            _ => None,
        }
    }

    fn new(tool: &str, folder: &CaseId, contract: &Contract) -> Self {
        let condition = Condition(FAILURE.to_owned());
        let answer = contract.answer(&condition);
        // A contract of the user's own may not know the condition: an error must then only be a good one.
        let expected = match answer {
            None => Expected::Anything,
            Some(_) => Expected::Failure(ExpectedFailure {
                // It may write nothing, or later.
                or_success: true,
                // The call itself has no fault, so no argument needs to be named.
                ..ExpectedFailure::of(condition, Authority::Service)
            }),
        };
        Self {
            id: CaseId(format!("{}/{GROUP}", folder.0)),
            title: format!("{tool}: nothing can be written to the disk"),
            expected,
            requirements: answer.map(|answer| answer.requirement.clone()).into_iter().collect(),
        }
    }
}
