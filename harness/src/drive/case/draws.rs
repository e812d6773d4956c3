//! Calls that may succeed, drawn for a confined server: the campaign's own generators, fed with what the server has
//! returned so far.
//!
//! The main type is [`Draws`].

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::catalog::Catalog;
use crate::generate::{Confirmer, Generator, Pool, Rng, Ruling, ToolFiles, renamed, renamed_in};
use crate::plan::{ProbedTool, of_a_confined};

/// Draws for the tools of one session.
pub(in crate::drive) struct Draws<'a> {
    catalog: &'a Catalog,
    upstream: &'a str,
    rng: Rng,
    known: Pool,
    /// How many names were made.
    names: usize,
    /// By tools, the parameters by which they mean another thing each time.
    names_of: HashMap<String, Vec<String>>,
    tools: BTreeMap<String, Drawn>,
}

/// What was drawn for one tool.
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

    /// Keeps what a call that succeeded shows.
    pub(super) fn learn(&mut self, tool: &str, arguments: &Value, reply: &Value) {
        self.known.learn(tool, arguments, reply);
    }

    /// Arguments that were not drawn before; none if nothing new comes. Every other time they hold what the server has
    /// returned, wherever that may be meant.
    pub(super) fn next(&mut self, probed: &ProbedTool, folder: &str) -> Option<Value> {
        const ATTEMPTS: usize = 12;
        let tool = self.catalog.tool(&probed.name)?;
        let (rng, upstream) = (&self.rng, self.upstream);
        let drawn = self.tools.entry(probed.name.clone()).or_insert_with(|| {
            let tool_files = ToolFiles::at(folder).of_tool(tool);
            let tool_files =
                if upstream.is_empty() { tool_files } else { tool_files.with_upstream(upstream) };
            Drawn {
                generator: Generator::new(tool, &of_a_confined(probed.class, &tool_files)),
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

    /// The arguments with another name for the thing that they name, where that is a text of the caller's choice; none
    /// where there is none. Each time it is a name that was not given before. Only parameters by which [`Self::keep_names`]
    /// says that another thing is meant get one; all that may where nothing was said.
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

    /// Whether it is known by which parameters a tool means another thing each time.
    pub(super) fn knows_names(&self, probed: &ProbedTool) -> bool {
        self.names_of.contains_key(&probed.name)
    }

    /// The arguments with another name in exactly these parameters.
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

    /// The arguments, unless the tool's schema forbids them.
    fn allowed(&self, probed: &ProbedTool, renamed: Value) -> Option<Value> {
        let tool = self.catalog.tool(&probed.name)?;
        let confirmer = Confirmer::new(&tool.input_schema);
        (confirmer.ruling(&tool.wrap(renamed.clone())) != Ruling::Forbids).then_some(renamed)
    }

    /// Keeps the parameters of a tool by which it means another thing each time.
    pub(super) fn keep_names(&mut self, probed: &ProbedTool, names: Vec<String>) {
        self.names_of.insert(probed.name.clone(), names);
    }
}
