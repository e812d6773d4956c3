//! Which tools a campaign calls, and what is withheld from the others.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::argument::{Argument, Arguments};
use crate::catalog::Tool;
use crate::class::Class;
use crate::drive::Assignment;
use crate::generate::executable::bound_executable_kind;
use crate::generate::{
    Calls, Changes, Generator, GeneratorSettings, Relative, ToolFiles, count_mutations, mutations, unusual,
};
use crate::json_schema::flattened;
use crate::placeholder::Tokens;
use crate::plan::{ChangeGround, confined_changes};
use crate::transcript::{Head, Withheld};

use super::restraint::Restraint;
use super::settings::{CampaignScope, Settings};

/// For at most this many tools the known changes are made: a server may list thousands of tools.
const CHANGED: usize = 256;
/// At most this many tools are named where none is called.
const NAMED: usize = 12;

/// The generators of the tools that are called, what the others are not sent, and which get no further call once they
/// carried one out.
pub(super) fn generators(
    assignment: &Assignment,
    settings: &Settings,
    head: &Head,
    tool_files: &ToolFiles,
) -> (BTreeMap<String, Generator>, Vec<Withheld>, Restraint) {
    let mut generators = BTreeMap::new();
    let mut restraint = Restraint::default();
    let mut withheld = Vec::new();
    let tokens = Tokens { folders: &head.folders, case: None, denied: None };
    for tool in &head.catalog.tools {
        let setting = assignment.tools.get(&tool.name);
        let is_chosen = settings.tools.as_ref().is_none_or(|glob| glob.is_match(&tool.name));
        if !is_chosen || setting.is_some_and(|setting| setting.skip) {
            continue;
        }
        let class = setting.and_then(|setting| setting.class).unwrap_or_else(|| Class::from_tool(tool));
        let scope = settings.scope;
        let calls = scope.calls(class);
        let valid = setting.and_then(|setting| setting.valid.as_ref()).map(|valid| {
            // Compared as it is sent, however the user wrote it.
            let valid = as_json(&tokens.replace_arguments(valid));
            tool.wrap(tool.unwrap(&valid).clone())
        });
        let tool_files = tool_files.clone().of_tool(tool);
        let settings = GeneratorSettings {
            class,
            tool_files: &tool_files,
            calls,
            relative: Relative::Elsewhere,
            valid: valid.as_ref(),
        };
        let mut generator = Generator::new(tool, &settings);
        if calls == Calls::Complete && generators.len() < CHANGED {
            generator.know_changes(match scope {
                CampaignScope::Confined => {
                    let Head { bindings, limits, folders, .. } = head;
                    let found =
                        confined_changes(ChangeGround { bindings, limits, folders }, tool, &tool_files);
                    Changes::new(tool, found).in_confinement()
                }
                CampaignScope::ReadOnly | CampaignScope::Opened => changes(tool, head, &tool_files),
            });
        }
        if calls == Calls::Broken {
            restraint.add(&tool.name);
            withheld.push(Withheld {
                tool: tool.name.clone(),
                class: class.to_string(),
                why: "it may change something, and the server is not confined: only calls in which every \
                    required argument is invalid are sent; `--allow-destructive` enables the rest"
                    .to_owned(),
                probes: count_mutations(&tool.input_schema, &tool_files),
            });
        }
        if !generator.draws_nothing() {
            generators.insert(tool.name.clone(), generator);
        }
    }
    (generators, withheld, restraint)
}

/// The known changes of a tool's arguments. Without confinement they include nothing that could be executed,
/// opened or sent.
fn changes(tool: &Tool, head: &Head, tool_files: &ToolFiles) -> Changes {
    let schema = tool.own_document();
    let executed = |name: &str, schema: &Value| bound_executable_kind(tool, &head.bindings, name, schema);
    let mut found = mutations(&schema, tool_files);
    found.extend(unusual(&schema, tool_files, &executed));
    let is_executed = |name: &str| {
        let parameter = tool.parameter(name).map(|own| flattened(own, &schema));
        parameter.is_some_and(|own| executed(name, &own).is_some())
    };
    found.retain(|mutation| {
        let within = mutation.within.iter().map(|(name, _)| name);
        !mutation.change.iter().map(|(name, _)| name).chain(within).any(|name| is_executed(name))
    });
    Changes::new(tool, found)
}

/// Arguments as JSON; parts that JSON cannot express are left out.
fn as_json(arguments: &Arguments) -> Value {
    let members = arguments.0.iter().filter_map(|(name, argument)| match argument {
        Argument::Json(value) => Some((name.clone(), value.clone())),
        Argument::Raw(_) => None,
    });
    Value::Object(members.collect())
}

/// Why a campaign calls no tool, and what to do about it.
pub(super) fn none_selected(settings: &Settings, head: &Head) -> String {
    match &settings.tools {
        Some(glob) => {
            let tools = &head.catalog.tools;
            let named: Vec<&str> = tools.iter().take(NAMED).map(|tool| tool.name.as_str()).collect();
            let more = if tools.len() > NAMED { ", .." } else { "" };
            let glob = glob.glob();
            format!(
                "no tool that may be called matches `--tools {glob}`; the server lists {}{more}",
                named.join(", ")
            )
        }
        None => {
            "there is no tool that may be called: `--allow-destructive` enables those that change something"
                .to_owned()
        }
    }
}
