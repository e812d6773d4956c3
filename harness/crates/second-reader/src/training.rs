//! Logistic regression with L2 regularisation, trained by L-BFGS.
//!
//! `linfa-logistic` was compared: it takes dense matrices alone (330 MB for 5,000 texts), and its linear algebra chooses
//! instructions by the processor, so that two machines may train different bytes; this needs neither, in 130 lines. The
//! order of every sum is fixed, and `exp` and `ln` are built from operations that every machine rounds alike: the same
//! texts give the same bytes.

use crate::features::{Features, SIZE};
use crate::weights::pack;

/// How much a text that is misread costs, relative to large weights.
const COST: f64 = 100.0;
const ITERATIONS: usize = 300;
/// So many past steps are remembered.
const MEMORY: usize = 10;
/// A step that changes the loss by a smaller part is the last.
const TOLERANCE: f64 = 1e-7;

/// Trains weights from texts with their answers, as [`Weights::read`](crate::Weights::read) takes them. Both answers count
/// alike, however many texts have them.
pub fn train(texts: &[(&Features, bool)]) -> Vec<u8> {
    let problem = Problem::new(texts);
    let weights = minimise(&problem);
    pack(&weights[..SIZE], weights[SIZE])
}

struct Problem<'a> {
    texts: &'a [(&'a Features, bool)],
    /// The cost of a wrong no and of a wrong yes.
    costs: [f64; 2],
}

impl<'a> Problem<'a> {
    fn new(texts: &'a [(&'a Features, bool)]) -> Self {
        let cost = |answer: bool| {
            let of_it = texts.iter().filter(|(_, is)| *is == answer).count();
            COST * as_f64(texts.len()) / (2.0 * as_f64(of_it.max(1)))
        };
        Self { texts, costs: [cost(false), cost(true)] }
    }

    /// The loss of weights, the last of which is the bias, and its gradient.
    fn loss(&self, weights: &[f64]) -> (f64, Vec<f64>) {
        let mut gradient = weights.to_vec();
        gradient[SIZE] = 0.0;
        let mut loss = dot(&weights[..SIZE], &weights[..SIZE]) / 2.0;
        for (features, answer) in self.texts {
            let sum: f64 = features.iter().map(|(bucket, value)| weights[bucket] * f64::from(value)).sum();
            let margin = if *answer { sum + weights[SIZE] } else { -sum - weights[SIZE] };
            let cost = self.costs[usize::from(*answer)];
            let odds = exp(-margin.abs());
            loss += cost * (ln(1.0 + odds) + (-margin).max(0.0));
            let wrong = if margin > 0.0 { odds } else { 1.0 } / (1.0 + odds);
            let slope = if *answer { -cost * wrong } else { cost * wrong };
            for (bucket, value) in features.iter() {
                gradient[bucket] += slope * f64::from(value);
            }
            gradient[SIZE] += slope;
        }
        (loss, gradient)
    }
}

/// One past step: how the weights and the gradient changed.
struct Step {
    weights: Vec<f64>,
    gradient: Vec<f64>,
}

fn minimise(problem: &Problem<'_>) -> Vec<f64> {
    let mut weights = vec![0.0; SIZE + 1];
    let (mut loss, mut gradient) = problem.loss(&weights);
    let mut steps: Vec<Step> = Vec::new();
    for _ in 0..ITERATIONS {
        let direction = direction(&gradient, &steps);
        let slope = dot(&direction, &gradient);
        let mut length = if steps.is_empty() { 1.0 / dot(&gradient, &gradient).sqrt() } else { 1.0 };
        let (next, next_loss, next_gradient) = loop {
            let next: Vec<f64> =
                weights.iter().zip(&direction).map(|(weight, step)| weight + length * step).collect();
            let (next_loss, next_gradient) = problem.loss(&next);
            if next_loss <= loss + 1e-4 * length * slope || length < 1e-9 {
                break (next, next_loss, next_gradient);
            }
            length /= 2.0;
        };
        let step =
            Step { weights: difference(&next, &weights), gradient: difference(&next_gradient, &gradient) };
        if dot(&step.weights, &step.gradient) > 0.0 {
            steps.push(step);
        }
        if steps.len() > MEMORY {
            steps.remove(0);
        }
        let gain = loss - next_loss;
        (weights, loss, gradient) = (next, next_loss, next_gradient);
        if gain < TOLERANCE * loss {
            break;
        }
    }
    weights
}

/// The direction of the next step: downhill, bent by what past steps say of the curvature.
fn direction(gradient: &[f64], steps: &[Step]) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::new();
    for step in steps.iter().rev() {
        let share = dot(&step.weights, &direction) / dot(&step.weights, &step.gradient);
        add(&mut direction, -share, &step.gradient);
        shares.push(share);
    }
    if let Some(last) = steps.last() {
        let scale = dot(&last.weights, &last.gradient) / dot(&last.gradient, &last.gradient);
        direction.iter_mut().for_each(|part| *part *= scale);
    }
    for (step, share) in steps.iter().zip(shares.into_iter().rev()) {
        let part = dot(&step.gradient, &direction) / dot(&step.weights, &step.gradient);
        add(&mut direction, share - part, &step.weights);
    }
    direction
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn add(to: &mut [f64], share: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += share * what);
}

fn difference(left: &[f64], right: &[f64]) -> Vec<f64> {
    left.iter().zip(right).map(|(left, right)| left - right).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a corpus is small")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// The exponential function of a number that is not above 0: by its series, on a part of the number that is small.
fn exp(number: f64) -> f64 {
    const HALVINGS: u32 = 10;
    let small = number.max(-700.0) / f64::from(1 << HALVINGS);
    let series = (1..=8).rev().fold(1.0, |sum, power| 1.0 + sum * small / f64::from(power));
    (0..HALVINGS).fold(series, |power, _| power * power)
}

/// The logarithm of a number from 1 to 2, by its series.
fn ln(number: f64) -> f64 {
    let part = (number - 1.0) / (number + 1.0);
    let square = part * part;
    let series = (0..20).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    2.0 * part * series
}

#[cfg(test)]
mod tests {
    use super::{exp, ln, train};
    use crate::{Features, MaskedText, Sent, Weights};

    #[test]
    fn exp_and_ln_are_what_the_library_says() {
        for tenth in 0..=400 {
            let number = -f64::from(tenth) / 10.0;
            assert!((exp(number) / number.exp() - 1.0).abs() < 1e-11, "{number}");
            let number = 1.0 + f64::from(tenth) / 400.0;
            assert!((ln(number) - number.ln()).abs() < 1e-14, "{number}");
        }
    }

    #[test]
    fn words_that_tell_two_kinds_apart_are_learnt() {
        let features = |text: &str| Features::of(&MaskedText::new(text, &Sent::default()));
        let texts = ["it is broken", "that is broken", "it is fine", "that is fine"].map(features);
        let labelled: Vec<(&Features, bool)> = texts.iter().zip([true, true, false, false]).collect();
        let bytes = train(&labelled);
        let weights = Weights::read(bytes.as_slice().try_into().expect("weights have one length"));
        let probability = |text: &str| weights.probability(&features(text));
        assert!(probability("all is broken") > 0.9 && probability("all is fine") < 0.1);
    }
}
