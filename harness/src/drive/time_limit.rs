//! A run that ends by itself: `--max-time`.
//!
//! The main function is [`drive_within`].

use std::cell::Cell;
use std::time::Duration;

use tokio::sync::watch;

use crate::event::Event;
use crate::transcript::{CaseOutcome, Transcript};

use super::{Assignment, DriveError, INTERRUPTED, drive};

/// Drives a run like [`drive`], and interrupts it after this time. What was not driven by then is skipped, and says so.
///
/// # Errors
/// The same as for [`drive`].
pub async fn drive_within(
    limit: Duration,
    assignment: &Assignment,
    mut interrupt: watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> Result<Transcript, DriveError> {
    let (sender, stop) = watch::channel(false);
    let is_over = Cell::new(false);
    let watched = async {
        tokio::select! {
            Ok(_) = interrupt.wait_for(|interrupted| *interrupted) => {}
            () = tokio::time::sleep(limit) => is_over.set(true),
        }
        sender.send_replace(true);
        std::future::pending().await
    };
    let driven = tokio::select! {
        biased;
        driven = drive(assignment, stop, tell) => driven,
        driven = watched => driven,
    };
    match driven {
        Ok(mut transcript) if is_over.get() && transcript.interrupted => {
            stop_after(&mut transcript, limit);
            Ok(transcript)
        }
        Err(DriveError::Interrupted) if is_over.get() => Err(DriveError::NotExercised(format!(
            "the server had not started after {} s, the time limit of the run (`--max-time`)",
            limit.as_secs_f64()
        ))),
        driven => driven,
    }
}

/// Notes that the time limit ended a run, and not the user.
fn stop_after(transcript: &mut Transcript, limit: Duration) {
    transcript.stopped_after_ms = Some(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
    for case in &mut transcript.cases {
        if let CaseOutcome::Skipped(why) | CaseOutcome::Errored(why) = &mut case.outcome
            && let Some(when) = why.strip_prefix(INTERRUPTED)
        {
            *why = format!("the time limit of the run was reached{when}");
        }
    }
}
