//! Judges the exchanges of a run one by one, on as many threads as there are cores.
//!
//! The main type is [`ParallelJudge`]. The result is in the order of the exchanges, whatever the number of
//! threads.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::contract::{Contract, ErrorReply};
use crate::exchange::{Exchange, Step};
use crate::rules::{Context, HINT_MISSING, Rule, is_unread};

use super::twins::{Cleared, Twins};
use super::verdict::Reason;
use super::{Asked, RecordedSoFar, RuleHit, context, hits_of, silenced, verdicts_of};

/// How many exchanges a thread takes at a time; fewer would not be worth a thread.
const SHARE: usize = 32;

/// Everything that is known about a run before its exchanges are judged.
pub(super) struct ParallelJudge<'a> {
    pub(super) recorded: RecordedSoFar<'a>,
    pub(super) contract: &'a Contract,
    pub(super) declared: bool,
    pub(super) errors: &'a [Option<ErrorReply>],
    pub(super) twins: &'a Twins<'a>,
    pub(super) rules: &'a [&'static Rule],
}

/// The hits on some exchanges, and what their twins have shown to be an echo.
#[derive(Default)]
pub(super) struct ExchangeHits {
    pub(super) hits: Vec<RuleHit>,
    pub(super) cleared: Cleared,
    /// The exchanges whose message is in a language that is not analysed, so that nothing is known about its
    /// hint.
    pub(super) unread: HashSet<usize>,
    /// For each reason why a rule was not asked, or its finding withheld, the number of error replies.
    pub(super) withheld: BTreeMap<Reason, usize>,
}

impl ExchangeHits {
    /// Counts the reasons for which rules say nothing of an error reply, and returns what they do say.
    fn counted(&mut self, asked: Vec<Asked>) -> Vec<RuleHit> {
        let mut reasons = BTreeSet::new();
        let mut hits = Vec::new();
        for (_, asked) in asked {
            match asked {
                Ok(found) => hits.extend(found),
                Err(reason) if reason.is_of_the_reply() => drop(reasons.insert(reason)),
                Err(_) => {}
            }
        }
        for reason in reasons {
            *self.withheld.entry(reason).or_default() += 1;
        }
        hits
    }
}

impl ParallelJudge<'_> {
    /// Judges every exchange.
    pub(super) fn all(&self) -> ExchangeHits {
        let shares: Vec<&[Exchange]> = self.recorded.run_record.exchanges.chunks(SHARE).collect();
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
            // If a thread cannot be started, the others do its work.
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
            for (reason, replies) in share.withheld {
                *all.withheld.entry(reason).or_default() += replies;
            }
        }
        all
    }

    fn share(&self, exchanges: &[Exchange]) -> ExchangeHits {
        let mut judged = ExchangeHits::default();
        for exchange in exchanges {
            let context = || context(self.recorded, self.contract, self.declared, exchange, self.errors);
            let plain = context();
            let alone = match plain.error.is_some() && exchange.place.step == Step::Call {
                true => judged.counted(verdicts_of(&plain, self.rules)),
                false => hits_of(&plain, self.rules),
            };
            let alone = silenced(alone);
            if self.rules.iter().any(|rule| rule.id == HINT_MISSING.id) && is_unread(&plain) {
                judged.unread.insert(exchange.index);
            }
            let Some(twin) = self.twins.twin_of(exchange) else {
                judged.hits.extend(alone);
                continue;
            };
            // A new context, because values computed without the twin do not hold with it.
            let context = Context { twin: Some(twin), ..context() };
            let with_twin = silenced(hits_of(&context, self.rules));
            judged.cleared.add(&context, &alone, &with_twin);
            judged.hits.extend(with_twin);
        }
        judged
    }
}
