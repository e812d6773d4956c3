//! Calls known to succeed, from which inputs are derived, and what must be called before them.
//!
//! The main type is [`BaseCalls`]. It does not know how the calls were found, or whether they still succeed.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::drive::{NewThing, ValidCall};
use crate::generate::{AppliedMutation, Feed, Generator, Input, Sequence};

use super::sequence::{after, alone};

/// Calls with their tools.
type Calls = Vec<(String, Input)>;

/// A successful call of a tool.
#[derive(Debug)]
pub(super) struct BaseCall {
    pub(super) input: Input,
    /// The arguments.
    pub(super) value: Value,
    /// Whether it succeeds only once.
    pub(super) once: bool,
    /// What is called before it in each process.
    first: Calls,
    /// How the thing it is about is created, if each call needs a new one.
    new: Option<Maker>,
}

/// A call that creates something for the one that follows it.
#[derive(Debug, Clone)]
struct Maker {
    tool: String,
    input: Input,
    /// Whether it needs a new name each time.
    once: bool,
    /// The parameters of the following call that take a value from the reply, each with the key of that value.
    feeds: Vec<(String, String)>,
}

/// The successful calls, at most one for each tool.
#[derive(Debug, Default)]
pub(super) struct BaseCalls {
    by_tool: BTreeMap<String, BaseCall>,
    /// What is called in each process before anything else.
    first: Calls,
}

impl BaseCalls {
    /// The given calls that may be sent, each with the calls that must come before it.
    pub(super) fn new(valid: &[ValidCall], generators: &BTreeMap<String, Generator>) -> Self {
        let input = |tool: &str, arguments: &Value| generators.get(tool)?.of_arguments(arguments, &[]);
        let mut base_calls = Self::default();
        for call in valid {
            let first: Option<Calls> = call
                .first
                .iter()
                .map(|first| Some((first.tool.clone(), input(&first.tool, &first.arguments)?)))
                .collect();
            let (Some(first), Some(own)) = (first, input(&call.tool, &call.arguments)) else { continue };
            for step in &first {
                if !base_calls.first.contains(step) {
                    base_calls.first.push(step.clone());
                }
            }
            let maker = |new: &NewThing| {
                Some(Maker {
                    tool: new.maker.tool.clone(),
                    input: input(&new.maker.tool, &new.maker.arguments)?,
                    once: valid.iter().any(|other| other.tool == new.maker.tool && other.once),
                    feeds: new.feeds.clone().into_iter().collect(),
                })
            };
            let new = call.new.as_ref().and_then(maker);
            // Without the thing that it is about, the call cannot succeed.
            if new.is_none() && call.new.is_some() {
                continue;
            }
            let base = BaseCall { input: own, value: call.arguments.clone(), once: call.once, first, new };
            base_calls.by_tool.insert(call.tool.clone(), base);
        }
        base_calls
    }

    pub(super) fn get(&self, tool: &str) -> Option<&BaseCall> {
        self.by_tool.get(tool)
    }

    /// What is called in a process before anything else; `None` if nothing needs to be.
    pub(super) fn opening(&self) -> Option<Sequence> {
        let steps = self.first.clone();
        (!steps.is_empty()).then_some(Sequence { steps, feeds: Vec::new() })
    }

    /// The calls preceded by all that must come before them; `None` if nothing must.
    pub(super) fn prepared(&self, sequence: &Sequence) -> Option<Sequence> {
        let mut steps = Calls::new();
        for (tool, _) in &sequence.steps {
            for step in self.get(tool).into_iter().flat_map(|base| &base.first) {
                if !steps.contains(step) {
                    steps.push(step.clone());
                }
            }
        }
        (!steps.is_empty()).then(|| after(&steps, sequence))
    }

    /// The successful call of a tool, preceded by what must come before it.
    pub(super) fn whole(&self, tool: &str) -> Option<Sequence> {
        let base = self.get(tool)?;
        let sequence = self.sequence_of(tool.to_owned(), base.input.clone(), &mut |_, _| None);
        if base.first.is_empty() { Some(sequence) } else { Some(after(&base.first, &sequence)) }
    }

    /// A call derived from the successful one of its tool, preceded by the call that creates what it is about,
    /// if each call needs a new thing. `renamed` returns a call with a fresh name.
    pub(super) fn sequence_of(
        &self,
        tool: String,
        input: Input,
        renamed: &mut dyn FnMut(&str, &Input) -> Option<Input>,
    ) -> Sequence {
        let Some(maker) = self.get(&tool).and_then(|base| base.new.as_ref()) else {
            return alone(tool, input);
        };
        let made = if maker.once { renamed(&maker.tool, &maker.input) } else { None };
        let made = made.unwrap_or_else(|| maker.input.clone());
        let is_changed = |parameter: &str| {
            let of_it = |change: &AppliedMutation| {
                change.path.is_empty() || change.path.split('/').nth(1) == Some(parameter)
            };
            input.changes.iter().any(of_it)
        };
        let fed = maker.feeds.iter().filter(|(parameter, _)| !is_changed(parameter));
        let feed = |(parameter, key): &(String, String)| Feed {
            from: 0,
            key: key.clone(),
            to: 1,
            parameter: parameter.clone(),
        };
        let feeds = fed.map(feed).collect();
        Sequence { steps: vec![(maker.tool.clone(), made), (tool, input)], feeds }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::drive::FirstCall;
    use crate::judge::FoundBy;

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
            new: None,
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
        let base_calls = BaseCalls::new(
            &[valid("read", json!({"name": "b"}), &open), valid("close", json!({"name": "a"}), &open)],
            &generators,
        );
        assert_eq!(rendered(base_calls.opening()), [r#"open {"name":"a"}"#]);
        let input = generators["read"].of_arguments(&json!({"name": 7}), &[]).unwrap();
        let mut sequence = alone("read".to_owned(), input.clone());
        sequence.steps.push(("close".to_owned(), input));
        let expected = [r#"open {"name":"a"}"#, r#"read {"name":7}"#, r#"close {"name":7}"#];
        assert_eq!(rendered(base_calls.prepared(&sequence)), expected);
        assert_eq!(rendered(base_calls.whole("read")), [r#"open {"name":"a"}"#, r#"read {"name":"b"}"#]);
        assert!(base_calls.prepared(&alone("open".to_owned(), sequence.steps.remove(0).1)).is_none());
    }

    #[test]
    fn a_call_that_may_not_be_sent_is_none_and_neither_is_what_needs_it() {
        let schema = json!({"type": "object", "properties": {"url": {"type": "string"}}});
        let generators = crate::generate::generators(&[("fetch", &schema), ("read", &schema)]);
        let beyond = json!({"url": "https://example.com/"});
        let base_calls = BaseCalls::new(
            &[valid("fetch", beyond.clone(), &[]), valid("read", json!({"url": "a"}), &[("fetch", beyond)])],
            &generators,
        );
        assert!(base_calls.get("fetch").is_none() && base_calls.get("read").is_none());
        assert!(base_calls.opening().is_none());
    }

    #[test]
    fn what_makes_the_thing_comes_before_each_call_about_it_and_feeds_what_is_not_changed() {
        let schema = json!({"type": "object", "properties": {"note_id": {"type": "string"}}});
        let of_maker = json!({"type": "object", "properties": {"title": {"type": "string"}}});
        let generators = crate::generate::generators(&[("delete", &schema), ("create", &of_maker)]);
        let maker = FirstCall { tool: "create".to_owned(), arguments: json!({"title": "a"}) };
        let feeds = [("note_id".to_owned(), "id".to_owned())].into();
        let new = Some(NewThing { maker, feeds });
        let delete = ValidCall { new, ..valid("delete", json!({"note_id": "n-1"}), &[]) };
        let base_calls = BaseCalls::new(&[delete], &generators);
        let whole = base_calls.whole("delete").unwrap();
        assert_eq!(rendered(Some(whole.clone())), [r#"create {"title":"a"}"#, r#"delete {"note_id":"n-1"}"#]);
        let reply = json!({"structuredContent": {"id": "n-7"}});
        let ready = whole.ready(1, std::slice::from_ref(&reply), &generators["delete"]).unwrap();
        assert_eq!(ready.arguments, r#"{"note_id":"n-7"}"#);
        let changes = [AppliedMutation {
            path: "/note_id".to_owned(),
            keyword: "type".to_owned(),
            label: "string -> integer".to_owned(),
        }];
        let changed = generators["delete"].of_arguments(&json!({"note_id": 7}), &changes).unwrap();
        let sequence = base_calls.sequence_of("delete".to_owned(), changed, &mut |_, _| None);
        assert!(sequence.feeds.is_empty() && sequence.steps.len() == 2, "{sequence:?}");
    }
}
