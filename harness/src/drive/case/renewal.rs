//! A server that limits the number of calls: a fresh process usually starts counting again.
//!
//! The main type is [`Renewals`].

use std::mem;
use std::time::Duration;

use serde_json::Value;

use crate::exchange::Outcome;
use crate::plan::PlannedCall;
use crate::server::Answered;
use crate::wording::{is_of_one_second, is_rationed};

use super::{Driver, NumberedSession};

/// At most this many processes are started because of a limit on calls, and at most as many seconds are waited for.
const MOST: usize = 40;
/// After this a limit by the second counts anew.
const SECOND: Duration = Duration::from_millis(1_100);

/// What may still be done about a server's limit on calls.
pub(super) struct Renewals {
    /// How many more processes may be started.
    starts: usize,
    /// How many more times the next second may be waited for.
    waits: usize,
}

impl Default for Renewals {
    fn default() -> Self {
        Self { starts: MOST, waits: MOST }
    }
}

impl Driver<'_> {
    /// Sends a call and returns its answer. If the server refuses it because of too many earlier calls, it is
    /// sent again to a fresh process; if that one refuses it too, the server counts elsewhere, and this is not
    /// tried again. A case of the suite, and a tool that needs others called first, keeps its process: what was
    /// prepared there would be lost. Where the limit is one by the second, the next second is waited for first.
    pub(super) async fn answer(&mut self, numbered: &mut NumberedSession, call: &PlannedCall) -> Answered {
        let mut answer = self.exchanged(numbered, call).await;
        if self.renewals.waits > 0 && refused_with(&answer.outcome, is_of_one_second) {
            self.renewals.waits -= 1;
            tokio::time::sleep(SECOND).await;
            answer = self.exchanged(numbered, call).await;
        }
        let is_bound = !self.case.0.starts_with("probe/") || self.firsts.has_any(&call.tool);
        if is_bound || self.renewals.starts == 0 || self.service.is_failing() || !limits(&answer.outcome) {
            return answer;
        }
        let Ok((fresh, _)) = self.pool.open().await else { return answer };
        let spent = mem::replace(numbered, fresh);
        self.pool.close(spent).await;
        let again = self.exchanged(numbered, call).await;
        self.renewals.starts = if limits(&again.outcome) { 0 } else { self.renewals.starts - 1 };
        again
    }

    async fn exchanged(&mut self, numbered: &mut NumberedSession, call: &PlannedCall) -> Answered {
        self.set_service(call);
        let params = format!(r#"{{"name":{},"arguments":{}}}"#, Value::from(call.tool.as_str()), call.text);
        numbered.session.call("tools/call", &params).await
    }
}

/// Whether a call was refused because of too many earlier calls.
fn limits(outcome: &Outcome) -> bool {
    refused_with(outcome, is_rationed)
}

/// Whether a call was refused in words of which this holds.
fn refused_with(outcome: &Outcome, holds: impl Fn(&str) -> bool) -> bool {
    match outcome {
        Outcome::Error(error) => holds(&error.message),
        outcome if outcome.is_tool_error() => outcome.texts().iter().any(|text| holds(text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_refusal_tells_of_a_limit_on_calls() {
        let reply = |is_error: bool| {
            let content = json!([{"type": "text", "text": "Too many requests"}]);
            Outcome::Result(json!({"isError": is_error, "content": content}))
        };
        assert!(limits(&reply(true)) && !limits(&reply(false)));
    }
}
