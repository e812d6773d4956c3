//! Which call is sent next.
//!
//! The main type is [`Drawer`]. Half of the calls are neighbours of inputs that led to something new, some belong to
//! sequences, the rest is drawn afresh. What is known to end the server, or to silence it, is drawn seldom: each time costs
//! a process.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use serde_json::Value;

use crate::generate::{Generator, Input, Pool, Rng, Sequence, SequenceGenerator};
use crate::placeholder::Folders;

use super::corpus::Corpus;

/// One call in so many begins a sequence.
const SEQUENCES: usize = 8;
/// One call in so many of what is known to end the server is sent all the same.
const SELDOM: usize = 64;
/// So many lines that many parsers refuse may be left without an answer; then they are sent seldom.
const UNREAD: usize = 2;
/// So often another one is drawn in place of what is sent seldom.
const TRIES: usize = 8;

/// Where a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// It was drawn afresh.
    Fresh,
    /// It is a neighbour of the input of the corpus with this number.
    Near(u64),
}

/// Draws calls.
pub(super) struct Drawer<'a> {
    rng: Rng,
    generators: &'a BTreeMap<String, Generator>,
    tools: Vec<String>,
    pool: Pool,
    sequences: SequenceGenerator<'a>,
    corpus: Corpus,
    /// What is sent before anything is drawn: the corpus of earlier campaigns.
    first: VecDeque<(String, Input)>,
    /// Tool, place and keyword of what ends the server, or silences it.
    deadly: HashSet<(String, String, String)>,
    /// How often a line that no JSON library reads was left without an answer.
    unread: usize,
    /// How often a tool did so without a change of its arguments that could be blamed.
    lethal: HashMap<String, usize>,
}

impl<'a> Drawer<'a> {
    pub(super) fn new(
        seed: u64,
        generators: &'a BTreeMap<String, Generator>,
        corpus: Corpus,
        first: Vec<(String, Input)>,
    ) -> Self {
        let tools: Vec<String> = generators.keys().cloned().collect();
        let rng = Rng::of(seed);
        let mut queue: VecDeque<(String, Input)> = VecDeque::new();
        // A plain call of each tool comes first: it is what later ones are compared with.
        let mut opening = rng.fork("opening");
        for (tool, generator) in generators {
            queue.push_back((tool.clone(), generator.valid(&mut opening, &Pool::default())));
        }
        queue.extend(first.into_iter().filter(|(tool, _)| generators.contains_key(tool)));
        Self {
            rng: rng.fork("calls"),
            generators,
            tools,
            pool: Pool::default(),
            sequences: SequenceGenerator::of(generators),
            corpus,
            first: queue,
            deadly: HashSet::new(),
            unread: 0,
            lethal: HashMap::new(),
        }
    }

    /// The next call, or calls that belong together.
    pub(super) fn next(&mut self) -> (Sequence, Origin) {
        if let Some((tool, input)) = self.first.pop_front() {
            return (alone(tool, input), Origin::Fresh);
        }
        let mut drawn = self.draw();
        for _ in 0..TRIES {
            if !self.is_deadly(&drawn.0) || self.rng.one_in(SELDOM) {
                break;
            }
            drawn = self.draw();
        }
        drawn
    }

    fn draw(&mut self) -> (Sequence, Origin) {
        if self.rng.one_in(SEQUENCES)
            && let Some(sequence) = self.sequences.draw(&mut self.rng, &self.pool)
        {
            return (sequence, Origin::Fresh);
        }
        let tool = self.rng.pick(&self.tools).cloned().unwrap_or_default();
        let Some(generator) = self.generators.get(&tool) else {
            return (Sequence { steps: Vec::new(), feeds: Vec::new() }, Origin::Fresh);
        };
        if self.rng.one_in(2)
            && let Some(kept) = self.corpus.pick(&tool, &mut self.rng)
        {
            let number = kept.number;
            let input = generator.near_value(&mut self.rng, &self.pool, kept.value(), &kept.input.changes);
            return (alone(tool, input), Origin::Near(number));
        }
        let input = generator.draw(&mut self.rng, &self.pool);
        (alone(tool, input), Origin::Fresh)
    }

    /// A call succeeded: what it shows may make others succeed.
    pub(super) fn learn(&mut self, tool: &str, arguments: &Value, reply: &Value) {
        self.pool.learn(tool, arguments, reply);
    }

    /// A call led to something new.
    pub(super) fn keep(&mut self, tool: &str, input: &Input, origin: Origin, folders: &Folders) {
        if let Origin::Near(number) = origin {
            self.corpus.reward(tool, number);
        }
        self.corpus.keep(tool, input, folders);
    }

    /// A call ended the server, or silenced it.
    pub(super) fn shun(&mut self, tool: &str, input: &Input) {
        if input.changes.is_empty() {
            *self.lethal.entry(tool.to_owned()).or_default() += 1;
        }
        for change in &input.changes {
            self.deadly.insert((tool.to_owned(), change.path.clone(), change.keyword.clone()));
        }
    }

    /// A line that many parsers refuse was left without an answer.
    pub(super) fn avoid_unreadable(&mut self) {
        self.unread += 1;
    }

    fn is_deadly(&self, sequence: &Sequence) -> bool {
        let is_unreadable = |(_, input): &(String, Input)| input.has_no_value();
        if self.unread >= UNREAD && sequence.steps.iter().any(is_unreadable) {
            return true;
        }
        if self.deadly.is_empty() && self.lethal.is_empty() {
            return false;
        }
        sequence.steps.iter().any(|(tool, input)| {
            let is_deadly = |path: &str, keyword: &str| {
                self.deadly.contains(&(tool.clone(), path.to_owned(), keyword.to_owned()))
            };
            self.lethal.get(tool).is_some_and(|times| *times >= 2)
                || input.changes.iter().any(|change| is_deadly(&change.path, &change.keyword))
        })
    }
}

/// A single call.
pub(super) fn alone(tool: String, input: Input) -> Sequence {
    Sequence { steps: vec![(tool, input)], feeds: Vec::new() }
}
