//! How good the models are: by folds that keep a source together, on the sources that are set aside, with fewer texts, and
//! together with the rules.

#[path = "shared/corpus.rs"]
mod corpus;

use std::collections::BTreeMap;

use corpus::{Labelled, lessons};
use mcp_errconf_second_reader::{Features, Question, Weights, train};

const FOLDS: usize = 5;

/// A text with the true answer, the model's and that of the rules.
struct Answered<'a> {
    text: &'a Labelled,
    truth: bool,
    probability: f32,
}

fn main() {
    let (options, wanted): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let is_listed = options.iter().any(|option| option == "--list");
    let texts = corpus::read();
    for question in
        Question::ALL.into_iter().filter(|it| wanted.is_empty() || wanted.contains(&it.name().to_owned()))
    {
        let asked: Vec<&Labelled> =
            texts.iter().filter(|text| text.answers.contains_key(&question)).collect();
        let (aside, used): (Vec<&Labelled>, Vec<&Labelled>) =
            asked.into_iter().partition(|text| text.is_set_aside);
        println!("\n{}", question.name());
        if is_listed {
            list(by_folds(&used, question, 1));
            continue;
        }
        for share in [1, 2, 4] {
            let answered = by_folds(&used, question, share);
            println!("  folds, 1/{share} of the lessons: {}", summary(&answered));
            if share == 1 {
                tables(&answered, question);
            }
        }
        let answered = answer(&lessons(used.iter().copied(), question), &aside, question);
        println!("  set aside: {}", summary(&answered));
        tables(&answered, question);
    }
}

fn answer<'a>(
    lessons: &[(&Features, bool)],
    texts: &[&'a Labelled],
    question: Question,
) -> Vec<Answered<'a>> {
    let weights = train(lessons);
    let weights = Weights::read(weights.as_slice().try_into().expect("weights have one length"));
    let answered = texts.iter().map(|text| Answered {
        text,
        truth: text.answers[&question],
        probability: weights.probability(text.reading.features()),
    });
    answered.collect()
}

/// Each text is answered by a model that knows nothing of its source.
fn by_folds<'a>(texts: &[&'a Labelled], question: Question, share: usize) -> Vec<Answered<'a>> {
    let folds = folds(texts);
    let fold = |number: usize| {
        let (test, rest): (Vec<&Labelled>, Vec<&Labelled>) =
            texts.iter().partition(|text| folds[text.source.as_str()] == number);
        answer(&lessons(rest.into_iter().step_by(share), question), &test, question)
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..FOLDS).map(|number| scope.spawn(move || fold(number))).collect();
        running.into_iter().flat_map(|fold| fold.join().expect("training does not panic")).collect()
    })
}

/// The fold of each source: the largest sources first, each into the fold that has the fewest texts.
fn folds<'a>(texts: &[&'a Labelled]) -> BTreeMap<&'a str, usize> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for text in texts {
        *sizes.entry(&text.source).or_default() += 1;
    }
    let mut sources: Vec<(&str, usize)> = sizes.into_iter().collect();
    sources.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    let mut filled = [0; FOLDS];
    let place = |(source, size): (&'a str, usize)| {
        let fold = (0..FOLDS).min_by_key(|fold| filled[*fold]).expect("there are folds");
        filled[fold] += size;
        (source, fold)
    };
    sources.into_iter().map(place).collect()
}

/// The texts that the model reads otherwise than their label says, those of which it is surest first.
fn list(mut answered: Vec<Answered<'_>>) {
    answered.retain(|it| it.truth != (it.probability > 0.5));
    let doubt = |it: &Answered<'_>| (it.probability - 0.5).abs();
    answered.sort_by(|one, other| doubt(other).total_cmp(&doubt(one)));
    for Answered { text, truth, probability } in answered {
        println!("  {} {probability:.3}, but {truth}, {}: {}", text.id, text.source, text.reading.text());
    }
}

/// Precision and recall of a decision.
fn score(answered: &[Answered<'_>], decide: impl Fn(&Answered<'_>) -> bool) -> String {
    let count = |test: &dyn Fn(&Answered<'_>) -> bool| answered.iter().filter(|it| test(it)).count();
    let (found, true_ones) = (count(&|it| decide(it)), count(&|it| it.truth));
    let hits = count(&|it| it.truth && decide(it));
    format!(
        "P {} R {} ({} of {true_ones}, {} wrong)",
        ratio(hits, found),
        ratio(hits, true_ones),
        hits,
        found - hits
    )
}

#[expect(clippy::cast_precision_loss, reason = "a corpus is small")]
fn ratio(part: usize, whole: usize) -> String {
    format!("{:.3}", part as f64 / whole.max(1) as f64)
}

fn summary(answered: &[Answered<'_>]) -> String {
    let sources: std::collections::BTreeSet<&str> =
        answered.iter().map(|it| it.text.source.as_str()).collect();
    let (mut yes, mut no): (Vec<&Answered<'_>>, Vec<&Answered<'_>>) =
        answered.iter().partition(|it| it.truth);
    yes.sort_by(|one, other| one.probability.total_cmp(&other.probability));
    no.sort_by(|one, other| one.probability.total_cmp(&other.probability));
    let above = |it: &&Answered<'_>| no.partition_point(|other| other.probability < it.probability);
    let area = ratio(yes.iter().map(above).sum(), yes.len() * no.len());
    let half = score(answered, |it| it.probability > 0.5);
    format!("{} texts of {} sources, AUC {area}; at 0.50: {half}", answered.len(), sources.len())
}

fn tables(answered: &[Answered<'_>], question: Question) {
    for threshold in [0.1, 0.3, 0.8, 0.9, 0.95, 0.98, 0.99] {
        println!("    model > {threshold}: {}", score(answered, |it| it.probability > threshold));
    }
    let with_rules: Vec<Answered<'_>> = answered
        .iter()
        .filter(|it| it.text.rules.contains_key(&question))
        .map(|it| Answered { text: it.text, ..*it })
        .collect();
    if with_rules.is_empty() {
        return;
    }
    let rules = |it: &Answered<'_>| it.text.rules[&question];
    println!("    rules alone: {}", score(&with_rules, rules));
    for low in [0.02, 0.05, 0.1, 0.2, 0.3, 0.5] {
        println!(
            "    rules and model > {low}: {}",
            score(&with_rules, |it| rules(it) && it.probability > low)
        );
    }
    for (low, high) in [(0.05, 0.99), (0.1, 0.98), (0.1, 0.99), (0.2, 0.95), (0.2, 0.99)] {
        let decide = |it: &Answered<'_>| rules(it) && it.probability > low || it.probability > high;
        println!("    (rules and model > {low}) or model > {high}: {}", score(&with_rules, decide));
    }
}
