//! What a twin's reply shows about the original reply, and about every similar one.
//!
//! The main types are [`Twins`], which finds the twin of an exchange, and [`Cleared`], the findings that twins
//! have shown to be an echo.

use std::collections::{HashMap, HashSet};

use crate::exchange::{Exchange, Outcome, Step};
use crate::finding::Level;
use crate::placeholder::Folders;
use crate::rules::Context;
use crate::signature::signature;
use crate::transcript::Transcript;

use super::RuleHit;
use super::fold::text;

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
    let tool = exchange.tool().unwrap_or_default().to_owned();
    (tool, hit.rule.id, signature(text(&hit.diagnostic), exchange, folders))
}

/// Suspicions cleared by a twin, or shown to weigh less. Each has one twin, whose result holds for every similar reply.
#[derive(Default)]
pub(super) struct Cleared {
    gone: HashSet<HitKey>,
    /// The level that is left, by the suspicion and what is said of it: the same words may be about another parameter.
    lowered: HashMap<(HitKey, String), Level>,
}

impl Cleared {
    /// Adds the hits that a rule has without the twin but not with it.
    pub(super) fn add(&mut self, context: &Context<'_>, alone: &[RuleHit], with_twin: &[RuleHit]) {
        let stays = |hit: &&RuleHit| with_twin.iter().any(|other| other.rule.id == hit.rule.id);
        let gone = alone.iter().filter(|hit| !stays(hit));
        let key = |hit: &RuleHit| hit_key(hit, context.exchange, &context.head.folders);
        self.gone.extend(gone.map(key));
        let said_of = |hit: &RuleHit| (hit.rule.id, hit.diagnostic.message.clone());
        for hit in with_twin {
            if alone.iter().any(|other| said_of(other) == said_of(hit) && other.level > hit.level) {
                self.lowered.insert((key(hit), hit.diagnostic.message.clone()), hit.level);
            }
        }
    }

    /// Adds the suspicions that others have cleared.
    pub(super) fn append(&mut self, other: Self) {
        self.gone.extend(other.gone);
        self.lowered.extend(other.lowered);
    }

    /// Drops hits that were cleared, and lowers those that were shown to weigh less, on exchanges without a twin of their
    /// own.
    pub(super) fn withdraw(&self, transcript: &Transcript, twins: &Twins<'_>, hits: &mut Vec<RuleHit>) {
        if self.gone.is_empty() && self.lowered.is_empty() {
            return;
        }
        hits.retain_mut(|hit| {
            let exchange = &transcript.exchanges[hit.exchange];
            if twins.twin_of(exchange).is_some() {
                return true;
            }
            let key = hit_key(hit, exchange, &transcript.head.folders);
            if self.gone.contains(&key) {
                return false;
            }
            if let Some(level) = self.lowered.get(&(key, hit.diagnostic.message.clone())) {
                hit.level = hit.level.min(*level);
            }
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::expectation::Expected;
    use crate::finding::{Diagnostic, Evidence};
    use crate::rules::fixture::Fixture;

    #[test]
    fn what_a_twin_shows_to_weigh_less_does_so_for_every_reply_alike_about_the_same_parameter() {
        let fixture =
            Fixture::refusal("integer `20`, expected a string", &json!({"a": 20}), Expected::Anything);
        let exchange = |index: usize, step: Step, twin: Option<usize>| {
            let mut exchange = fixture.exchange.clone();
            (exchange.index, exchange.place.step, exchange.place.twin) = (index, step, twin);
            exchange
        };
        let exchanges = vec![
            exchange(0, Step::Call, None),
            exchange(1, Step::Call, None),
            exchange(2, Step::Twin, Some(0)),
        ];
        let rule =
            *crate::rules::all().iter().find(|rule| rule.id == "message/value-missing").expect("it is there");
        let hit = |exchange: usize, level: Level, message: &str| {
            let evidence = Evidence::whole("integer `20`, expected a string");
            RuleHit {
                rule,
                level,
                exchange,
                is_certain: true,
                diagnostic: Diagnostic::new(message, "").evidence(evidence),
            }
        };
        let mut cleared = Cleared::default();
        let (alone, with_twin) = ([hit(0, Level::Should, "not `a`")], [hit(0, Level::Note, "not `a`")]);
        cleared.add(&fixture.context(), &alone, &with_twin);
        let mut hits = vec![
            hit(0, Level::Should, "not `a`"),
            hit(1, Level::Should, "not `a`"),
            hit(1, Level::Should, "not `b`"),
        ];
        let twins = Twins::new(&exchanges);
        let transcript = Transcript::of(fixture.head.clone(), Vec::new(), exchanges.clone());
        cleared.withdraw(&transcript, &twins, &mut hits);
        let levels: Vec<Level> = hits.iter().map(|hit| hit.level).collect();
        // The first has a twin of its own, with which it was judged.
        assert_eq!(levels, [Level::Should, Level::Note, Level::Should]);
    }
}
