//! How far a run is: a bar on a terminal, wiped at the end, or a few plain lines in the log of a CI job.

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::event::{Event, Reporter};

use super::escape;

/// The columns that a case's id may take beside the bar.
const COLUMNS: usize = 40;
/// Into so many parts the lines divide a run.
const PARTS: usize = 4;

/// Shows how many cases are through.
pub struct Progress(Form);

enum Form {
    Bar(ProgressBar),
    Lines { out: Box<dyn Write>, planned: usize, driven: usize },
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
        Self(Form::Bar(bar))
    }

    /// Lines on a stream that is no terminal: one at the start, and one for each quarter of the cases.
    pub fn lines(out: impl Write + 'static) -> Self {
        Self(Form::Lines { out: Box::new(out), planned: 0, driven: 0 })
    }
}

impl Reporter for Progress {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match &mut self.0 {
            Form::Bar(bar) => {
                show(bar, event);
                Ok(())
            }
            Form::Lines { out, planned, driven } => tell(out, planned, driven, event),
        }
    }
}

fn show(bar: &ProgressBar, event: &Event) {
    match event {
        Event::Started { planned, head } => {
            bar.set_length(*planned as u64);
            bar.set_message(escape::line_within(&format!("{} has started", head.server_name), COLUMNS));
        }
        Event::Driven { case, .. } => {
            bar.set_message(escape::line_within(&case.0, COLUMNS));
            bar.inc(1);
        }
        Event::Stale(_) | Event::SnapshotsGone(_) => {}
        Event::Judged { .. } => bar.finish_and_clear(),
    }
}

fn tell(out: &mut dyn Write, planned: &mut usize, driven: &mut usize, event: &Event) -> io::Result<()> {
    match event {
        Event::Started { planned: cases, head } => {
            (*planned, *driven) = (*cases, 0);
            let name = escape::line_within(&head.server_name, COLUMNS);
            writeln!(out, "mcp-errconf: {name} has started; {cases} cases")?;
        }
        Event::Driven { .. } => {
            let quarter = |driven: usize| driven * PARTS / (*planned).max(1);
            let before = quarter(*driven);
            *driven += 1;
            if quarter(*driven) > before {
                writeln!(out, "mcp-errconf: {driven}/{planned} cases")?;
            }
        }
        Event::Stale(_) | Event::SnapshotsGone(_) | Event::Judged { .. } => {}
    }
    out.flush()
}

impl Drop for Progress {
    /// Leaves a clean line behind, also when the run failed half-way.
    fn drop(&mut self) {
        if let Form::Bar(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
