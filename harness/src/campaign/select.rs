//! Which tools a campaign calls, and what is withheld from the others.

use std::collections::BTreeMap;

use crate::catalog::Tool;
use crate::class::Class;
use crate::drive::Assignment;
use crate::generate::executable::bound_executable_kind;
use crate::generate::{Calls, Generator, GeneratorSettings, KnownChanges, ToolFiles, count_mutations};
use crate::json_schema::flattened;
use crate::placeholder::Tokens;
use crate::plan::{ChangeGround, known_changes};
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
        let class = Class::of(tool, &assignment.tools);
        let scope = settings.scope;
        let calls = scope.calls(class);
        let valid = setting.and_then(|setting| setting.valid.as_ref()).map(|valid| {
            // Compared as it is sent, however the user wrote it.
            let valid = tokens.replace_arguments(valid).as_json();
            tool.wrap(tool.unwrap(&valid).clone())
        });
        let tool_files = tool_files.clone().of_tool(tool);
        let settings = GeneratorSettings { class, tool_files: &tool_files, calls, valid: valid.as_ref() };
        let mut generator = Generator::new(tool, &settings);
        if calls == Calls::Complete && generators.len() < CHANGED {
            let Head { bindings, limits, folders, .. } = head;
            let ground = ChangeGround { bindings, limits, folders };
            let mut found = known_changes(ground, tool, &tool_files);
            generator.know_changes(match scope {
                CampaignScope::Confined => KnownChanges::Confined(found),
                CampaignScope::ReadOnly | CampaignScope::Opened => {
                    found.retain(|change| !change.changed().any(|name| is_executed(tool, head, name)));
                    KnownChanges::Fenced(found)
                }
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

/// Whether a parameter's value could be executed, opened or sent.
fn is_executed(tool: &Tool, head: &Head, name: &str) -> bool {
    let document = tool.own_document();
    let schema = tool.parameter(name).map(|own| flattened(own, &document));
    schema.is_some_and(|schema| bound_executable_kind(tool, &head.bindings, name, &schema).is_some())
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
