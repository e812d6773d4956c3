//! A process of its own for what is sent after the cases and probes, so that its effect does not reach one of them.
//!
//! The main type is [`RestartedProcess`].

use std::time::Duration;

use serde_json::Value;

use crate::exchange::Place;
use crate::plan::FeatureRequest;

use super::pool::{NumberedSession, ProcessPool};

/// After this many lost processes nothing more is sent.
pub(super) const LOST: usize = 3;

/// A process that is started when it is first needed, and again when it is lost.
pub(super) struct RestartedProcess<'p> {
    pub(super) pool: &'p mut ProcessPool,
    /// How often it was lost.
    lost: usize,
}

impl<'p> RestartedProcess<'p> {
    /// Begins with the process that the pool has running, if it has one.
    pub(super) fn new(pool: &'p mut ProcessPool) -> Self {
        Self { pool, lost: 0 }
    }

    /// Does not count the losses so far.
    pub(super) fn forget_losses(&mut self) {
        self.lost = 0;
    }

    /// Whether too many processes were lost already.
    pub(super) fn is_given_up(&self) -> bool {
        self.lost >= LOST
    }

    /// The open process, or a new one. If none can be started, none will be tried again; the error has the cause.
    pub(super) async fn take(&mut self) -> Result<NumberedSession, String> {
        self.pool.take().await.inspect_err(|_| self.lost = LOST)
    }

    /// Keeps the process for the next request, or counts its loss.
    pub(super) async fn keep(&mut self, numbered: NumberedSession, is_lost: bool) {
        self.lost += usize::from(is_lost);
        self.pool.keep(numbered, is_lost).await;
    }

    /// Sends a request; returns the index of its exchange, or `None` if too many processes were lost already.
    pub(super) async fn send(&mut self, request: &FeatureRequest, place: Place) -> Option<usize> {
        if self.is_given_up() {
            return None;
        }
        let mut numbered = self.take().await.ok()?;
        let index = self.pool.request(&mut numbered, request, place).await;
        self.keep(numbered, self.pool.exchanges[index].outcome.is_lost()).await;
        Some(index)
    }

    /// How long this call took at least, of those that the open process answered.
    pub(super) fn shortest(&self, tool: &str, arguments: &Value) -> Duration {
        let open = self.pool.number();
        let of_call = self.pool.exchanges.iter().filter(|exchange| {
            Some(exchange.process) == open
                && exchange.tool() == Some(tool)
                && exchange.call.arguments == *arguments
                && exchange.outcome.result().is_some()
        });
        Duration::from_millis(of_call.map(|exchange| exchange.elapsed_ms).min().unwrap_or_default())
    }
}
