//! Inputs for one tool: valid, with one labelled change, or with several.
//!
//! The main type is [`Generator`]. It is compiled once for each tool and knows nothing of replies.

use serde_json::{Value, json};

use crate::catalog::Tool;
use crate::class::Class;

use super::confirm::{Confirmer, Ruling};
use super::draw::{Draw, Grounds};
use super::input::{Change, Input, Standing};
use super::mutation::{Mutation, broken_at_once, mutations};
use super::pool::Pool;
use super::rng::Rng;
use super::tree::Tree;

/// What may be sent to a tool.
#[derive(Debug, Clone)]
pub struct Setting<'s> {
    /// What the tool may do to the world.
    pub class: Class,
    /// The files that the harness made for it.
    pub grounds: &'s Grounds,
    /// How far its calls may go.
    pub calls: Calls,
    /// Where a relative path would lead.
    pub relative: Relative,
    /// Arguments of which the user says that they make a call succeed.
    pub valid: Option<&'s Value>,
}

/// How far calls may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// Complete ones: the tool reads, or the server is confined, or the user opened it.
    Complete,
    /// Only such as break every required argument at once.
    Broken,
}

/// Where a relative path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relative {
    /// Into the workspace: the server's working folder is there.
    Workspace,
    /// Anywhere: such a path goes out only to a tool that cannot write.
    Elsewhere,
}

/// Draws inputs for one tool.
#[derive(Debug)]
pub struct Generator {
    tool: String,
    parameters: Vec<String>,
    calls: Calls,
    confirmer: Confirmer,
    base: Value,
    mutations: Vec<Mutation>,
}

impl Generator {
    /// Compiles a tool's schema.
    pub fn of(tool: &Tool, setting: &Setting<'_>) -> Self {
        let schema = &tool.input_schema;
        let base = setting.valid.cloned().or_else(|| {
            (setting.calls == Calls::Complete)
                .then(|| Draw::new(schema, setting.grounds, 0).arguments().map(Value::Object))
                .flatten()
        });
        let mutations = match setting.calls {
            Calls::Complete => mutations(schema, setting.grounds),
            Calls::Broken => broken_at_once(schema),
        };
        Self {
            tool: tool.name.clone(),
            parameters: tool.parameters().map(|(name, _)| name.to_owned()).collect(),
            calls: setting.calls,
            confirmer: Confirmer::of(schema),
            base: base.unwrap_or_else(|| json!({})),
            mutations,
        }
    }

    /// The tool's name.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether there is nothing that may be sent to the tool: it has no required argument that could be broken.
    pub fn draws_nothing(&self) -> bool {
        self.calls == Calls::Broken && self.mutations.is_empty()
    }

    /// Whether complete calls may be sent.
    pub(super) fn is_complete(&self) -> bool {
        self.calls == Calls::Complete
    }

    /// The names of its parameters.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(String::as_str)
    }

    /// A valid input, where the schema allows one to be drawn.
    pub fn valid(&self, _rng: &mut Rng, _pool: &Pool) -> Input {
        self.input(&self.base, Vec::new())
    }

    /// The same input with another value for one parameter, where that may be sent.
    pub(super) fn with(&self, input: &Input, parameter: &str, value: &Value) -> Input {
        let Some(Value::Object(mut members)) = input.value() else { return input.clone() };
        members.insert(parameter.to_owned(), value.clone());
        self.input(&Value::Object(members), input.changes.clone())
    }

    /// An input: valid, with one labelled change, or with several.
    pub fn draw(&self, rng: &mut Rng, _pool: &Pool) -> Input {
        match rng.pick(&self.mutations) {
            Some(mutation) if !rng.one_in(4) => {
                let change = Change {
                    path: mutation.parameter.as_ref().map(|name| format!("/{name}")).unwrap_or_default(),
                    keyword: mutation.kind.slug().to_owned(),
                    label: mutation.label.clone(),
                };
                self.input(&mutation.apply(&self.base), vec![change])
            }
            _ => self.input(&self.base, Vec::new()),
        }
    }

    /// A neighbour of an input that led to something new.
    pub fn near(&self, rng: &mut Rng, pool: &Pool, _kept: &Input) -> Input {
        self.draw(rng, pool)
    }

    /// What to try in place of an input to make it smaller: each candidate is smaller by [`Input::size`], the most
    /// promising first.
    pub fn simpler(&self, input: &Input) -> impl Iterator<Item = Input> {
        let size = input.size();
        let plain = self.input(&self.base, Vec::new());
        let members = match Tree::parse(&input.arguments) {
            Some(Tree::Members(members)) => members,
            _ => Vec::new(),
        };
        let fewer = (0..members.len()).filter_map(move |index| {
            let mut members = members.clone();
            members.remove(index);
            let value = serde_json::from_str(&Tree::Members(members).written()).ok()?;
            Some(self.input(&value, Vec::new()))
        });
        std::iter::once(plain).chain(fewer).filter(move |candidate| candidate.size() < size)
    }

    fn input(&self, value: &Value, changes: Vec<Change>) -> Input {
        let standing = match self.confirmer.ruling(value) {
            Ruling::Allows => Standing::Valid,
            Ruling::Forbids => Standing::Invalid,
            Ruling::Silent => Standing::Unknown,
        };
        Input { arguments: value.to_string(), changes, standing }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Generators for tools of these names and schemas, which take complete calls.
    pub(crate) fn generators(tools: &[(&str, &Value)]) -> BTreeMap<String, Generator> {
        let grounds = Grounds::at("/w/c");
        let setting = Setting {
            class: Class::Read,
            grounds: &grounds,
            calls: Calls::Complete,
            relative: Relative::Workspace,
            valid: None,
        };
        let tool = |name: &str, schema: &Value| Tool {
            name: name.to_owned(),
            description: String::new(),
            input_schema: schema.clone(),
            read_only: None,
            destructive: None,
        };
        let of = |(name, schema): &(&str, &Value)| {
            ((*name).to_owned(), Generator::of(&tool(name, schema), &setting))
        };
        tools.iter().map(of).collect()
    }
}
