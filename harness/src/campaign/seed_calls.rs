//! Calls that are known to succeed, upon which inputs are drawn, and what must be called before them.
//!
//! The main type is [`SeedCalls`]. It knows nothing of how the calls were found, nor of what they are worth by now.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::drive::ValidCall;
use crate::generate::{Generator, Input, Sequence};

/// Calls with their tools.
type Calls = Vec<(String, Input)>;

/// A call of a tool that succeeds.
#[derive(Debug)]
pub(super) struct SeedCall {
    pub(super) input: Input,
    /// Its arguments.
    pub(super) value: Value,
    /// Sent again as it is, it is refused.
    pub(super) once: bool,
    /// What is called before it in each process.
    first: Calls,
}

/// The calls that succeed, one for each tool of which one is known.
#[derive(Debug, Default)]
pub(super) struct SeedCalls {
    by_tool: BTreeMap<String, SeedCall>,
    /// What is called in each process before anything else.
    first: Calls,
}

impl SeedCalls {
    /// The given calls that may be sent, each with the calls that must come before it.
    pub(super) fn new(valid: &[ValidCall], generators: &BTreeMap<String, Generator>) -> Self {
        let input = |tool: &str, arguments: &Value| generators.get(tool)?.of_arguments(arguments, &[]);
        let mut bases = Self::default();
        for call in valid {
            let first: Option<Calls> = call
                .first
                .iter()
                .map(|first| Some((first.tool.clone(), input(&first.tool, &first.arguments)?)))
                .collect();
            let (Some(first), Some(own)) = (first, input(&call.tool, &call.arguments)) else { continue };
            for step in &first {
                if !bases.first.contains(step) {
                    bases.first.push(step.clone());
                }
            }
            let base = SeedCall { input: own, value: call.arguments.clone(), once: call.once, first };
            bases.by_tool.insert(call.tool.clone(), base);
        }
        bases
    }

    pub(super) fn get(&self, tool: &str) -> Option<&SeedCall> {
        self.by_tool.get(tool)
    }

    /// What is called in a process before anything else; none if nothing need be.
    pub(super) fn opening(&self) -> Option<Sequence> {
        let steps = self.first.clone();
        (!steps.is_empty()).then_some(Sequence { steps, feeds: Vec::new() })
    }

    /// The calls after all that must be called before them; none if nothing need be.
    pub(super) fn prepared(&self, sequence: &Sequence) -> Option<Sequence> {
        let mut steps = Calls::new();
        for (tool, _) in &sequence.steps {
            for step in self.get(tool).into_iter().flat_map(|base| &base.first) {
                if !steps.contains(step) {
                    steps.push(step.clone());
                }
            }
        }
        (!steps.is_empty()).then(|| super::row::after(&steps, sequence))
    }

    /// The call of a tool that succeeds, after what comes before it.
    pub(super) fn whole(&self, tool: &str) -> Option<Sequence> {
        let base = self.get(tool)?;
        let own = (tool.to_owned(), base.input.clone());
        let steps = base.first.iter().cloned().chain([own]).collect();
        Some(Sequence { steps, feeds: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::drive::FirstCall;
    use crate::judge::FoundBy;

    use super::super::draw::alone;
    use super::*;

    fn valid(tool: &str, arguments: Value, first: &[(&str, Value)]) -> ValidCall {
        let first = first
            .iter()
            .map(|(tool, arguments)| FirstCall { tool: (*tool).to_owned(), arguments: arguments.clone() });
        ValidCall {
            tool: tool.to_owned(),
            arguments,
            source: FoundBy::Schema,
            words: None,
            once: false,
            first: first.collect(),
        }
    }

    fn rendered(sequence: Option<Sequence>) -> Vec<String> {
        let steps = sequence.map(|sequence| sequence.steps).unwrap_or_default();
        steps.into_iter().map(|(tool, input)| format!("{tool} {}", input.arguments)).collect()
    }

    #[test]
    fn what_comes_before_a_call_comes_once_in_a_process_and_once_before_calls() {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let tools = ["open", "read", "close"].map(|tool| (tool, &schema));
        let generators = crate::generate::generators(&tools);
        let open = [("open", json!({"name": "a"}))];
        let bases = SeedCalls::new(
            &[valid("read", json!({"name": "b"}), &open), valid("close", json!({"name": "a"}), &open)],
            &generators,
        );
        assert_eq!(rendered(bases.opening()), [r#"open {"name":"a"}"#]);
        let input = generators["read"].of_arguments(&json!({"name": 7}), &[]).unwrap();
        let mut sequence = alone("read".to_owned(), input.clone());
        sequence.steps.push(("close".to_owned(), input));
        let expected = [r#"open {"name":"a"}"#, r#"read {"name":7}"#, r#"close {"name":7}"#];
        assert_eq!(rendered(bases.prepared(&sequence)), expected);
        assert_eq!(rendered(bases.whole("read")), [r#"open {"name":"a"}"#, r#"read {"name":"b"}"#]);
        assert!(bases.prepared(&alone("open".to_owned(), sequence.steps.remove(0).1)).is_none());
    }

    #[test]
    fn a_call_that_may_not_be_sent_is_none_and_neither_is_what_needs_it() {
        let schema = json!({"type": "object", "properties": {"url": {"type": "string"}}});
        let generators = crate::generate::generators(&[("fetch", &schema), ("read", &schema)]);
        let beyond = json!({"url": "https://example.com/"});
        let bases = SeedCalls::new(
            &[valid("fetch", beyond.clone(), &[]), valid("read", json!({"url": "a"}), &[("fetch", beyond)])],
            &generators,
        );
        assert!(bases.get("fetch").is_none() && bases.get("read").is_none());
        assert!(bases.opening().is_none());
    }
}
