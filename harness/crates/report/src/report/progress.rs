//! The progress of a run: a bar on a terminal, removed at the end, or a few plain lines in a CI log.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::escape;
use crate::event::{Event, Pace, Reporter};
use crate::judge::FirstFinding;

use super::prose::wrapped;

/// How many columns a case's id may take beside the bar.
const COLUMNS: usize = 40;
/// A line is written after each of this many parts of a run.
const PARTS: usize = 4;

/// A bar on standard error, which must be a terminal, of this many columns if that is known. It leaves a clean line, even if
/// the run fails.
pub fn bar(columns: Option<usize>) -> Box<dyn Reporter> {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:16} {pos}/{len} {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    Box::new(Bar { bar, is_fault_told: false, columns })
}

/// Lines on a stream that is not a terminal: one at the start, and one for each quarter of the cases.
pub fn lines(out: impl Write + 'static) -> Box<dyn Reporter> {
    Box::new(Lines { out, planned: 0, driven: 0, quarters: 0, begun: Instant::now() })
}

struct Bar {
    bar: ProgressBar,
    /// Whether the first fault of this run was reported: a run may have two sessions.
    is_fault_told: bool,
    /// The width of the terminal; `None` if it is unknown.
    columns: Option<usize>,
}

impl Reporter for Bar {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let bar = &self.bar;
        let note = |text: &str| bar.suspend(|| say(text, self.columns));
        match event {
            Event::Started { planned, head } => {
                bar.set_length(*planned as u64);
                bar.reset_elapsed();
                bar.set_message(escape::line_within(&format!("{} has started", head.server_name), COLUMNS));
            }
            Event::ConfinedSession { planned } => bar.inc_length(*planned as u64),
            Event::Driven { case, .. } => {
                bar.inc(1);
                let left = left(bar.elapsed(), bar.position(), bar.length().unwrap_or_default());
                bar.set_message(format!("{left}{}", escape::line_within(&case.0, COLUMNS)));
            }
            Event::Pace(pace) => {
                if let Some(percent) = pace.percent {
                    bar.set_length(100);
                    bar.set_position(percent);
                }
                bar.set_message(in_words(pace));
            }
            Event::Learning { tried, tools } => {
                bar.set_length(*tools as u64);
                bar.set_position(*tried as u64);
                bar.set_message(learning(*tools));
            }
            Event::Learnt { .. } | Event::Confirming { .. } => {
                note(&format!("note: {}", of_campaign(event).unwrap_or_default()));
            }
            Event::Seen(finding) if !self.is_fault_told => {
                note(&first_seen(finding));
                self.is_fault_told = true;
            }
            Event::Unwritten(why) => note(&unwritten(why)),
            Event::Seen(_) | Event::Stale(_) | Event::SnapshotsGone(_) | Event::Slow(_) => {}
            Event::Judged { .. } => bar.finish_and_clear(),
        }
        Ok(())
    }
}

/// Writes lines on standard error, wrapped to the width of the terminal. If nobody reads them any more, the bar is not seen
/// either.
fn say(text: &str, columns: Option<usize>) {
    for line in text.split('\n') {
        let margin = &line[..line.len() - line.trim_start().len()];
        let parts = match columns {
            Some(columns) => wrapped(line, columns.saturating_sub(margin.len())),
            None => vec![line[margin.len()..].to_owned()],
        };
        for part in parts {
            let _ = writeln!(io::stderr(), "{margin}{part}");
        }
    }
}

struct Lines<W> {
    out: W,
    planned: usize,
    driven: usize,
    /// How many quarters of a campaign are over.
    quarters: u64,
    begun: Instant,
}

impl<W: Write> Reporter for Lines<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let Self { out, planned, driven, quarters, begun } = self;
        match event {
            Event::Started { planned: cases, head } => {
                (*planned, *driven, *begun) = (*cases, 0, Instant::now());
                let name = escape::line_within(&head.server_name, COLUMNS);
                let cases = if *cases > 0 { format!("; {cases} cases") } else { String::new() };
                writeln!(out, "mcp-errconf: {name} has started{cases}")?;
            }
            Event::ConfinedSession { planned: cases } => {
                *planned += *cases;
                writeln!(out, "mcp-errconf: a second, confined session has started; {cases} cases")?;
            }
            Event::Driven { .. } => {
                let quarter = |driven: usize| driven * PARTS / (*planned).max(1);
                let before = quarter(*driven);
                *driven += 1;
                if quarter(*driven) > before {
                    let left = left(begun.elapsed(), *driven as u64, *planned as u64);
                    let left = left.trim_end_matches(", ");
                    let after = if left.is_empty() { "" } else { ", " };
                    writeln!(out, "mcp-errconf: {driven}/{planned} cases{after}{left}")?;
                }
            }
            Event::Learning { tried: 0, tools } => writeln!(out, "mcp-errconf: {}", learning(*tools))?,
            // A line for each quarter of the tools.
            Event::Learning { tried, tools } if tried * PARTS / tools > (tried - 1) * PARTS / tools => {
                writeln!(out, "mcp-errconf: {tried} of {tools} tools tried")?;
            }
            Event::Learnt { .. } | Event::Confirming { .. } => {
                writeln!(out, "mcp-errconf: {}", of_campaign(event).unwrap_or_default())?;
            }
            Event::Unwritten(why) => writeln!(out, "{}", unwritten(why))?,
            Event::Pace(pace) => {
                let reached = pace.percent.unwrap_or_default() * PARTS as u64 / 100;
                if reached > *quarters {
                    *quarters = reached;
                    writeln!(out, "mcp-errconf: {}", in_words(pace))?;
                }
            }
            _ => {}
        }
        out.flush()
    }
}

/// An estimate of the remaining time from the time so far: `about 2 min left, `. Empty if the run is short, or
/// if too few cases are done.
fn left(elapsed: Duration, driven: u64, planned: u64) -> String {
    const SHORT: u64 = 10;
    let open = planned.saturating_sub(driven);
    if open == 0 || driven * 20 < planned || elapsed < Duration::from_secs(2) {
        return String::new();
    }
    match elapsed.as_secs() * open / driven.max(1) {
        0..SHORT => String::new(),
        seconds => format!("about {}, ", time_left(Duration::from_secs(seconds))),
    }
}

/// A remaining time in readable units.
fn time_left(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..100 => format!("{seconds} s left"),
        seconds @ 100..6_000 => format!("{} min left", seconds / 60),
        seconds => format!("{} h left", seconds / 3_600),
    }
}

/// The first fault, with the text that shows it.
fn first_seen(finding: &FirstFinding) -> String {
    let (level, rule) = (finding.level, &finding.rule);
    let tool = finding.tool.as_deref().map(|tool| format!(", tool {}", escape::line_within(tool, COLUMNS)));
    let tool = tool.unwrap_or_default();
    let case = finding.case.as_ref().map(|case| format!(" ({}{tool})", escape::line_within(&case.0, 80)));
    let case = case.unwrap_or_default();
    let text = finding.text.as_deref().filter(|text| !text.is_empty());
    let text =
        text.map_or(String::new(), |text| format!("\n      {}", escape::line_within(text.trim_start(), 90)));
    let line = format!(
        "note: first problem so far (the full verdict comes at the end): {level}[{rule}] {}{case}{text}",
        escape::line_within(&finding.message, 200)
    );
    escape::no_workflow_command(&line)
}

/// The message that a file could not be written.
fn unwritten(why: &str) -> String {
    format!("error: {}", escape::no_workflow_command(&escape::line(why)))
}

fn learning(tools: usize) -> String {
    let of = if tools == 1 { "1 tool".to_owned() } else { format!("each of {tools} tools") };
    format!("looking for a call that succeeds, of {of}")
}

/// What a campaign has learnt before its own calls, or that it continues after its time; `None` for any other event.
fn of_campaign(event: &Event) -> Option<String> {
    let Event::Learnt { known, tools, calls, stale } = event else { return confirming(event) };
    let mut line = format!("found a working call for {known} of {tools} tools ({calls} calls sent)");
    if !stale.is_empty() {
        let names: Vec<String> = stale.iter().map(|tool| escape::line_within(tool, COLUMNS)).collect();
        line.push_str(&format!("; in the corpus but no longer accepted: {}", names.join(", ")));
    }
    Some(escape::no_workflow_command(&line))
}

/// The message that a campaign continues after its time; `None` for any other event.
pub fn confirming(event: &Event) -> Option<String> {
    let Event::Confirming { open, at_most } = event else { return None };
    let findings = match open {
        1 => "1 suspected finding is".to_owned(),
        open => format!("{open} suspected findings are"),
    };
    Some(format!(
        "{findings} still to be confirmed, which may take {} s more; Ctrl-C stops now and reports what there is",
        at_most.as_secs()
    ))
}

/// The progress of a campaign, in words.
fn in_words(pace: &Pace) -> String {
    let left = pace.left.map_or(String::new(), |left| format!(", {}", time_left(left)));
    let Pace { calls, per_second, signatures, findings, confirming, .. } = pace;
    let plural = if *findings == 1 { "" } else { "s" };
    let confirming = confirming.map_or(String::new(), |open| format!(", {open} to be confirmed"));
    format!(
        "{calls} calls, {per_second}/s, {signatures} new replies, {findings} finding{plural}{confirming}{left}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_reported_of_long_runs_once_there_is_something_to_tell() {
        let after = |seconds, driven, planned| left(Duration::from_secs(seconds), driven, planned);
        assert_eq!(after(1, 90, 100), "");
        assert_eq!(after(30, 1, 100), "");
        assert_eq!(after(9, 90, 100), "");
        assert_eq!(after(30, 50, 100), "about 30 s left, ");
        assert_eq!(after(60, 10, 100), "about 9 min left, ");
        assert_eq!(after(60, 100, 100), "");
    }
}
