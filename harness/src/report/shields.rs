//! The shields report: the JSON that shields.io's endpoint badge reads.

use serde_json::json;

use super::ReportFormat;
use super::badge::{Badge, BadgeText, LABEL};
use crate::escape;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "shields",
    summary: "the JSON of an endpoint badge of shields.io",
    open: |out, settings| Box::new(Badge::shields(out, settings)),
};

/// The document, in one line.
pub(super) fn document(badge: &BadgeText) -> String {
    // A badge has room for a few words; the reason why nothing was judged is only in the full verdict.
    let document = json!({
        "schemaVersion": 1,
        "label": LABEL,
        "message": badge.message,
        "color": badge.color.0,
    });
    escape::json(&document.to_string()).into_owned()
}
