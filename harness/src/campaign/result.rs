//! The result of a campaign: its report and its conclusion.
//!
//! The main type is [`CampaignResult`].

use std::time::Duration;

use crate::baseline::Baseline;
use crate::conclusion::Conclusion;
use crate::drive::Assignment;
use crate::finding::{Finding, State};
use crate::judge::{Report, SlowCall, Strictness, ValidCallSearch, Withheld};
use crate::transcript::Head;

use super::features::{FeatureResults, is_among};
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
    /// The requests other than tool calls, and what a run sends besides probes.
    pub(super) requests: [FeatureResults; 2],
    /// The search for successful calls, if there was one.
    pub(super) search: Option<ValidCallSearch>,
    pub(super) withheld: Vec<Withheld>,
    pub(super) duration: Duration,
}

impl Campaign<'_> {
    /// The result of this campaign, after its last call.
    pub(super) fn result(
        &self,
        head: &Head,
        brought: Brought,
        measure: FailureCriteria<'_>,
    ) -> CampaignResult {
        let Brought { mut ended, requests: [features, once], search, withheld, duration } = brought;
        let mut findings = self.ledger.borrow().findings();
        let mut feature_findings = features.findings(head, self.contract);
        let once = once.findings(head, self.contract).into_iter();
        feature_findings.extend(once.filter(|finding| !is_among(finding, &findings)));
        measure.baseline.mark(&mut findings);
        measure.baseline.mark(&mut feature_findings);
        let figures = summary::Figures {
            calls: self.tally.calls.get(),
            error_replies: self.tally.errors.get(),
            duration,
            looks_like: self.judge.borrow().looks_like(),
            slow: std::mem::take(&mut ended.slow),
            learnt: search,
            feature_findings,
        };
        let report = summary::report(head, self.contract, figures, withheld, findings);
        let conclusion = match ended {
            _ if self.generators.is_empty() && !ended.interrupted => {
                Conclusion::NothingSelected(select::none_selected(self.settings, head))
            }
            ended => {
                let replies = self.tally.replies.get();
                ended.conclusion(&report, measure.strictness, replies, &self.judge.borrow())
            }
        };
        CampaignResult { report, conclusion, unkept: self.unwritten.findings() }
    }
}
