//! Counts of right and wrong answers, by kind.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::Answer;

/// Labels and answers that are no kind.
const NO_KIND: [&str; 3] = ["none", "free text", "text"];

/// How often a kind was right, wrong and missed.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Count {
    right: usize,
    wrong: usize,
    missed: usize,
}

/// The counts over some parameters.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    parameters: usize,
    /// Parameters whose answer is one of their labels, also where that is no kind.
    agreeing: usize,
    sum: Count,
    kinds: BTreeMap<String, Count>,
}

impl Tally {
    pub(crate) fn of<'a>(answers: impl Iterator<Item = &'a Answer>) -> Self {
        let mut tally = Self::default();
        for answer in answers {
            tally.parameters += 1;
            let agrees = answer.agrees();
            tally.agreeing += usize::from(agrees);
            if is_kind(&answer.taken) {
                let count = tally.kinds.entry(answer.taken.clone()).or_default();
                *(if agrees { &mut count.right } else { &mut count.wrong }) += 1;
            }
            if let Some(first) = answer.labels.first().filter(|label| is_kind(label) && !agrees) {
                tally.kinds.entry(first.clone()).or_default().missed += 1;
            }
        }
        for count in tally.kinds.values() {
            tally.sum.right += count.right;
            tally.sum.wrong += count.wrong;
            tally.sum.missed += count.missed;
        }
        tally
    }

    pub(crate) fn to_json(&self) -> Value {
        let of = |count: &Count| {
            json!({"right": count.right, "wrong": count.wrong, "missed": count.missed,
                   "precision": count.precision(), "recall": count.recall()})
        };
        let kinds: BTreeMap<_, _> = self.kinds.iter().map(|(kind, count)| (kind, of(count))).collect();
        json!({"parameters": self.parameters, "agreeing": self.agreeing, "sum": of(&self.sum), "kinds": kinds})
    }
}

impl Count {
    /// The share of its answers that are right; `None` if there is none.
    fn precision(&self) -> Option<f64> {
        share(self.right, self.right + self.wrong)
    }

    /// The share of its parameters that are found; `None` if there is none.
    fn recall(&self) -> Option<f64> {
        share(self.right, self.right + self.missed)
    }
}

impl Answer {
    /// A text that is taken for nothing in particular is right where it is prose, and where it is no kind of text.
    fn agrees(&self) -> bool {
        self.labels.contains(&self.taken)
            || self.taken == "text" && self.labels.iter().any(|label| NO_KIND.contains(&label.as_str()))
    }
}

fn is_kind(name: &str) -> bool {
    !NO_KIND.contains(&name)
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| (part as f64 * 1000.0 / whole as f64).round() / 1000.0)
}

/// Prints the counts of servers that the table was changed by and of the others, and what is mistaken for what.
pub(crate) fn print(halves: &[Tally; 2], answers: &[Answer], each: bool) {
    println!("{:<24}{:>31}{:>31}", "", "tuned", "others");
    let names = ["precision", "recall", "right", "missed"];
    let row: Vec<String> = names.iter().chain(&names).map(|name| format!("{name:>9}")).collect();
    println!("{:<20}{}", "kind", row.join(""));
    let kinds: BTreeSet<&String> = halves.iter().flat_map(|half| half.kinds.keys()).collect();
    for kind in kinds {
        line(kind, halves.each_ref().map(|half| half.kinds.get(kind).copied().unwrap_or_default()));
    }
    line("in sum", halves.each_ref().map(|half| half.sum));
    for (half, name) in halves.iter().zip(["tuned", "others"]) {
        println!("{name}: {} of {} parameters agree with a label", half.agreeing, half.parameters);
    }
    let mut mistaken: BTreeMap<(&str, &str), Vec<&Answer>> = BTreeMap::new();
    for answer in answers.iter().filter(|answer| !answer.agrees()) {
        let label = answer.labels.first().map_or("none", String::as_str);
        mistaken.entry((label, &answer.taken)).or_default().push(answer);
    }
    let mut mistaken: Vec<_> = mistaken.into_iter().collect();
    mistaken.sort_by_key(|(_, answers)| std::cmp::Reverse(answers.len()));
    let most = if each { usize::MAX } else { 15 };
    for ((label, taken), answers) in mistaken.into_iter().take(most) {
        println!("{label}, taken for {taken}: {}", answers.len());
        for answer in answers.iter().filter(|_| each) {
            println!("    {} {}{}", answer.server, answer.place, if answer.tuned { "" } else { " (other)" });
        }
    }
}

fn line(kind: &str, counts: [Count; 2]) {
    let cell = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{share:.2}"));
    let cells: Vec<String> = counts
        .iter()
        .flat_map(|count| {
            [cell(count.precision()), cell(count.recall()), count.right.to_string(), count.missed.to_string()]
        })
        .map(|cell| format!("{cell:>9}"))
        .collect();
    println!("{kind:<20}{}", cells.join(""));
}
