//! The cases that were not judged, by the reason why.

use crate::judge::{CaseVerdict, Report, Status};

/// The cases of one status by their reason, the most frequent first; `masked` says which reasons are one.
pub(super) fn grouped(
    report: &Report,
    status: Status,
    masked: impl Fn(&str) -> String,
) -> Vec<(String, Vec<&CaseVerdict>)> {
    // A failed case has a reason only if its control did not succeed.
    let is_listed =
        |case: &&CaseVerdict| case.status == status && (status != Status::Failed || case.reason.is_some());
    let mut reasons: Vec<(String, Vec<&CaseVerdict>)> = Vec::new();
    for case in report.cases.iter().filter(is_listed) {
        let reason = masked(case.reason.as_deref().unwrap_or("no reason was recorded"));
        match reasons.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, cases)) => cases.push(case),
            None => reasons.push((reason, vec![case])),
        }
    }
    reasons.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
    reasons
}
