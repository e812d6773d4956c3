//! The result of a campaign: its report and its conclusion.
//!
//! The main type is [`CampaignResult`].

use crate::baseline::Baseline;
use crate::conclusion::Conclusion;
use crate::drive::Assignment;
use crate::finding::Finding;
use crate::judge::{Report, SlowCall, Strictness};

use super::features::is_among;
use super::journal::{CallFigures, CampaignEnd, Line};
use super::{Beginning, Campaign, select, summary};

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
    let (sent, end) = (CallFigures::default(), CampaignEnd::default());
    let report = summary::report(&assignment.empty_head(), sent, end, Vec::new(), Vec::new());
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

impl Campaign<'_> {
    /// The result of this campaign, after its last call; `sent` is what was sent in all. `features` are the findings on
    /// requests other than tool calls, `once` those on what a run sends besides probes.
    pub(super) fn result(
        &self,
        ended: Ended,
        mut end: CampaignEnd,
        [mut features, once]: [Vec<Finding>; 2],
        sent: CallFigures,
        measure: FailureCriteria<'_>,
    ) -> CampaignResult {
        let Beginning { settings, journal, unwritten, .. } = self.begun;
        let judge = self.server.judge.borrow();
        let mut findings = self.ledger.borrow().findings();
        features.extend(once.into_iter().filter(|finding| !is_among(finding, &findings)));
        measure.baseline.mark(&mut findings);
        measure.baseline.mark(&mut features);
        end.looks_like = judge.looks_like();
        end.slow = ended.slow;
        let report = summary::report(&self.server.head, sent, end.clone(), features, findings);
        let conclusion = match summary::counting(&report, measure.strictness) {
            _ if ended.interrupted => Conclusion::Interrupted,
            _ if self.server.generators.is_empty() => {
                Conclusion::NothingSelected(select::none_selected(settings, &self.server.head))
            }
            0 if report.summary.error_replies == 0 => match (ended.lost, self.tally.replies.get()) {
                (Some(why), 0) => Conclusion::NotExercised(why),
                _ => Conclusion::NothingJudged,
            },
            // The first replies, from which `auto` detected the contract, were not judged.
            0 if !judge.has_spoken => Conclusion::Inconclusive(
                "no error written by a tool itself was judged: all of them were written by an MCP SDK's \
                 validation"
                    .to_owned(),
            ),
            0 => Conclusion::Conformant,
            counting => Conclusion::Findings(counting),
        };
        journal.beat(sent);
        if conclusion != Conclusion::Interrupted {
            if let Conclusion::Inconclusive(why) = &conclusion {
                end.inconclusive = Some(why.clone());
            }
            journal.write(&Line::Ended(Box::new(end)));
        }
        unwritten.retry();
        CampaignResult { report, conclusion, unkept: unwritten.findings() }
    }
}
