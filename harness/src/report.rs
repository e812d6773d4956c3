//! What is shown of a run: one file a form.
//!
//! Each form is a [`Reporter`] that is told of events and of nothing else, so that several can
//! be written at once. A reporter knows no session and no disk; it is given something to write to. Whatever a server
//! sent goes through [`escape`](crate::escape) on its way out. [`FORMATS`] lists them; nothing else has to know of one more.

use std::io::Write;

use crate::event::Reporter;
use crate::judge::Strictness;

mod account;
pub mod badge;
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
pub mod shields;

pub use badge::Badge;
pub use github::GitHub;
pub use gitlab::GitLab;
pub use given::{Given, ServerGiven};
pub use html::Html;
pub use human::Human;
pub use json::Json;
pub use junit::Junit;
pub use markdown::Markdown;
pub use ndjson::Ndjson;
pub use progress::{Progress, confirming};
pub use sarif::Sarif;
pub use shields::Shields;

/// Every form, in the order in which they are listed.
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
    &badge::FORMAT,
    &shields::FORMAT,
];

/// A form of report.
pub struct ReportFormat {
    /// What it is asked for by; also the file's name.
    pub name: &'static str,
    /// Whom it is for, in a few words.
    pub summary: &'static str,
    /// Makes the reporter that writes it.
    pub open: fn(Box<dyn Write>, &ReportSettings) -> Box<dyn Reporter>,
}

/// What a report is written by, whatever its form.
#[derive(Debug, Clone)]
pub struct ReportSettings {
    /// The sentences behind requirement ids.
    pub promises: human::Promises,
    /// Which findings count.
    pub strictness: Strictness,
    /// Colours, where the form has any.
    pub theme: human::Theme,
    /// How much is shown, where the form cuts anything.
    pub detail: human::Detail,
    /// How many columns the terminal has that the report goes to; none if it goes elsewhere.
    pub columns: Option<usize>,
    /// What the user gave that a next command needs too.
    pub given: Given,
    /// The file at which code hosts show findings, relative to the working folder: the configuration, or the server's
    /// own program where that lies there.
    pub anchor: Option<String>,
}

/// The form of this name.
pub fn format(name: &str) -> Option<&'static ReportFormat> {
    FORMATS.iter().find(|format| format.name == name).copied()
}
