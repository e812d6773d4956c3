//! Whether a server's process holds more memory with every call: measured during the campaign, and confirmed in
//! a fresh process.
//!
//! The main type is [`Scale`]. The rule decides what counts as growth.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::exchange::{Exchange, Outcome};
use crate::finding::Finding;
use crate::generate::Input;
use crate::judge::{Strictness, judge};
use crate::memory::Curve;
use crate::rules::{self, MEMORY_GROWTH};
use crate::server::{Arrival, ServerProcesses};
use crate::transcript::Transcript;

use super::execution::ServerUnderTest;
use super::file::params;

/// How often memory is measured; rare enough to cost nothing noticeable.
const INTERVAL: Duration = Duration::from_millis(250);
/// The clock is read once in this many calls.
const CALLS: u64 = 16;
/// With fewer measurements there is no verdict.
const SAMPLES: usize = 20;
/// How many calls are in flight when growth is measured again.
const IN_FLIGHT: usize = 16;
/// How many of the last calls are repeated to confirm growth.
pub(super) const ROW: usize = 16;
/// How long growth is measured again if nothing limits the time.
pub(super) const TIME: Duration = Duration::from_secs(20);

/// The memory of one process, over its calls.
pub(super) struct Scale {
    curve: Curve,
    last: Instant,
}

impl Scale {
    pub(super) fn new() -> Self {
        Self { curve: Curve::new(0), last: Instant::now() }
    }

    /// Measures the memory if it is due after this many calls; returns it in bytes.
    pub(super) fn measure(&mut self, calls: u64, processes: Option<ServerProcesses>) -> Option<u64> {
        if !calls.is_multiple_of(CALLS) || self.last.elapsed() < INTERVAL {
            return None;
        }
        self.last = Instant::now();
        let held = processes.and_then(ServerProcesses::memory)?;
        self.curve.add(calls, held);
        Some(held)
    }

    /// The finding of the rule on these measurements, if any.
    pub(super) fn judge(&self, server: &ServerUnderTest<'_>) -> Option<Finding> {
        if self.curve.samples.len() < SAMPLES {
            return None;
        }
        let rules: Vec<_> = rules::all().iter().filter(|rule| rule.id == MEMORY_GROWTH.id).copied().collect();
        let transcript = Transcript {
            memory: vec![self.curve.clone()],
            ..Transcript::of(
                server.head.clone(),
                Vec::new(),
                vec![Exchange::alone(None, Value::Null, Outcome::Result(json!({})))],
            )
        };
        judge(&transcript, &server.contract, &rules, Strictness::Must).findings.pop()
    }
}

/// Repeats calls in a fresh process until it is seen to grow or the time is over.
pub(super) async fn again(
    server: &ServerUnderTest<'_>,
    calls: &[(String, Input)],
    time: Duration,
) -> Option<Finding> {
    if calls.is_empty() {
        return None;
    }
    let mut pipeline = server.start.open().await.ok()?.into_pipeline();
    let begun = Instant::now();
    let (mut scale, mut sent, mut in_flight) = (Scale::new(), 0_u64, 0);
    let mut row = calls.iter().cycle();
    let mut found = None;
    while found.is_none() && begun.elapsed() < time {
        while in_flight < IN_FLIGHT
            && let Some((tool, input)) = row.next()
        {
            pipeline.send(&params(tool, input));
            in_flight += 1;
            sent += 1;
            if scale.measure(sent, pipeline.processes()).is_some() {
                found = found.or_else(|| scale.judge(server));
            }
        }
        let deadline = server.start.deadlines.call;
        let arrived = tokio::time::timeout(deadline, pipeline.next(&mut |_, _| false)).await;
        let Ok(Some(arrivals)) = arrived else { break };
        in_flight -= arrivals.iter().filter(|arrival| matches!(arrival, Arrival::Reply { .. })).count();
    }
    pipeline.into_session().kill().await;
    found
}
