//! How many unanswered calls it takes to give up on a tool or on the server.
//!
//! The main type is [`Patience`]. It takes the result of each call, in the order of the plan.

use std::collections::HashMap;

use crate::exchange::{LivenessCheck, Outcome};

/// After this many unanswered calls of a tool, the tool is given up.
const BY_TOOL: usize = 3;
/// After this many unanswered calls in a row, of any tools, the server is given up.
const IN_A_ROW: usize = 4;
/// A server that hangs in one fresh process after the other is given up sooner.
const HUNG_IN_A_ROW: usize = 3;

/// The count of unanswered calls so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Patience {
    unanswered: HashMap<String, usize>,
    in_a_row: usize,
    hung_in_a_row: usize,
}

/// Whether a call was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Responsiveness {
    /// Something came, even if only the end of the process.
    Something,
    /// This call had no reply.
    Nothing,
    /// Neither this call nor anything after it had a reply.
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
    /// Counts the response to a call of a tool.
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

    /// Why calls of this tool are not sent any more.
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
