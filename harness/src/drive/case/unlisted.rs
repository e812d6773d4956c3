//! A value that a tool should not have taken: whether it is silently taken for one that it does not mean.
//!
//! The main function is [`Driver::compare`]. It is about values that the description of a parameter does not list, and about
//! numbers and flags that are sent as texts. An argument is known to matter where two listed values have different
//! replies, or where what the tools that read tell differs after them. Each reply that this rests on must come twice.

use serde_json::{Value, json};

use crate::class::Class;
use crate::condition::{CaseId, Condition};
use crate::exchange::Step;
use crate::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use crate::generate::{are_about_the_same, is_harmless, only_values};
use crate::json_schema::flattened;
use crate::judge::has_succeeded;
use crate::pattern;
use crate::plan::{PlannedProbe, ProbedTool};
use crate::signature::differ_in_spelling_alone;

use super::{Abort, CallBasis, Driver, Position};

/// At most this many of the listed values are sent.
const LISTED: usize = 4;
/// At most this many tools are asked what has changed.
const READERS: usize = 2;

/// A parameter and the only values that it takes, as its description says.
struct ListedParameter {
    name: String,
    values: Vec<String>,
    is_required: bool,
}

/// A call with one of the values.
struct SentValue {
    /// Its arguments.
    own: Value,
    /// Its exchange.
    index: usize,
    /// Its result, and those of the tools that were asked after it.
    results: Vec<String>,
}

impl Driver<'_> {
    /// Sends the values with which one that was taken can be compared.
    pub(super) async fn compare(
        &mut self,
        tool: &ProbedTool,
        probe: &PlannedProbe,
        stand: &CallBasis,
        sent: usize,
    ) -> Result<(), Abort> {
        match probe.change.mutation.id {
            "unlisted" => self.compare_with_listed(tool, probe, stand, sent).await,
            "as-text" => self.compare_with_meant(tool, probe, stand, sent).await,
            _ => Ok(()),
        }
    }

    /// Sends a number or a flag as what it is, and expects a refusal of it as a text if that had another result.
    async fn compare_with_meant(
        &mut self,
        tool: &ProbedTool,
        probe: &PlannedProbe,
        stand: &CallBasis,
        sent: usize,
    ) -> Result<(), Abort> {
        let mutation = &probe.change.mutation;
        let (Some(name), Some(text)) = (mutation.name(), mutation.value().and_then(Value::as_str)) else {
            return Ok(());
        };
        let Ok(meant) = serde_json::from_str::<Value>(text) else { return Ok(()) };
        if stand.is_open() || probe.change.of_wrapper {
            return Ok(());
        }
        let own = (with(stand, name, Some(meant.clone())), Step::Control);
        let Some(known) = self.sent_value(tool, &probe.id, own, &[]).await? else { return Ok(()) };
        let own = (with(stand, name, Some(json!(text))), Step::Prepare);
        let Some(again) = self.sent_value(tool, &probe.id, own, &[]).await? else { return Ok(()) };
        let own = (with(stand, name, Some(meant)), Step::Prepare);
        let Some(then) = self.sent_value(tool, &probe.id, own, &[]).await? else { return Ok(()) };
        let is_steady =
            self.result_of(sent).as_ref() == again.results.first() && then.results == known.results;
        if is_steady && !differ_in_spelling_alone(&known.results[0], &again.results[0]) {
            let place = &mut self.pool.exchanges[again.index].place;
            (place.step, place.control) = (Step::Again, Some(known.index));
            place.expected = refused("misread-value", name, text.to_owned());
        }
        Ok(())
    }

    /// Sends the values that a description lists in the place of one that it does not, and expects a refusal of that one if it
    /// had the result of one of them while another one has a different result.
    async fn compare_with_listed(
        &mut self,
        tool: &ProbedTool,
        probe: &PlannedProbe,
        stand: &CallBasis,
        sent: usize,
    ) -> Result<(), Abort> {
        let Some(listed) = self.listed_parameter(tool, probe).filter(|_| !stand.is_open()) else {
            return Ok(());
        };
        let readers = self.readers(tool);
        let with = |value: Option<Value>| with(stand, &listed.name, value);
        let mut tries: Vec<Value> = listed.values.iter().map(|value| with(Some(json!(value)))).collect();
        tries.extend((!listed.is_required).then(|| with(None)));
        let mut known = Vec::new();
        for own in tries {
            known.extend(self.sent_value(tool, &probe.id, (own, Step::Control), &readers).await?);
        }
        let value = probe.change.mutation.value().cloned();
        let unknown = (with(value.clone()), Step::Prepare);
        let Some(again) = self.sent_value(tool, &probe.id, unknown, &readers).await? else {
            return Ok(());
        };
        if self.result_of(sent).as_ref() != again.results.first() {
            return Ok(());
        }
        for (taken, other, channel) in taken_for(&again, &known) {
            let mut is_steady = true;
            for one in [other, taken] {
                let own = (one.own.clone(), Step::Prepare);
                let then = self.sent_value(tool, &probe.id, own, &readers).await?;
                is_steady &= then.is_some_and(|then| {
                    then.results[0] == one.results[0] && then.results[channel] == one.results[channel]
                });
            }
            if is_steady {
                let text = value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
                // A control comes before the call that is judged by it.
                let place = &mut self.pool.exchanges[again.index].place;
                (place.step, place.control) = (Step::Again, Some(taken.index));
                place.expected = refused("unknown-enum-value", &listed.name, text);
                break;
            }
        }
        Ok(())
    }

    /// The parameter that a probe gives a value which names nothing, if its description lists the values that there are.
    fn listed_parameter(&self, tool: &ProbedTool, probe: &PlannedProbe) -> Option<ListedParameter> {
        let mutation = &probe.change.mutation;
        let is_one = mutation.value().is_some() && !probe.change.of_wrapper;
        let name = mutation.name().filter(|_| is_one)?;
        let listed = self.head.catalog.tool(&tool.name)?;
        let document = listed.own_document();
        let schema = flattened(document.pointer("/properties")?.get(name)?, &document);
        let mut values = only_values(schema.get("description").and_then(Value::as_str)?);
        values.retain(|value| is_harmless(value));
        values.truncate(LISTED);
        let is_required = listed.required().any(|required| required == name);
        (values.len() > 1).then(|| ListedParameter { name: name.to_owned(), values, is_required })
    }

    /// The tools without parameters that may tell what a call of this one has changed, those about the same first.
    fn readers(&self, tool: &ProbedTool) -> Vec<ProbedTool> {
        if tool.class == Class::Read || self.draws.is_none() {
            return Vec::new();
        }
        let others = self.head.catalog.tools.iter().filter(|other| other.name != tool.name);
        let known = others.filter_map(|other| self.valid_call(&other.name));
        let mut readers: Vec<ProbedTool> = known
            .map(|(reader, _)| reader)
            .filter(|reader| reader.class == Class::Read && reader.is_bare())
            .collect();
        readers.sort_by_key(|reader| !are_about_the_same(&tool.name, &reader.name));
        readers.truncate(READERS);
        readers
    }

    /// Sends a call and asks the readers; `None` if it is refused.
    async fn sent_value(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        (own, step): (Value, Step),
        readers: &[ProbedTool],
    ) -> Result<Option<SentValue>, Abort> {
        let at = |step| Position { case, step, control: None, follows: None };
        let call = tool.call(own.clone(), Expected::Anything);
        let index = self.placed(tool, call, at(step)).await?;
        let Some(result) = self.result_of(index) else { return Ok(None) };
        let mut results = vec![result];
        for reader in readers {
            let call = reader.call(json!({}), Expected::Anything);
            let index = self.placed(reader, call, at(Step::Prepare)).await?;
            results.push(self.result_of(index).unwrap_or_default());
        }
        Ok(Some(SentValue { own, index, results }))
    }

    /// The result of a call that succeeded.
    fn result_of(&self, index: usize) -> Option<String> {
        let exchange = &self.pool.exchanges[index];
        let result = exchange.outcome.result().filter(|_| has_succeeded(exchange, self.contract))?;
        Some(result.to_string())
    }
}

/// The arguments of the control with this value of a parameter, or without it.
fn with(stand: &CallBasis, name: &str, value: Option<Value>) -> Value {
    let mut arguments = stand.base.clone();
    if let Some(members) = arguments.as_object_mut() {
        match value {
            Some(value) => members.insert(name.to_owned(), value),
            None => members.shift_remove(name),
        };
    }
    arguments
}

/// What an unknown value may have been taken for: the call with the same results, one with another result, and which of the
/// results shows it. That nothing was found is no such result: a value that is unknown selects nothing.
fn taken_for<'s>(unknown: &SentValue, known: &'s [SentValue]) -> Vec<(&'s SentValue, &'s SentValue, usize)> {
    let nothing = |result: &String| pattern!("state/nothing-found").find_iter(result).count();
    let mut found = Vec::new();
    for taken in known.iter().filter(|taken| taken.results[0] == unknown.results[0]) {
        for channel in 0..unknown.results.len() {
            let result = &taken.results[channel];
            let differs = |other: &&SentValue| {
                other.results[channel] != *result && nothing(&other.results[channel]) >= nothing(result)
            };
            let other = known.iter().find(differs).filter(|_| *result == unknown.results[channel]);
            found.extend(other.map(|other| (taken, other, channel)));
        }
    }
    found.truncate(1);
    found
}

/// The expectation that a value is refused on this condition.
fn refused(condition: &str, parameter: &str, text: String) -> Expected {
    let named = ExpectedValue::Parameter(parameter.to_owned());
    Expected::Failure(ExpectedFailure {
        value: Some(ExpectedValue::AnyOf(vec![named, ExpectedValue::Text(text)])),
        or_success: true,
        ..ExpectedFailure::of(Condition(condition.to_owned()), Authority::Calls)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(results: &[&str]) -> SentValue {
        SentValue {
            own: json!({}),
            index: results[0].len(),
            results: results.iter().map(|&result| result.to_owned()).collect(),
        }
    }

    #[test]
    fn an_unknown_value_is_taken_for_the_one_with_the_same_results_where_another_one_has_different_ones() {
        let is_taken = |unknown: &[&str], known: [&[&str]; 2]| {
            let known = known.map(sent);
            taken_for(&sent(unknown), &known).first().map(|(taken, _, channel)| (taken.index, *channel))
        };
        assert_eq!(is_taken(&["| a |"], [&["| a |"], &["a"]]), Some((5, 0)));
        assert_eq!(is_taken(&["saved", "up"], [&["saved", "up"], &["saved", "down"]]), Some((5, 1)));
        assert_eq!(is_taken(&["done"], [&["done"], &["done"]]), None, "the argument may not matter");
        assert_eq!(is_taken(&["x"], [&["a"], &["b"]]), None);
        assert_eq!(is_taken(&["[]"], [&["[1]"], &["[]"]]), None, "it selects nothing");
        assert_eq!(is_taken(&["saved", "x"], [&["saved", "up"], &["saved", "down"]]), None, "it was kept");
    }
}
