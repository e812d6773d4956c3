//! What a search for a call that succeeds has come to, for whoever goes on from there: a campaign.
//!
//! The main type is [`TriedCall`]. The search is that of the probes' controls.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::expectation::Expected;
use crate::plan::ProbedTool;

use super::control_state::{ProbeControl, Repeatability, SuccessfulCall, Tried};
use super::{Abort, Driver};

/// A thing that is made anew before each call that is about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewThing {
    /// The call that makes it.
    pub(crate) maker: FirstCall,
    /// The parameters that take something of its reply, each with the plain name of the key under which it stands there.
    pub(crate) feeds: BTreeMap<String, String>,
}

/// A call that comes before another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FirstCall {
    /// The tool.
    pub(crate) tool: String,
    /// Its arguments as they are sent.
    pub(crate) arguments: Value,
}

/// A call of a tool that succeeded.
#[derive(Clone)]
pub(in crate::drive) struct TriedCall {
    /// Its arguments, as they were sent.
    pub(in crate::drive) arguments: Value,
    /// The values of the tool's own parameters in them.
    pub(in crate::drive) own: Value,
    /// The words of a refusal that led to it, if any.
    pub(in crate::drive) words: Option<String>,
    /// It was refused when it was sent again.
    pub(in crate::drive) is_spent: bool,
    /// The calls of other tools that come before it in each process, with their arguments.
    pub(in crate::drive) first: Vec<(String, Value)>,
    /// The thing that it is about, where each call needs another one.
    pub(in crate::drive) new: Option<NewThing>,
}

impl Driver<'_> {
    /// From now on at most this many exchanges are recorded before a call is tried.
    pub(in crate::drive) fn allow(&mut self, exchanges: usize) {
        self.allowed = exchanges;
    }

    /// That no more calls may be tried, where that is so.
    pub(super) fn check_allowance(&self) -> Result<(), Abort> {
        match self.pool.exchanges.len() < self.allowed {
            true => Ok(()),
            false => Err(Abort::PreconditionFailed("the call budget was used up".to_owned())),
        }
    }

    /// Looks for a call of a tool that succeeds; none if none was found.
    pub(in crate::drive) async fn tried_call(&mut self, tool: &ProbedTool) -> Option<TriedCall> {
        let case = &tool.folder;
        let ProbeControl::Found(found) = self.probe_control(tool, case).await.ok()? else { return None };
        Some(self.call_of(tool, &found))
    }

    /// The call that succeeded, sent again where nothing is left of what other calls made; none if it does not succeed
    /// there, and nothing else does.
    pub(in crate::drive) async fn proven(&mut self, tool: &ProbedTool) -> Option<TriedCall> {
        let case = &tool.folder;
        let Some(ProbeControl::Found(found)) = self.tools.probe_controls.get(&tool.name).cloned() else {
            return None;
        };
        let (first, found) = match self.tried(tool, case, &found.arguments).await.ok()? {
            Tried::Succeeded(_) => (None, SuccessfulCall { repeatability: Repeatability::Steady, ..found }),
            Tried::Refused(refused) => {
                let again = self.after_what_came_before(tool, case, &found).await.ok()?;
                let found = match again {
                    Some(found) => found,
                    None => self.another(tool, case, found, refused).await.ok()?,
                };
                (Some(refused), found)
            }
            Tried::Lost(_) => return None,
        };
        match found.repeatability {
            // What it stood on is nowhere to be found.
            Repeatability::Spent { .. } => return None,
            Repeatability::Remade { .. } => return self.remade_call(tool, &found).await,
            Repeatability::Untested | Repeatability::Steady | Repeatability::Renamed { .. } => {}
        }
        let mut call = self.call_of(tool, &found);
        if first.is_none() {
            // What makes or takes away something may be refused as soon as it is sent a second time.
            let again = self.tried(tool, case, &found.arguments).await.ok()?;
            call.is_spent = !matches!(again, Tried::Succeeded(_));
        }
        self.keep(tool, ProbeControl::Found(found));
        Some(call)
    }

    /// The call with the one that makes a thing for it; what comes before that one comes before both.
    async fn remade_call(&mut self, tool: &ProbedTool, found: &SuccessfulCall) -> Option<TriedCall> {
        let (found, new) = self.on_a_new_thing(tool, &tool.folder, &found.arguments).await.ok()??;
        let mut call = self.call_of(tool, &found);
        let (maker, of_maker) = self.valid_call(&new.maker.tool)?;
        call.first = self.call_of(&maker, &of_maker).first;
        // Values in the argument that holds all others are not put in one by one.
        (tool.wrapper.is_none() && !new.feeds.is_empty()).then_some(TriedCall { new: Some(new), ..call })
    }

    /// Forgets that no call of a tool is known: others have shown more since.
    pub(in crate::drive) fn forget(&mut self, tool: &ProbedTool) {
        self.tools.probe_controls.remove(&tool.name);
    }

    fn call_of(&self, tool: &ProbedTool, found: &SuccessfulCall) -> TriedCall {
        let sent = |tool: &ProbedTool, own: &Value| {
            self.addressed(&tool.call(own.clone(), Expected::Anything)).arguments
        };
        let firsts = self.firsts.before(&tool.name);
        let first = firsts.iter().filter_map(|name| {
            let (first, found) = self.valid_call(name)?;
            let own = self.in_the_folder_of(tool, &first.folder, &found.arguments);
            Some((name.clone(), sent(&first, &own)))
        });
        TriedCall {
            arguments: sent(tool, &found.arguments),
            own: found.arguments.clone(),
            words: self.pool.exchanges[found.control].place.words.clone(),
            is_spent: matches!(
                found.repeatability,
                Repeatability::Renamed { .. } | Repeatability::Spent { .. }
            ),
            first: first.collect(),
            new: None,
        }
    }

    /// Has these tools called before another one, as far as calls of them are known that succeed.
    pub(in crate::drive) fn follow(&mut self, tool: &ProbedTool, firsts: &[String]) {
        for first in firsts {
            self.call_first(tool, first);
        }
    }

    /// Nothing is called before this tool any more, beyond what its refusals ask for.
    pub(in crate::drive) fn follow_nothing(&mut self, tool: &ProbedTool) {
        self.firsts.restore(&tool.name, Vec::new());
    }
}
