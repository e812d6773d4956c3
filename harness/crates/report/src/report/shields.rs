//! The shields report: the JSON that shields.io's endpoint badge reads. [`Badge`] writes it.

use super::ReportFormat;
use super::badge::Badge;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "shields",
    summary: "the JSON of an endpoint badge of shields.io",
    open: |out, settings| Box::new(Badge::shields(out, settings)),
};
