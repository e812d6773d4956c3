//! The reports of a run: one file for each format.
//!
//! Each format is a [`Reporter`] that sees only events, so that several can be written at once. A reporter
//! knows no session and no disk; it is given something to write to. Whatever a server sent goes through
//! [`escape`](crate::escape) on its way out. A new format is a file and its lines here; [`FORMATS`] lists them.

use std::io::Write;

use crate::event::Reporter;
use crate::judge::Strictness;

/// The events that tell of progress, as a pattern for reports that are written at the end. A report that matches it and lists
/// the other events by name does not compile when an event is added, so that none is forgotten there.
macro_rules! progress {
    () => {
        Event::Started { .. }
            | Event::ConfinedSession { .. }
            | Event::Driven { .. }
            | Event::Seen(_)
            | Event::Learning { .. }
            | Event::Learnt { .. }
            | Event::Confirming { .. }
            | Event::Unwritten(_)
            | Event::Slow(_)
    };
}

mod account;
pub mod agents;
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
pub mod sarif;

pub use account::shell_word;
pub use agents::Agents;
pub use github::GitHub;
pub use gitlab::GitLab;
pub use given::{Given, GivenCommand, ServerGiven};
pub use html::Html;
pub use human::Human;
pub use json::Json;
pub use junit::Junit;
pub use markdown::Markdown;
pub use ndjson::Ndjson;
pub use progress::{Progress, confirming};
pub use sarif::Sarif;

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

/// A report format.
pub struct ReportFormat {
    /// The name by which it is requested; also the name of its file.
    pub name: &'static str,
    /// Its purpose, in a few words.
    pub summary: &'static str,
    /// Creates the reporter.
    pub open: fn(Box<dyn Write>, &ReportSettings) -> Box<dyn Reporter>,
}

/// A line of the server's sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// The file, relative to the repository, with slashes.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
}

/// The settings of a report, whatever its format.
#[derive(Debug, Clone)]
pub struct ReportSettings {
    /// The sentences behind requirement ids.
    pub promises: human::Promises,
    /// Which findings count for the exit code.
    pub strictness: Strictness,
    /// The colours, for formats that have any.
    pub theme: human::Theme,
    /// How much is shown, for formats that shorten anything.
    pub detail: human::Detail,
    /// The number of columns of the terminal that the report is written to; `None` if it is written elsewhere.
    pub columns: Option<usize>,
    /// What the user gave that a next command needs too.
    pub given: Given,
    /// When the report is written, for formats that say so; `None` where it is not said.
    pub date: Option<String>,
    /// The file at which code hosts show findings, relative to the working folder: the configuration, or the server's
    /// own program where that lies there.
    pub anchor: Option<String>,
    /// Where a tool of this name is defined.
    pub definition: fn(&str) -> Option<SourceLine>,
    /// The file of the workflow that runs this, relative to the repository.
    pub workflow: Option<String>,
}

impl ReportSettings {
    /// The settings of a report that is written to a file: brief, without colours, date or width, Must findings count.
    pub fn of_file(promises: human::Promises) -> Self {
        Self {
            promises,
            strictness: Strictness::Must,
            theme: human::Theme::plain(),
            detail: human::Detail::Brief,
            columns: None,
            given: Given::default(),
            date: None,
            anchor: None,
            definition: |_| None,
            workflow: None,
        }
    }
}

/// The format with this name.
pub fn format(name: &str) -> Option<&'static ReportFormat> {
    FORMATS.iter().find(|format| format.name == name).copied()
}
