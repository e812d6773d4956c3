//! `liveness/memory-growth`: the server holds more memory with every call.

use crate::finding::Diagnostic;
use crate::memory::Curve;
use crate::rules::{Rule, RunContext};

/// A45: nothing in MCP speaks of memory; an agent's session may last for days.
pub static RULE: Rule = Rule::of_run("liveness/memory-growth", include_str!("memory_growth.toml"), check);

/// At least this many measurements are needed.
const SAMPLES: usize = 20;
/// The second half must span at least this many calls.
const CALLS: f64 = 1_000.0;
/// The memory must have grown by at least this many bytes, and by at least this share of the whole.
const GROWN: f64 = 16.0 * 1024.0 * 1024.0;
const SHARE: f64 = 0.1;
/// The line must explain at least this share of the variation (r²).
const FIT: f64 = 0.9;

fn check(run: &RunContext<'_>) -> Vec<(usize, Diagnostic)> {
    let transcript = run.transcript;
    let mut grown = transcript.memory.iter().filter_map(|curve| growth(curve).map(|growth| (curve, growth)));
    // Every process is of the same server, so the first that shows it is enough.
    let Some((curve, growth)) = grown.next() else { return Vec::new() };
    let of_process = transcript.exchanges.iter().find(|exchange| exchange.process == curve.process);
    let Some(exchange) = of_process.or(transcript.exchanges.first()) else { return Vec::new() };
    let message = format!(
        "the server uses about {} more with every call, and it does not level off: {} more over {} calls, {} \
         at the end",
        size(growth.by_call),
        size(growth.grown),
        growth.calls,
        size(growth.last)
    );
    let help =
        "Limit what is kept from call to call: caches, histories, listeners, finished tasks, open files.";
    vec![(exchange.index, Diagnostic { folded: true, ..Diagnostic::new(message, help) })]
}

/// The growth of a process.
#[derive(Debug, PartialEq)]
struct Growth {
    /// Bytes per call.
    by_call: f64,
    /// Bytes, over the second half.
    grown: f64,
    /// The number of calls in the second half.
    calls: u64,
    /// Bytes, at the end.
    last: f64,
}

/// The growth of a process, by the criteria on the rule's page.
fn growth(curve: &Curve) -> Option<Growth> {
    if curve.samples.len() < SAMPLES {
        return None;
    }
    let half: Vec<(f64, f64)> = curve.samples[curve.samples.len() / 2..]
        .iter()
        .map(|(calls, bytes)| (*calls as f64, *bytes as f64))
        .collect();
    let (first, last) = (half.first()?, half.last()?);
    let calls = last.0 - first.0;
    if calls < CALLS {
        return None;
    }
    let line = Trend::through(&half)?;
    let grown = line.slope * calls;
    let third = half.len() / 3;
    let most = half[..third].iter().map(|(_, bytes)| *bytes).fold(f64::MIN, f64::max);
    let least = half[half.len() - third..].iter().map(|(_, bytes)| *bytes).fold(f64::MAX, f64::min);
    let held = line.at(first.0);
    let is_growth = grown >= GROWN && grown >= SHARE * held && line.fit >= FIT && least > most;
    is_growth.then_some(Growth { by_call: line.slope, grown, calls: calls as u64, last: last.1 })
}

/// A straight line fitted by least squares.
struct Trend {
    slope: f64,
    centre: (f64, f64),
    /// r²: the share of the variation that it explains.
    fit: f64,
}

impl Trend {
    fn through(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let centre = (mean(|point| point.0), mean(|point| point.1));
        let sum = |of: fn(f64, f64) -> f64| {
            points.iter().map(|point| of(point.0 - centre.0, point.1 - centre.1)).sum::<f64>()
        };
        let (xx, xy, yy) = (sum(|x, _| x * x), sum(|x, y| x * y), sum(|_, y| y * y));
        let is_line = xx > 0.0 && yy > 0.0;
        is_line.then(|| Self { slope: xy / xx, centre, fit: xy * xy / (xx * yy) })
    }

    fn at(&self, x: f64) -> f64 {
        self.centre.1 + self.slope * (x - self.centre.0)
    }
}

/// A number of bytes in words, to two significant figures.
fn size(bytes: f64) -> String {
    const UNITS: [&str; 4] = ["B", "KiB", "MiB", "GiB"];
    let mut value = bytes;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match value < 10.0 {
        true => format!("{value:.1} {}", UNITS[unit]),
        false => format!("{value:.0} {}", UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: f64 = 1024.0 * 1024.0;

    /// Whether a process is found to grow that holds `held` MiB after so many calls, measured every 50 calls.
    fn grows(calls: u64, held: impl Fn(f64) -> f64) -> bool {
        let samples = (0..=calls).step_by(50).map(|calls| (calls, (held(calls as f64) * MIB) as u64));
        growth(&Curve { process: 0, samples: samples.collect() }).is_some()
    }

    #[test]
    fn what_is_kept_of_every_call_is_found() {
        assert!(grows(4_000, |calls| 40.0 + calls * 0.02));
        assert!(grows(400_000, |calls| 40.0 + calls * 0.001), "slow, and over many calls");
        let noisy = |calls: f64| 40.0 + calls * 0.05 + (calls * 12.9898).sin() * 5.0;
        assert!(grows(4_000, noisy), "some noise does not hide it");
    }

    #[test]
    fn a_collector_that_warms_up_or_runs_now_and_then_is_not() {
        assert!(!grows(20_000, |calls| 40.0 + 200.0 * (1.0 - (-calls / 2_000.0).exp())), "it levels off");
        for period in [300.0, 700.0, 1_500.0, 4_000.0, 9_000.0] {
            let tooth = |calls: f64| 60.0 + 100.0 * (calls % period) / period;
            assert!(!grows(20_000, tooth), "a saw-tooth of {period} calls");
        }
        assert!(!grows(20_000, |calls| if calls > 15_000.0 { 300.0 } else { 100.0 }), "a step");
        assert!(!grows(20_000, |_| 100.0), "nothing changes");
    }

    #[test]
    fn little_growth_and_few_calls_say_nothing() {
        assert!(!grows(20_000, |calls| 100.0 + calls * 0.001), "10 MiB");
        assert!(!grows(20_000, |calls| 4_000.0 + calls * 0.01), "100 MiB of 4 GiB");
        assert!(!grows(1_500, |calls| 40.0 + calls * 0.5), "too few calls");
        assert_eq!(growth(&Curve::default()), None);
    }

    #[test]
    fn sizes_are_told_in_words() {
        let reported: Vec<String> = [12.0, 2_048.0, 65_536.0, 40.0 * MIB, 3_000.0 * MIB].map(size).into();
        assert_eq!(reported, ["12 B", "2.0 KiB", "64 KiB", "40 MiB", "2.9 GiB"]);
    }
}
