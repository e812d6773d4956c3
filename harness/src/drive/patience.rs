//! How many calls without a reply are borne before a tool, or the server, is left alone.
//!
//! The main type is [`Patience`]. It is fed with what became of each call, in the order of the plan.

use std::collections::HashMap;

use crate::exchange::{LivenessCheck, Outcome};

/// After this many calls without reply a tool is left alone.
const BY_TOOL: usize = 3;
/// After this many calls in a row without reply, whatever the tool, the server is left alone.
const IN_A_ROW: usize = 4;
/// A server that answers nothing any more, in one fresh process after the other, is left alone sooner.
const HUNG_IN_A_ROW: usize = 3;

/// What is left of the patience with a server.
#[derive(Debug, Clone, Default)]
pub(super) struct Patience {
    unanswered: HashMap<String, usize>,
    in_a_row: usize,
    hung_in_a_row: usize,
}

/// What became of a call, as far as patience goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Responsiveness {
    /// Something came, be it the end of the process.
    Something,
    /// No reply to this call.
    Nothing,
    /// No reply to this call, nor to anything after it.
    Silence,
}

impl Responsiveness {
    pub(super) fn from_outcome(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::NoReply { liveness: LivenessCheck::Silent, .. } => Self::Silence,
            Outcome::NoReply { .. } => Self::Nothing,
            _ => Self::Something,
        }
    }
}

impl Patience {
    /// Takes what became of a tool's call.
    pub(super) fn record(&mut self, tool: &str, response: Responsiveness) {
        match response {
            Responsiveness::Something => {
                self.in_a_row = 0;
                self.hung_in_a_row = 0;
                return;
            }
            Responsiveness::Nothing => self.hung_in_a_row = 0,
            Responsiveness::Silence => self.hung_in_a_row += 1,
        }
        self.in_a_row += 1;
        *self.unanswered.entry(tool.to_owned()).or_default() += 1;
    }

    /// Why a call of this tool is not sent any more.
    pub(super) fn withheld(&self, tool: &str) -> Option<String> {
        if self.hung_in_a_row >= HUNG_IN_A_ROW {
            return Some(format!(
                "withheld: the server hung on {HUNG_IN_A_ROW} calls in a row, each in a fresh process"
            ));
        }
        if self.in_a_row >= IN_A_ROW {
            return Some(format!("withheld: the server left {IN_A_ROW} calls in a row unanswered"));
        }
        let unanswered = self.unanswered.get(tool).copied().unwrap_or_default();
        (unanswered >= BY_TOOL).then(|| format!("withheld: `{tool}` left {BY_TOOL} calls unanswered"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(responses: &[(&str, Responsiveness)], tool: &str) -> Option<String> {
        let mut patience = Patience::default();
        for (tool, response) in responses {
            patience.record(tool, *response);
        }
        patience.withheld(tool)
    }

    #[test]
    fn a_tool_that_leaves_three_calls_unanswered_is_left_alone_and_the_others_are_not() {
        let responses = [("a", Responsiveness::Nothing), ("b", Responsiveness::Something)].repeat(3);
        assert!(after(&responses, "a").is_some());
        assert_eq!(after(&responses, "b"), None);
        assert_eq!(after(&responses[..4], "a"), None);
    }

    #[test]
    fn a_server_that_answers_nothing_any_more_is_left_alone_whatever_the_tool() {
        let lost: Vec<_> = ["a", "b", "c", "d"].map(|tool| (tool, Responsiveness::Nothing)).to_vec();
        assert!(after(&lost, "e").is_some());
        assert_eq!(after(&lost[..3], "e"), None);
        let hung: Vec<_> = ["a", "b", "c"].map(|tool| (tool, Responsiveness::Silence)).to_vec();
        assert!(after(&hung, "e").is_some());
    }
}
