//! What a twin's reply says of the one that it is compared with, and of every reply like it.
//!
//! The main types are [`Twins`], which finds the twin of an exchange, and [`Cleared`], what twins have shown to be echo.

use std::collections::{HashMap, HashSet};

use crate::exchange::{Exchange, Outcome, Step};
use crate::placeholder::Folders;
use crate::rules::Context;
use crate::signature::signature;
use crate::transcript::Transcript;

use super::Charge;

/// The twin of each exchange that has one.
pub(super) struct Twins<'a>(HashMap<usize, &'a Exchange>);

impl<'a> Twins<'a> {
    pub(super) fn of(exchanges: &'a [Exchange]) -> Self {
        let twins = exchanges.iter().filter(|exchange| exchange.place.step == Step::Twin);
        Self(twins.filter_map(|twin| Some((twin.place.twin?, twin))).collect())
    }

    /// The twin, where it was answered in the same way: of another fault nothing can be learned.
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

/// What makes two charges the same suspicion: the tool, the rule, and the text with its values masked.
pub(super) type Suspicion = (String, &'static str, String);

pub(super) fn suspicion(charge: &Charge, exchange: &Exchange, folders: &Folders) -> Suspicion {
    let breach = &charge.breach;
    let text = breach.evidence.as_ref().map_or(breach.message.as_str(), |evidence| evidence.text.as_str());
    let tool = exchange.tool().unwrap_or_default().to_owned();
    (tool, charge.rule.id, signature(text, exchange, folders))
}

/// Suspicions that a twin took away. A suspicion has one twin; what it shows holds for every reply of its kind.
#[derive(Default)]
pub(super) struct Cleared(HashSet<Suspicion>);

impl Cleared {
    /// Takes what is charged without the twin and not beside it.
    pub(super) fn add(&mut self, context: &Context<'_>, alone: &[Charge], beside: &[Charge]) {
        let stays = |charge: &&Charge| beside.iter().any(|other| other.rule.id == charge.rule.id);
        let gone = alone.iter().filter(|charge| !stays(charge));
        self.0.extend(gone.map(|charge| suspicion(charge, context.exchange, &context.head.folders)));
    }

    /// Takes what others have shown.
    pub(super) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Drops the charges that are cleared, on exchanges that have no twin of their own.
    pub(super) fn acquit(&self, transcript: &Transcript, twins: &Twins<'_>, charges: &mut Vec<Charge>) {
        if self.0.is_empty() {
            return;
        }
        charges.retain(|charge| {
            let exchange = &transcript.exchanges[charge.exchange];
            twins.twin_of(exchange).is_some()
                || !self.0.contains(&suspicion(charge, exchange, &transcript.head.folders))
        });
    }
}
