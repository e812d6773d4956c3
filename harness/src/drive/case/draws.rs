//! Calls that may succeed, drawn for a server behind a wall: the campaign's own generators, fed with what the server has
//! returned so far.
//!
//! The main type is [`Draws`].

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use crate::catalog::Catalog;
use crate::generate::{Confirmer, Generator, Pool, Rng, Ruling, ToolFiles, renamed};
use crate::plan::{ProbedTool, of_a_walled};

/// Draws for the tools of one session.
pub(in crate::drive) struct Draws<'a> {
    catalog: &'a Catalog,
    upstream: &'a str,
    rng: Rng,
    known: Pool,
    /// So many names were made.
    names: usize,
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
        let rng = Rng::of(seed).fork("walled");
        Self { catalog, upstream, rng, known: Pool::default(), names: 1, tools: BTreeMap::new() }
    }

    /// Keeps what a call that succeeded shows.
    pub(super) fn learn(&mut self, tool: &str, arguments: &Value, reply: &Value) {
        self.known.learn(tool, arguments, reply);
    }

    /// Arguments that were not drawn before; none where nothing new comes. Every other time they hold what the server has
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
                generator: Generator::of(tool, &of_a_walled(probed.class, &tool_files)),
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

    /// The same arguments with another name for the thing that they name, where that is a text of the caller's choice; none
    /// where there is none. Each time it is a name that was not given before.
    pub(super) fn renamed(&mut self, probed: &ProbedTool, arguments: &Value) -> Option<Value> {
        let tool = self.catalog.tool(&probed.name)?;
        let confirmer = Confirmer::of(&tool.input_schema);
        self.names += 1;
        let renamed = renamed(arguments, self.names, |_| true)?;
        (confirmer.ruling(&tool.wrap(renamed.clone())) != Ruling::Forbids).then_some(renamed)
    }
}
