//! Finds out which argument of a refused call the tool refuses, if no successful call is known that differs
//! only in that one.
//!
//! The main function is [`Minimizer::compare`]. It sends a handful of calls: the refused one once more, the
//! same with a fresh name, and the successful call with a single argument taken from the refused one. The
//! replies are judged by the same rules as any other, and findings are examined like any other candidate.

use std::time::Duration;

use serde_json::Value;

use crate::finding::Finding;
use crate::generate::Input;

use super::execution::{Execution, ProcessReuse, ReplyWait};
use super::ledger::Novelty;
use super::minimizer::{Candidate, Minimizer};
use super::sequence::{alone, in_order};
use super::verdict::Key;

/// At most this many arguments of a refused call are tried one by one.
const ARGUMENTS: usize = 6;
/// How long to wait for a reply: a slower call is of no use for a comparison.
const WAIT: Duration = Duration::from_secs(2);

/// The result of a call that was tried.
struct Tried {
    input: Input,
    execution: Execution,
    /// The words of its refusal; `None` if it succeeded.
    words: Option<String>,
}

impl Minimizer<'_> {
    /// Looks for controls for a refused call; returns the candidates that the comparison shows.
    pub(super) async fn compare(&mut self, (tool, refused): &(String, Input)) -> Vec<Candidate> {
        let Some(first) = self.tried(tool, refused.clone()).await else { return Vec::new() };
        let Some(words) = first.words.clone() else { return Vec::new() };
        let shown = self.shown(tool, &first, 1);
        if !shown.is_empty() {
            return shown;
        }
        if let Some(shown) = self.with_a_fresh_name(tool, refused, &words).await {
            return shown;
        }
        self.argument_by_argument(tool, refused, &words).await
    }

    /// The call with a fresh name, if it succeeds: then the old name was the problem, and the same call would
    /// be refused a second time. `None` if it does not succeed.
    async fn with_a_fresh_name(
        &mut self,
        tool: &str,
        refused: &Input,
        words: &str,
    ) -> Option<Vec<Candidate>> {
        let renamed = self.executor.renamed(tool, refused, |_| true)?;
        self.succeeding(tool, renamed.clone()).await?;
        let Some(again) = self.tried(tool, renamed).await else { return Some(Vec::new()) };
        if again.words.as_deref() == Some(words) {
            return Some(self.shown(tool, &again, 2));
        }
        let first = self.tried(tool, refused.clone()).await;
        Some(first.map(|first| self.shown(tool, &first, 1)).unwrap_or_default())
    }

    /// Sends the successful call with one argument at a time taken from the refused one, until it is refused in
    /// the same words.
    async fn argument_by_argument(&mut self, tool: &str, refused: &Input, words: &str) -> Vec<Candidate> {
        let mut found = Vec::new();
        let Some(control) = self.executor.server.judge.borrow().control(tool).cloned() else { return found };
        let (base, is_spent) = match self.succeeding(tool, control.clone()).await {
            Some(base) => (base, false),
            // It has created something that exists now, so it needs another name.
            None => match self.executor.renamed(tool, &control, |_| true) {
                Some(renamed) => match self.succeeding(tool, renamed).await {
                    Some(base) => (base, true),
                    None => return found,
                },
                None => return found,
            },
        };
        let (Some(good), Some(bad)) = (base.value(), refused.value()) else { return found };
        for (name, candidate) in candidates(&good, &bad) {
            let generator = self.executor.server.generators.get(tool);
            let input = generator.and_then(|generator| generator.of_arguments(&candidate, &refused.changes));
            let Some(input) = input else { continue };
            let fresh =
                if is_spent { self.executor.renamed(tool, &input, |other| other != name) } else { None };
            let Some(tried) = self.tried(tool, fresh.unwrap_or(input)).await else { break };
            found.extend(self.shown(tool, &tried, 1));
            if tried.words.as_deref() == Some(words) {
                break;
            }
        }
        found
    }

    /// Sends a call; if it succeeds, records it as a control and returns it.
    async fn succeeding(&mut self, tool: &str, input: Input) -> Option<Input> {
        let tried = self.tried(tool, input).await?;
        let exchange = tried.execution.last.as_ref().filter(|_| tried.words.is_none())?;
        self.executor.server.judge.borrow_mut().add_control(tool, exchange, &tried.input);
        Some(tried.input)
    }

    /// Sends a call in a shared process; `None` if no reply came.
    async fn tried(&mut self, tool: &str, input: Input) -> Option<Tried> {
        let sequence = alone(tool.to_owned(), input.clone());
        let execution = self.executor.send(&sequence, ProcessReuse::Live, ReplyWait::Short(WAIT)).await;
        let words = {
            let judge = self.executor.server.judge.borrow();
            let exchange = execution.last.as_ref()?;
            match judge.succeeds(exchange) {
                true => None,
                false => Some(judge.refusal(exchange)?),
            }
        };
        Some(Tried { input, execution, words })
    }

    /// The new findings in a reply, as candidates in which the call is sent `times` times.
    fn shown(&self, tool: &str, tried: &Tried, times: usize) -> Vec<Candidate> {
        let last = (tool.to_owned(), tried.input.clone());
        let sequence = in_order(vec![last.clone(); times]);
        let is_new = |key: &Key| self.ledger.borrow_mut().note_compared(key) == Novelty::New;
        let found = tried.execution.findings.iter().filter(|(key, _)| is_new(key));
        let candidate = |(key, finding): (Key, Finding)| {
            let (finding, sequence, last) = (Box::new(finding), sequence.clone(), last.clone());
            Candidate::Reply { key, finding, sequence, last, earlier: Vec::new() }
        };
        found.cloned().map(candidate).collect()
    }
}

/// The good arguments with one argument each replaced by the one in the bad ones, or removed if it is missing
/// there.
fn candidates<'n>(good: &'n Value, bad: &'n Value) -> Vec<(&'n str, Value)> {
    let (Some(good_members), Some(bad_members)) = (good.as_object(), bad.as_object()) else {
        return Vec::new();
    };
    let names = bad_members.keys().chain(good_members.keys().filter(|name| !bad_members.contains_key(*name)));
    let differing = names.filter(|name| bad_members.get(*name) != good_members.get(*name));
    let with = |name: &'n String| {
        let mut members = good_members.clone();
        match bad_members.get(name) {
            Some(value) => members.insert(name.clone(), value.clone()),
            None => members.shift_remove(name),
        };
        (name.as_str(), Value::Object(members))
    };
    differing.take(ARGUMENTS).map(with).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_argument_of_a_refused_call_is_tried_alone() {
        let good = json!({"title": "a", "order": "asc", "tag": "x"});
        let bad = json!({"title": "a", "order": "bad", "limit": -1});
        assert_eq!(
            candidates(&good, &bad),
            [
                ("order", json!({"title": "a", "order": "bad", "tag": "x"})),
                ("limit", json!({"title": "a", "order": "asc", "tag": "x", "limit": -1})),
                ("tag", json!({"title": "a", "order": "asc"})),
            ]
        );
        assert!(candidates(&good, &json!(["a"])).is_empty());
        let many: serde_json::Map<String, Value> =
            (0..20).map(|number| (format!("p{number}"), json!(1))).collect();
        assert_eq!(candidates(&good, &Value::Object(many)).len(), ARGUMENTS);
    }
}
