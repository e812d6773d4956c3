//! Detects which contract a server keeps by its first error replies, for `--contract auto` in a campaign.
//!
//! The main type is [`ContractDetector`]. Its calls are drawn by the seed and sent one by one, before the
//! campaign's own.

use std::collections::BTreeMap;
use std::time::Instant;

use tokio::sync::watch;

use crate::config::Config;
use crate::contract::{self, Contract};
use crate::drive::{Assignment, DriveError, until};
use crate::exchange::{Exchange, Outcome};
use crate::generate::{Generator, Pool, Rng};
use crate::judge::has_succeeded;
use crate::server::{Deadlines, Session};
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

/// The result of detection.
struct Detected {
    /// The contract; `None` if the replies fit no built-in one.
    contract: Option<&'static Contract>,
    /// How many calls were sent.
    calls: u64,
    /// How many of the replies were errors.
    errors: u64,
}

/// Sends a few calls of each tool, at most `most` and until this moment, and compares the errors with the
/// contracts' vocabularies.
async fn detect(
    start: &ServerStart,
    generators: &BTreeMap<String, Generator>,
    seed: u64,
    most: u64,
    until: Option<Instant>,
    assumed: &Contract,
) -> Detected {
    let most = usize::try_from(most).unwrap_or(usize::MAX).min(MOST);
    let of_a_tool = OF_A_TOOL.min(most / generators.len().max(1)).max(1);
    let mut rng = Rng::seeded(seed).fork("contract");
    let draws = generators.iter().flat_map(|(tool, generator)| {
        let drawn: Vec<_> = (0..of_a_tool).map(|_| generator.draw(&mut rng, &Pool::default())).collect();
        drawn.into_iter().map(move |input| (tool, input))
    });
    let mut exchanges: Vec<Exchange> = Vec::new();
    let (mut session, mut lost) = (None, 0);
    // A line that many parsers refuse may get no answer.
    for (tool, input) in draws.filter(|(_, input)| input.value().is_some()).take(most) {
        if until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        let Leave::Now(_hold) = start.restraint.leave(tool) else { continue };
        let mut live = match session.take() {
            Some(live) => live,
            None => {
                let ServerStart { command, lifecycle, roots, deadlines, .. } = start;
                // One that takes a whole deadline leaves no time for the campaign.
                let call = until.map_or(deadlines.call, |until| {
                    deadlines.call.min(until.saturating_duration_since(Instant::now()))
                });
                let deadlines = Deadlines { call, ..*deadlines };
                match Session::open(command, *lifecycle, roots.clone(), deadlines).await {
                    Ok((live, _, _)) => live,
                    Err(_) => break,
                }
            }
        };
        let answer = live.call("tools/call", &params(tool, &input)).await;
        let is_lost = matches!(answer.outcome, Outcome::Ended(_) | Outcome::NoReply { .. });
        let exchange = answered_exchange(tool, &input, answer);
        if has_succeeded(&exchange, assumed) {
            start.restraint.note(tool, &input);
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
    let is_error = |exchange: &&Exchange| {
        exchange.outcome.is_tool_error() || matches!(exchange.outcome, Outcome::Error(_))
    };
    Detected {
        contract: contract::detect(&exchanges),
        calls: exchanges.len() as u64,
        errors: exchanges.iter().filter(is_error).count() as u64,
    }
}

/// What is needed to detect the contract.
pub(super) struct ContractDetector<'a> {
    pub(super) config: &'a Config,
    pub(super) assignment: &'a Assignment,
    pub(super) settings: &'a Settings,
    pub(super) generators: &'a BTreeMap<String, Generator>,
}

impl ContractDetector<'_> {
    /// The contract that the server's replies fit, entered in `head`; if none fits, the assignment's.
    ///
    /// # Errors
    /// When the campaign is interrupted meanwhile.
    pub(super) async fn contract(
        &self,
        start: &ServerStart,
        tally: &Tally,
        head: &mut Head,
        interrupt: &mut watch::Receiver<bool>,
    ) -> Result<Contract, DriveError> {
        let end = self.settings.end;
        let most = end.calls.map_or(u64::MAX, |most| most / 2);
        let until_then = end.duration.map(|duration| Instant::now() + duration / 4);
        let Self { assignment, generators, .. } = self;
        let detecting = detect(start, generators, assignment.seed, most, until_then, &assignment.contract);
        let detected = until(interrupt, detecting).await.ok_or(DriveError::Interrupted)?;
        tally.add_calls(detected.calls);
        tally.errors.set(detected.errors);
        let Some(found) = detected.contract else { return Ok(self.assignment.contract.clone()) };
        let mut contract = found.clone();
        self.config.document(&mut contract);
        head.contract.clone_from(&contract.id);
        head.chosen = Chosen::Detected;
        Ok(contract)
    }
}
