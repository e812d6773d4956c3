//! The result of a campaign: its report and its conclusion.
//!
//! The main type is [`CampaignResult`].

use std::time::Duration;

use crate::baseline::Baseline;
use crate::conclusion::Conclusion;
use crate::contract::Contract;
use crate::drive::Assignment;
use crate::finding::{Finding, State};
use crate::judge::{Report, SlowCall, Strictness, ValidCallSearch, Withheld};
use crate::transcript::Head;

use super::features::{FeatureResults, is_among};
use super::journal::{CampaignEnd, Line};
use super::verdict::CampaignJudge;
use super::{Campaign, select, summary};

/// The result of a campaign.
#[derive(Debug)]
pub struct CampaignResult {
    /// The report with every finding.
    pub report: Report,
    /// The conclusion, from which the exit code follows.
    pub conclusion: Conclusion,
    /// How many findings could not be written to a file of their own.
    pub unkept: usize,
}

/// Which findings make a campaign fail.
#[derive(Debug, Clone, Copy)]
pub struct FailureCriteria<'a> {
    /// The findings that are accepted already.
    pub baseline: &'a Baseline,
    /// Which findings count.
    pub strictness: Strictness,
}

/// The result of a campaign that did not come about.
pub fn unexercised(assignment: &Assignment, conclusion: Conclusion) -> CampaignResult {
    let report = summary::unexercised(assignment);
    CampaignResult { report, conclusion, unkept: 0 }
}

/// How a campaign ended.
#[derive(Default)]
pub(super) struct Ended {
    pub(super) interrupted: bool,
    /// Why no more processes could be started.
    pub(super) lost: Option<String>,
    pub(super) slow: Vec<SlowCall>,
}

impl Ended {
    /// The conclusion of a campaign that sent calls. `replies` is the number of replies.
    fn conclusion(
        self,
        report: &Report,
        strictness: Strictness,
        replies: u64,
        judge: &CampaignJudge,
    ) -> Conclusion {
        let counts = |finding: &&Finding| finding.state == State::New && strictness.counts(finding.level);
        match report.findings.iter().filter(counts).count() {
            _ if self.interrupted => Conclusion::Interrupted,
            0 if report.summary.error_replies == 0 => match (self.lost, replies) {
                (Some(why), 0) => Conclusion::NotExercised(why),
                _ => Conclusion::NothingJudged,
            },
            // The first replies, from which `auto` detected the contract, were not judged.
            0 if !judge.has_spoken() => Conclusion::Inconclusive(
                "no error written by a tool itself was judged: all of them were written by an MCP SDK's \
                 validation"
                    .to_owned(),
            ),
            0 => Conclusion::Conformant,
            counting => Conclusion::Findings(counting),
        }
    }
}

/// What a campaign has brought besides the findings in its ledger.
pub(super) struct Brought {
    pub(super) ended: Ended,
    pub(super) besides: Besides,
    /// The search for successful calls, if there was one.
    pub(super) search: Option<ValidCallSearch>,
    pub(super) withheld: Vec<Withheld>,
    pub(super) duration: Duration,
}

/// The findings on requests other than tool calls, and on what a run sends besides probes.
pub(super) struct Besides {
    features: Vec<Finding>,
    once: Vec<Finding>,
}

impl Besides {
    /// The findings on these requests, and those of an earlier start of the campaign.
    pub(super) fn judged(
        [features, once]: [FeatureResults; 2],
        earlier: &[Finding],
        head: &Head,
        contract: &Contract,
    ) -> Self {
        let mut features = features.findings(head, contract);
        let missing: Vec<Finding> =
            earlier.iter().filter(|finding| !is_among(finding, &features)).cloned().collect();
        features.extend(missing);
        Self { features, once: once.findings(head, contract) }
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Finding> {
        [self.features.as_slice(), &self.once].concat()
    }
}

impl Campaign<'_> {
    /// The result of this campaign, after its last call.
    pub(super) fn result(
        &self,
        head: &Head,
        brought: Brought,
        measure: FailureCriteria<'_>,
    ) -> CampaignResult {
        let Brought { mut ended, besides, search, withheld, duration } = brought;
        let mut findings = self.ledger.borrow().findings();
        let mut feature_findings = besides.features;
        feature_findings.extend(besides.once.into_iter().filter(|finding| !is_among(finding, &findings)));
        let sent = self.figures(duration);
        measure.baseline.mark(&mut findings);
        measure.baseline.mark(&mut feature_findings);
        let figures = summary::Figures {
            sent,
            looks_like: self.judge.borrow().looks_like(),
            slow: std::mem::take(&mut ended.slow),
            learnt: search,
            feature_findings,
        };
        let report = summary::report(head, figures, withheld, findings);
        let conclusion = match ended {
            _ if self.generators.is_empty() && !ended.interrupted => {
                Conclusion::NothingSelected(select::none_selected(self.settings, head))
            }
            ended => {
                let replies = self.tally.replies.get();
                ended.conclusion(&report, measure.strictness, replies, &self.judge.borrow())
            }
        };
        self.journal.beat(sent);
        if conclusion != Conclusion::Interrupted {
            self.journal.write(&Line::Ended(Box::new(CampaignEnd::new(&report, &conclusion))));
        }
        self.unwritten.retry();
        CampaignResult { report, conclusion, unkept: self.unwritten.findings() }
    }
}
