//! Calls in flight: what was sent and is waiting for a reply.
//!
//! The main type is [`CallsInFlight`]. It knows nothing of processes or verdicts.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;

use crate::generate::{Input, Sequence};
use crate::judge::Sent;

use super::draw::CallSource;
use super::restraint::Hold;
use super::verdict::AnsweredCall;

/// A sequence of calls, one of which is in flight.
pub(super) struct CallsInFlight {
    pub(super) sequence: Sequence,
    pub(super) origin: CallSource,
    /// The replies to the earlier steps.
    pub(super) replies: Vec<Value>,
    /// The step in flight, if it was not sent as it was drawn.
    pub(super) ready: Option<Input>,
    /// The arguments of the step, parsed on first use.
    value: OnceCell<Value>,
    values: Sent,
    /// Whether the line is one that many parsers refuse as a whole.
    is_unreadable: bool,
    pub(super) since: Instant,
    /// Where its tool gets no other call meanwhile.
    pub(super) hold: Option<Hold>,
}

impl CallsInFlight {
    pub(super) fn new(
        sequence: Sequence,
        origin: CallSource,
        replies: Vec<Value>,
        ready: Option<Input>,
    ) -> Self {
        let mut flight = Self {
            sequence,
            origin,
            replies,
            ready,
            value: OnceCell::new(),
            values: Sent::default(),
            is_unreadable: false,
            since: Instant::now(),
            hold: None,
        };
        if let Some((_, input)) = flight.step() {
            let is_unreadable = input.arguments.starts_with('"') || input.has_no_value();
            flight.values = match is_unreadable {
                true => Sent::new(flight.value()),
                false => Sent::of_text(&input.arguments),
            };
            flight.is_unreadable = is_unreadable;
        }
        flight
    }

    /// The tool of the step in flight, and the arguments as they were sent.
    pub(super) fn step(&self) -> Option<(&str, &Input)> {
        let (tool, drawn) = self.sequence.steps.get(self.replies.len())?;
        Some((tool, self.ready.as_ref().unwrap_or(drawn)))
    }

    /// The arguments of the step in flight; a string with their text if they are not valid JSON.
    pub(super) fn value(&self) -> &Value {
        self.value.get_or_init(|| {
            let Some((_, input)) = self.step() else { return Value::Null };
            input.value().unwrap_or_else(|| Value::from(input.arguments.as_str()))
        })
    }

    /// Whether another step follows.
    pub(super) fn goes_on(&self) -> bool {
        self.replies.len() + 1 < self.sequence.steps.len()
    }

    /// The step in flight with its reply.
    pub(super) fn seen<'f>(&'f self, id: i64, line: &'f [u8], length: usize) -> Option<AnsweredCall<'f>> {
        let (tool, input) = self.step()?;
        Some(AnsweredCall { tool, input, sent: &self.values, id, line, length })
    }

    /// Whether no parser can read the line.
    pub(super) fn is_no_json(&self) -> bool {
        self.step().is_some_and(|(_, input)| !input.is_json())
    }

    pub(super) fn is_unreadable(&self) -> bool {
        self.is_unreadable
    }

    /// The steps up to the one in flight, as they were sent.
    pub(super) fn so_far(&self) -> Sequence {
        let mut steps = self.sequence.steps[..=self.replies.len()].to_vec();
        if let (Some(last), Some(ready)) = (steps.last_mut(), &self.ready) {
            last.1 = ready.clone();
        }
        Sequence { steps, feeds: self.sequence.feeds.clone() }
    }
}

/// The call that an error without an id most likely answers: the oldest that is not JSON; if there is none, one
/// with half a surrogate pair, or with a string in place of an object, which most servers can read.
pub(super) fn least_readable(flights: &BTreeMap<i64, Box<CallsInFlight>>) -> Option<i64> {
    let oldest = |is_meant: fn(&CallsInFlight) -> bool| {
        flights.iter().find(|(_, flight)| is_meant(flight)).map(|(id, _)| *id)
    };
    oldest(CallsInFlight::is_no_json).or_else(|| oldest(CallsInFlight::is_unreadable))
}

#[cfg(test)]
mod tests {
    use crate::generate::Validity;

    use super::super::corpus::tests::valid;
    use super::super::sequence::alone;
    use super::*;

    fn flights(calls: &[(i64, &str)]) -> BTreeMap<i64, Box<CallsInFlight>> {
        let flight = |arguments: &str| {
            let input = Input { validity: Validity::Unknown, ..valid(arguments) };
            let sequence = alone("view".to_owned(), input);
            Box::new(CallsInFlight::new(sequence, CallSource::Queued, Vec::new(), None))
        };
        calls.iter().map(|(id, arguments)| (*id, flight(arguments))).collect()
    }

    #[test]
    fn an_error_without_an_id_answers_the_call_that_is_least_readable() {
        let (plain, text, half, broken) = (r#"{"a":1}"#, r#""a""#, r#"{"a":"\ud800"}"#, r#"{"a":"\q"}"#);
        for (calls, answered) in [
            (vec![(1, plain), (2, text), (3, half), (4, broken), (5, broken)], Some(4)),
            (vec![(1, plain), (2, text), (3, half)], Some(2)),
            (vec![(1, plain), (3, half)], Some(3)),
            (vec![(1, plain)], None),
        ] {
            assert_eq!(least_readable(&flights(&calls)), answered, "{calls:?}");
        }
    }
}
