//! Draws the next call.
//!
//! The main type is [`CallDrawer`]. Some calls are neighbours of inputs that led to something new, some are
//! derived from a call known to succeed, some belong to sequences, and the rest are drawn from the schema.
//! Calls known to crash or hang the server are drawn seldom, because each costs a process.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use serde_json::Value;

use crate::generate::{Generator, Input, Pool, Rng, Sequence, SequenceGenerator, renamed};
use crate::placeholder::Folders;
use crate::shard::Shard;
use crate::signature::fingerprint;

use super::base_calls::{BaseCall, BaseCalls};
use super::corpus::Corpus;
use super::restraint::Restraint;
use super::sequence::alone;
use super::turns::{DrawKind, Turns};

/// One call in this many begins a sequence.
const SEQUENCES: usize = 8;
/// One in this many calls that are known to crash the server is sent nevertheless.
const SELDOM: usize = 64;
/// After this many unanswered lines of a kind that many parsers refuse, such lines are sent seldom.
const UNREAD: usize = 2;
/// How often another call is drawn in place of one that is sent seldom, or that was sent already.
const TRIES: usize = 8;
/// The number of calls that are remembered as sent; a power of two.
const SENT: usize = 1 << 18;
/// At most this many known changes, of all tools together, are sent one by one before anything is drawn.
const CHANGES: usize = 600;
/// After this many refusals in a row, the successful call itself is checked again.
const REFUSED: usize = 3;
/// If the successful call fails by now, one in this many of the calls derived from it is still sent.
const SPENT: usize = 8;
/// The first number for names in calls that can succeed only once; smaller numbers are for minimized calls.
const NAMES: usize = 10_000;

/// Where a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallSource {
    /// It was waiting for its turn, or belongs to a sequence.
    Queued,
    /// It is one of the known changes, each of which is made once.
    Planned,
    /// It was drawn from the schema.
    Fresh,
    /// It is a neighbour of the corpus input with this number.
    Near(u64),
    /// It is derived from a call known to succeed.
    Upon,
    /// It is the call known to succeed.
    Base,
    /// It is the call known to succeed, sent again after restoring its files and the calls before it.
    Again,
}

impl CallSource {
    /// The kind of draw, if it was the turn of the call's tool.
    fn way(self) -> Option<DrawKind> {
        match self {
            Self::Fresh => Some(DrawKind::Afresh),
            Self::Near(_) => Some(DrawKind::Near),
            Self::Upon | Self::Base => Some(DrawKind::Upon),
            Self::Queued | Self::Planned | Self::Again => None,
        }
    }
}

/// Which of the known changes a campaign makes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlanPart<'a> {
    pub(super) shard: Shard,
    /// The number of calls, if it is limited.
    pub(super) calls: Option<u64>,
    /// The changes that were made already, before the campaign was killed.
    pub(super) made: &'a BTreeSet<String>,
    /// How many calls were sent before it was killed.
    pub(super) sent: u64,
}

impl PlanPart<'_> {
    /// How many changes the whole plan has at most. A quarter of the calls of all shards is for them.
    fn most(&self) -> usize {
        let calls = self.calls.map(|calls| calls.saturating_mul(self.shard.count()) / 4);
        calls.map_or(CHANGES, |calls| CHANGES.min(usize::try_from(calls).unwrap_or(CHANGES)))
    }
}

/// Whether a call that was known to succeed still does.
#[derive(Debug, Clone, Copy, Default)]
struct Health {
    /// How often in a row it was refused.
    refused: usize,
    /// Whether it is refused even when its files were restored.
    is_spent: bool,
}

/// The fingerprints of calls that were drawn: a server seldom answers the same call differently.
struct SentCalls(Vec<u32>);

impl Default for SentCalls {
    fn default() -> Self {
        Self(vec![0; SENT])
    }
}

impl SentCalls {
    /// Whether the last call of a sequence was drawn before. It replaces an older one with which it shares a place. A call
    /// that takes a value from an earlier reply is another one each time.
    fn has_had(&mut self, sequence: &Sequence) -> bool {
        let Some((tool, input)) = sequence.steps.last().filter(|_| sequence.feeds.is_empty()) else {
            return false;
        };
        let mut hasher = DefaultHasher::new();
        (tool, &input.arguments).hash(&mut hasher);
        let fingerprint = hasher.finish();
        let mark = (fingerprint >> 32) as u32;
        std::mem::replace(&mut self.0[fingerprint as usize % SENT], mark) == mark
    }
}

/// Draws the calls of a campaign.
pub(super) struct CallDrawer<'a> {
    rng: Rng,
    generators: &'a BTreeMap<String, Generator>,
    base_calls: &'a BaseCalls,
    restraint: Rc<Restraint>,
    tools: Vec<String>,
    turns: Turns,
    pool: Pool,
    sequences: SequenceGenerator<'a>,
    corpus: Corpus,
    /// What is sent before anything is drawn: the successful calls, the corpus of earlier campaigns, and each
    /// known change.
    first: VecDeque<(Sequence, CallSource)>,
    /// By tool, whether its successful call still succeeds.
    health: BTreeMap<String, Health>,
    /// Tool, place and keyword of changes that crash or hang the server.
    deadly: HashSet<(String, String, String)>,
    /// How many lines that no JSON library can parse were left unanswered.
    unread: usize,
    /// By tool, how many calls crashed or hung the server without a change that could be blamed.
    lethal: HashMap<String, usize>,
    sent: SentCalls,
    /// How many names have been made up.
    names: usize,
}

impl<'a> CallDrawer<'a> {
    /// A drawer for a campaign.
    pub(super) fn new(
        seed: u64,
        (generators, restraint): (&'a BTreeMap<String, Generator>, Rc<Restraint>),
        base_calls: &'a BaseCalls,
        corpus: Corpus,
        first: Vec<(String, Input)>,
        part: PlanPart<'_>,
    ) -> Self {
        let tools: Vec<String> = generators.keys().cloned().collect();
        let rng = Rng::seeded(seed);
        // A plain call of each tool comes first, so that later ones can be compared with it.
        let mut opening = rng.fork("opening");
        let mut drawer = Self {
            rng: match part.sent {
                0 => rng.fork("calls"),
                // The same calls again would bring nothing new.
                sent => rng.fork(&format!("calls after {sent}")),
            },
            turns: Turns::new(tools.len()),
            generators,
            base_calls,
            restraint,
            tools,
            pool: Pool::default(),
            sequences: SequenceGenerator::new(generators),
            corpus,
            first: VecDeque::new(),
            health: BTreeMap::new(),
            deadly: HashSet::new(),
            unread: 0,
            lethal: HashMap::new(),
            sent: SentCalls::default(),
            names: NAMES,
        };
        for (tool, generator) in generators {
            let (input, origin) = match base_calls.get(tool) {
                Some(base) => (base.input.clone(), CallSource::Base),
                None => (generator.valid(&mut opening, &Pool::default()), CallSource::Queued),
            };
            let sequence = drawer.sequence_of(tool.clone(), input);
            drawer.first.push_back((sequence, origin));
        }
        drawer.queue(first);
        for (position, (tool, input)) in changes(generators, base_calls, part.most()).into_iter().enumerate()
        {
            // Names are counted in every shard, so that all of them have the same plan.
            let planned = drawer.sequence_of(tool, input);
            let is_made = || planned.steps.last().is_some_and(|step| part.made.contains(&plan_id(step)));
            if part.shard.has(position) && !is_made() {
                drawer.first.push_back((planned, CallSource::Planned));
            }
        }
        drawer
    }

    /// Queues the inputs of another campaign that this one may send: that one may have been on a confined server.
    fn queue(&mut self, inputs: Vec<(String, Input)>) {
        let may_go = |(tool, input): &(String, Input)| {
            self.generators.get(tool).is_some_and(|generator| generator.allows(input))
        };
        let may_go = inputs.into_iter().filter(may_go);
        self.first.extend(may_go.map(|(tool, input)| (alone(tool, input), CallSource::Queued)));
    }

    /// The next call, or calls that belong together; none where every tool got its last one.
    pub(super) fn next(&mut self) -> Option<(Sequence, CallSource)> {
        while let Some(first) = self.first.pop_front() {
            if !self.restraint.withholds(&first.0) {
                return Some(first);
            }
        }
        if self.tools.iter().all(|tool| self.restraint.is_withheld(tool)) {
            return None;
        }
        let mut drawn = self.draw_what_may_go();
        for _ in 0..TRIES {
            let is_deadly = self.is_deadly(&drawn.0) && !self.rng.one_in(SELDOM);
            if !is_deadly && (drawn.1 == CallSource::Base || !self.sent.has_had(&drawn.0)) {
                break;
            }
            drawn = self.draw_what_may_go();
        }
        Some(drawn)
    }

    fn draw_what_may_go(&mut self) -> (Sequence, CallSource) {
        loop {
            let drawn = self.draw();
            if !self.restraint.withholds(&drawn.0) {
                return drawn;
            }
        }
    }

    fn draw(&mut self) -> (Sequence, CallSource) {
        if self.rng.one_in(SEQUENCES)
            && let Some(sequence) = self.sequences.draw(&mut self.rng, &self.pool)
        {
            return (sequence, CallSource::Queued);
        }
        let turn = self.turns.tool(&mut self.rng);
        let tool = self.tools.get(turn).cloned().unwrap_or_default();
        let Some(generator) = self.generators.get(&tool) else {
            return (Sequence { steps: Vec::new(), feeds: Vec::new() }, CallSource::Queued);
        };
        let is_spent = self.health.get(&tool).is_some_and(|health| health.is_spent);
        let base = self.base_calls.get(&tool).filter(|_| !is_spent || self.rng.one_in(SPENT));
        let corpus = &self.corpus;
        let way = self.turns.way(turn, &mut self.rng, |way| match way {
            DrawKind::Afresh => true,
            DrawKind::Near => corpus.holds(&tool),
            DrawKind::Upon => base.is_some(),
        });
        if let (DrawKind::Upon, Some(base)) = (way, base) {
            return self.draw_upon(tool, base, generator);
        }
        if way == DrawKind::Near
            && let Some(kept) = self.corpus.pick(&tool, &mut self.rng)
        {
            let number = kept.number;
            let input = generator.near_value(&mut self.rng, &self.pool, kept.value(), &kept.input.changes);
            return (self.sequence_of(tool, input), CallSource::Near(number));
        }
        let input = generator.draw(&mut self.rng, &self.pool);
        (alone(tool, input), CallSource::Fresh)
    }

    fn draw_upon(&mut self, tool: String, base: &BaseCall, generator: &Generator) -> (Sequence, CallSource) {
        let other =
            if base.once && self.rng.one_in(2) { renamed(&base.value, self.names, |_| true) } else { None };
        self.names += usize::from(other.is_some());
        let input = generator.draw_upon(other.as_ref().unwrap_or(&base.value), &mut self.rng, &self.pool);
        let origin = if input == base.input { CallSource::Base } else { CallSource::Upon };
        (self.sequence_of(tool, input), origin)
    }

    /// A call preceded by the one that creates what it is about, if calls of its tool need a new thing each time;
    /// both use a fresh name.
    fn sequence_of(&mut self, tool: String, input: Input) -> Sequence {
        let Self { generators, base_calls, names, .. } = self;
        let mut given = Vec::new();
        let mut sequence = base_calls.sequence_of(tool, input, &mut |maker, call| {
            *names += 1;
            let before = call.value()?;
            let named = renamed(&before, *names, |_| true)?;
            let members = named.as_object()?.iter().filter(|(name, value)| before.get(*name) != Some(*value));
            given.extend(members.map(|(name, value)| (name.clone(), before[name].clone(), value.clone())));
            generators.get(maker)?.of_arguments(&named, &[])
        });
        if let Some((tool, input)) = sequence.steps.last_mut().filter(|_| !given.is_empty())
            && let Some(mut value) = input.value()
        {
            for (name, before, now) in given {
                if let Some(meant) = value.get_mut(&name).filter(|meant| **meant == before) {
                    *meant = now;
                }
            }
            if let Some(other) = generators.get(tool).and_then(|one| one.of_arguments(&value, &input.changes))
            {
                *input = other;
            }
        }
        sequence
    }

    /// Puts a call back that was not carried out, through no fault of its own, so that it comes next.
    pub(super) fn put_back(&mut self, sequence: Sequence, origin: CallSource) {
        self.first.push_front((sequence, origin));
    }

    /// Records the answer to a call known to succeed. After several refusals in a row it is sent again with its
    /// files and earlier calls restored; if that is refused too, fewer calls are derived from it.
    pub(super) fn record_answer(&mut self, tool: &str, origin: CallSource, is_error: bool) {
        if self.base_calls.get(tool).is_none_or(|base| base.once) {
            return;
        }
        let health = self.health.entry(tool.to_owned()).or_default();
        match (origin, is_error) {
            (CallSource::Base | CallSource::Again, false) => *health = Health::default(),
            (CallSource::Again, true) => *health = Health { refused: 0, is_spent: true },
            (CallSource::Base, true) if !health.is_spent => {
                health.refused += 1;
                let whole = self.base_calls.whole(tool).filter(|_| health.refused == REFUSED);
                self.first.extend(whole.map(|whole| (whole, CallSource::Again)));
            }
            _ => {}
        }
    }

    /// Records a call that succeeded: its values may make others succeed.
    pub(super) fn learn(&mut self, tool: &str, arguments: &Value, reply: &Value) {
        self.pool.learn(tool, arguments, reply);
    }

    /// Queues the inputs of other campaigns.
    pub(super) fn take_shared(&mut self, folders: &Folders) {
        let taken = self.corpus.take_shared(folders);
        self.queue(taken);
    }

    /// Records a call that led to something new; `brings` is the fingerprint of its reply.
    pub(super) fn keep(
        &mut self,
        (tool, input): (&str, &Input),
        brings: &str,
        origin: CallSource,
        folders: &Folders,
    ) {
        if let CallSource::Near(number) = origin {
            self.corpus.reward(tool, number);
        }
        if let (Some(way), Ok(turn)) =
            (origin.way(), self.tools.binary_search_by(|other| other.as_str().cmp(tool)))
        {
            self.turns.reward(turn, way);
        }
        // Neighbours of an input that leads out of the folders must not be sent.
        if self.generators.get(tool).is_some_and(|generator| generator.allows(input)) {
            self.corpus.keep(tool, input, Some(brings), folders);
        }
    }

    /// Records that a call crashed or hung the server.
    pub(super) fn avoid(&mut self, tool: &str, input: &Input) {
        if input.changes.is_empty() {
            *self.lethal.entry(tool.to_owned()).or_default() += 1;
        }
        for change in &input.changes {
            self.deadly.insert((tool.to_owned(), change.path.clone(), change.keyword.clone()));
        }
    }

    /// Records that a line which many parsers refuse was left unanswered.
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

/// What identifies a known change of a tool's arguments.
pub(super) fn plan_id((tool, input): &(String, Input)) -> String {
    let changes = input.changes.iter().flat_map(|change| [&change.path, &change.keyword, &change.label]);
    let parts: Vec<&str> = std::iter::once(tool).chain(changes).map(String::as_str).collect();
    fingerprint(&parts)
}

/// For each tool the arguments of its base call and of every known change of it, as one array: the files that they name are
/// laid out before the first call.
pub(super) fn led_to<'g>(
    generators: &'g BTreeMap<String, Generator>,
    base_calls: &'g BaseCalls,
) -> impl Iterator<Item = Value> + use<'g> {
    generators.iter().map(|(tool, generator)| {
        let base = base_of(tool, generator, base_calls);
        let changed = generator.each_change(base).filter_map(|input| input.value());
        std::iter::once(base.clone()).chain(changed).collect()
    })
}

/// The known changes of the successful calls, or of plain ones, with the tools taking turns; at most this many.
fn changes<'g>(
    generators: &'g BTreeMap<String, Generator>,
    base_calls: &'g BaseCalls,
    most: usize,
) -> Vec<(String, Input)> {
    let each_change = |(tool, generator): (&'g String, &'g Generator)| {
        (tool, generator.each_change(base_of(tool, generator, base_calls)))
    };
    let mut of_tools: Vec<_> = generators.iter().map(each_change).collect();
    let mut changes = Vec::new();
    while changes.len() < most && !of_tools.is_empty() {
        of_tools.retain_mut(|(tool, inputs)| match inputs.next() {
            Some(input) => {
                changes.push(((*tool).clone(), input));
                true
            }
            None => false,
        });
    }
    changes.truncate(most);
    changes
}

/// The arguments that a tool's known changes are made of.
fn base_of<'g>(tool: &str, generator: &'g Generator, base_calls: &'g BaseCalls) -> &'g Value {
    base_calls.get(tool).map_or_else(|| generator.plain_base(), |base| &base.value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use crate::catalog::Catalog;
    use crate::generate::{KnownChanges, ToolFiles, mutations};

    use super::super::corpus::tests::valid;
    use super::*;

    #[test]
    fn what_a_corpus_holds_is_sent_only_where_it_may_be() {
        let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
        let generators = crate::generate::generators(&[("read", &schema)]);
        let kept = |arguments: &str| ("read".to_owned(), valid(arguments));
        let (within, beyond) = (r#"{"path":"alpha"}"#, r#"{"path":"/no-such-folder/absent.txt"}"#);
        let base_calls = BaseCalls::default();
        let (first, corpus) = (vec![kept(within), kept(beyond)], Corpus::default());
        let part = part(Shard::WHOLE, None);
        let drawer = CallDrawer::new(1, (&generators, Rc::default()), &base_calls, corpus, first, part);
        let sent: Vec<&str> = drawer
            .first
            .iter()
            .flat_map(|(sequence, _)| &sequence.steps)
            .map(|(_, input)| input.arguments.as_str())
            .collect();
        assert!(sent.contains(&within) && !sent.contains(&beyond), "{sent:?}");
    }

    fn part(shard: Shard, calls: Option<u64>) -> PlanPart<'static> {
        static NONE: BTreeSet<String> = BTreeSet::new();
        PlanPart { shard, calls, made: &NONE, sent: 0 }
    }

    /// Generators that know the changes of tools with these schemas.
    fn with_changes(schemas: &[(String, Value)]) -> BTreeMap<String, Generator> {
        let listed: Vec<Value> =
            schemas.iter().map(|(name, schema)| json!({"name": name, "inputSchema": schema})).collect();
        let mut catalog = Catalog::default();
        catalog.add_page(&json!({"tools": listed}));
        let named: Vec<(&str, &Value)> =
            schemas.iter().map(|(name, schema)| (name.as_str(), schema)).collect();
        let mut generators = crate::generate::generators(&named);
        for (name, generator) in &mut generators {
            let tool = catalog.tool(name).expect("it is listed");
            let found = mutations(&tool.own_document(), &ToolFiles::at("/w/c"));
            generator.know_changes(KnownChanges::Fenced(found));
        }
        generators
    }

    /// The planned calls of one shard, as they are sent.
    fn planned(
        generators: &BTreeMap<String, Generator>,
        base_calls: &BaseCalls,
        part: PlanPart<'_>,
    ) -> Vec<(String, String)> {
        let seed = part.shard.seed(7);
        let drawer = CallDrawer::new(
            seed,
            (generators, Rc::default()),
            base_calls,
            Corpus::default(),
            Vec::new(),
            part,
        );
        let of_plan = drawer.first.into_iter().filter(|(_, source)| *source == CallSource::Planned);
        let steps = of_plan.flat_map(|(sequence, _)| sequence.steps);
        steps.map(|(tool, input)| (tool, input.arguments)).collect()
    }

    #[test]
    fn a_call_is_seldom_drawn_again() {
        let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}});
        let generators = with_changes(&[("read".to_owned(), schema)]);
        let base_calls = BaseCalls::default();
        let part = part(Shard::WHOLE, Some(0));
        let mut drawer = CallDrawer::new(
            1,
            (&generators, Rc::default()),
            &base_calls,
            Corpus::default(),
            Vec::new(),
            part,
        );
        let drawn = std::iter::from_fn(|| drawer.next()).take(2_000);
        let distinct: BTreeSet<String> =
            drawn.map(|(sequence, _)| sequence.steps[0].1.arguments.clone()).collect();
        assert!(distinct.len() > 1_600, "{}", distinct.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_shards_have_together_the_plan_of_one(
            tools in proptest::collection::vec(1_usize..6, 1..5),
            count in 1_u64..12,
            calls in proptest::option::of(1_u64..400),
        ) {
            let schemas: Vec<(String, Value)> = tools.iter().enumerate().map(|(tool, parameters)| {
                let properties: serde_json::Map<String, Value> =
                    (0..*parameters).map(|number| (format!("p{number}"), json!({"type": "string"}))).collect();
                (format!("tool{tool}"), json!({"type": "object", "properties": properties, "required": ["p0"]}))
            }).collect();
            let generators = with_changes(&schemas);
            let base_calls = BaseCalls::default();
            let whole = part(Shard::WHOLE, calls.map(|calls| calls * count));
            let mut whole = planned(&generators, &base_calls, whole);
            prop_assert!(calls.is_some_and(|calls| calls * count < 4) || !whole.is_empty());
            let mut parts: Vec<(String, String)> = (1..=count)
                .filter_map(|number| Shard::new(number, count))
                .flat_map(|shard| planned(&generators, &base_calls, part(shard, calls)))
                .collect();
            whole.sort();
            parts.sort();
            prop_assert_eq!(parts, whole);
        }
    }

    #[test]
    fn a_change_that_was_made_is_not_made_again() {
        let schema =
            json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
        let generators = with_changes(&[("read".to_owned(), schema)]);
        let base_calls = BaseCalls::default();
        let all = changes(&generators, &base_calls, CHANGES);
        let made: BTreeSet<String> = all.iter().take(3).map(plan_id).collect();
        assert_eq!(made.len(), 3, "each change has its own id");
        let continued = PlanPart { made: &made, sent: 9, ..part(Shard::WHOLE, None) };
        let rest = planned(&generators, &base_calls, continued);
        assert_eq!(rest.len(), planned(&generators, &base_calls, part(Shard::WHOLE, None)).len() - 3);
    }
}
