//! The exchanges of a run, judged one by one, on as many threads as there are cores.
//!
//! The main type is [`ParallelJudge`]. What comes out is in the order of the exchanges, however many threads there were.

use std::collections::HashSet;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::contract::{Contract, ErrorReply};
use crate::exchange::Exchange;
use crate::rules::{Context, HINT_MISSING, Rule, is_unread};

use super::twins::{Cleared, Twins};
use super::{RecordedSoFar, RuleHit, context, hits_of, silenced};

/// A thread takes this many exchanges at a time: fewer are not worth a thread.
const SHARE: usize = 32;

/// Everything that is known of a run before its exchanges are judged.
pub(super) struct ParallelJudge<'a> {
    pub(super) recorded: RecordedSoFar<'a>,
    pub(super) contract: &'a Contract,
    pub(super) declared: bool,
    pub(super) errors: &'a [Option<ErrorReply>],
    pub(super) twins: &'a Twins<'a>,
    pub(super) rules: &'a [&'static Rule],
}

/// What the rules say of some exchanges, and what their twins have shown to be echo.
#[derive(Default)]
pub(super) struct ExchangeHits {
    pub(super) hits: Vec<RuleHit>,
    pub(super) cleared: Cleared,
    /// The exchanges whose message is in a language that no rule reads, so that nothing is known of its hint.
    pub(super) unread: HashSet<usize>,
}

impl ParallelJudge<'_> {
    /// Judges every exchange.
    pub(super) fn all(&self) -> ExchangeHits {
        let shares: Vec<&[Exchange]> = self.recorded.exchanges.chunks(SHARE).collect();
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut judged = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(share) = shares.get(number) else { return judged };
                judged.push((number, self.share(share)));
            }
        };
        let mut judged = thread::scope(|scope| {
            let others = 1..cores.min(shares.len());
            // Where a thread cannot be had the others do its work.
            let others: Vec<_> =
                others.filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
            let mut judged = work();
            for thread in others {
                match thread.join() {
                    Ok(more) => judged.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            judged
        });
        judged.sort_by_key(|(number, _)| *number);
        let mut all = ExchangeHits::default();
        for (_, share) in judged {
            all.hits.extend(share.hits);
            all.cleared.append(share.cleared);
            all.unread.extend(share.unread);
        }
        all
    }

    fn share(&self, exchanges: &[Exchange]) -> ExchangeHits {
        let mut judged = ExchangeHits::default();
        for exchange in exchanges {
            let context = || context(self.recorded, self.contract, self.declared, exchange, self.errors);
            let plain = context();
            let alone = silenced(hits_of(&plain, self.rules));
            if self.rules.iter().any(|rule| rule.id == HINT_MISSING.id) && is_unread(&plain) {
                judged.unread.insert(exchange.index);
            }
            let Some(twin) = self.twins.twin_of(exchange) else {
                judged.hits.extend(alone);
                continue;
            };
            // Made anew: what was found without the twin does not hold beside it.
            let context = Context { twin: Some(twin), ..context() };
            let with_twin = silenced(hits_of(&context, self.rules));
            judged.cleared.add(&context, &alone, &with_twin);
            judged.hits.extend(with_twin);
        }
        judged
    }
}
