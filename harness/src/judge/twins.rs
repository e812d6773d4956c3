//! What a twin's reply shows about the original reply, and about every similar one.
//!
//! The main types are [`Twins`], which finds the twin of an exchange, and [`Cleared`], the findings that twins
//! have shown to be an echo.

use std::collections::{HashMap, HashSet};

use crate::exchange::{Exchange, Outcome, Step};
use crate::placeholder::Folders;
use crate::rules::Context;
use crate::signature::signature;
use crate::transcript::Transcript;

use super::RuleHit;

/// The twin of each exchange that has one.
pub(super) struct Twins<'a>(HashMap<usize, &'a Exchange>);

impl<'a> Twins<'a> {
    pub(super) fn new(exchanges: &'a [Exchange]) -> Self {
        let twins = exchanges.iter().filter(|exchange| exchange.place.step == Step::Twin);
        Self(twins.filter_map(|twin| Some((twin.place.twin?, twin))).collect())
    }

    /// The twin of an exchange, if it was answered in the same way; a different fault would show nothing.
    pub(super) fn twin_of(&self, exchange: &Exchange) -> Option<&'a Exchange> {
        let twin = self.0.get(&exchange.index).copied()?;
        let alike = match (&exchange.outcome, &twin.outcome) {
            (Outcome::Result(_), Outcome::Result(_)) => {
                exchange.outcome.is_tool_error() == twin.outcome.is_tool_error()
            }
            (Outcome::Error(one), Outcome::Error(other)) => one.code == other.code,
            _ => false,
        };
        alike.then_some(twin)
    }
}

/// What makes two hits the same suspicion: the tool, the rule, and the text with its values masked.
pub(super) type HitKey = (String, &'static str, String);

pub(super) fn hit_key(hit: &RuleHit, exchange: &Exchange, folders: &Folders) -> HitKey {
    let diagnostic = &hit.diagnostic;
    let text =
        diagnostic.evidence.as_ref().map_or(diagnostic.message.as_str(), |evidence| evidence.text.as_str());
    let tool = exchange.tool().unwrap_or_default().to_owned();
    (tool, hit.rule.id, signature(text, exchange, folders))
}

/// Suspicions cleared by a twin. Each has one twin, whose result holds for every similar reply.
#[derive(Default)]
pub(super) struct Cleared(HashSet<HitKey>);

impl Cleared {
    /// Adds the hits that a rule has without the twin but not with it.
    pub(super) fn add(&mut self, context: &Context<'_>, alone: &[RuleHit], with_twin: &[RuleHit]) {
        let stays = |hit: &&RuleHit| with_twin.iter().any(|other| other.rule.id == hit.rule.id);
        let gone = alone.iter().filter(|hit| !stays(hit));
        self.0.extend(gone.map(|hit| hit_key(hit, context.exchange, &context.head.folders)));
    }

    /// Adds the suspicions that others have cleared.
    pub(super) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Drops hits that were cleared, on exchanges without a twin of their own.
    pub(super) fn withdraw(&self, transcript: &Transcript, twins: &Twins<'_>, hits: &mut Vec<RuleHit>) {
        if self.0.is_empty() {
            return;
        }
        hits.retain(|hit| {
            let exchange = &transcript.exchanges[hit.exchange];
            twins.twin_of(exchange).is_some()
                || !self.0.contains(&hit_key(hit, exchange, &transcript.head.folders))
        });
    }
}
