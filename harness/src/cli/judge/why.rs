//! `judge --why CASE`: what was read in the replies of a case, and what every rule says of them.

use std::fmt::Write as _;

use mcp_errconf::escape;
use mcp_errconf::judge::{ExplainedExchange, Verdict, why};
use mcp_errconf::recording::Recording;
use mcp_errconf::rules;

use crate::cli::console;
use crate::cli::failure::Failure;

/// Cases whose names are suggested in place of an unknown one.
const SUGGESTED: usize = 5;

/// Prints it on standard output.
pub(super) fn show(recording: &Recording, case: &str) -> Result<(), Failure> {
    let Some(why) = why(&recording.transcript, &recording.contract, rules::all(), case) else {
        return Err(Failure::Usage(unknown(recording, case)));
    };
    let (report, _) = recording.judge(rules::all());
    let mut shown = String::new();
    if let Some(verdict) = report.cases.iter().find(|verdict| verdict.id.0 == case) {
        let because = verdict.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        writeln!(shown, "{case}: {}{because}", verdict.status.words()).expect("a string takes everything");
    }
    for exchange in &why.exchanges {
        write(&mut shown, exchange).expect("a string takes everything");
    }
    console::print_exactly(&shown)
}

fn unknown(recording: &Recording, case: &str) -> String {
    let cases = recording.transcript.cases.iter().map(|driven| driven.id.0.as_str());
    let last = case.rsplit('/').next().unwrap_or(case);
    let (near, others): (Vec<&str>, Vec<&str>) = cases.partition(|id| id.contains(last));
    let some: Vec<String> = near.iter().chain(&others).take(SUGGESTED).map(|id| format!("`{id}`")).collect();
    match some.is_empty() {
        true => format!("the recording has no case `{case}`: it has no cases at all"),
        false => format!("the recording has no case `{case}`; it has {}, for example", some.join(", ")),
    }
}

fn write(shown: &mut String, exchange: &ExplainedExchange) -> std::fmt::Result {
    let one_line = |text: &str| escape::line(text);
    writeln!(shown, "\n{} (exchange {})", exchange.step, exchange.index)?;
    writeln!(shown, "  request    {}", one_line(&exchange.request))?;
    writeln!(shown, "  reply      {}", one_line(&exchange.reply))?;
    writeln!(shown, "  expected   {}", one_line(&exchange.expected))?;
    writeln!(shown, "  read in the reply")?;
    for mark in &exchange.reading {
        writeln!(shown, "    {:<22} {:<34} {}", mark.kind, mark.id, one_line(&mark.words))?;
    }
    if exchange.reading.is_empty() {
        writeln!(shown, "    nothing: it is no error, and no pattern matches")?;
    }
    writeln!(shown, "  rules")?;
    // Rules with the same verdict share a line; findings come first.
    let mut grouped: Vec<(String, Vec<&str>)> = Vec::new();
    for (rule, verdict) in &exchange.verdicts {
        match (verdict, grouped.iter_mut().find(|(told, _)| *told == verdict.to_string())) {
            (Verdict::Finding { .. }, _) => {
                writeln!(shown, "    {rule}: {}", one_line(&verdict.to_string()))?;
            }
            (_, Some((_, rules))) => rules.push(*rule),
            (_, None) => grouped.push((verdict.to_string(), vec![*rule])),
        }
    }
    for (verdict, rules) in grouped {
        writeln!(shown, "    {verdict}: {}", rules.join(", "))?;
    }
    Ok(())
}
