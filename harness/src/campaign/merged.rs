//! The report of several campaigns, from their journals and the files of their findings.
//!
//! The main function is [`report`].

use std::collections::BTreeMap;

use crate::conclusion::Conclusion;
use crate::finding::Finding;
use crate::judge::{Report, SlowCall, Strictness, ValidCallSearch};

use super::features::is_among;
use super::journal::{CallFigures, CampaignEnd, CampaignRecord};
use super::summary;

/// The report of these campaigns on one server; `None` if none of them got as far as its first call.
pub(crate) fn report(
    records: &[&CampaignRecord],
    findings: Vec<Finding>,
    strictness: Strictness,
) -> Option<(Report, Conclusion)> {
    let head = records.iter().find_map(|record| record.head.as_ref())?;
    let ends: Vec<&CampaignEnd> = records.iter().filter_map(|record| record.end.as_ref()).collect();
    let mut besides: Vec<Finding> = Vec::new();
    for finding in records.iter().flat_map(|record| &record.besides) {
        if !is_among(finding, &findings) && !is_among(finding, &besides) {
            besides.push(finding.clone());
        }
    }
    let mut slow: BTreeMap<(String, String), SlowCall> = BTreeMap::new();
    for call in ends.iter().flat_map(|end| &end.slow) {
        slow.entry((call.tool.clone(), call.input.to_string())).or_insert_with(|| call.clone());
    }
    let known = |search: &&ValidCallSearch| search.known.len();
    let sum = |figure: fn(&CallFigures) -> u64| records.iter().map(|record| figure(&record.figures)).sum();
    let sent = CallFigures {
        calls: sum(|figures| figures.calls),
        error_replies: sum(|figures| figures.error_replies),
        // They ran at the same time.
        duration_ms: records.iter().map(|record| record.figures.duration_ms).max().unwrap_or_default(),
    };
    let end = CampaignEnd {
        looks_like: ends.iter().find_map(|end| end.looks_like.clone()),
        inconclusive: None,
        withheld: ends.first().map(|end| end.withheld.clone()).unwrap_or_default(),
        slow: slow.into_values().collect(),
        learnt: ends.iter().filter_map(|end| end.learnt.as_ref()).max_by_key(known).cloned(),
    };
    let inconclusive: Option<Vec<String>> = ends.iter().map(|end| end.inconclusive.clone()).collect();
    let report = summary::report(head, sent, end, besides, findings);
    let conclusion = match summary::counting(&report, strictness) {
        0 if ends.len() < records.len() => Conclusion::Interrupted,
        0 if report.summary.error_replies == 0 => Conclusion::NothingJudged,
        0 => match inconclusive.as_deref() {
            Some([why, ..]) => Conclusion::Inconclusive(why.clone()),
            _ => Conclusion::Conformant,
        },
        counting => Conclusion::Findings(counting),
    };
    Some((report, conclusion))
}
