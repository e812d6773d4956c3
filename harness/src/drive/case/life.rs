//! Drives the life of a thing: calls the tool that creates or lists it, then the calls that must or may fail because the
//! thing already exists, no longer does, or never did.
//!
//! Each case is a sequence of calls about its own thing. If a call that must succeed is refused, there is no
//! case, because the state of the thing is then unknown.

use serde_json::{Value, json};

use crate::class::Class;
use crate::condition::{CaseId, Condition};
use crate::contract::read;
use crate::exchange::{Outcome, Step};
use crate::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use crate::generate::{are_about_the_same, is_path, plain_name, returned_for};
use crate::judge::has_succeeded;
use crate::plan::{PlannedEnd, PlannedLife, PlannedUse, ProbedTool};
use crate::transcript::CaseOutcome;
use crate::wording::mention::stands_in;

use super::control_state::ProbeControl;
use super::{Abort, Driver, NumberedSession, Position};

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

/// The result of one case.
pub(in crate::drive) struct LifeResult {
    pub(in crate::drive) id: CaseId,
    pub(in crate::drive) tool: String,
    pub(in crate::drive) title: String,
    pub(in crate::drive) condition: &'static str,
    pub(in crate::drive) outcome: CaseOutcome,
}

/// A tool and arguments for it that may succeed.
pub(super) struct UsableCall {
    pub(super) tool: ProbedTool,
    pub(super) arguments: Value,
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
    pub(in crate::drive) async fn life(&mut self, life: &PlannedLife) -> Vec<LifeResult> {
        let mut lived = Vec::new();
        let maker = match &life.maker {
            None => None,
            Some(name) => {
                let Some((tool, found)) = self.valid_call(name) else { return lived };
                Some(UsableCall { tool, arguments: found.arguments })
            }
        };
        // Failures outside the cases show in the exchanges.
        if let (Some(id), Some(maker)) = (&life.twice, &maker) {
            let _ = self.made_twice(maker, id, &mut lived).await;
        }
        if let Some(end) = &life.end {
            let _ = self.ended(maker.as_ref(), end, &mut lived).await;
        }
        lived
    }

    /// Creates one thing twice. The refusal is known to be about the existing thing only if another name is not
    /// refused.
    async fn made_twice(
        &mut self,
        maker: &UsableCall,
        id: &CaseId,
        lived: &mut Vec<LifeResult>,
    ) -> Result<(), Abort> {
        let Some((control, first)) = self.made(maker, id, Step::Control).await? else { return Ok(()) };
        let mut take = |outcome| {
            lived.push(LifeResult {
                id: id.clone(),
                tool: maker.tool.name.clone(),
                title: format!("{}: the same thing made twice", maker.tool.name),
                condition: EXISTS,
                outcome,
            });
        };
        let sent = self.sent(maker, &first.named, id, Step::Call, Some(control), Expected::Anything).await;
        let index = match sent {
            Ok(index) => index,
            Err(abort) => {
                take(self.outcome(Err(abort)));
                return Ok(());
            }
        };
        take(self.confined_outcome(index));
        if !self.is_refused(index) {
            return Ok(());
        }
        let draws = self.draws.as_mut();
        let Some(other) = draws.and_then(|draws| draws.renamed(&maker.tool, &first.named)) else {
            return Ok(());
        };
        let names = differing(&first.named, &other);
        let confirmed = self.sent(maker, &other, id, Step::Prepare, None, Expected::Anything).await?;
        if has_succeeded(&self.pool.exchanges[confirmed], self.contract) {
            self.pool.exchanges[index].place.expected = refused(EXISTS, Some(ExpectedValue::AnyOf(names)));
        }
        Ok(())
    }

    /// Ends a thing, then ends it again, ends one that never was, and uses it.
    async fn ended(
        &mut self,
        maker: Option<&UsableCall>,
        end: &PlannedEnd,
        lived: &mut Vec<LifeResult>,
    ) -> Result<(), Abort> {
        let Some(ending) = self.usual(&end.tool) else { return Ok(()) };
        let ids = end.twice.iter().chain(&end.never_made).chain(end.uses.iter().map(|using| &using.id));
        let Some(id) = ids.into_iter().next().cloned() else { return Ok(()) };
        let thing = match maker {
            Some(maker) => self.made(maker, &id, Step::Prepare).await?.map(|(_, thing)| thing),
            None => self.listed_things(&ending.tool, &id).await?,
        };
        let Some(thing) = thing else { return Ok(()) };
        // Which value in the reply names the thing shows when it is ended.
        for turn in 0..TRIED {
            let Some(arguments) = self.meaning(&ending, &end.parameters, &end.parameters, &thing, turn)
            else {
                break;
            };
            let Some(first) = self.first_end(&ending, end, arguments, &id, maker.is_some()).await? else {
                continue;
            };
            if let Some(id) = &end.twice {
                lived.push(self.ended_again(&ending, end, &first, id).await);
            }
            if let Some(id) = &end.never_made {
                lived.extend(self.ended_unmade(&ending, end, &first, id).await);
            }
            if let Some(maker) = maker {
                for using in &end.uses {
                    if let Some(case) = self.used(maker, &ending, (end, using), turn).await? {
                        lived.push(case);
                    }
                }
            }
            break;
        }
        Ok(())
    }

    /// What a tool without parameters lists of the things that this one ends, in place of one that was created.
    async fn listed_things(
        &mut self,
        ending: &ProbedTool,
        id: &CaseId,
    ) -> Result<Option<CreatedItem>, Abort> {
        let Some(lister) = self.lister(ending) else { return Ok(None) };
        let index = self.sent(&lister, &json!({}), id, Step::Prepare, None, Expected::Anything).await?;
        let reply = self.pool.exchanges[index].outcome.result().cloned();
        Ok(reply.map(|reply| CreatedItem { named: json!({}), reply }))
    }

    /// The tool without parameters that reads what this one is about.
    fn lister(&self, ending: &ProbedTool) -> Option<UsableCall> {
        let others = self.head.catalog.tools.iter();
        let mut about_it = others.filter(|other| are_about_the_same(&ending.name, &other.name));
        about_it.find_map(|other| {
            let (tool, found) = self.valid_call(&other.name)?;
            let lists = tool.class == Class::Read && tool.is_bare();
            lists.then_some(UsableCall { tool, arguments: found.arguments })
        })
    }

    /// Ends a thing for the first time; `None` if that is refused.
    async fn first_end(
        &mut self,
        ending: &UsableCall,
        end: &PlannedEnd,
        arguments: Value,
        id: &CaseId,
        is_made: bool,
    ) -> Result<Option<FirstEnd>, Abort> {
        let lister = self.lister(&ending.tool).filter(|_| end.deletes);
        let name = end.parameters.last().and_then(|name| match arguments.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        let sought = lister.as_ref().zip(name.as_deref());
        let before = self.is_listed(sought, id).await?;
        let control = self.sent(ending, &arguments, id, Step::Control, None, Expected::Anything).await?;
        if !has_succeeded(&self.pool.exchanges[control], self.contract) {
            return Ok(None);
        }
        let after = self.is_listed(sought, id).await?;
        let is_proven = match (before, after) {
            (Some(true), after) => after == Some(false),
            // The list may be one of something else.
            _ => is_made,
        };
        Ok(Some(FirstEnd { control, arguments, is_proven: is_proven && end.deletes }))
    }

    /// Whether a list has a name; `None` if it is not told.
    async fn is_listed(
        &mut self,
        sought: Option<(&UsableCall, &str)>,
        id: &CaseId,
    ) -> Result<Option<bool>, Abort> {
        let Some((lister, name)) = sought else { return Ok(None) };
        let index = self.sent(lister, &json!({}), id, Step::Prepare, None, Expected::Anything).await?;
        let exchange = &self.pool.exchanges[index];
        let reply = exchange.outcome.result().filter(|_| has_succeeded(exchange, self.contract));
        Ok(reply.map(|reply| stands_in(&reply.to_string(), name)))
    }

    /// Ends the same thing again.
    async fn ended_again(
        &mut self,
        ending: &UsableCall,
        end: &PlannedEnd,
        first: &FirstEnd,
        id: &CaseId,
    ) -> LifeResult {
        let value = meant(&first.arguments, &end.parameters).filter(|_| end.deletes);
        let expected = refused(ENDED, value);
        let sent = self.sent(ending, &first.arguments, id, Step::Call, Some(first.control), expected).await;
        LifeResult {
            id: id.clone(),
            tool: end.tool.clone(),
            title: format!("{}: the same thing twice", end.tool),
            condition: ENDED,
            outcome: self.called(sent, first.is_proven),
        }
    }

    /// Ends a thing that never was.
    async fn ended_unmade(
        &mut self,
        ending: &UsableCall,
        end: &PlannedEnd,
        first: &FirstEnd,
        id: &CaseId,
    ) -> Option<LifeResult> {
        let name = end.parameters.last()?;
        let other = match first.arguments.get(name)? {
            Value::String(text) => json!(format!("{text}{OTHER}")),
            Value::Number(_) => json!(-1),
            _ => return None,
        };
        let mut arguments = first.arguments.clone();
        arguments.as_object_mut()?.insert(name.clone(), other);
        let expected = refused(DELETED, meant(&arguments, std::slice::from_ref(name)));
        let sent = self.sent(ending, &arguments, id, Step::Call, Some(first.control), expected).await;
        Some(LifeResult {
            id: id.clone(),
            tool: end.tool.clone(),
            title: format!("{}: a thing that never was", end.tool),
            condition: DELETED,
            outcome: self.called(sent, first.is_proven),
        })
    }

    /// Uses a thing, ends it, and uses it again.
    async fn used(
        &mut self,
        maker: &UsableCall,
        ending: &UsableCall,
        (end, using): (&PlannedEnd, &PlannedUse),
        turn: usize,
    ) -> Result<Option<LifeResult>, Abort> {
        let (id, names) = (&using.id, &using.parameters);
        let Some(user) = self.usual(&using.tool) else { return Ok(None) };
        let Some((_, thing)) = self.made(maker, id, Step::Prepare).await? else { return Ok(None) };
        let (Some(arguments), Some(last)) = (
            self.meaning(&user, names, &end.parameters, &thing, turn),
            self.meaning(ending, &end.parameters, &end.parameters, &thing, turn),
        ) else {
            return Ok(None);
        };
        let control = self.sent(&user, &arguments, id, Step::Control, None, Expected::Anything).await?;
        if !has_succeeded(&self.pool.exchanges[control], self.contract) {
            return Ok(None);
        }
        let index = self.sent(ending, &last, id, Step::Prepare, None, Expected::Anything).await?;
        if !has_succeeded(&self.pool.exchanges[index], self.contract) {
            return Ok(None);
        }
        let (condition, value) = match end.deletes {
            true => (DELETED, meant(&arguments, names)),
            false => (ENDED, None),
        };
        let expected = refused(condition, value);
        let sent = self.sent(&user, &arguments, id, Step::Call, Some(control), expected).await;
        Ok(Some(LifeResult {
            id: id.clone(),
            tool: using.tool.clone(),
            title: format!("{}: used after {}", using.tool, end.tool),
            condition,
            outcome: self.called(sent, false),
        }))
    }

    /// Creates a thing of its own, with an unused name if one is known to be needed; returns its exchange, or
    /// `None` if the call is refused.
    pub(super) async fn made(
        &mut self,
        maker: &UsableCall,
        id: &CaseId,
        step: Step,
    ) -> Result<Option<(usize, CreatedItem)>, Abort> {
        let draws = self.draws.as_mut().filter(|draws| draws.knows_names(&maker.tool));
        let renamed = draws.and_then(|draws| draws.renamed(&maker.tool, &maker.arguments));
        // What must be called before the creator is called before it here too.
        let numbered = self.process_for(&maker.tool, id).await?;
        self.pool.give_back(numbered);
        for named in renamed.into_iter().chain([maker.arguments.clone()]) {
            let index = self.sent(maker, &named, id, step, None, Expected::Anything).await?;
            let exchange = &self.pool.exchanges[index];
            if has_succeeded(exchange, self.contract)
                && let Outcome::Result(reply) = &exchange.outcome
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
        let arguments = match self.tools.probe_controls.get(name) {
            Some(ProbeControl::Found(found)) => found.arguments.clone(),
            Some(ProbeControl::Unknown { .. }) | None => {
                tool.tries.first().cloned().unwrap_or_else(|| json!({}))
            }
        };
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
        id: &CaseId,
        step: Step,
        control: Option<usize>,
        expected: Expected,
    ) -> Result<usize, Abort> {
        let at = Position { case: id, step, control, follows: None };
        let tool = &usual.tool;
        // The files of a thing that was just created stay as they are.
        if step != Step::Call && self.supply(tool, arguments) {
            self.lay_out_for(tool)?;
        }
        let mut numbered: NumberedSession = self.process().await?;
        let call = self.addressed(&tool.call(arguments.clone(), expected));
        let sent = self.send(&mut numbered, &call, at).await;
        self.kept(numbered, sent).await
    }

    /// The outcome of a case whose call was sent. Expectations apply to a refusal. Success, such as deleting a thing that is
    /// already gone, is an answer too, unless it is known what the same words meant before.
    fn called(&mut self, sent: Result<usize, Abort>, is_proven: bool) -> CaseOutcome {
        match sent {
            Ok(index) => {
                let is_refused = self.is_refused(index);
                let expected = &mut self.pool.exchanges[index].place.expected;
                match expected {
                    _ if is_refused => {}
                    Expected::Failure(failure) if is_proven => failure.authority = Authority::Calls,
                    _ => *expected = Expected::Anything,
                }
                self.confined_outcome(index)
            }
            Err(abort) => self.outcome(Err(abort)),
        }
    }

    /// Whether the reply is an error by the contract.
    fn is_refused(&self, index: usize) -> bool {
        read(self.contract, &self.pool.exchanges[index]).is_some()
    }

    fn confined_outcome(&self, index: usize) -> CaseOutcome {
        match self.pool.exchanges[index].environment.cause() {
            Some(cause) => CaseOutcome::PreconditionFailed(cause.to_owned()),
            None => CaseOutcome::Driven,
        }
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
