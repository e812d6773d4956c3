//! The operator's side of an error: one structured line on standard error, with the cause that no client sees.
//!
//! The main type is [`Logger`], which each server has for itself: nothing is set up for the whole process. What a line
//! says depends on the call alone, so it has no time; whoever keeps the lines adds one.

use std::io;

use tracing::{Dispatch, Level, dispatcher};

use crate::failure::Failure;

/// The form of a line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Log {
    /// For a person: `WARN call refused operation="view" code="PATH_NOT_FOUND" status=404 ...`.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
    /// Nothing is told.
    Off,
}

/// Writes the lines.
#[derive(Debug, Clone)]
pub(crate) struct Logger(Dispatch);

/// Under which code and status an error is filed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// The contract's word.
    pub(crate) code: &'static str,
    /// As HTTP has it: 4xx where the caller can fix the call, 5xx where not.
    pub(crate) status: u16,
}

impl Log {
    pub(crate) fn open(self) -> Logger {
        let builder = tracing_subscriber::fmt()
            .with_writer(io::stderr)
            .with_max_level(Level::WARN)
            .with_target(false)
            .without_time()
            // Nobody may be reading the log, and that is no reason to fail a call.
            .log_internal_errors(false);
        Logger(match self {
            Log::Off => Dispatch::none(),
            Log::Text => Dispatch::new(builder.finish()),
            Log::Json => Dispatch::new(builder.json().flatten_event(true).finish()),
        })
    }
}

impl Logger {
    /// Logs a failed call. The level follows the status.
    pub(crate) fn failure(&self, operation: &str, entry: Entry, failure: &Failure) {
        let Entry { code, status } = entry;
        let (about, what) = (&*failure.about, failure.what.as_str());
        let reason = failure.reason.as_deref();
        let cause = failure.cause.as_ref().map(|cause| cause.error.to_string());
        let (cause, cause_type) = (cause.as_deref(), failure.cause.as_ref().map(|cause| cause.kind));
        dispatcher::with_default(&self.0, || match status {
            500.. => {
                tracing::error!(
                    operation,
                    code,
                    status,
                    about,
                    what,
                    reason,
                    cause_type,
                    cause,
                    "call failed"
                );
            }
            _ => {
                tracing::warn!(
                    operation,
                    code,
                    status,
                    about,
                    what,
                    reason,
                    cause_type,
                    cause,
                    "call refused"
                );
            }
        });
    }

    /// Logs a call of a tool that does not exist.
    pub(crate) fn unknown_tool(&self, name: &str) {
        dispatcher::with_default(&self.0, || {
            tracing::warn!(
                operation = "tools/call",
                code = "-32602",
                status = 404,
                about = name,
                "unknown tool"
            );
        });
    }
}
