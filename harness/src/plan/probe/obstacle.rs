//! What the machine puts in a server's way: a tool's valid call, sent once more while it can write nothing, open nothing, or
//! not use a file that the call names.
//!
//! The main type is [`Obstacle`].

use crate::catalog::Tool;
use crate::class::Class;
use crate::condition::{self, CaseId, Condition};
use crate::contract::Contract;
use crate::expectation::{Authority, Expected, ExpectedFailure};

use super::{Known, PlannedProbe, ProbeChoice, ProbeScope};

/// What is in the way while the call is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// Nothing more can be opened.
    NoDescriptors,
    /// The files that the call names may not be read.
    Unreadable,
    /// The files that the call names may not be written.
    Unwritable,
    /// Nothing can be written to the disk.
    FullDisk,
}

impl Obstacle {
    /// All, in the order in which they are tried: what the server keeps may be ruined while nothing can be written.
    pub const ALL: [Self; 4] = [Self::NoDescriptors, Self::Unreadable, Self::Unwritable, Self::FullDisk];

    /// The last part of the ids.
    fn group(self) -> &'static str {
        match self {
            Self::NoDescriptors => "descriptors/none",
            Self::Unreadable => "permission/unreadable",
            Self::Unwritable => "permission/unwritable",
            Self::FullDisk => "storage/fails",
        }
    }

    fn condition(self) -> &'static str {
        match self {
            Self::NoDescriptors => "no-descriptors",
            Self::Unreadable => "unreadable-file",
            Self::Unwritable => "unwritable-file",
            Self::FullDisk => "storage-failure",
        }
    }

    /// What is in the way, as a clause.
    pub fn says(self) -> &'static str {
        condition::says(self.condition()).unwrap_or_default()
    }

    /// Whether a tool of this class may run into it. A tool that reads gets no call for this alone, unless it is asked for.
    fn concerns(self, class: Class, is_called: bool) -> bool {
        match self {
            Self::NoDescriptors | Self::Unreadable => class == Class::Read && is_called,
            Self::Unwritable => class == Class::Write,
            Self::FullDisk => class != Class::Read || is_called,
        }
    }
}

impl PlannedProbe<Obstacle> {
    /// The planned calls of a tool of this class whose probes have this folder: those that may be sent and are wanted.
    pub(super) fn of(
        known: Known<'_>,
        choice: &ProbeChoice,
        tool: &Tool,
        (class, folder, is_called): (Class, &CaseId, bool),
    ) -> Vec<Self> {
        let is_harmless = matches!(known.scope, ProbeScope::Complete(_));
        if !is_harmless || choice.most == 0 {
            return Vec::new();
        }
        let is_called = is_called || choice.filter.is_some();
        let concerning = Obstacle::ALL.into_iter().filter(|obstacle| obstacle.concerns(class, is_called));
        let planned = concerning.map(|obstacle| Self::new(obstacle, &tool.name, folder, known.contract));
        planned.filter(|planned| choice.selects(&planned.id) && known.scope.wants(&planned.id)).collect()
    }

    fn new(obstacle: Obstacle, tool: &str, folder: &CaseId, contract: &Contract) -> Self {
        let condition = Condition(obstacle.condition().to_owned());
        let answer = contract.answer(&condition);
        // A contract of the user's own may not know the condition: an error must then only be a good one.
        let expected = match answer {
            None => Expected::Anything,
            Some(_) => Expected::Failure(ExpectedFailure {
                // It may need nothing of the kind.
                or_success: true,
                // The call itself has no fault, so no argument needs to be named.
                ..ExpectedFailure::of(condition, Authority::Service)
            }),
        };
        Self {
            id: CaseId(format!("{}/{}", folder.0, obstacle.group())),
            change: obstacle,
            title: format!("{tool}: {}", obstacle.says()),
            expected,
            requirements: answer.map(|answer| answer.requirement.clone()).into_iter().collect(),
        }
    }
}
