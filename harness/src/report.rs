//! What is shown of a run: one file a form.
//!
//! Each form is a [`Reporter`] that is told of events and of nothing else, so that several can
//! be written at once. A reporter knows no session and no disk; it is given something to write to. Whatever a server
//! sent goes through [`escape`] on its way out. [`FORMS`] lists them; nothing else has to know of one more.

use std::io::Write;

use crate::event::Reporter;
use crate::judge::Strictness;

mod account;
pub mod github;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod ndjson;
pub mod progress;
pub mod sarif;

pub use github::GitHub;
pub use html::Html;
pub use human::Human;
pub use json::Json;
pub use junit::Junit;
pub use markdown::Markdown;
pub use ndjson::Ndjson;
pub use progress::{Progress, confirming};
pub use sarif::Sarif;

/// Every form, in the order in which they are listed.
pub static FORMS: &[&Form] = &[
    &human::FORM,
    &json::FORM,
    &ndjson::FORM,
    &junit::FORM,
    &sarif::FORM,
    &github::FORM,
    &markdown::FORM,
    &html::FORM,
];

/// A form of report.
pub struct Form {
    /// What it is asked for by; also the file's name.
    pub name: &'static str,
    /// Whom it is for, in a few words.
    pub summary: &'static str,
    /// Makes the reporter that writes it.
    pub open: fn(Box<dyn Write>, &Setting) -> Box<dyn Reporter>,
}

/// What a report is written by, whatever its form.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The sentences behind requirement ids.
    pub promises: human::Promises,
    /// Which findings count.
    pub strictness: Strictness,
    /// Colours, where the form has any.
    pub theme: human::Theme,
    /// How much is shown, where the form cuts anything.
    pub detail: human::Detail,
    /// The file at which code hosts show findings, relative to the working folder: the configuration, or the server's
    /// own program where that lies there.
    pub anchor: Option<String>,
}

/// The form of this name.
pub fn form(name: &str) -> Option<&'static Form> {
    FORMS.iter().find(|form| form.name == name).copied()
}
