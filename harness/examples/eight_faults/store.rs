//! What the server keeps between calls, in memory alone, and bounded.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::plan::{Plan, Tool, Work};

/// At most this many things are kept, and this many names of deleted ones.
const KEPT: usize = 20_000;
/// At most this many characters of a text are kept.
const LENGTH: usize = 200;

/// What is kept.
#[derive(Debug, Default)]
pub(crate) struct Store {
    made: u64,
    kept: BTreeMap<String, String>,
    pub(crate) deleted: BTreeSet<String>,
}

impl Store {
    /// Does what a sound call does; the arguments are those that the schema allows.
    pub(crate) fn work(&mut self, plan: &Plan, tool: &Tool, arguments: &Value) -> Result<String, String> {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default();
        let (id, noun) = (text("id"), &plan.noun);
        let unknown = || format!("There is no {noun} '{id}'. Use list_{noun} to see which there are.");
        match tool.work {
            Work::Tell => Ok("Ready.".to_owned()),
            Work::Create => {
                let id = plan.id(plan.first + self.made);
                self.made += 1;
                if self.kept.len() >= KEPT {
                    self.kept.pop_first();
                }
                self.kept.insert(id.clone(), text("text").chars().take(LENGTH).collect());
                Ok(format!("Kept the {noun} '{id}'."))
            }
            Work::Read => self.kept.get(id).cloned().ok_or_else(unknown),
            Work::Delete => {
                self.kept.remove(id).ok_or_else(unknown)?;
                if self.deleted.len() >= KEPT {
                    self.deleted.pop_first();
                }
                self.deleted.insert(id.to_owned());
                Ok(format!("The {noun} '{id}' is deleted."))
            }
            Work::List => {
                let names: Vec<_> = self.kept.keys().take(20).map(String::as_str).collect();
                Ok(format!("{} kept. The first: {}", self.kept.len(), names.join(", ")))
            }
        }
    }
}
