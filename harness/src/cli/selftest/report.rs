//! The report of the selftest: for each contract a line for each subject, with the differences below it, and
//! the count at the end.

use std::fmt::Write as _;
use std::io::IsTerminal;

use mcp_errconf::selftest::{Difference, Pair, Recorded};

use crate::cli::{Terminal, console};

/// The name of a subject.
pub(super) fn name(defect: Option<&str>) -> &str {
    defect.unwrap_or("clean")
}

/// Progress on standard error, for somebody at a terminal.
pub(super) fn progress(recorded: &Recorded, terminal: &Terminal) {
    if std::io::stderr().is_terminal() && !terminal.quiet {
        console::remark(&format!("running {} of {}", name(recorded.defect), recorded.contract.id));
    }
}

/// Every subject on a line, and the count.
pub(super) fn outcome(compared: &[(&Recorded, Difference)]) -> String {
    let mut text = String::new();
    let mut contract = "";
    for (recorded, difference) in compared {
        if contract != recorded.contract.id {
            contract = &recorded.contract.id;
            let _ = writeln!(text, "{contract}");
        }
        let verdict = if difference.is_none() { "ok  " } else { "FAIL" };
        let _ = writeln!(text, "{verdict} {:<40} {}", name(recorded.defect), declared(recorded));
        for pair in &difference.missed {
            let _ = writeln!(text, "     declared but not found: {}", pair_name(pair));
        }
        for pair in &difference.unexpected {
            let _ = writeln!(text, "     found but not declared: {}", pair_name(pair));
        }
        for selector in &difference.idle {
            let _ = writeln!(text, "     declared for no case: `{selector}`");
        }
        for (case, reason) in &difference.not_driven {
            let _ = writeln!(text, "     did not run to its end: {case}: {reason}");
        }
    }
    let defects: Vec<_> = compared.iter().filter(|(recorded, _)| recorded.defect.is_some()).collect();
    let caught = defects.iter().filter(|(_, difference)| difference.is_none()).count();
    let clean =
        compared.iter().all(|(recorded, difference)| recorded.defect.is_some() || difference.is_none());
    let clean = if clean { "the clean server triggers nothing" } else { "the CLEAN SERVER does not pass" };
    let _ = write!(text, "{clean}; {caught} of {} defects", defects.len());
    text
}

fn declared(recorded: &Recorded) -> String {
    if recorded.defect.is_none() {
        return format!("{} cases, no finding", recorded.transcript.cases.len());
    }
    let mut rules: Vec<&str> = recorded.declared.iter().map(|(rule, _)| rule.as_str()).collect();
    rules.dedup();
    let cases = recorded.declared.len();
    format!("{} in {cases} {}", rules.join(", "), if cases == 1 { "case" } else { "cases" })
}

fn pair_name((rule, case): &Pair) -> String {
    match case {
        Some(case) => format!("{rule} in {case}"),
        None => format!("{rule} outside cases"),
    }
}
