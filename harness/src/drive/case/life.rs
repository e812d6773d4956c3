//! Drives the life of a thing: calls the tool that creates or lists it, then the calls that must or may fail because the
//! thing already exists, no longer does, or never did.
//!
//! Each case is a sequence of calls about its own thing. If a call that must succeed is refused, there is no
//! case, because the state of the thing is then unknown. A call that deletes a thing succeeds only once with it, so that for
//! such a tool a thing is created anew for each call.

use serde_json::{Value, json};

use crate::class::Class;
use crate::condition::Condition;
use crate::contract::read;
use crate::exchange::Step;
use crate::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use crate::generate::{are_about_the_same, is_path, key_of, makes, plain_name, returned_for};
use crate::judge::has_succeeded;
use crate::plan::{PlannedEnd, PlannedLife, PlannedUse, ProbedTool, maker_of, may_name};
use crate::transcript::{CaseOutcome, DrivenCase};
use crate::wording::mention::stands_in;

use super::probe_control::{Repeatability, SuccessfulCall};
use super::tried_calls::{FirstCall, NewThing};
use super::{Abort, Driver, Position};

/// At most this many values of a creator's reply are tried as the name of the new thing.
pub(super) const TRIED: usize = 3;
/// The condition for creating a thing that already exists.
const EXISTS: &str = "already-exists";
/// The condition for using a thing that was deleted, and for deleting one that never was.
const DELETED: &str = "deleted";
/// The condition for using a thing that was ended, and for deleting one twice.
const ENDED: &str = "ended";
/// What makes the id of a thing that never was out of that of one that was.
const OTHER: &str = "-absent";

/// A tool and arguments for it that may succeed.
pub(super) struct UsableCall {
    pub(super) tool: ProbedTool,
    pub(super) arguments: Value,
}

impl From<(ProbedTool, SuccessfulCall)> for UsableCall {
    fn from((tool, found): (ProbedTool, SuccessfulCall)) -> Self {
        Self { tool, arguments: found.arguments }
    }
}

/// A thing created by one call.
pub(super) struct CreatedItem {
    /// The arguments of the call that created it.
    pub(super) named: Value,
    /// The result in the reply.
    pub(super) reply: Value,
}

/// The first end of a thing, which succeeded.
struct FirstEnd {
    /// Its exchange.
    control: usize,
    arguments: Value,
    /// Whether the thing was there before, and no list has it any more: the same success for one that is not there is then
    /// untrue.
    is_proven: bool,
}

impl Driver<'_> {
    /// Records a tool that may be called as part of a life.
    pub(in crate::drive) fn meet(&mut self, tool: &ProbedTool) {
        self.firsts.meet(tool);
    }

    /// Drives one life; returns the cases that came about.
    pub(in crate::drive) async fn life(&mut self, life: &PlannedLife) -> Vec<DrivenCase> {
        let mut lived = Vec::new();
        let tools = life.maker.iter().chain(life.end.iter().map(|end| &end.tool));
        if tools.into_iter().any(|tool| self.invents_for(tool)) {
            // In made-up answers nothing is made, and nothing ends.
            return lived;
        }
        let maker = match life.maker.as_ref().map(|name| self.valid_call(name)) {
            None => None,
            Some(None) => return lived,
            Some(Some(known)) => Some(UsableCall::from(known)),
        };
        // Failures outside the cases show in the exchanges.
        if let (Some(id), Some(maker)) = (&life.twice, &maker) {
            self.case.clone_from(id);
            let _ = self.made_twice(maker, &mut lived).await;
        }
        if let Some(end) = &life.end {
            let _ = self.ended(maker.as_ref(), end, &mut lived).await;
        }
        lived
    }

    /// Creates one thing twice. The refusal is known to be about the existing thing only if another name is not
    /// refused.
    async fn made_twice(&mut self, maker: &UsableCall, lived: &mut Vec<DrivenCase>) -> Result<(), Abort> {
        let Some((control, first)) = self.made(maker, Step::Control).await? else { return Ok(()) };
        let about = ("the same thing made twice", EXISTS);
        let (case, refused_at) =
            self.lived((control, false), maker, &first.named, about, Expected::Anything).await;
        lived.push(case);
        let (Some(index), Some(draws)) = (refused_at, self.draws.as_mut()) else { return Ok(()) };
        let Some(other) = draws.renamed(&maker.tool, &first.named) else { return Ok(()) };
        let names = differing(&first.named, &other);
        if self.succeeded(maker, &other, Step::Prepare).await?.is_some() {
            self.pool.exchanges[index].place.expected = refused(EXISTS, Some(ExpectedValue::AnyOf(names)));
        }
        Ok(())
    }

    /// Ends a thing, then ends it again, ends one that never was, and uses it.
    async fn ended(
        &mut self,
        maker: Option<&UsableCall>,
        end: &PlannedEnd,
        lived: &mut Vec<DrivenCase>,
    ) -> Result<(), Abort> {
        let Some(ending) = self.usual(&end.tool) else { return Ok(()) };
        let ids = end.twice.iter().chain(&end.never_made).chain(end.uses.iter().map(|using| &using.id));
        let Some(id) = ids.into_iter().next() else { return Ok(()) };
        self.case.clone_from(id);
        let thing = match maker {
            Some(maker) => self.made(maker, Step::Prepare).await?.map(|(_, thing)| thing),
            None => self.listed_things(&ending.tool).await?,
        };
        let Some(thing) = thing else { return Ok(()) };
        // Which value in the reply names the thing shows when it is ended.
        for turn in 0..TRIED {
            let Some(arguments) = self.meaning(&ending, &end.parameters, &end.parameters, &thing, turn)
            else {
                break;
            };
            let Some(first) = self.first_end(&ending, end, arguments, maker.is_some()).await? else {
                continue;
            };
            let again = end.twice.as_ref().map(|id| {
                let value = meant(&first.arguments, &end.parameters).filter(|_| end.deletes);
                (id, first.arguments.clone(), ("the same thing twice", ENDED), value)
            });
            let absent = end.never_made.as_ref().zip(end.parameters.last()).and_then(|(id, name)| {
                let arguments = never_made(&first.arguments, name)?;
                let value = meant(&arguments, std::slice::from_ref(name));
                Some((id, arguments, ("a thing that never was", DELETED), value))
            });
            for (id, arguments, about, value) in again.into_iter().chain(absent) {
                self.case.clone_from(id);
                let (control, expected) = ((first.control, first.is_proven), refused(about.1, value));
                lived.push(self.lived(control, &ending, &arguments, about, expected).await.0);
            }
            if let Some(maker) = maker {
                for using in &end.uses {
                    lived.extend(self.used(maker, &ending, (end, using), turn).await?);
                }
            }
            break;
        }
        Ok(())
    }

    /// What a tool without parameters lists of the things that this one ends, in place of one that was created.
    async fn listed_things(&mut self, ending: &ProbedTool) -> Result<Option<CreatedItem>, Abort> {
        let Some(lister) = self.lister(ending) else { return Ok(None) };
        let index = self.sent(&lister, &json!({}), Step::Prepare, Expected::Anything).await?;
        let reply = self.pool.exchanges[index].outcome.result().cloned();
        Ok(reply.map(|reply| CreatedItem { named: json!({}), reply }))
    }

    /// The tool without parameters that reads what this one is about.
    fn lister(&self, ending: &ProbedTool) -> Option<UsableCall> {
        let lists =
            |(tool, _): &(ProbedTool, _)| tool.is_bare() && are_about_the_same(&ending.name, &tool.name);
        self.known_readers(&ending.name).find(lists).map(UsableCall::from)
    }

    /// Ends a thing for the first time; `None` if that is refused.
    async fn first_end(
        &mut self,
        ending: &UsableCall,
        end: &PlannedEnd,
        arguments: Value,
        is_made: bool,
    ) -> Result<Option<FirstEnd>, Abort> {
        let lister = self.lister(&ending.tool).filter(|_| end.deletes);
        let name = end.parameters.last().and_then(|name| match arguments.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        let sought = lister.as_ref().zip(name.as_deref());
        let before = self.is_listed(sought).await?;
        let Some(control) = self.succeeded(ending, &arguments, Step::Control).await? else { return Ok(None) };
        let after = self.is_listed(sought).await?;
        let is_proven = match (before, after) {
            (Some(true), after) => after == Some(false),
            // The list may be one of something else.
            _ => is_made,
        };
        Ok(Some(FirstEnd { control, arguments, is_proven: is_proven && end.deletes }))
    }

    /// Whether a list has a name; `None` if it is not told.
    async fn is_listed(&mut self, sought: Option<(&UsableCall, &str)>) -> Result<Option<bool>, Abort> {
        let Some((lister, name)) = sought else { return Ok(None) };
        let index = self.succeeded(lister, &json!({}), Step::Prepare).await?;
        let reply = index.and_then(|index| self.pool.exchanges[index].outcome.result());
        Ok(reply.map(|reply| stands_in(&reply.to_string(), name)))
    }

    /// Uses a thing, ends it, and uses it again.
    async fn used(
        &mut self,
        maker: &UsableCall,
        ending: &UsableCall,
        (end, using): (&PlannedEnd, &PlannedUse),
        turn: usize,
    ) -> Result<Option<DrivenCase>, Abort> {
        let names = &using.parameters;
        self.case.clone_from(&using.id);
        let Some(user) = self.usual(&using.tool) else { return Ok(None) };
        let Some((_, thing)) = self.made(maker, Step::Prepare).await? else { return Ok(None) };
        let (Some(arguments), Some(last)) = (
            self.meaning(&user, names, &end.parameters, &thing, turn),
            self.meaning(ending, &end.parameters, &end.parameters, &thing, turn),
        ) else {
            return Ok(None);
        };
        let Some(control) = self.succeeded(&user, &arguments, Step::Control).await? else { return Ok(None) };
        if self.succeeded(ending, &last, Step::Prepare).await?.is_none() {
            return Ok(None);
        }
        let (condition, value) = match end.deletes {
            true => (DELETED, meant(&arguments, names)),
            false => (ENDED, None),
        };
        let about = (&*format!("used after {}", end.tool), condition);
        let expected = refused(condition, value);
        Ok(Some(self.lived((control, false), &user, &arguments, about, expected).await.0))
    }

    /// Creates a thing of its own, with an unused name if one is known to be needed; returns its exchange, or
    /// `None` if the call is refused.
    pub(super) async fn made(
        &mut self,
        maker: &UsableCall,
        step: Step,
    ) -> Result<Option<(usize, CreatedItem)>, Abort> {
        let draws = self.draws.as_mut().filter(|draws| draws.knows_names(&maker.tool));
        let renamed = draws.and_then(|draws| draws.renamed(&maker.tool, &maker.arguments));
        // What must be called before the creator is called before it here too.
        self.call_firsts(&maker.tool).await?;
        for named in renamed.into_iter().chain([maker.arguments.clone()]) {
            if let Some(index) = self.succeeded(maker, &named, step).await?
                && let Some(reply) = self.pool.exchanges[index].outcome.result()
            {
                let reply = reply.clone();
                return Ok(Some((index, CreatedItem { named, reply })));
            }
        }
        Ok(None)
    }

    /// A tool with its successful call, or with the likeliest one if none succeeded.
    fn usual(&self, name: &str) -> Option<UsableCall> {
        let tool = self.firsts.known(name)?.clone();
        let known = self.tools.found_call(name).map(|found| &found.arguments);
        let arguments = known.or(tool.tries.first()).cloned().unwrap_or_else(|| json!({}));
        Some(UsableCall { tool, arguments })
    }

    /// A call of a tool with `parameters` set to refer to this thing. The tool that ends the thing calls the
    /// same parameter `as_ended`. The value is what the creator was sent under that name, or the value in its
    /// reply whose turn it is; `None` if there is neither.
    pub(super) fn meaning(
        &self,
        usual: &UsableCall,
        parameters: &[String],
        as_ended: &[String],
        thing: &CreatedItem,
        turn: usize,
    ) -> Option<Value> {
        let listed = self.head.catalog.tool(&usual.tool.name)?;
        let mut arguments = usual.arguments.clone();
        let (mut is_meant, mut is_turned) = (false, false);
        for (name, as_ended) in std::iter::zip(parameters, as_ended) {
            let is_it = |sent: &String| plain_name(sent) == plain_name(as_ended);
            let sent = thing.named.as_object()?.iter().find(|(sent, _)| is_it(sent));
            let schema = listed.parameter(name).unwrap_or(&Value::Null);
            let returned = || returned_for(&thing.reply, as_ended, schema).into_iter().nth(turn);
            let value = match sent {
                Some((_, value)) => Some(value.clone()),
                None => {
                    let value = returned();
                    is_turned |= value.is_some();
                    value
                }
            };
            if let Some(value) = value {
                is_meant = true;
                arguments.as_object_mut()?.insert(name.clone(), value);
            }
        }
        (is_meant && (turn == 0 || is_turned)).then_some(arguments)
    }

    /// Sends a call in the shared process, after laying out the tool's files.
    pub(super) async fn sent(
        &mut self,
        usual: &UsableCall,
        arguments: &Value,
        at: impl Into<Position>,
        expected: Expected,
    ) -> Result<usize, Abort> {
        let (tool, at) = (&usual.tool, at.into());
        // The files of a thing that was just created stay as they are.
        if at.step != Step::Call && self.supply(tool, arguments) {
            self.lay_out_for(tool)?;
        }
        let call = self.addressed(&tool.call(arguments.clone(), expected));
        self.send(&call, at).await
    }

    /// Sends a call that must succeed; the exchange if it does.
    async fn succeeded(
        &mut self,
        usual: &UsableCall,
        arguments: &Value,
        step: Step,
    ) -> Result<Option<usize>, Abort> {
        let index = self.sent(usual, arguments, step, Expected::Anything).await?;
        Ok(has_succeeded(&self.pool.exchanges[index], self.contract).then_some(index))
    }

    /// Sends the call of a case, which is judged by this control; also returns its exchange if it was refused. What is expected
    /// applies to a refusal: success, such as deleting a thing that is already gone, is an answer too, unless the control has
    /// proven what it means.
    async fn lived(
        &mut self,
        (control, is_proven): (usize, bool),
        usual: &UsableCall,
        arguments: &Value,
        (title, condition): (&str, &str),
        expected: Expected,
    ) -> (DrivenCase, Option<usize>) {
        let at = Position { control: Some(control), ..Step::Call.into() };
        let sent = self.sent(usual, arguments, at, expected).await;
        let mut refused_at = None;
        if let Ok(index) = sent {
            let exchange = &mut self.pool.exchanges[index];
            refused_at = read(self.contract, exchange).map(|_| index);
            match &mut exchange.place.expected {
                _ if refused_at.is_some() => {}
                Expected::Failure(failure) if is_proven => failure.authority = Authority::Calls,
                expected => *expected = Expected::Anything,
            }
        }
        let outcome = self.outcome(sent.map(|index| match self.pool.exchanges[index].environment.cause() {
            Some(cause) => CaseOutcome::PreconditionFailed(cause.to_owned()),
            None => CaseOutcome::Driven,
        }));
        let tool = &usual.tool.name;
        let case = DrivenCase {
            condition: Some(condition.to_owned()),
            tools: vec![tool.clone()],
            ..DrivenCase::probe(self.case.clone(), &format!("{tool}: {title}"), outcome)
        };
        (case, refused_at)
    }

    /// A call of a tool that succeeds with a thing created just before it; `known` are its other arguments. Also returns how
    /// the thing is created and which parts of the reply the call takes.
    pub(super) async fn on_a_new_thing(
        &mut self,
        tool: &ProbedTool,
        known: &Value,
    ) -> Result<Option<(SuccessfulCall, NewThing)>, Abort> {
        let Some((maker, parameters)) = self.maker_for(tool) else { return Ok(None) };
        let usual = UsableCall { tool: tool.clone(), arguments: known.clone() };
        let Some((_, thing)) = self.made(&maker, Step::Prepare).await? else { return Ok(None) };
        for turn in 0..TRIED {
            let Some(arguments) = self.meaning(&usual, &parameters, &parameters, &thing, turn) else { break };
            if let Ok(control) = self.tried(tool, &arguments).await?.unless_lost()? {
                let new = self.new_thing(&maker, &thing, &parameters, &arguments);
                let repeatability = Repeatability::Remade { turn };
                return Ok(Some((SuccessfulCall { control, arguments, repeatability }, new)));
            }
        }
        Ok(None)
    }

    /// How a thing was created, and which of these parameters of a call took a value from the creator's reply.
    fn new_thing(
        &self,
        maker: &UsableCall,
        thing: &CreatedItem,
        parameters: &[String],
        arguments: &Value,
    ) -> NewThing {
        let call = self.addressed(&maker.tool.call(thing.named.clone(), Expected::Anything));
        let feed = |name: &String| {
            let is_named = thing.named.as_object()?.keys().any(|sent| plain_name(sent) == plain_name(name));
            let key = key_of(&thing.reply, arguments.get(name)?).filter(|_| !is_named)?;
            Some((name.clone(), key))
        };
        NewThing {
            maker: FirstCall { tool: maker.tool.name.clone(), arguments: call.arguments },
            feeds: parameters.iter().filter_map(feed).collect(),
        }
    }

    /// The arguments of a successful call with a thing that was created just now; unchanged if none can be
    /// created any more.
    pub(super) async fn remade(
        &mut self,
        tool: &ProbedTool,
        found: &SuccessfulCall,
        turn: usize,
    ) -> Result<Value, Abort> {
        let known = || found.arguments.clone();
        let Some((maker, parameters)) = self.maker_for(tool) else { return Ok(known()) };
        let Some((_, thing)) = self.made(&maker, Step::Prepare).await? else { return Ok(known()) };
        let usual = UsableCall { tool: tool.clone(), arguments: known() };
        Ok(self.meaning(&usual, &parameters, &parameters, &thing, turn).unwrap_or_else(known))
    }

    /// The tool that creates what this one works on, its successful call, and the parameters of this tool that
    /// may name the thing.
    fn maker_for(&self, tool: &ProbedTool) -> Option<(UsableCall, Vec<String>)> {
        self.draws.as_ref()?;
        let parameters = may_name(self.head.catalog.tool(&tool.name)?);
        let others = self.head.catalog.tools.iter().filter(|other| other.name != tool.name);
        let known =
            others.filter(|other| makes(&other.name)).filter_map(|other| self.valid_call(&other.name));
        let makers: Vec<_> = known.filter(|(maker, _)| maker.class != Class::Read).collect();
        let at = maker_of(&tool.name, makers.iter().map(|(maker, _)| &*maker.name))?;
        let known = makers.into_iter().nth(at)?;
        (!parameters.is_empty()).then_some((known.into(), parameters))
    }
}

/// An expectation that the call may be refused for this reason, and that the refusal names the value.
fn refused(condition: &str, value: Option<ExpectedValue>) -> Expected {
    Expected::Failure(ExpectedFailure {
        value,
        or_success: true,
        ..ExpectedFailure::of(Condition(condition.to_owned()), Authority::Contract)
    })
}

/// The arguments of a call with a thing that never was, named by this parameter.
fn never_made(arguments: &Value, name: &str) -> Option<Value> {
    let other = match arguments.get(name)? {
        Value::String(text) => json!(format!("{text}{OTHER}")),
        Value::Number(_) => json!(-1),
        _ => return None,
    };
    let mut arguments = arguments.clone();
    arguments.as_object_mut()?.insert(name.to_owned(), other);
    Some(arguments)
}

/// The value in a call that refers to the thing.
fn meant(arguments: &Value, parameters: &[String]) -> Option<ExpectedValue> {
    let values: Vec<ExpectedValue> =
        parameters.iter().filter_map(|name| expected_value(name, arguments.get(name)?)).collect();
    (!values.is_empty()).then_some(ExpectedValue::AnyOf(values))
}

/// The texts of one call that differ in the other.
fn differing(one: &Value, other: &Value) -> Vec<ExpectedValue> {
    let members = one.as_object().into_iter().flatten();
    members
        .filter(|(name, value)| other.get(name.as_str()) != Some(value))
        .filter_map(|(name, value)| expected_value(name, value))
        .collect()
}

fn expected_value(name: &str, value: &Value) -> Option<ExpectedValue> {
    match value {
        Value::String(text) if is_path(&plain_name(name), "") => Some(ExpectedValue::Path(text.clone())),
        Value::String(text) => Some(ExpectedValue::Text(text.clone())),
        Value::Number(number) => Some(ExpectedValue::Text(number.to_string())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_refusal_should_name_is_what_the_call_means() {
        let call = json!({"path": "/w/a.txt", "id": 7, "title": "alpha-2", "force": true});
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let (path, id) = (ExpectedValue::Path("/w/a.txt".to_owned()), ExpectedValue::Text("7".to_owned()));
        assert_eq!(meant(&call, &names(&["path", "id"])), Some(ExpectedValue::AnyOf(vec![path, id])));
        assert_eq!(meant(&call, &names(&["force", "absent"])), None);
        let other = json!({"path": "/w/a.txt", "id": 7, "title": "alpha-3", "force": true});
        assert_eq!(differing(&call, &other), [ExpectedValue::Text("alpha-2".to_owned())]);
        assert!(differing(&call, &call).is_empty());
    }
}
