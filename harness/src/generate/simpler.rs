//! Smaller candidates for an input that shows a fault.
//!
//! The main type is [`Reduction`], one way to make an input's tree smaller. Reductions are listed at once but
//! applied lazily, because most are never needed; each result is smaller by [`Input::size`], so that minimizing
//! ends.

use std::ops::Range;

use serde_json::Value;

use super::compiled::{CompiledSchema, NodeId};
use super::edit::{RawTexts, Step};
use super::fence::TextUse;
use super::generator::Generator;
use super::input::Input;
use super::tree::{Tree, units};
use super::valid::reading;

/// At most this many places of one input are tried.
const PLACES: usize = 400;
/// At most this many characters of a text are tried one by one.
const LETTERS: usize = 48;

/// One way to make a tree smaller.
#[derive(Debug, Clone)]
struct Reduction {
    /// The place: the index of the item or member at each level.
    at: Vec<usize>,
    how: ReductionKind,
}

#[derive(Debug, Clone)]
enum ReductionKind {
    /// Remove these items or members.
    Drop(Range<usize>),
    /// Replace the container by this item or member.
    Hoist(usize),
    /// Keep only these characters, after a number of them that are always kept.
    Keep {
        before: usize,
        range: Range<usize>,
    },
    /// Remove this character.
    Without(usize),
    /// Replace these characters by plain ones.
    Plain(Range<usize>),
    Set(Tree),
}

impl Generator {
    /// Candidates that are smaller than an input by [`Input::size`], the most promising first.
    pub fn simpler<'g>(&'g self, input: &Input) -> impl Iterator<Item = Input> + use<'g> {
        let size = input.size();
        let tree = Tree::parse(&input.arguments);
        let cuts = tree.as_ref().map(|tree| self.cuts(tree)).unwrap_or_default();
        let changes = input.changes.clone();
        let cut = cuts.into_iter().filter_map(move |cut| {
            let mut smaller = tree.clone()?;
            cut.make(&mut smaller)?;
            let text = smaller.written();
            let value = serde_json::from_str::<Value>(&text).ok();
            self.judged_text(text, self.remaining(&changes, value.as_ref()))
        });
        self.plain_inputs(input).into_iter().chain(cut).filter(move |candidate| candidate.size() < size)
    }

    /// The plain arguments, and these with one value of the input each.
    fn plain_inputs(&self, input: &Input) -> Vec<Input> {
        if !self.is_complete() {
            return Vec::new();
        }
        let base = self.base();
        let mut found: Vec<Input> = self.judged(base, &RawTexts::default(), Vec::new()).into_iter().collect();
        if let (Some(Value::Object(members)), Value::Object(plain)) = (input.value(), base) {
            for (name, value) in members.iter().filter(|(name, value)| plain.get(*name) != Some(value)) {
                let mut with_one = plain.clone();
                with_one.insert(name.clone(), value.clone());
                let with_one = Value::Object(with_one);
                let changes = self.remaining(&input.changes, Some(&with_one));
                found.extend(self.judged(&with_one, &RawTexts::default(), changes));
            }
        }
        found
    }

    fn cuts(&self, tree: &Tree) -> Vec<Reduction> {
        let mut places = Vec::new();
        self.places(
            tree,
            TreePlace { at: Vec::new(), node: Some(CompiledSchema::ROOT), reading: TextUse::Text },
            &mut places,
        );
        let mut cuts = Vec::new();
        for (spot, tree) in &places {
            let is_fixed = self.executable(spot);
            drops(tree, is_fixed, &mut |how| {
                // The arguments object stays an object, if it is one.
                if !(spot.at.is_empty()
                    && matches!((tree, &how), (Tree::Members(_), ReductionKind::Hoist(_))))
                {
                    cuts.push(Reduction { at: spot.at.clone(), how });
                }
            });
        }
        for (spot, tree) in &places {
            match tree {
                _ if self.executable(spot) => {
                    let plainest = spot.node.and_then(|id| self.compiled().node(id).executable.as_ref());
                    let plainest =
                        plainest.map(|(executable, schema)| executable.plainest(schema).to_string());
                    for text in plainest.iter().map(String::as_str).chain(["\"\"", "[]", "null"]) {
                        let set = Tree::parse(text).map(ReductionKind::Set);
                        cuts.extend(set.map(|how| Reduction { at: spot.at.clone(), how }));
                    }
                }
                Tree::Text(text) => {
                    // A path keeps the folder, because otherwise it would lead out of it.
                    let folder = self.fence().folder();
                    let before = match text.strip_prefix(folder) {
                        Some(_) => units(folder).len() + 1,
                        None => 0,
                    };
                    letters(text, before, &mut |how| cuts.push(Reduction { at: spot.at.clone(), how }));
                }
                Tree::Word(word) => {
                    let words = nearer(word).into_iter().map(|word| ReductionKind::Set(Tree::Word(word)));
                    cuts.extend(words.map(|how| Reduction { at: spot.at.clone(), how }));
                }
                Tree::List(_) | Tree::Members(_) => {}
            }
        }
        cuts
    }

    fn places<'t>(&self, tree: &'t Tree, spot: TreePlace, found: &mut Vec<(TreePlace, &'t Tree)>) {
        if found.len() >= PLACES {
            return;
        }
        let inner = |index: usize, step: Step| {
            let node = spot.node.and_then(|id| step.node(self.compiled(), id));
            let mut at = spot.at.clone();
            at.push(index);
            let own = node.map(|id| reading(self.compiled().node(id)));
            TreePlace { at, node, reading: own.unwrap_or(spot.reading) }
        };
        let children: Vec<(TreePlace, &Tree)> = match tree {
            Tree::List(items) => {
                let child = |(index, item)| (inner(index, Step::Index(index)), item);
                items.iter().enumerate().map(child).collect()
            }
            Tree::Members(members) => {
                let child = |(index, (name, member)): (usize, &'t (String, Tree))| {
                    (inner(index, Step::Key(name.clone())), member)
                };
                members.iter().enumerate().map(child).collect()
            }
            Tree::Word(_) | Tree::Text(_) => Vec::new(),
        };
        let is_fixed = self.executable(&spot);
        found.push((spot, tree));
        if !is_fixed {
            for (spot, child) in children {
                self.places(child, spot, found);
            }
        }
    }

    fn executable(&self, spot: &TreePlace) -> bool {
        spot.node.is_some_and(|id| self.compiled().node(id).executable.is_some())
    }
}

/// A place in a tree, with its properties.
struct TreePlace {
    at: Vec<usize>,
    node: Option<NodeId>,
    reading: TextUse,
}

/// Fewer items and members: halves first, then one by one.
fn drops(tree: &Tree, is_fixed: bool, take: &mut dyn FnMut(ReductionKind)) {
    let (count, is_list) = match tree {
        Tree::List(items) => (items.len(), true),
        Tree::Members(members) => (members.len(), false),
        Tree::Word(_) | Tree::Text(_) => return,
    };
    if is_fixed || count == 0 {
        return;
    }
    if count > 1 {
        take(ReductionKind::Drop(0..count));
        let mut part = count / 2;
        while part > 1 || part == 1 && count <= LETTERS {
            for from in (0..count).step_by(part).take(LETTERS) {
                take(ReductionKind::Drop(from..(from + part).min(count)));
            }
            part /= 2;
        }
    } else {
        take(ReductionKind::Drop(0..1));
    }
    if count == 1 || !is_list {
        (0..count.min(LETTERS)).for_each(|index| take(ReductionKind::Hoist(index)));
    }
}

/// Shorter and plainer texts: halves first, then smaller and smaller cuts.
fn letters(text: &str, before: usize, take: &mut dyn FnMut(ReductionKind)) {
    let units = units(text);
    let before = before.min(units.len());
    let count = units.len() - before;
    if count == 0 {
        return;
    }
    take(ReductionKind::Keep { before, range: 0..0 });
    let mut missing = count.div_ceil(2);
    loop {
        take(ReductionKind::Keep { before, range: 0..count - missing });
        take(ReductionKind::Keep { before, range: missing..count });
        if missing == 1 {
            break;
        }
        missing = missing.div_ceil(2);
    }
    if units[before..].iter().any(|unit| *unit != "a") {
        take(ReductionKind::Plain(before..units.len()));
        let half = before + count / 2;
        take(ReductionKind::Plain(before..half));
        take(ReductionKind::Plain(half..units.len()));
    }
    for index in (before..units.len()).take(LETTERS) {
        take(ReductionKind::Without(index));
        if units[index] != "a" {
            take(ReductionKind::Plain(index..index + 1));
        }
    }
}

/// Smaller numbers, by bisection towards zero.
fn nearer(word: &str) -> Vec<String> {
    match word {
        "null" => return Vec::new(),
        "true" | "false" => return vec!["null".to_owned(), "false".to_owned()],
        _ => {}
    }
    let mut found = vec!["0".to_owned(), "1".to_owned()];
    match word.parse::<i128>() {
        Ok(number) => {
            let sign = number.signum();
            if sign < 0 {
                found.push(number.unsigned_abs().to_string());
            }
            let mut missing = number.unsigned_abs();
            while missing > 1 {
                missing = missing.div_ceil(2);
                let step = i128::try_from(missing).unwrap_or(i128::MAX).saturating_mul(sign);
                found.push(number.saturating_sub(step).to_string());
            }
        }
        Err(_) => {
            if let Some(number) =
                word.parse::<f64>().ok().filter(|number| number.is_finite() && number.abs() < 1e30)
            {
                found.push(format!("{}", number.trunc() as i128));
                found.push(format!("{}", (number / 2.0).trunc() as i128));
            }
            found.extend(["1e308", "1000000000000"].map(str::to_owned));
        }
    }
    found
}

impl Reduction {
    fn make(self, tree: &mut Tree) -> Option<()> {
        let place = self.at.iter().try_fold(tree, |tree, index| tree.child_mut(*index))?;
        match self.how {
            ReductionKind::Drop(range) => match place {
                Tree::List(items) => drop(items.drain(range)),
                Tree::Members(members) => drop(members.drain(range)),
                Tree::Word(_) | Tree::Text(_) => return None,
            },
            ReductionKind::Hoist(index) => {
                let child = place.child_mut(index)?;
                let child = std::mem::replace(child, Tree::Word("null".to_owned()));
                *place = child;
            }
            ReductionKind::Keep { before, range } => {
                let Tree::Text(text) = place else { return None };
                let all = units(text);
                *text = all[..before].iter().chain(&all[before..][range]).copied().collect();
            }
            ReductionKind::Without(at) => {
                let Tree::Text(text) = place else { return None };
                *text = units(text)
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| *index != at)
                    .map(|(_, unit)| *unit)
                    .collect();
            }
            ReductionKind::Plain(range) => {
                let Tree::Text(text) = place else { return None };
                let plain = |(index, unit)| if range.contains(&index) { "a" } else { unit };
                *text = units(text).into_iter().enumerate().map(plain).collect();
            }
            ReductionKind::Set(set) => *place = set,
        }
        Some(())
    }
}
