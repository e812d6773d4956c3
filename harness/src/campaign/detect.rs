//! Detects which contract a server keeps by its first error replies, for `--contract auto` in a campaign.
//!
//! The main function is [`contract()`]. Its calls are drawn by the seed and sent one by one, before the
//! campaign's own.

use std::collections::BTreeMap;
use std::time::Instant;

use tokio::sync::watch;

use crate::contract::{self, Contract};
use crate::drive::{Assignment, DriveError, until};
use crate::exchange::{Exchange, Outcome};
use crate::generate::{Generator, Input, Pool, Rng};
use crate::judge::has_succeeded;
use crate::server::Deadlines;
use crate::transcript::{Chosen, Head};

use super::execution::{ServerStart, answered_exchange};
use super::file::params;
use super::restraint::Leave;
use super::settings::Settings;
use super::tally::Tally;

/// At most this many calls of one tool, and of all tools together, are sent.
const OF_A_TOOL: usize = 8;
const MOST: usize = 120;
/// At most this many processes may be lost during detection.
const LOST: usize = 3;

/// The contract that the server's first replies fit, entered in `head`; the assignment's if none fits, or if it was not to
/// be detected.
///
/// # Errors
/// When the campaign is interrupted meanwhile.
pub(super) async fn contract(
    assignment: &Assignment,
    settings: &Settings,
    start: &ServerStart,
    generators: &BTreeMap<String, Generator>,
    tally: &Tally,
    head: &mut Head,
    interrupt: &mut watch::Receiver<bool>,
) -> Result<Contract, DriveError> {
    let assumed = &assignment.contract;
    let Some(config) = &settings.detect else { return Ok(assumed.clone()) };
    let most = settings.end.calls.map_or(MOST, |calls| usize::try_from(calls / 2).unwrap_or(MOST).min(MOST));
    let end = settings.end.duration.map(|duration| Instant::now() + duration / 4);
    let of_a_tool = OF_A_TOOL.min(most / generators.len().max(1)).max(1);
    let mut rng = Rng::seeded(assignment.seed).fork("contract");
    let mut drawn = Vec::new();
    for (tool, generator) in generators {
        let inputs = (0..of_a_tool).map(|_| generator.draw(&mut rng, &Pool::default()));
        drawn.extend(inputs.map(|input| (tool.as_str(), input)));
    }
    // A line that many parsers refuse may get no answer.
    drawn.retain(|(_, input)| input.value().is_some());
    drawn.truncate(most);
    let exchanges = until(interrupt, replies(start, &drawn, end, assumed)).await;
    let exchanges = exchanges.ok_or(DriveError::Interrupted)?;
    let is_error = |exchange: &&Exchange| {
        exchange.outcome.is_tool_error() || matches!(exchange.outcome, Outcome::Error(_))
    };
    tally.add_calls(exchanges.len() as u64);
    tally.errors.set(exchanges.iter().filter(is_error).count() as u64);
    let Some(found) = contract::detect(&exchanges) else { return Ok(assumed.clone()) };
    let mut contract = found.clone();
    config.document(&mut contract);
    head.contract.clone_from(&contract.id);
    head.chosen = Chosen::Detected;
    Ok(contract)
}

/// The replies to calls, as far as they come by `end`.
async fn replies(
    start: &ServerStart,
    calls: &[(&str, Input)],
    end: Option<Instant>,
    assumed: &Contract,
) -> Vec<Exchange> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    let (mut session, mut lost) = (None, 0);
    for (tool, input) in calls {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            break;
        }
        let Leave::Now(_hold) = start.restraint.leave(tool) else { continue };
        let mut live = match session.take() {
            Some(live) => live,
            None => {
                // One that takes a whole deadline leaves no time for the campaign.
                let call = left.map_or(start.deadlines.call, |left| left.min(start.deadlines.call));
                let start = ServerStart { deadlines: Deadlines { call, ..start.deadlines }, ..start.clone() };
                let Ok(live) = start.open().await else { break };
                live
            }
        };
        let answer = live.call("tools/call", &params(tool, input)).await;
        let is_lost = matches!(answer.outcome, Outcome::Ended(_) | Outcome::NoReply { .. });
        let exchange = answered_exchange(tool, input, answer);
        if has_succeeded(&exchange, assumed) {
            start.restraint.note(tool, input);
        }
        exchanges.push(exchange);
        if is_lost {
            live.kill().await;
            lost += 1;
            if lost >= LOST {
                break;
            }
        } else {
            session = Some(live);
        }
    }
    if let Some(session) = session {
        session.kill().await;
    }
    exchanges
}
