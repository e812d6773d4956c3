//! What judging costs within a process: `cargo bench -p mcp-errconf-bench --bench in_process`.
//!
//! The calls of one list of inputs are sent to the reference server in memory, once by a bare client that waits for each
//! reply and reads nothing in it, and once as the target `reference_server` does it, every reply judged. Both are measured in
//! turns; what counts is the ratio of their calls a second, the median of five rounds.

use std::time::{Duration, Instant};

use mcp_errconf_bench::median;
use mcp_errconf_fuzz::Reference;

const ROUNDS: usize = 5;
const INPUTS: usize = 4_000;
/// Bytes of an input: a call or two.
const LENGTH: usize = 24;

fn main() {
    let mut reference = Reference::new();
    let inputs = inputs();
    let lines: Vec<String> = inputs.iter().flat_map(|input| reference.lines(input)).collect();
    // The first round warms both up.
    let mut ratios = Vec::new();
    for round in 0..=ROUNDS {
        let bare = lines.len() as f64 / reference.bare(&lines).as_secs_f64();
        let (calls, took) = judged(&mut reference, &inputs);
        let (ours, inputs) = (calls as f64 / took.as_secs_f64(), INPUTS as f64 / took.as_secs_f64());
        if round > 0 {
            println!("bare: {bare:.0} calls a second; judged: {ours:.0} calls, {inputs:.0} inputs a second");
            ratios.push(ours / bare);
        }
    }
    println!("the median of the ratios is {:.2}", median(ratios));
}

fn judged(reference: &mut Reference, inputs: &[Vec<u8>]) -> (u64, Duration) {
    let (before, begun) = (reference.calls(), Instant::now());
    for input in inputs {
        reference.fuzz(input);
    }
    (reference.calls() - before, begun.elapsed())
}

/// The same ones each time.
fn inputs() -> Vec<Vec<u8>> {
    let mut state = 7_u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..INPUTS).map(|_| (0..LENGTH).map(|_| byte()).collect()).collect()
}
