//! The operator's side of an error: one structured line on standard error, with the cause that no client sees.
//!
//! The main type is [`Logger`], which each server has for itself: nothing is set up for the whole process. What a line
//! says depends on the call alone, so it has no time; whoever keeps the lines adds one.

use std::io;

use tracing::{Dispatch, Level, dispatcher};
use tracing_subscriber::fmt::MakeWriter;

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
        self.open_on(io::stderr)
    }

    fn open_on<W>(self, writer: W) -> Logger
    where
        W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
    {
        let builder = tracing_subscriber::fmt()
            .with_writer(writer)
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

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use serde_json::Value;

    use super::*;
    use crate::failure::Code;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(log: Log, status: u16) -> String {
        let kept = Kept::default();
        let writer = kept.clone();
        let logger = log.open_on(move || writer.clone());
        let failure = Failure::new(Code::IoError, "Could not read 'a\nb'")
            .about("a\nb")
            .because("permission denied")
            .caused_by(io::Error::other("two\nlines"));
        logger.failure("view", Entry { code: "IO_ERROR", status }, &failure);
        let bytes = kept.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn an_error_is_one_line_with_its_cause_whatever_stands_in_it() {
        for log in [Log::Text, Log::Json] {
            let line = logged(log, 500);
            assert_eq!(line.matches('\n').count(), 1, "{line}");
            for part in
                ["view", "IO_ERROR", "500", "permission denied", "two\\nlines", "std::io::error::Error"]
            {
                assert!(line.contains(part), "{part} is not in {line}");
            }
        }
    }

    #[test]
    fn the_level_follows_the_status() {
        for (status, level) in [(400, "WARN"), (415, "WARN"), (500, "ERROR"), (504, "ERROR")] {
            assert!(logged(Log::Text, status).trim_start().starts_with(level), "{status}");
            let line: Value = serde_json::from_str(&logged(Log::Json, status)).unwrap();
            assert_eq!(
                (line["level"].as_str(), line["status"].as_u64()),
                (Some(level), Some(u64::from(status)))
            );
        }
    }
}
