//! Calls that may succeed, drawn for a confined server by the campaign's generators, which also use values that
//! the server has returned.
//!
//! The main type is [`Draws`].

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::catalog::Catalog;
use crate::generate::{
    Confirmer, Generator, GeneratorSettings, Pool, Rng, Ruling, ToolFiles, renamed, renamed_in,
};
use crate::plan::ProbedTool;

/// The generators for the tools of one session.
pub(in crate::drive) struct Draws<'a> {
    catalog: &'a Catalog,
    upstream: &'a str,
    rng: Rng,
    known: Pool,
    /// How many names have been made up.
    names: usize,
    /// By tool, the parameters that name a different thing in each call.
    names_of: HashMap<String, Vec<String>>,
    tools: BTreeMap<String, Drawn>,
}

/// The generator of one tool, and what it has drawn.
struct Drawn {
    generator: Generator,
    rng: Rng,
    turn: usize,
    seen: HashSet<String>,
}

impl<'a> Draws<'a> {
    pub(in crate::drive) fn new(catalog: &'a Catalog, upstream: &'a str, seed: u64) -> Self {
        let rng = Rng::seeded(seed).fork("walled");
        Self {
            catalog,
            upstream,
            rng,
            known: Pool::default(),
            names: 1,
            names_of: HashMap::new(),
            tools: BTreeMap::new(),
        }
    }

    /// Adds the values of a successful call to what is drawn from.
    pub(super) fn learn(&mut self, tool: &str, arguments: &Value, reply: &Value) {
        self.known.learn(tool, arguments, reply);
    }

    /// Arguments that were not drawn before; `None` if nothing new comes up. Every second draw uses values that
    /// the server has returned, wherever they may fit.
    pub(super) fn next(&mut self, probed: &ProbedTool, folder: &str) -> Option<Value> {
        const ATTEMPTS: usize = 12;
        let tool = self.catalog.tool(&probed.name)?;
        let (rng, upstream) = (&self.rng, self.upstream);
        let drawn = self.tools.entry(probed.name.clone()).or_insert_with(|| {
            let tool_files = ToolFiles::at(folder).of_tool(tool);
            let tool_files =
                if upstream.is_empty() { tool_files } else { tool_files.with_upstream(upstream) };
            Drawn {
                generator: Generator::new(tool, &GeneratorSettings::complete(probed.class, &tool_files)),
                rng: rng.fork(&tool.name),
                turn: 0,
                seen: probed.tries.iter().map(Value::to_string).collect(),
            }
        });
        for _ in 0..ATTEMPTS {
            let mut input = drawn.generator.valid(&mut drawn.rng, &self.known);
            if drawn.turn.is_multiple_of(2) {
                input = drawn.generator.with_known(&input, &mut drawn.rng, &self.known);
            }
            drawn.turn += 1;
            let Some(value) = input.value() else { continue };
            let own = tool.unwrap(&value).clone();
            if drawn.seen.insert(own.to_string()) {
                return Some(own);
            }
        }
        None
    }

    /// The arguments with a new, unused name for the thing they create; `None` if no parameter holds such a
    /// name. Only the parameters given to [`Self::keep_names`] are changed, or all candidates if none were
    /// given.
    pub(super) fn renamed(&mut self, probed: &ProbedTool, arguments: &Value) -> Option<Value> {
        match self.names_of.get(&probed.name).cloned() {
            Some(names) => self.renamed_in(probed, arguments, &names),
            None => {
                self.names += 1;
                let renamed = renamed(arguments, self.names, |_| true);
                self.allowed(probed, renamed?)
            }
        }
    }

    /// Whether it is known which parameters name a different thing in each call.
    pub(super) fn knows_names(&self, probed: &ProbedTool) -> bool {
        self.names_of.contains_key(&probed.name)
    }

    /// The arguments with a new name in exactly these parameters.
    pub(super) fn renamed_in(
        &mut self,
        probed: &ProbedTool,
        arguments: &Value,
        names: &[String],
    ) -> Option<Value> {
        self.names += 1;
        let renamed = renamed_in(arguments, self.names, |name| names.iter().any(|known| known == name));
        self.allowed(probed, renamed?)
    }

    /// The renamed arguments, unless the tool's schema forbids them.
    fn allowed(&self, probed: &ProbedTool, renamed: Value) -> Option<Value> {
        let tool = self.catalog.tool(&probed.name)?;
        let confirmer = Confirmer::new(&tool.input_schema);
        (confirmer.ruling(&tool.wrap(renamed.clone())) != Ruling::Forbids).then_some(renamed)
    }

    /// Records the parameters of a tool that name a different thing in each call.
    pub(super) fn keep_names(&mut self, probed: &ProbedTool, names: Vec<String>) {
        self.names_of.insert(probed.name.clone(), names);
    }
}
