//! Calls that have come together, before one of them was answered, for defects that only these show.
//!
//! The main type is [`CallsTogether`].

use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use serde_json::Value;

use super::screen::Screened;
use crate::defects::Together;

/// What a defect does to calls that have come together.
pub(super) struct CallsTogether {
    defect: Option<Together>,
    /// The id that the next call gets.
    next_id: Option<Value>,
    /// Whether a call came together with its cancellation.
    was_cancelled: bool,
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is read like any other.
    Usual,
    /// Neither it nor anything after it is read.
    Deadlock,
    /// Its call fails.
    Failure,
}

/// The mark of a call that fails because of what came with it, or with one before.
#[derive(Debug, Clone)]
pub(crate) struct CameTogether;

impl CallsTogether {
    pub(super) fn new(defect: Option<Together>) -> Self {
        Self { defect, next_id: None, was_cancelled: false }
    }

    /// What becomes of this line, where these bytes were read with it.
    pub(super) fn meet(&mut self, line: &mut Vec<u8>, waiting: &[u8]) -> Fate {
        let Some(defect) = self.defect else { return Fate::Usual };
        if let Some(id) = self.next_id.take() {
            with_id(line, id);
            return Fate::Usual;
        }
        let next = waiting.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let Some(own) = id_of_call(line) else { return Fate::Usual };
        if let Together::FailOnceCancelled(_) = defect {
            let fate = if self.was_cancelled { Fate::Failure } else { Fate::Usual };
            self.was_cancelled |= is_cancellation(next);
            return fate;
        }
        let Some(other) = id_of_call(next) else { return Fate::Usual };
        match defect {
            Together::Deadlock => Fate::Deadlock,
            Together::Fail(_) | Together::FailOnceCancelled(_) => Fate::Failure,
            Together::Swap => {
                with_id(line, other);
                self.next_id = Some(own);
                Fate::Usual
            }
        }
    }
}

/// Marks a call.
pub(super) fn mark(screened: &mut Screened) {
    if let Screened::Deliver(message) = screened
        && let ClientJsonRpcMessage::Request(request) = message.as_mut()
        && let ClientRequest::CallToolRequest(call) = &mut request.request
    {
        call.extensions.insert(CameTogether);
    }
}

/// The id of a line that is the call of a tool.
fn id_of_call(line: &[u8]) -> Option<Value> {
    let mut request: Value = serde_json::from_slice(line).ok()?;
    (request["method"] == "tools/call").then(|| request["id"].take())
}

/// Whether a line takes a request back.
fn is_cancellation(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|message| message["method"] == "notifications/cancelled")
}

fn with_id(line: &mut Vec<u8>, id: Value) {
    if let Ok(mut request) = serde_json::from_slice::<Value>(line) {
        request["id"] = id;
        *line = request.to_string().into_bytes();
    }
}
