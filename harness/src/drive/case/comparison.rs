//! Whether a reply tells what was done: a value that a tool should not have taken, and that it silently took for another one;
//! and a call that was refused, and that was done all the same.
//!
//! The main function is [`Driver::compare`]. It is about values that the description of a parameter does not list, texts in
//! place of dates, numbers and flags that are sent as texts, and integers that are written with a fraction. An argument is
//! known to matter where two listed values have different replies, or where what the tools that read tell differs after them.
//! Each reply that this rests on must come twice.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::catalog::Tool;
use crate::class::{Class, is_skipped};
use crate::condition::Condition;
use crate::contract::read;
use crate::exchange::{Exchange, Step};
use crate::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use crate::generate::{are_about_the_same, deletes, far_values, is_harmless, makes, only_values};
use crate::json::{as_text, texts};
use crate::judge::has_succeeded;
use crate::pattern;
use crate::plan::{PlannedCall, PlannedProbe, ProbedTool};
use crate::signature::differ_in_spelling_alone;
use crate::wording::vague::is_null;

use super::find_call::own_schema;
use super::probe_control::SuccessfulCall;
use super::{Abort, CallBasis, Driver, Position};

/// At most this many of the listed values are sent.
const LISTED: usize = 4;
/// At most this many tools are asked what has changed.
const READERS: usize = 2;
/// A shorter text could be in any call.
const TELLING: usize = 4;

/// A parameter and valid values of it.
struct KnownParameter {
    name: String,
    values: Vec<String>,
    domain: Domain,
    is_required: bool,
}

/// Which values a parameter has.
#[derive(Clone, Copy)]
enum Domain {
    /// Those that the description lists.
    Listed,
    /// All dates.
    Date,
}

/// The call of a probe that a tool took.
#[derive(Clone, Copy)]
pub(super) struct TakenProbe<'t> {
    pub(super) tool: &'t ProbedTool,
    pub(super) probe: &'t PlannedProbe,
    pub(super) stand: &'t CallBasis,
    /// Its exchange.
    pub(super) sent: usize,
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
    pub(super) async fn compare(&mut self, taken: TakenProbe<'_>) -> Result<(), Abort> {
        let compares_results = ["unlisted", "unparsable", "unfilled"].contains(&taken.probe.change.id);
        if compares_results && self.invents_for(&taken.tool.name) {
            // Every value gets the same made-up answer.
            return Ok(());
        }
        match taken.probe.change.id {
            "unlisted" if is_null(&self.pool.exchanges[taken.sent].outcome) => {
                self.compare_with_control(taken).await
            }
            "unlisted" | "unparsable" | "unfilled" => self.compare_with_valid(taken).await,
            "as-text" => self.compare_with_meant(taken).await,
            _ => Ok(()),
        }
    }

    /// If an unknown value got `null` and the control did not, sends it again and expects a refusal.
    async fn compare_with_control(&mut self, taken: TakenProbe<'_>) -> Result<(), Abort> {
        let TakenProbe { tool, probe, stand, sent } = taken;
        let Some((name, text)) = changed_text(probe) else { return Ok(()) };
        let is_telling = |control: &usize| !is_null(&self.pool.exchanges[*control].outcome);
        let control = stand.control.filter(|_| stand.is_repeatable()).filter(is_telling);
        if control.is_none() {
            return Ok(());
        }
        let own = (with(stand, name, Some(json!(text))), Step::Prepare);
        let Some(again) = self.sent_value(tool, own, &[]).await? else { return Ok(()) };
        if self.result_of(sent).as_ref() == again.results.first() {
            self.judge_again(again.index, control, refused("unknown-enum-value", name, text.to_owned()));
        }
        Ok(())
    }

    /// Sends a number or a flag as what it is, and expects a refusal of it as a text if that had another result. An integer that
    /// is taken as a text is also sent with a fraction of zero.
    async fn compare_with_meant(&mut self, taken: TakenProbe<'_>) -> Result<(), Abort> {
        let TakenProbe { tool, probe, stand, sent } = taken;
        let Some((name, text)) = changed_text(probe) else { return Ok(()) };
        let Ok(meant) = serde_json::from_str::<Value>(text) else { return Ok(()) };
        if stand.is_open() {
            return Ok(());
        }
        let Some(of_text) = self.result_of(sent) else { return Ok(()) };
        let own = |value: &Value| with(stand, name, Some(value.clone()));
        self.compare_forms(tool, name, [json!(text), meant.clone()].map(|form| own(&form)), of_text).await?;
        let Some(fraction) = with_fraction(&meant) else { return Ok(()) };
        let call = (own(&fraction), Step::Prepare);
        let Some(taken) = self.sent_value(tool, call, &[]).await? else { return Ok(()) };
        let of_fraction = taken.results[0].clone();
        self.compare_forms(tool, name, [fraction, meant].map(|form| own(&form)), of_fraction).await
    }

    /// Sends a call with a value in the form that is meant and once more in the form whose result is known, and expects a refusal
    /// of the latter if the results differ.
    async fn compare_forms(
        &mut self,
        tool: &ProbedTool,
        name: &str,
        [sent, meant]: [Value; 2],
        result: String,
    ) -> Result<(), Abort> {
        let text = as_text(&sent[name]);
        let call = (meant.clone(), Step::Control);
        let Some(known) = self.sent_value(tool, call, &[]).await? else { return Ok(()) };
        if differ_in_spelling_alone(&known.results[0], &result) {
            return Ok(());
        }
        let Some(again) = self.sent_value(tool, (sent, Step::Prepare), &[]).await? else {
            return Ok(());
        };
        let Some(then) = self.sent_value(tool, (meant, Step::Prepare), &[]).await? else {
            return Ok(());
        };
        if again.results[0] == result && then.results == known.results {
            self.judge_again(again.index, Some(known.index), refused("misread-value", name, text));
        }
        Ok(())
    }

    /// Sends valid values in the place of an invalid one, and expects a refusal of that one if it had the result of a valid one
    /// while another one has a different result.
    async fn compare_with_valid(&mut self, taken: TakenProbe<'_>) -> Result<(), Abort> {
        let TakenProbe { tool, probe, stand, sent } = taken;
        let Some(parameter) = self.known_parameter(tool, probe).filter(|_| !stand.is_open()) else {
            return Ok(());
        };
        let readers = self.readers(tool);
        let with = |value: Option<Value>| with(stand, &parameter.name, value);
        let mut tries: Vec<Value> = parameter.values.iter().map(|value| with(Some(json!(value)))).collect();
        tries.extend((!parameter.is_required).then(|| with(None)));
        let mut known = Vec::new();
        for own in tries {
            known.extend(self.sent_value(tool, (own, Step::Control), &readers).await?);
        }
        let value = probe.change.value().cloned();
        let unknown = (with(value.clone()), Step::Prepare);
        let Some(again) = self.sent_value(tool, unknown, &readers).await? else {
            return Ok(());
        };
        if self.result_of(sent).as_ref() != again.results.first() {
            return Ok(());
        }
        let taken = match parameter.domain {
            Domain::Listed => taken_for(&again, &known),
            Domain::Date => date_taken_for(&again, &known, &parameter.name).into_iter().collect(),
        };
        for (taken, other, channel) in taken {
            let mut is_steady = true;
            for one in [other, taken] {
                let own = (one.own.clone(), Step::Prepare);
                let then = self.sent_value(tool, own, &readers).await?;
                is_steady &= then.is_some_and(|then| {
                    then.results[0] == one.results[0] && then.results[channel] == one.results[channel]
                });
            }
            if is_steady {
                let text = value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
                // A control comes before the call that is judged by it.
                let expected = refused("unknown-enum-value", &parameter.name, text);
                self.judge_again(again.index, Some(taken.index), expected);
                break;
            }
        }
        Ok(())
    }

    /// Makes a call one that is judged, by this control.
    fn judge_again(&mut self, index: usize, control: Option<usize>, expected: Expected) {
        let place = &mut self.pool.exchanges[index].place;
        (place.step, place.control, place.expected) = (Step::Again, control, expected);
    }

    /// The parameter that a probe gives an invalid value: one whose description lists the valid ones, or an optional date.
    fn known_parameter(&self, tool: &ProbedTool, probe: &PlannedProbe) -> Option<KnownParameter> {
        let mutation = &probe.change;
        let is_one = mutation.value().is_some() && !probe.change.of_wrapper;
        let name = mutation.name().filter(|_| is_one)?;
        let listed = self.head.catalog.tool(&tool.name)?;
        let schema = own_schema(listed, name)?;
        let is_required = listed.required().any(|required| required == name);
        let name = name.to_owned();
        // Where something is deleted, a date may select all there is.
        let only_selects = matches!(tool.class, Class::Read | Class::Unknown) && !deletes(&tool.name);
        if let Some(far) = far_values(&name, &schema).filter(|_| only_selects) {
            let values = far.to_vec();
            return (!is_required).then_some(KnownParameter {
                name,
                values,
                domain: Domain::Date,
                is_required,
            });
        }
        let mut values = only_values(schema.get("description").and_then(Value::as_str)?);
        values.retain(|value| is_harmless(value));
        values.truncate(LISTED);
        let is_listed = values.len() > 1 && mutation.id == "unlisted";
        is_listed.then_some(KnownParameter { name, values, domain: Domain::Listed, is_required })
    }

    /// The tools without parameters that may tell what a call of this one has changed, those about the same first.
    fn readers(&self, tool: &ProbedTool) -> Vec<ProbedTool> {
        if tool.class == Class::Read || self.draws.is_none() {
            return Vec::new();
        }
        let bare = self.known_readers(&tool.name).map(|(reader, _)| reader).filter(ProbedTool::is_bare);
        let mut readers: Vec<ProbedTool> = bare.collect();
        readers.sort_by_key(|reader| !are_about_the_same(&tool.name, &reader.name));
        readers.truncate(READERS);
        readers
    }

    /// The other tools that only read and of which a call is known, with that call.
    pub(super) fn known_readers(&self, tool: &str) -> impl Iterator<Item = (ProbedTool, SuccessfulCall)> {
        let others = self.head.catalog.tools.iter().filter(move |other| other.name != tool);
        others
            .filter_map(|other| self.valid_call(&other.name))
            .filter(|(reader, _)| reader.class == Class::Read)
    }

    /// The first tool that only reads, that the user does not leave out, and of which this holds.
    pub(super) fn reader_that(&self, is_it: impl Fn(&Tool) -> bool) -> Option<&str> {
        let settings = self.resources.tools;
        let may_be_called =
            |tool: &Tool| Class::of(tool, settings) == Class::Read && !is_skipped(&tool.name, settings);
        let mut tools = self.head.catalog.tools.iter();
        tools.find(|tool| is_it(tool) && may_be_called(tool)).map(|tool| tool.name.as_str())
    }

    /// Sends a call and asks the readers; `None` if it is refused.
    async fn sent_value(
        &mut self,
        tool: &ProbedTool,
        (own, step): (Value, Step),
        readers: &[ProbedTool],
    ) -> Result<Option<SentValue>, Abort> {
        let call = tool.call(own.clone(), Expected::Anything);
        let index = self.placed(tool, call, step).await?;
        let Some(result) = self.result_of(index) else { return Ok(None) };
        let mut results = vec![result];
        for reader in readers {
            let call = reader.call(json!({}), Expected::Anything);
            let index = self.placed(reader, call, Step::Prepare).await?;
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

    /// What is listed of the things that this tool makes or deletes, if another one lists them. The last list is taken again if nothing
    /// was sent after it.
    pub(super) async fn listed_before(
        &mut self,
        tool: &ProbedTool,
        expected: &Expected,
    ) -> Result<Option<usize>, Abort> {
        // What a schema forbids is checked before anything is done, and what is called first may make things too.
        if tool.class == Class::Read
            || !(makes(&tool.name) || deletes(&tool.name))
            || is_of_schema(expected)
            || self.has_firsts(tool)
            || self.draws.is_none()
        {
            return Ok(None);
        }
        let Some(lister) = self.teller(tool) else { return Ok(None) };
        let last = self.pool.exchanges.last();
        let index = match last.filter(|last| last.tool() == Some(lister.as_str())) {
            Some(last) => last.index,
            None => self.asked_for_list(&lister, Step::Prepare, Expected::Anything).await?,
        };
        Ok(has_succeeded(&self.pool.exchanges[index], self.contract).then_some(index))
    }

    /// The tool without parameters that tells what there is of the things that this one makes or deletes.
    fn teller(&self, maker: &ProbedTool) -> Option<String> {
        let lists = |other: &Tool| {
            other.name != maker.name
                && other.parameters().next().is_none()
                && are_about_the_same(&maker.name, &other.name)
        };
        self.reader_that(lists).map(str::to_owned)
    }

    pub(super) async fn asked_for_list(
        &mut self,
        lister: &str,
        at: impl Into<Position>,
        expected: Expected,
    ) -> Result<usize, Abort> {
        let call = PlannedCall::plain(lister, json!({}), expected);
        self.send(&call, at).await
    }

    /// Lists again what was listed before a call, if that was refused.
    pub(super) async fn listed_after(
        &mut self,
        tool: &ProbedTool,
        call: usize,
        before: Option<usize>,
    ) -> Result<(), Abort> {
        let (Some(before), Some(lister)) = (before, self.teller(tool)) else { return Ok(()) };
        if read(self.contract, &self.pool.exchanges[call]).is_some() {
            let at = Position { step: Step::Again, control: Some(before), follows: Some(call) };
            self.asked_for_list(&lister, at, Expected::Undone).await?;
        }
        Ok(())
    }

    /// Sends a refused call of a tool that makes things once more, if it names something that no call before it named: where
    /// that exists already, the refused call made it.
    pub(super) async fn sent_again(&mut self, tool: &ProbedTool, call: usize) -> Result<(), Abort> {
        let refused = &self.pool.exchanges[call];
        let can_tell = self.draws.is_some()
            && tool.class != Class::Read
            && makes(&tool.name)
            && !is_of_schema(&refused.place.expected)
            && !self.has_firsts(tool)
            && read(self.contract, refused).is_some();
        let Some(control) = refused.place.control else { return Ok(()) };
        if !can_tell || !names_something_new(&self.pool.exchanges[..=call], control) {
            return Ok(());
        }
        let again = PlannedCall::plain(&tool.name, refused.call.arguments.clone(), Expected::Undone);
        let at = Position { step: Step::Again, control: Some(control), follows: Some(call) };
        // What this call changes belongs to no later one.
        self.untouched = None;
        self.send(&again, at).await.map(drop)
    }
}

/// Whether the schema forbids a call.
fn is_of_schema(expected: &Expected) -> bool {
    matches!(expected, Expected::Failure(failure) if failure.authority == Authority::Schema)
}

/// An integer as JSON writes it with a fraction of zero, `3.0`, which a schema allows; `None` for anything else.
fn with_fraction(value: &Value) -> Option<Value> {
    let integer = value.as_i64().and_then(|integer| i32::try_from(integer).ok())?;
    Some(json!(f64::from(integer)))
}

/// The parameter that a probe changes and the text that it puts there.
fn changed_text(probe: &PlannedProbe) -> Option<(&str, &str)> {
    let mutation = &probe.change;
    Some((mutation.name()?, mutation.value()?.as_str()?)).filter(|_| !probe.change.of_wrapper)
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

/// Whether the last of these calls has texts that its control does not have, and no call before it had any of them.
fn names_something_new(exchanges: &[Exchange], control: usize) -> bool {
    let Some((last, before)) = exchanges.split_last() else { return false };
    let known: HashSet<&str> = texts(&exchanges[control].call.arguments).collect();
    let new: HashSet<&str> =
        texts(&last.call.arguments).filter(|text| text.len() >= TELLING && !known.contains(text)).collect();
    let is_named = |exchange: &Exchange| texts(&exchange.call.arguments).any(|text| new.contains(text));
    !new.is_empty() && !before.iter().any(is_named)
}

/// What an unknown value may have been taken for: the call with the same results, one with another result, and which of the
/// results shows it. That nothing was found is no such result: a value that is unknown selects nothing.
fn taken_for<'s>(unknown: &SentValue, known: &'s [SentValue]) -> Vec<(&'s SentValue, &'s SentValue, usize)> {
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

/// The known call that got the same answer as the non-date, and one that got a different answer. Such a text is ignored, while a
/// date selects less; or an empty text selects nothing, as a date after everything does, while more is there.
fn date_taken_for<'s>(
    unknown: &SentValue,
    known: &'s [SentValue],
    name: &str,
) -> Option<(&'s SentValue, &'s SentValue, usize)> {
    let is_empty = unknown.own.get(name) == Some(&json!(""));
    let (dated, undated): (Vec<_>, Vec<_>) = known.iter().partition(|one| one.own.get(name).is_some());
    let (taken, others) = if is_empty { (dated, undated) } else { (undated, dated) };
    let taken = taken.into_iter().find(|taken| taken.results[0] == unknown.results[0])?;
    let found = nothing(&taken.results[0]);
    let differs = |other: &&SentValue| match is_empty {
        true => nothing(&other.results[0]) < found,
        false => other.results[0] != taken.results[0] && nothing(&other.results[0]) >= found,
    };
    others.into_iter().find(differs).map(|other| (taken, other, 0))
}

/// How often a result says that nothing was found.
fn nothing(result: &str) -> usize {
    pattern!("state/nothing-found").find_iter(result).count()
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
    use crate::exchange::Outcome;

    use super::*;

    fn sent(results: &[&str]) -> SentValue {
        SentValue {
            own: json!({}),
            index: results[0].len(),
            results: results.iter().map(|&result| result.to_owned()).collect(),
        }
    }

    #[test]
    fn only_an_integer_is_written_with_a_fraction() {
        let written = |value: Value| with_fraction(&value).map(|value| value.to_string());
        assert_eq!(written(json!(3)).as_deref(), Some("3.0"));
        for value in [json!(3.5), json!(3.0), json!(true), json!(1_u64 << 60)] {
            assert_eq!(written(value), None);
        }
    }

    #[test]
    fn a_call_names_something_new_if_no_call_before_it_had_a_text_of_its_own() {
        let call = |title: &str| {
            Exchange::alone(
                Some("create"),
                json!({"title": title, "kind": "note"}),
                Outcome::Result(Value::Null),
            )
        };
        let is_new = |titles: &[&str]| {
            let calls: Vec<Exchange> = titles.iter().map(|title| call(title)).collect();
            names_something_new(&calls, 0)
        };
        assert!(is_new(&["alpha-1", "alpha-2"]));
        assert!(!is_new(&["alpha-1", "alpha-1"]));
        assert!(!is_new(&["alpha-1", "alpha-2", "alpha-2"]));
        assert!(!is_new(&["alpha-1", "a"]), "it could be in any call");
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

    #[test]
    fn text_in_place_of_a_date_is_ignored_or_selects_nothing() {
        let taken = |text: &str, result: &str, [early, late, without]: [&str; 3]| {
            let with = |own: Value, result: &str| SentValue { own, ..sent(&[result]) };
            let known = [
                with(json!({"since": "1900-01-01"}), early),
                with(json!({"since": "2999-12-31"}), late),
                with(json!({}), without),
            ];
            let unknown = with(json!({ "since": text }), result);
            date_taken_for(&unknown, &known, "since").map(|(taken, ..)| taken.own.to_string())
        };
        let (all, none) = (r#"{"rows": [1, 2]}"#, r#"{"rows": []}"#);
        assert_eq!(taken("soon", all, [all, none, all]).as_deref(), Some("{}"));
        assert_eq!(taken("soon", all, [all, all, all]), None, "the argument may not matter");
        assert_eq!(taken("soon", none, [all, none, all]), None, "it selects nothing");
        assert_eq!(taken("", none, [all, none, all]).as_deref(), Some(r#"{"since":"2999-12-31"}"#));
        assert_eq!(taken("", all, [all, none, all]), None, "an empty text may stand for none");
        assert_eq!(taken("", none, [none, none, none]), None);
    }
}
