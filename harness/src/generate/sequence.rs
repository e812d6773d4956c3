//! Sequences of calls that belong together: create, use, delete, use again.
//!
//! The main types are [`Sequence`], and [`SequenceGenerator`] that draws them. Which tool's return values fit
//! which parameters is learned from replies; before that, the names of tools and parameters show which belong
//! together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::affinity::ToolAction;
use super::generator::Generator;
use super::input::{Input, Validity};
use super::names::plain_name;
use super::pool::Pool;
use super::returned::ReturnedValue;
use super::rng::Rng;

/// At most this many attempts are made to find a parameter that two tools share.
const ATTEMPTS: usize = 8;

/// Calls in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    /// The tool's name and the arguments of each step.
    pub steps: Vec<(String, Input)>,
    /// The values that steps take from earlier replies.
    pub feeds: Vec<Feed>,
}

/// A value returned by an earlier step that becomes an argument of a later one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feed {
    /// The step that returns the value, counted from 0.
    pub from: usize,
    /// The plain name of the value's key; empty for a word with a digit in a text.
    pub key: String,
    /// The step that takes the value.
    pub to: usize,
    /// The argument's name.
    pub parameter: String,
}

/// The orders of actions that are tried: faults are found in things used after their end, or twice.
const ORDERS: [&[ToolAction]; 7] = [
    &[ToolAction::Makes, ToolAction::Uses],
    &[ToolAction::Makes, ToolAction::Uses, ToolAction::Ends, ToolAction::Uses],
    &[ToolAction::Makes, ToolAction::Ends, ToolAction::Uses],
    &[ToolAction::Makes, ToolAction::Ends, ToolAction::Ends],
    &[ToolAction::Makes, ToolAction::Makes, ToolAction::Uses],
    &[ToolAction::Makes, ToolAction::Ends, ToolAction::Makes, ToolAction::Uses],
    &[ToolAction::Makes, ToolAction::Uses, ToolAction::Uses],
];

/// Draws sequences of a server's tools that belong together, as far as is known.
#[derive(Debug)]
pub struct SequenceGenerator<'g> {
    open: Vec<&'g Generator>,
    makers: Vec<&'g Generator>,
    /// By tool, the tools related to it, which may include itself.
    related: BTreeMap<&'g str, Vec<&'g Generator>>,
    /// The pool's version of known flows when these were found.
    knew: usize,
}

impl<'g> SequenceGenerator<'g> {
    /// The generator of sequences of these tools.
    pub fn new(generators: &'g BTreeMap<String, Generator>) -> Self {
        let open: Vec<&Generator> = generators.values().filter(|generator| generator.is_complete()).collect();
        let makers =
            open.iter().copied().filter(|generator| generator.affinity.action == ToolAction::Makes).collect();
        Self { open, makers, related: BTreeMap::new(), knew: 0 }
    }

    /// A sequence of related tools; `None` if no two are related.
    pub fn draw(&mut self, rng: &mut Rng, pool: &Pool) -> Option<Sequence> {
        if self.knew != pool.known_flows() {
            self.related.clear();
            self.knew = pool.known_flows();
        }
        let begins = if self.makers.is_empty() || rng.one_in(8) { &self.open } else { &self.makers };
        for _ in 0..ATTEMPTS {
            let first = *rng.pick(begins)?;
            let belonging =
                || self.open.iter().copied().filter(|other| belong_together(first, other, pool)).collect();
            let related = &*self.related.entry(first.tool()).or_insert_with(belonging);
            if related.iter().all(|other| other.tool() == first.tool()) {
                continue;
            }
            let order = rng.pick(&ORDERS)?;
            let steps = vec![(first.tool().to_owned(), first.valid(rng, pool))];
            let mut drawn = Sequence { steps, feeds: Vec::new() };
            for part in &order[1..] {
                let fitting: Vec<&Generator> =
                    related.iter().copied().filter(|other| other.affinity.action == *part).collect();
                let next = *rng.pick(if fitting.is_empty() { related } else { &fitting })?;
                drawn.add(rng, pool, next);
            }
            return Some(drawn);
        }
        None
    }
}

impl Sequence {
    fn add(&mut self, rng: &mut Rng, pool: &Pool, next: &Generator) {
        let Some((first, made)) = self.steps.first() else { return };
        let to = self.steps.len();
        let mut input = next.valid(rng, pool);
        let made = made.value().unwrap_or_default();
        for parameter in next.parameters() {
            let known =
                pool.flows_from(first).find(|flow| flow.to == next.tool() && flow.parameter == parameter);
            let key = known
                .map(|flow| flow.key.as_str())
                .or_else(|| pool.key_for(first, &plain_name(parameter)).filter(|_| first != next.tool()));
            let same = made.as_object().and_then(|made| {
                made.iter()
                    .find(|(name, _)| plain_name(name) == plain_name(parameter))
                    .map(|(_, value)| value)
            });
            // A value that the caller chooses is the same in every step; otherwise it is what the first step
            // returned.
            match (same, key) {
                (Some(value), _) => input = next.with(&input, parameter, value),
                (None, Some(key)) => self.feeds.push(Feed {
                    from: 0,
                    key: key.to_owned(),
                    to,
                    parameter: parameter.to_owned(),
                }),
                (None, None) => {}
            }
        }
        self.steps.push((next.tool().to_owned(), input));
    }

    /// A step's arguments once the earlier results are known: `replies` has one entry for each earlier step,
    /// null if no reply came. `generator` belongs to the step's tool, and decides what may be sent.
    pub fn ready(&self, step: usize, replies: &[Value], generator: &Generator) -> Option<Input> {
        let (_, input) = self.steps.get(step)?;
        let mut input = input.clone();
        for feed in self.feeds.iter().filter(|feed| feed.to == step) {
            let Some(reply) = replies.get(feed.from) else { continue };
            let returned = ReturnedValue::collect(reply);
            let exact = returned.iter().filter(|returned| returned.key == feed.key);
            let plain = plain_name(&feed.parameter);
            let suiting = returned.iter().filter(|returned| returned.suits(&plain));
            let mut ready =
                exact.chain(suiting).map(|returned| generator.with(&input, &feed.parameter, &returned.value));
            // Of several possible values, the first one that the schema allows.
            let first = ready.next();
            let is_taken = |input: &Input| input.validity != Validity::Invalid;
            let taken = match first {
                Some(first) if !is_taken(&first) => ready.find(is_taken).or(Some(first)),
                first => first,
            };
            if let Some(taken) = taken {
                input = taken;
            }
        }
        Some(input)
    }

    /// Smaller candidates for a sequence: fewer steps first, then smaller steps.
    pub fn simpler<'s>(
        &'s self,
        generators: &'s BTreeMap<String, Generator>,
    ) -> impl Iterator<Item = Sequence> + 's {
        let shorter = (0..self.steps.len()).filter(|_| self.steps.len() > 1).map(|step| self.without(step));
        let smaller = self.steps.iter().enumerate().flat_map(move |(index, (tool, input))| {
            generators.get(tool).into_iter().flat_map(|generator| generator.simpler(input)).map(
                move |input| {
                    let mut sequence = self.clone();
                    sequence.steps[index].1 = input;
                    sequence
                },
            )
        });
        shorter.chain(smaller)
    }

    fn without(&self, step: usize) -> Self {
        let mut steps = self.steps.clone();
        steps.remove(step);
        let moved = |index: usize| if index > step { index - 1 } else { index };
        let feeds = self
            .feeds
            .iter()
            .filter(|feed| feed.from != step && feed.to != step)
            .map(|feed| Feed { from: moved(feed.from), to: moved(feed.to), ..feed.clone() })
            .collect();
        Self { steps, feeds }
    }
}

/// Whether two tools' calls may be related: a value is known to flow, or both are about the same thing.
fn belong_together(first: &Generator, other: &Generator, pool: &Pool) -> bool {
    let (own, affinity) = (&first.affinity, &other.affinity);
    own.is_with(affinity)
        || pool.flows_from(first.tool()).any(|flow| flow.to == other.tool())
        || affinity.parameters.iter().any(|parameter| pool.key_for(first.tool(), parameter).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::generator::tests::generators;
    use super::*;

    fn notes() -> BTreeMap<String, Generator> {
        let id =
            json!({"type": "object", "properties": {"note_id": {"type": "string"}}, "required": ["note_id"]});
        let title =
            json!({"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]});
        generators(&[("create_note", &title), ("delete_note", &id), ("get_note", &id), ("now", &json!({}))])
    }

    #[test]
    fn create_use_delete_and_use_again_are_drawn_and_fed_by_what_came_back() {
        let (generators, mut pool) = (notes(), Pool::default());
        pool.learn(
            "create_note",
            &json!({"title": "x"}),
            &json!({"content": [{"type": "text", "text": "Created n-1"}]}),
        );
        let mut rng = Rng::seeded(3);
        let wanted = ["create_note", "get_note", "delete_note", "get_note"];
        let drawn = (0..200)
            .filter_map(|_| SequenceGenerator::new(&generators).draw(&mut rng, &pool))
            .find(|drawn| drawn.steps.iter().map(|(tool, _)| tool.as_str()).eq(wanted))
            .unwrap();
        let replies =
            [json!({"content": [{"type": "text", "text": "Created n-77"}]}), Value::Null, Value::Null];
        for step in 1..4 {
            let tool = &generators[&drawn.steps[step].0];
            let ready = drawn.ready(step, &replies[..step], tool).unwrap();
            assert_eq!(ready.value(), Some(json!({"note_id": "n-77"})), "{step}");
        }
    }

    #[test]
    fn a_sequence_without_a_step_keeps_the_feeds_of_the_others() {
        let (generators, mut pool) = (notes(), Pool::default());
        pool.learn("create_note", &json!({}), &json!({"structuredContent": {"id": "n-1"}}));
        let mut rng = Rng::seeded(5);
        let drawn = (0..200)
            .filter_map(|_| SequenceGenerator::new(&generators).draw(&mut rng, &pool))
            .find(|drawn| drawn.steps.len() == 4 && drawn.feeds.len() == 3)
            .unwrap();
        let shorter = drawn.simpler(&generators).nth(1).unwrap();
        assert_eq!((shorter.steps.len(), shorter.feeds.len()), (3, 2));
        assert!(shorter.feeds.iter().all(|feed| feed.to < 3 && feed.from == 0));
        let without_first = drawn.simpler(&generators).next().unwrap();
        assert!(without_first.feeds.is_empty());
    }

    #[test]
    fn tools_that_have_nothing_in_common_make_no_sequence() {
        let alone = generators(&[
            ("now", &json!({})),
            ("weather", &json!({"properties": {"city": {"type": "string"}}})),
        ]);
        assert_eq!(SequenceGenerator::new(&alone).draw(&mut Rng::seeded(1), &Pool::default()), None);
    }
}
