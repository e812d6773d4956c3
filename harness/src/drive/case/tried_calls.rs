//! The results of searching for successful calls, for a campaign to build on.
//!
//! The main type is [`TriedCall`]. The search is the one for the controls of probes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::expectation::Expected;
use crate::plan::ProbedTool;

use super::probe_control::{ProbeControl, Repeatability, SuccessfulCall, Tried};
use super::{Abort, Driver};

/// A thing that is created anew before each call about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewThing {
    /// The call that creates it.
    pub(crate) maker: FirstCall,
    /// The parameters that take a value from the creator's reply, each with the key under which it stands
    /// there.
    pub(crate) feeds: BTreeMap<String, String>,
}

/// A call that must come before another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FirstCall {
    /// The tool's name.
    pub(crate) tool: String,
    /// The arguments, as they are sent.
    pub(crate) arguments: Value,
}

/// A call of a tool that succeeded.
#[derive(Clone)]
pub(in crate::drive) struct TriedCall {
    /// The arguments, as they were sent.
    pub(in crate::drive) arguments: Value,
    /// Those of the arguments that are the tool's own parameters.
    pub(in crate::drive) own: Value,
    /// The text of the refusal that led to this call, if any.
    pub(in crate::drive) words: Option<String>,
    /// Whether it was refused when it was sent again.
    pub(in crate::drive) is_spent: bool,
    /// The calls of other tools that come before it in each process: tool and arguments.
    pub(in crate::drive) first: Vec<(String, Value)>,
    /// The thing it is about, if each call needs another one.
    pub(in crate::drive) new: Option<NewThing>,
}

impl Driver<'_> {
    /// Allows at most this many more exchanges before no more calls are tried.
    pub(in crate::drive) fn allow(&mut self, exchanges: usize) {
        self.allowed = exchanges;
    }

    /// Fails if no more calls may be tried.
    pub(super) fn check_allowance(&self) -> Result<(), Abort> {
        match self.pool.exchanges.len() < self.allowed {
            true => Ok(()),
            false => Err(Abort::PreconditionFailed("the call budget was used up".to_owned())),
        }
    }

    /// Looks for a successful call of a tool; `None` if none was found.
    pub(in crate::drive) async fn tried_call(&mut self, tool: &ProbedTool) -> Option<TriedCall> {
        self.case.clone_from(&tool.folder);
        let ProbeControl::Found(found) = self.probe_control(tool).await.ok()? else { return None };
        Some(self.call_of(tool, &found))
    }

    /// The successful call, confirmed by sending it after everything that other calls made is gone; `None` if
    /// neither it nor another call succeeds then.
    pub(in crate::drive) async fn proven(&mut self, tool: &ProbedTool) -> Option<TriedCall> {
        self.case.clone_from(&tool.folder);
        let found = self.tools.found_call(&tool.name).cloned()?;
        let (first, found) = match self.tried(tool, &found.arguments).await.ok()? {
            Tried::Succeeded(_) => (None, SuccessfulCall { repeatability: Repeatability::Steady, ..found }),
            Tried::Refused(refused) => {
                let again = self.after_what_came_before(tool, &found).await.ok()?;
                let found = match again {
                    Some(found) => found,
                    None => self.another(tool, found, refused).await.ok()?,
                };
                (Some(refused), found)
            }
            Tried::Lost(_) => return None,
        };
        match found.repeatability {
            // What the call depended on cannot be restored.
            Repeatability::Spent { .. } => return None,
            Repeatability::Remade { .. } => return self.remade_call(tool, &found).await,
            Repeatability::Untested | Repeatability::Steady | Repeatability::Renamed { .. } => {}
        }
        let mut call = self.call_of(tool, &found);
        if first.is_none() {
            // A call that creates or deletes something may be refused the second time it is sent.
            let again = self.tried(tool, &found.arguments).await.ok()?;
            call.is_spent = !matches!(again, Tried::Succeeded(_));
        }
        self.keep(tool, ProbeControl::Found(found));
        Some(call)
    }

    /// The call together with the one that creates a thing for it; what must come before the latter comes
    /// before both.
    async fn remade_call(&mut self, tool: &ProbedTool, found: &SuccessfulCall) -> Option<TriedCall> {
        let (found, new) = self.on_a_new_thing(tool, &found.arguments).await.ok()??;
        let mut call = self.call_of(tool, &found);
        let (maker, of_maker) = self.valid_call(&new.maker.tool)?;
        call.first = self.call_of(&maker, &of_maker).first;
        // Values cannot be set one by one within a wrapper argument.
        (tool.wrapper.is_none() && !new.feeds.is_empty()).then_some(TriedCall { new: Some(new), ..call })
    }

    /// Forgets that no call of a tool is known, because calls of other tools have shown more since.
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

    /// Calls these tools before another one, if successful calls of them are known.
    pub(in crate::drive) fn follow(&mut self, tool: &ProbedTool, firsts: &[String]) {
        for first in firsts {
            self.call_first(tool, first);
        }
    }

    /// Calls nothing before this tool any more, except what its refusals ask for.
    pub(in crate::drive) fn follow_nothing(&mut self, tool: &ProbedTool) {
        self.firsts.restore(&tool.name, Vec::new());
    }
}
