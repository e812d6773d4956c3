//! Refusals that could not be judged for lack of a control, kept until there is a successful call to compare
//! them with.
//!
//! The main type is [`Unjudged`]. It limits comparisons to a small share of a campaign's calls, divided fairly
//! among the tools.

use std::collections::{BTreeMap, VecDeque};

use crate::generate::Input;

/// At most this many refusals of one tool are compared; a tool seldom has more different ones.
const OF_A_TOOL: usize = 24;
/// How many calls one comparison takes.
const CALLS: u64 = 8;
/// How many calls comparisons may take at the start; beyond that they get a fixed share.
const AT_ONCE: u64 = 160;
const SHARE: u64 = 32;

/// Refusals that wait to be compared.
#[derive(Debug, Default)]
pub(super) struct Unjudged {
    by_tool: BTreeMap<String, Waiting>,
    begun: u64,
}

#[derive(Debug, Default)]
struct Waiting {
    inputs: VecDeque<Input>,
    begun: usize,
}

impl Unjudged {
    /// Keeps a refused call, unless there were many of its tool.
    pub(super) fn put(&mut self, tool: &str, input: &Input) {
        let waiting = self.by_tool.entry(tool.to_owned()).or_default();
        if waiting.begun + waiting.inputs.len() < OF_A_TOOL {
            waiting.inputs.push_back(input.clone());
        }
    }

    /// The next refusal to compare after this many calls of the campaign: one of the tool with the fewest
    /// comparisons. `None` if no waiting tool has a successful call (`succeeds`), or if comparisons have used
    /// up their share.
    pub(super) fn take(&mut self, calls: u64, succeeds: impl Fn(&str) -> bool) -> Option<(String, Input)> {
        if (self.begun + 1) * CALLS > AT_ONCE + calls / SHARE {
            return None;
        }
        let is_ready =
            |(tool, waiting): &(&String, &mut Waiting)| !waiting.inputs.is_empty() && succeeds(tool);
        let ready = self.by_tool.iter_mut().filter(is_ready);
        let (tool, waiting) = ready.min_by_key(|(_, waiting)| waiting.begun)?;
        let input = waiting.inputs.pop_front()?;
        waiting.begun += 1;
        self.begun += 1;
        Some((tool.clone(), input))
    }
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::valid;
    use super::*;

    fn filled(tools: &[&str]) -> Unjudged {
        let mut unjudged = Unjudged::default();
        for tool in tools {
            (0..2 * OF_A_TOOL).for_each(|number| unjudged.put(tool, &valid(&format!("[{number}]"))));
        }
        unjudged
    }

    #[test]
    fn every_tool_has_its_turn_as_soon_as_a_call_of_it_succeeds() {
        let mut unjudged = filled(&["a", "b", "c"]);
        let taken: Vec<String> = (0..4)
            .filter_map(|_| unjudged.take(0, |tool| tool != "b"))
            .map(|(tool, input)| tool + &input.arguments)
            .collect();
        assert_eq!(taken, ["a[0]", "c[0]", "a[1]", "c[1]"]);
        assert_eq!(unjudged.take(0, |tool| tool == "b").map(|(tool, _)| tool), Some("b".to_owned()));
    }

    #[test]
    fn what_is_compared_is_a_small_share_of_the_calls_and_bounded_for_each_tool() {
        let mut unjudged = filled(&["a", "b", "c", "d"]);
        let mut take = |calls| std::iter::from_fn(|| unjudged.take(calls, |_| true)).count() as u64;
        assert_eq!(take(0), AT_ONCE / CALLS);
        assert_eq!(take(10 * CALLS * SHARE), 10);
        assert_eq!(take(u64::MAX), 4 * OF_A_TOOL as u64 - AT_ONCE / CALLS - 10);
    }
}
