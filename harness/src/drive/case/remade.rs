//! Things that are made anew for each call that is about one: what deletes a thing succeeds once with it, and what was made
//! again mostly has another id.

use serde_json::Value;

use crate::class::Class;
use crate::condition::CaseId;
use crate::exchange::Step;
use crate::generate::makes;
use crate::plan::{ProbedTool, maker_of, may_name};

use super::control_state::{Repeatability, SuccessfulCall, Tried};
use super::life::{TRIED, UsableCall};
use super::{Abort, Driver};

impl Driver<'_> {
    /// A call of a tool that succeeds with a thing that was made for it just now; `known` are the arguments that it has
    /// besides.
    pub(super) async fn with_a_new_thing(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        known: &Value,
    ) -> Result<Option<SuccessfulCall>, Abort> {
        let Some((maker, parameters)) = self.maker_for(tool) else { return Ok(None) };
        let usual = UsableCall { tool: tool.clone(), arguments: known.clone() };
        let Some((_, thing)) = self.made(&maker, case, Step::Prepare).await? else { return Ok(None) };
        for turn in 0..TRIED {
            let Some(arguments) = self.meaning(&usual, &parameters, &parameters, &thing, turn) else { break };
            match self.tried(tool, case, &arguments).await? {
                Tried::Succeeded(control) => {
                    return Ok(Some(SuccessfulCall {
                        control,
                        arguments,
                        repeatability: Repeatability::Remade { turn },
                    }));
                }
                Tried::Refused(_) => {}
                Tried::Lost(index) => return Err(Abort::Lost(index)),
            }
        }
        Ok(None)
    }

    /// The arguments of a call that succeeded, with another thing that was made just now; as they were where none can be made
    /// any more.
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

    /// The tool that makes what this one is about, with a call of it that succeeded, and the parameters by which this one may
    /// be told which thing is meant.
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
