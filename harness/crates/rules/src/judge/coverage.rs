//! The share of a server's tools that was judged, against the one that its author asks for.
//!
//! The main type is [`Coverage`].

use serde::{Deserialize, Serialize};

use super::tool_verdict::ToolVerdict;

/// At most this many unjudged tools are named, with the reason.
const NAMED: usize = 6;
/// The text between the figures and the unjudged tools.
const NOT_JUDGED: &str = "; not judged: ";

/// How many tools were judged: of the tools for which something was planned, those with a case that passed or failed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Coverage {
    /// The required share, from 0 to 1.
    pub wanted: f64,
    /// How many tools were judged.
    pub judged: usize,
    /// How many tools had something planned for them.
    pub of: usize,
}

impl Coverage {
    /// Counts the tools of a report. Tools that the configuration skips, or for which no wrong call is
    /// possible, are not counted.
    pub fn count(tools: &[ToolVerdict], wanted: f64) -> Self {
        let planned = || tools.iter().filter(|tool| tool.planned > 0);
        Self { wanted, judged: planned().filter(|tool| tool.judged > 0).count(), of: planned().count() }
    }

    /// Whether the required share was judged.
    pub fn is_met(&self) -> bool {
        // Tolerates rounding errors: 0.7 of ten is seven.
        self.judged as f64 + 1e-9 >= self.wanted * self.of as f64
    }

    /// The figures in words.
    fn figures(self) -> String {
        let share = self.judged as f64 / self.of.max(1) as f64;
        // Rounded down, so that a share below the required one never looks equal to it.
        let share = (share * 100.0 + 1e-9).floor() / 100.0;
        format!(
            "{} of {} tools were judged, a share of {share}, but `[coverage] tools` requires {}",
            self.judged, self.of, self.wanted
        )
    }

    /// The figures, and the unjudged tools with the reasons.
    pub fn lack(&self, tools: &[ToolVerdict]) -> String {
        let open: Vec<&ToolVerdict> =
            tools.iter().filter(|tool| tool.planned > 0 && tool.judged == 0).collect();
        let named = open.iter().take(NAMED).map(|tool| {
            format!("`{}` ({})", tool.name, tool.why.as_deref().unwrap_or("no call of it was sent"))
        });
        let mut named = named.collect::<Vec<_>>().join(", ");
        if let Some(more @ 1..) = open.len().checked_sub(NAMED) {
            named.push_str(&format!(" and {more} more"));
        }
        format!("{}{NOT_JUDGED}{named}", self.figures())
    }

    /// Only the figures, from a text returned by [`Coverage::lack`].
    pub fn figures_of(lack: &str) -> &str {
        lack.split_once(NOT_JUDGED).map_or(lack, |(figures, _)| figures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, planned: usize, judged: usize) -> ToolVerdict {
        ToolVerdict {
            name: name.to_owned(),
            class: "read".to_owned(),
            planned,
            judged,
            own: judged,
            valid: None,
            laid: Vec::new(),
            words: None,
            rests_on: None,
            mended: crate::judge::Mended::default(),
            replies: Vec::new(),
            conditions: Vec::new(),
            why: (judged < planned).then(|| "its control was refused".to_owned()),
            next: None,
        }
    }

    #[test]
    fn the_share_is_of_the_tools_for_which_something_was_planned() {
        let tools = [tool("a", 3, 1), tool("b", 3, 0), tool("c", 0, 0)];
        let half = Coverage::count(&tools, 0.5);
        assert_eq!((half.judged, half.of, half.is_met()), (1, 2, true));
        let more = Coverage::count(&tools, 0.51);
        assert!(!more.is_met());
        assert_eq!(
            more.lack(&tools),
            "1 of 2 tools were judged, a share of 0.5, but `[coverage] tools` requires 0.51; not judged: `b` (its control \
             was refused)"
        );
        assert_eq!(Coverage::figures_of(&more.lack(&tools)), more.figures());
    }

    #[test]
    fn seven_tenths_of_ten_are_seven() {
        let tools: Vec<ToolVerdict> = (0..10).map(|index| tool("t", 1, usize::from(index < 7))).collect();
        assert!(Coverage::count(&tools, 0.7).is_met() && !Coverage::count(&tools, 0.71).is_met());
        assert!(Coverage::count(&[], 1.0).is_met(), "there is nothing to judge, which has a code of its own");
    }
}
