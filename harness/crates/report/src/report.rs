//! The reports of a run: one file for each format.
//!
//! [`ReportView`] says what is shown, in which order and in which words; a format adds markup and layout. A format knows no
//! session and no disk; it is given something to write to. Whatever a server sent goes through [`escape`](crate::escape) on
//! its way out. A new format is a file and its lines here; [`FORMATS`] lists them.

use std::io::{self, Write};

use crate::baseline::Entry;
use crate::event::{Event, Reporter};
use crate::judge::SlowCase;
use crate::snapshot::StaleText;

pub mod agents;
pub mod diff;
pub mod github;
pub mod gitlab;
mod given;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod ndjson;
pub mod progress;
mod prose;
pub mod sarif;
mod settings;
mod theme;
mod view;
mod words;

pub use given::{Given, GivenCommand, ServerGiven};
pub use progress::confirming;
pub use prose::{pieces, wrapped};
pub use settings::{Detail, Promises, ReportSettings, SourceLine};
pub use theme::Theme;
pub use view::ReportView;
pub use words::shell_word;

/// Every format, in the order in which they are listed.
pub static FORMATS: &[&ReportFormat] = &[
    &human::FORMAT,
    &json::FORMAT,
    &ndjson::FORMAT,
    &junit::FORMAT,
    &sarif::FORMAT,
    &github::FORMAT,
    &gitlab::FORMAT,
    &markdown::FORMAT,
    &html::FORMAT,
    &agents::FORMAT,
];

/// The file to attach findings to if there is none: the configuration that a server would have.
const ANCHOR: &str = "mcp-errconf.toml";

/// A report format.
#[derive(Debug)]
pub struct ReportFormat {
    /// The name by which it is requested; also the name of its file.
    pub name: &'static str,
    /// How it is written.
    kind: Kind,
}

/// How a format is written.
#[derive(Debug)]
enum Kind {
    /// Once the run is judged.
    AtTheEnd(fn(ReportView<'_>, &mut dyn Write) -> io::Result<()>),
    /// Event by event.
    AsItHappens(fn(Box<dyn Write>) -> Box<dyn Reporter>),
}

impl ReportFormat {
    /// A reporter that writes this format.
    pub fn open(&self, out: Box<dyn Write>, settings: &ReportSettings) -> Box<dyn Reporter> {
        match self.kind {
            Kind::AsItHappens(open) => open(out),
            Kind::AtTheEnd(write) => Box::new(AtTheEnd {
                out,
                write,
                settings: settings.clone(),
                stale: Vec::new(),
                gone: Vec::new(),
                slow: Vec::new(),
            }),
        }
    }
}

/// A report that is written once the run is judged.
struct AtTheEnd {
    out: Box<dyn Write>,
    write: fn(ReportView<'_>, &mut dyn Write) -> io::Result<()>,
    settings: ReportSettings,
    stale: Vec<Entry>,
    gone: Vec<StaleText>,
    slow: Vec<SlowCase>,
}

impl Reporter for AtTheEnd {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Slow(slow) => self.slow.clone_from(slow),
            Event::Stale(stale) => self.stale.clone_from(stale),
            Event::SnapshotsGone(gone) => self.gone.clone_from(gone),
            Event::Judged { report, conclusion } => {
                let Self { settings, stale, gone, slow, out, write } = self;
                let view = ReportView { report, conclusion, settings, stale, gone, slow };
                write(view, out)?;
                out.flush()?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// The format with this name.
pub fn format(name: &str) -> Option<&'static ReportFormat> {
    FORMATS.iter().find(|format| format.name == name).copied()
}
