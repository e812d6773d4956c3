//! Things that are created anew for each call about one: a call that deletes a thing succeeds only once with
//! it, and a new thing usually has another id.

use serde_json::Value;

use crate::class::Class;
use crate::condition::CaseId;
use crate::exchange::Step;
use crate::expectation::Expected;
use crate::generate::{key_of, makes, plain_name};
use crate::plan::{ProbedTool, maker_of, may_name};

use super::control_state::{Repeatability, SuccessfulCall, Tried};
use super::life::{CreatedItem, TRIED, UsableCall};
use super::tried_calls::{FirstCall, NewThing};
use super::{Abort, Driver};

impl Driver<'_> {
    /// A call of a tool that succeeds with a thing created just before it; `known` are its other arguments.
    pub(super) async fn with_a_new_thing(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        known: &Value,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        Ok(self.on_a_new_thing(tool, case, known).await?.map(|(found, _)| found))
    }

    /// Like [`Self::with_a_new_thing`], and also returns how the thing is created and which parts of the reply
    /// the call takes.
    pub(super) async fn on_a_new_thing(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        known: &Value,
    ) -> Result<Option<(SuccessfulCall, NewThing)>, Abort> {
        let Some((maker, parameters)) = self.maker_for(tool) else { return Ok(None) };
        let usual = UsableCall { tool: tool.clone(), arguments: known.clone() };
        let Some((_, thing)) = self.made(&maker, case, Step::Prepare).await? else { return Ok(None) };
        for turn in 0..TRIED {
            let Some(arguments) = self.meaning(&usual, &parameters, &parameters, &thing, turn) else { break };
            match self.tried(tool, case, &arguments).await? {
                Tried::Succeeded(control) => {
                    let new = self.new_thing(&maker, &thing, &parameters, &arguments);
                    let found =
                        SuccessfulCall { control, arguments, repeatability: Repeatability::Remade { turn } };
                    return Ok(Some((found, new)));
                }
                Tried::Refused(_) => {}
                Tried::Lost(index) => return Err(Abort::Lost(index)),
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
        case: &CaseId,
        found: &SuccessfulCall,
        turn: usize,
    ) -> Result<Value, Abort> {
        let known = || found.arguments.clone();
        let Some((maker, parameters)) = self.maker_for(tool) else { return Ok(known()) };
        let Some((_, thing)) = self.made(&maker, case, Step::Prepare).await? else { return Ok(known()) };
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
        let (maker, found) = makers.into_iter().nth(at)?;
        (!parameters.is_empty())
            .then_some((UsableCall { tool: maker, arguments: found.arguments }, parameters))
    }
}
