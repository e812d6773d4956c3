//! The first fault of a run, looked for while the run goes on because somebody is waiting for it.

use crate::event::Event;
use crate::judge::{RecordedSoFar, first_finding};
use crate::rules::RunRecord;

use super::Driver;

/// Whether the first fault is still being looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::drive) enum FirstFailure {
    /// None has been seen yet.
    Open,
    /// One was reported, or the search was given up.
    Closed,
}

impl FirstFailure {
    /// At most this many exchanges are examined: a server whose first replies are right need not be reported on
    /// early.
    const MOST: usize = 200;

    /// Examines the exchanges of a driver from index `since` on, and reports the gravest fault in them.
    pub(in crate::drive) fn look(&mut self, driver: &Driver<'_>, since: usize, tell: &mut dyn FnMut(Event)) {
        let exchanges = driver.exchanges();
        if *self == Self::Closed || since == exchanges.len() {
            return;
        }
        let run_record = &RunRecord::new(&[], exchanges);
        let recorded = RecordedSoFar { head: driver.head, run_record, succeeded: None };
        let seen = first_finding(recorded, driver.contract, since);
        if seen.is_some() || exchanges.len() > Self::MOST {
            *self = Self::Closed;
        }
        if let Some(finding) = seen {
            tell(Event::Seen(finding));
        }
    }
}
