//! How far a run is: a bar on a terminal, wiped at the end, or a few plain lines in the log of a CI job.

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::event::{Event, Pace, Reporter};

use crate::escape;

/// The columns that a case's id may take beside the bar.
const COLUMNS: usize = 40;
/// Into so many parts the lines divide a run.
const PARTS: usize = 4;

/// Shows how many cases are through.
pub struct Progress(ProgressDisplay);

enum ProgressDisplay {
    Bar(ProgressBar),
    Lines { out: Box<dyn Write>, planned: usize, driven: usize, quarters: u64 },
}

impl Progress {
    /// A bar on standard error, which is a terminal.
    pub fn bar() -> Self {
        Self::bar_on(ProgressDrawTarget::stderr())
    }

    fn bar_on(target: ProgressDrawTarget) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        Self(ProgressDisplay::Bar(bar))
    }

    /// Lines on a stream that is no terminal: one at the start, and one for each quarter of the cases.
    pub fn lines(out: impl Write + 'static) -> Self {
        Self(ProgressDisplay::Lines { out: Box::new(out), planned: 0, driven: 0, quarters: 0 })
    }
}

impl Reporter for Progress {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match &mut self.0 {
            ProgressDisplay::Bar(bar) => {
                show(bar, event);
                Ok(())
            }
            ProgressDisplay::Lines { out, quarters, .. } if matches!(event, Event::Pace(_)) => {
                let Event::Pace(pace) = event else { return Ok(()) };
                tell_pace(out, quarters, pace)
            }
            ProgressDisplay::Lines { out, planned, driven, .. } => tell(out, planned, driven, event),
        }
    }
}

fn show(bar: &ProgressBar, event: &Event) {
    match event {
        Event::Started { planned, head } => {
            bar.set_length(*planned as u64);
            bar.set_message(escape::line_within(&format!("{} has started", head.server_name), COLUMNS));
        }
        Event::Walled { planned } => bar.inc_length(*planned as u64),
        Event::Driven { case, .. } => {
            bar.set_message(escape::line_within(&case.0, COLUMNS));
            bar.inc(1);
        }
        Event::Pace(pace) => {
            if let Some(percent) = pace.percent {
                bar.set_length(100);
                bar.set_position(percent);
            }
            bar.set_message(in_words(pace));
        }
        Event::Learning { tools } => bar.set_message(learning(*tools)),
        Event::Learnt { .. } => bar.suspend(|| {
            let _ = writeln!(io::stderr(), "note: {}", learnt(event).unwrap_or_default());
        }),
        Event::Confirming { .. } => bar.suspend(|| {
            // Its own words are harmless; where nobody reads them any more the bar does not either.
            let _ = writeln!(io::stderr(), "note: {}", confirming(event).unwrap_or_default());
        }),
        Event::Unwritten(why) => bar.suspend(|| {
            let _ = writeln!(io::stderr(), "{}", unwritten(why));
        }),
        Event::Stale(_) | Event::SnapshotsGone(_) => {}
        Event::Judged { .. } => bar.finish_and_clear(),
    }
}

fn tell(out: &mut dyn Write, planned: &mut usize, driven: &mut usize, event: &Event) -> io::Result<()> {
    match event {
        Event::Started { planned: cases, head } => {
            (*planned, *driven) = (*cases, 0);
            let name = escape::line_within(&head.server_name, COLUMNS);
            let cases = if *cases > 0 { format!("; {cases} cases") } else { String::new() };
            writeln!(out, "mcp-errconf: {name} has started{cases}")?;
        }
        Event::Walled { planned: cases } => {
            *planned += *cases;
            writeln!(out, "mcp-errconf: a second, confined session has started; {cases} cases")?;
        }
        Event::Driven { .. } => {
            let quarter = |driven: usize| driven * PARTS / (*planned).max(1);
            let before = quarter(*driven);
            *driven += 1;
            if quarter(*driven) > before {
                writeln!(out, "mcp-errconf: {driven}/{planned} cases")?;
            }
        }
        Event::Learning { tools } => writeln!(out, "mcp-errconf: {}", learning(*tools))?,
        Event::Learnt { .. } => writeln!(out, "mcp-errconf: {}", learnt(event).unwrap_or_default())?,
        Event::Confirming { .. } => writeln!(out, "mcp-errconf: {}", confirming(event).unwrap_or_default())?,
        Event::Unwritten(why) => writeln!(out, "{}", unwritten(why))?,
        Event::Pace(_) | Event::Stale(_) | Event::SnapshotsGone(_) | Event::Judged { .. } => {}
    }
    out.flush()
}

/// That a file could not be written.
fn unwritten(why: &str) -> String {
    format!("error: {}", escape::no_workflow_command(&escape::line(why)))
}

fn learning(tools: usize) -> String {
    let of = if tools == 1 { "1 tool".to_owned() } else { format!("each of {tools} tools") };
    format!("looking for a call that succeeds, of {of}")
}

/// What a campaign has learnt before its own calls; none for any other event.
fn learnt(event: &Event) -> Option<String> {
    let Event::Learnt { known, tools, calls, stale } = event else { return None };
    let mut told = format!("a call that succeeds is known for {known} of {tools} tools ({calls} calls)");
    if !stale.is_empty() {
        let names: Vec<String> = stale.iter().map(|tool| escape::line_within(tool, COLUMNS)).collect();
        told.push_str(&format!("; kept in the corpus, and refused now: {}", names.join(", ")));
    }
    Some(escape::no_workflow_command(&told))
}

/// That a campaign goes on after its time; none for any other event.
pub fn confirming(event: &Event) -> Option<String> {
    let Event::Confirming { open, at_most } = event else { return None };
    let things = if *open == 1 {
        "1 suspected finding \
        is"
        .to_owned()
    } else {
        format!("{open} suspected findings are")
    };
    Some(format!(
        "{things} still to be confirmed, which may take {} s more; Ctrl-C stops now and reports what there \
         is",
        at_most.as_secs()
    ))
}

/// A line for each quarter of a campaign.
fn tell_pace(out: &mut dyn Write, quarters: &mut u64, pace: &Pace) -> io::Result<()> {
    let reached = pace.percent.unwrap_or_default() * PARTS as u64 / 100;
    if reached > *quarters {
        *quarters = reached;
        writeln!(out, "mcp-errconf: {}", in_words(pace))?;
    }
    out.flush()
}

/// How far a campaign is.
fn in_words(pace: &Pace) -> String {
    let left = match pace.left {
        None => String::new(),
        Some(left) if left.as_secs() < 100 => format!(", {} s left", left.as_secs()),
        Some(left) if left.as_secs() < 6_000 => format!(", {} min left", left.as_secs() / 60),
        Some(left) => format!(", {} h left", left.as_secs() / 3_600),
    };
    let Pace { calls, per_second, signatures, findings, confirming, .. } = pace;
    let plural = if *findings == 1 { "" } else { "s" };
    let confirming = confirming.map_or(String::new(), |open| format!(", {open} to be confirmed"));
    format!(
        "{calls} calls, {per_second}/s, {signatures} new replies, {findings} finding{plural}{confirming}{left}"
    )
}

impl Drop for Progress {
    /// Leaves a clean line behind, also when the run failed half-way.
    fn drop(&mut self) {
        if let ProgressDisplay::Bar(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
