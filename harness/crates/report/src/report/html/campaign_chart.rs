//! Charts of a campaign's progress: calls, new replies, findings and memory over time.

use std::time::Duration;

use maud::{Markup, html};

use crate::event::Pace;

use super::words::grouped;

/// At most this many moments are kept; beyond that, every other one is dropped.
const MOMENTS: usize = 240;
/// The size of a chart, in its own units.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 80.0;

/// One moment of a campaign.
#[derive(Debug, Clone, PartialEq)]
struct Moment {
    elapsed: Duration,
    calls: u64,
    signatures: u64,
    findings: u64,
    memory: Option<u64>,
}

/// The moments of a campaign, evenly spread.
#[derive(Debug, Default)]
pub(super) struct CampaignChart {
    moments: Vec<Moment>,
    /// How many reported moments each kept one stands for.
    stride: usize,
    /// How many moments were reported.
    offered: usize,
    /// The last reported moment, with the highest memory since the last kept one.
    last: Option<Moment>,
}

impl CampaignChart {
    /// Adds a moment.
    pub(super) fn add(&mut self, pace: &Pace) {
        let Pace { elapsed, calls, signatures, findings, memory, .. } = *pace;
        let before = self.last.take().and_then(|last| last.memory);
        let moment = Moment { elapsed, calls, signatures, findings, memory: memory.max(before) };
        self.stride = self.stride.max(1);
        self.offered += 1;
        if self.offered.is_multiple_of(self.stride) {
            self.moments.push(moment);
            if self.moments.len() > MOMENTS {
                self.thin_out();
            }
        } else {
            self.last = Some(moment);
        }
    }

    /// Keeps every other moment, with the higher memory of each pair.
    fn thin_out(&mut self) {
        let all = std::mem::take(&mut self.moments);
        for pair in all.chunks(2) {
            let most = pair.iter().filter_map(|moment| moment.memory).max();
            match pair {
                [_, second] => self.moments.push(Moment { memory: most, ..second.clone() }),
                _ => self.last = pair.first().cloned(),
            }
        }
        self.stride *= 2;
    }

    /// The charts; nothing if there was no campaign. `found` is the final number of findings.
    pub(super) fn show(&self, found: usize) -> Markup {
        let moments: Vec<&Moment> = self.moments.iter().chain(&self.last).collect();
        let Some(end) = moments.last().filter(|_| moments.len() > 1) else { return Markup::default() };
        let seconds = |moment: &Moment| moment.elapsed.as_secs_f64();
        let rates = moments.iter().enumerate().map(|(at, moment)| {
            let (calls, since) = match at.checked_sub(1).map(|before| moments[before]) {
                Some(before) => {
                    (moment.calls.saturating_sub(before.calls), seconds(moment) - seconds(before))
                }
                None => (moment.calls, seconds(moment)),
            };
            (seconds(moment), calls as f64 / since.max(0.001))
        });
        let rates: Vec<(f64, f64)> = rates.collect();
        let points = |of: fn(&Moment) -> Option<u64>| -> Vec<(f64, f64)> {
            let points = moments.iter().filter_map(|moment| Some((seconds(moment), of(moment)? as f64)));
            points.collect()
        };
        let average = end.calls as f64 / seconds(end).max(0.001);
        let calls = format!("{} calls, {} a second", grouped(end.calls), grouped(average as u64));
        let replies = points(|moment| Some(moment.signatures));
        let mut findings = points(|moment| Some(moment.findings));
        findings.push((seconds(end), found as f64));
        let memory = points(|moment| moment.memory);
        let most = moments.iter().filter_map(|moment| moment.memory).max();
        html! {
            section.aside aria-labelledby="campaign" {
                h2 #campaign { "Campaign" }
                p.soft { "Each chart runs from 0 to " (time(end.elapsed)) "." }
                div.charts {
                    (draw("Calls per second", &calls, &rates, seconds(end)))
                    (draw("New kinds of reply", &grouped(end.signatures), &replies, seconds(end)))
                    (draw("Findings", &grouped(found as u64), &findings, seconds(end)))
                    @if let Some(most) = most {
                        (draw("Memory of the server", &format!("at most {}", bytes(most)), &memory, seconds(end)))
                    }
                }
            }
        }
    }
}

/// One chart: a line over time, from 0 to its maximum.
fn draw(title: &str, figure: &str, points: &[(f64, f64)], end: f64) -> Markup {
    let most = points.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let scaled = |(at, value): &(f64, f64)| {
        let high = if most > 0.0 { value / most } else { 0.0 };
        format!("{:.1},{:.1}", at / end.max(0.001) * WIDTH, HEIGHT - high * HEIGHT)
    };
    let line: Vec<String> = points.iter().map(scaled).collect();
    html! {
        figure {
            figcaption { (title) ": " strong { (figure) } }
            svg viewBox=(format!("0 -2 {WIDTH} {}", HEIGHT + 4.0)) preserveAspectRatio="none" role="img"
                aria-label={ (title) " over time: " (figure) }
            {
                polyline points=(line.join(" ")) fill="none" vector-effect="non-scaling-stroke" {}
            }
        }
    }
}

/// A duration in readable units.
fn time(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..100 => format!("{seconds} s"),
        seconds @ 100..6_000 => format!("{} min", seconds / 60),
        seconds => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// A number of bytes in a unit that keeps the number small.
fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{} KiB", bytes / 1_024),
        1_048_576..10_737_418_240 => format!("{} MiB", bytes / 1_048_576),
        _ => format!("{} GiB", bytes / 1_073_741_824),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(count: u64) -> CampaignChart {
        let mut chart = CampaignChart::default();
        for number in 1..=count {
            chart.add(&Pace {
                elapsed: Duration::from_millis(number * 500),
                calls: number * 10,
                per_second: 20,
                signatures: number,
                findings: 1,
                memory: Some(if number == 101 { 1 << 30 } else { 1 << 20 }),
                percent: None,
                left: None,
                confirming: None,
            });
        }
        chart
    }

    #[test]
    fn a_long_campaign_is_kept_in_few_moments_from_beginning_to_end() {
        for count in [2, 240, 241, 242, 500, 10_001] {
            let chart = chart(count);
            assert!(chart.moments.len() <= MOMENTS, "{count}: {}", chart.moments.len());
            let all: Vec<&Moment> = chart.moments.iter().chain(&chart.last).collect();
            assert_eq!(all.last().map(|moment| moment.calls), Some(count * 10), "the end of {count} is lost");
            let steps: Vec<u64> = all.windows(2).map(|pair| pair[1].calls - pair[0].calls).collect();
            let (_, even) = steps.split_last().unwrap_or((&0, &[]));
            assert!(even.windows(2).all(|pair| pair[0] == pair[1]), "{count}: {steps:?}");
            let most = all.iter().filter_map(|moment| moment.memory).max();
            assert_eq!(
                most,
                Some(if count > 100 { 1 << 30 } else { 1 << 20 }),
                "the peak of {count} is lost"
            );
        }
    }

    #[test]
    fn a_run_has_no_chart() {
        assert_eq!(CampaignChart::default().show(0).into_string(), "");
    }

    #[test]
    fn each_figure_has_a_drawing_within_its_bounds() {
        let page = chart(30).show(1).into_string();
        assert_eq!(page.matches("<polyline").count(), 4);
        assert!(page.contains("Calls per second: <strong>300 calls, 20 a second</strong>"), "{page}");
        assert!(page.contains("at most 1 MiB") && page.contains("from 0 to 15 s"), "{page}");
        for points in page.split("points=\"").skip(1).filter_map(|part| part.split('"').next()) {
            for point in points.split(' ') {
                let (x, y) = point.split_once(',').expect("a point has two numbers");
                let (x, y): (f64, f64) = (x.parse().expect("a number"), y.parse().expect("a number"));
                assert!((0.0..=WIDTH).contains(&x) && (0.0..=HEIGHT).contains(&y), "{point}");
            }
        }
    }
}
