//! What a campaign requests besides calls of tools: resources, prompts, completions, and a tool that does not
//! exist; each once, as in a run.
//!
//! The main function is [`send`]. The replies are judged as the cases of a run are; they are neither
//! confirmed nor minimized.

use std::time::Instant;

use tokio::sync::watch;

use crate::contract::Contract;
use crate::drive::{Assignment, CampaignFeatures, DriveError, InspectedServer, OnceRecord, request_features};
use crate::finding::Finding;
use crate::judge::{Strictness, judge};
use crate::rules;
use crate::server::RunFolders;
use crate::transcript::{Head, Transcript};

use super::base_search::LONGEST;
use super::settings::Settings;
use super::tally::Tally;

/// At most one part in this many of the time and of the calls is spent on these requests.
const SHARE: u32 = 8;
/// With fewer calls than this for them, none is sent: a short campaign spends all its calls on tools.
const LEAST: usize = 4;
/// At most this many requests if the number of calls is not limited.
const MOST: usize = 150;

/// Sends the requests. If only some tools are to be tested, nothing is sent.
///
/// # Errors
/// When the campaign is interrupted meanwhile.
pub(super) async fn send(
    assignment: &Assignment,
    settings: &Settings,
    run_folders: &RunFolders,
    looked: &mut InspectedServer,
    tally: &Tally,
    interrupt: &mut watch::Receiver<bool>,
) -> Result<OnceRecord, DriveError> {
    let end = settings.end;
    let most =
        end.calls.map_or(MOST, |calls| usize::try_from(calls / u64::from(SHARE)).unwrap_or(MOST).min(MOST));
    if settings.tools.is_some() || most < LEAST || looked.head.catalog.tools.is_empty() {
        return Ok(OnceRecord::default());
    }
    let until = end.duration.map(|duration| Instant::now() + (duration / SHARE).min(LONGEST));
    let wanted = CampaignFeatures { most, until };
    let (cases, exchanges) = request_features(assignment, run_folders, looked, wanted, interrupt).await?;
    let sent = exchanges.iter().filter(|exchange| exchange.place.case.is_some());
    tally.add_calls(sent.count() as u64);
    Ok(OnceRecord { cases, exchanges })
}

/// What is wrong with the replies. A campaign has no cases, so the ids of the requests are reported as places.
pub(super) fn findings(record: OnceRecord, head: &Head, contract: &Contract) -> Vec<Finding> {
    if record.cases.is_empty() {
        return Vec::new();
    }
    let transcript = Transcript::of(head.clone(), record.cases, record.exchanges);
    let report = judge(&transcript, contract, rules::all(), Strictness::Must);
    let of_these = report.findings.into_iter().filter(|finding| finding.case.is_some());
    of_these.map(|finding| Finding { case: None, ..finding }).collect()
}

/// Whether the same rule was broken by the same tool.
pub(super) fn is_among(finding: &Finding, findings: &[Finding]) -> bool {
    findings.iter().any(|other| other.rule == finding.rule && other.tool == finding.tool)
}
