//! The first fault of a run, looked for while it goes on: somebody waits.

use crate::event::Event;
use crate::judge::{RecordedSoFar, first_finding};

use super::Driver;

/// Whether the first fault is still looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::drive) enum FirstFailure {
    /// None was seen yet.
    Open,
    /// One was reported, or it is not looked for any more.
    Closed,
}

impl FirstFailure {
    /// At most this many exchanges are looked at: a server whose first replies are right has time to be waited for.
    const MOST: usize = 200;

    /// Looks at what a driver has brought from this exchange on, and tells the gravest fault in it.
    pub(in crate::drive) fn look(&mut self, driver: &Driver<'_>, since: usize, tell: &mut dyn FnMut(Event)) {
        let exchanges = driver.exchanges();
        if *self == Self::Closed || since == exchanges.len() {
            return;
        }
        let recorded = RecordedSoFar { head: driver.head, cases: &[], exchanges, succeeded: None };
        let seen = first_finding(recorded, driver.contract, since);
        if seen.is_some() || exchanges.len() > Self::MOST {
            *self = Self::Closed;
        }
        if let Some(finding) = seen {
            tell(Event::Seen(finding));
        }
    }
}
