//! Smaller candidates for an input that shows a fault.
//!
//! The main type is [`Reduction`], one way to make a value in an input smaller. Reductions are listed at once but
//! applied lazily, because most are never needed; each result is smaller by [`Input::size`], so that minimizing
//! ends.

use std::ops::Range;

use serde_json::Value;

use super::compiled::{CompiledSchema, NodeId};
use super::edit::{RawTexts, Step};
use super::executable::ExecutableKind;
use super::generator::Generator;
use super::input::Input;
use super::tree::{Tree, units};

/// At most this many places of one input are tried.
const PLACES: usize = 400;
/// At most this many characters of a text are tried one by one.
const LETTERS: usize = 48;

/// One way to make the value at a place smaller.
#[derive(Debug, Clone)]
enum Reduction {
    /// Remove these items, members, or characters.
    Drop(Range<usize>),
    /// Replace the container by this item or member.
    Hoist(usize),
    /// Replace these characters by plain ones.
    Plain(Range<usize>),
    Set(Tree),
}

/// A place in a tree: the index of the item or member at each level, and the node that describes it.
type TreePlace = (Vec<usize>, Option<NodeId>);

impl Generator {
    /// Candidates that are smaller than an input by [`Input::size`], the most promising first.
    pub fn simpler<'g>(&'g self, input: &Input) -> impl Iterator<Item = Input> + use<'g> {
        let size = input.size();
        let tree = Tree::parse(&input.arguments);
        let cuts = tree.as_ref().map(|tree| self.cuts(tree)).unwrap_or_default();
        let changes = input.changes.clone();
        let cut = cuts.into_iter().filter_map(move |(at, reduction)| {
            let mut smaller = tree.clone()?;
            reduction.make(at.iter().try_fold(&mut smaller, |tree, index| tree.child_mut(*index))?)?;
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
        let base = &self.base;
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

    /// The reductions of a tree, each with its place.
    fn cuts(&self, tree: &Tree) -> Vec<(Vec<usize>, Reduction)> {
        let mut places = Vec::new();
        self.places(tree, (Vec::new(), Some(CompiledSchema::ROOT)), &mut places);
        let mut cuts = Vec::new();
        for ((at, node), tree) in &places {
            // What is executed stays as it is, and the arguments object stays an object, if it is one.
            let is_whole = at.is_empty() && matches!(tree, Tree::Members(_));
            let fewer = if self.executable(*node).is_some() { Vec::new() } else { drops(tree) };
            let fewer = fewer.into_iter().filter(|how| !is_whole || !matches!(how, Reduction::Hoist(_)));
            cuts.extend(fewer.map(|how| (at.clone(), how)));
        }
        for ((at, node), tree) in &places {
            let plainer: Vec<Reduction> = match (self.executable(*node), tree) {
                (Some((executable, schema)), _) => {
                    let plainest = executable.plainest(schema).to_string();
                    let texts = [plainest.as_str(), "\"\"", "[]", "null"].into_iter();
                    texts.filter_map(Tree::parse).map(Reduction::Set).collect()
                }
                (None, Tree::Text(text)) => {
                    // A path keeps the folder, because otherwise it would lead out of it.
                    let folder = self.fence.folder();
                    letters(text, if text.starts_with(folder) { units(folder).len() + 1 } else { 0 })
                }
                (None, Tree::Word(word)) => {
                    nearer(word).into_iter().map(|word| Reduction::Set(Tree::Word(word))).collect()
                }
                (None, Tree::List(_) | Tree::Members(_)) => Vec::new(),
            };
            cuts.extend(plainer.into_iter().map(|how| (at.clone(), how)));
        }
        cuts
    }

    fn places<'t>(&self, tree: &'t Tree, place: TreePlace, found: &mut Vec<(TreePlace, &'t Tree)>) {
        if found.len() >= PLACES {
            return;
        }
        let inner = |index: usize, step: Step| -> TreePlace {
            let node = place.1.and_then(|id| step.node(&self.compiled, id));
            (place.0.iter().copied().chain([index]).collect(), node)
        };
        let children: Vec<(TreePlace, &Tree)> = match tree {
            _ if self.executable(place.1).is_some() => Vec::new(),
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
        found.push((place, tree));
        for (place, child) in children {
            self.places(child, place, found);
        }
    }

    fn executable(&self, node: Option<NodeId>) -> Option<&(ExecutableKind, Value)> {
        self.compiled.node(node?).executable.as_ref()
    }
}

/// Fewer items and members: halves first, then one by one.
fn drops(tree: &Tree) -> Vec<Reduction> {
    let (count, is_list) = match tree {
        Tree::List(items) => (items.len(), true),
        Tree::Members(members) => (members.len(), false),
        Tree::Word(_) | Tree::Text(_) => return Vec::new(),
    };
    let mut found = Vec::new();
    if count > 0 {
        found.push(Reduction::Drop(0..count));
    }
    let mut part = count / 2;
    while part > 1 || part == 1 && count <= LETTERS {
        let from = (0..count).step_by(part).take(LETTERS);
        found.extend(from.map(|from| Reduction::Drop(from..(from + part).min(count))));
        part /= 2;
    }
    if count == 1 || !is_list {
        found.extend((0..count.min(LETTERS)).map(Reduction::Hoist));
    }
    found
}

/// Shorter and plainer texts: halves first, then smaller and smaller cuts. The characters `before` are kept.
fn letters(text: &str, before: usize) -> Vec<Reduction> {
    let units = units(text);
    let end = units.len();
    let before = before.min(end);
    let count = end - before;
    if count == 0 {
        return Vec::new();
    }
    let mut found = vec![Reduction::Drop(before..end)];
    let mut missing = count.div_ceil(2);
    loop {
        found.extend([end - missing..end, before..before + missing].map(Reduction::Drop));
        if missing == 1 {
            break;
        }
        missing = missing.div_ceil(2);
    }
    if units[before..].iter().any(|unit| *unit != "a") {
        let half = before + count / 2;
        found.extend([before..end, before..half, half..end].map(Reduction::Plain));
    }
    for index in (before..end).take(LETTERS) {
        found.push(Reduction::Drop(index..index + 1));
        if units[index] != "a" {
            found.push(Reduction::Plain(index..index + 1));
        }
    }
    found
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
    fn make(self, place: &mut Tree) -> Option<()> {
        match (self, place) {
            (Self::Drop(range), Tree::List(items)) => drop(items.drain(range)),
            (Self::Drop(range), Tree::Members(members)) => drop(members.drain(range)),
            (Self::Drop(range), Tree::Text(text)) => {
                let mut units = units(text);
                units.drain(range);
                *text = units.concat();
            }
            (Self::Hoist(index), place) => {
                let child = place.child_mut(index)?;
                *place = std::mem::replace(child, Tree::Word("null".to_owned()));
            }
            (Self::Plain(range), Tree::Text(text)) => {
                let mut units = units(text);
                units[range].fill("a");
                *text = units.concat();
            }
            (Self::Set(set), place) => *place = set,
            (Self::Drop(_) | Self::Plain(_), _) => return None,
        }
        Some(())
    }
}
