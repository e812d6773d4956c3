//! Which tools a campaign calls, and what the others are not sent.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::argument::{Argument, Arguments};
use crate::class::Class;
use crate::drive::Assignment;
use crate::generate::{Calls, Generator, GeneratorSettings, Relative, ToolFiles, count_mutations};
use crate::placeholder::Tokens;
use crate::transcript::{Head, Withheld};

use super::settings::Settings;

/// The generators of the tools that are called, and what the others are not sent.
pub(super) fn generators(
    assignment: &Assignment,
    settings: &Settings,
    head: &Head,
    tool_files: &ToolFiles,
) -> (BTreeMap<String, Generator>, Vec<Withheld>) {
    let mut generators = BTreeMap::new();
    let mut withheld = Vec::new();
    let tokens = Tokens { folders: &head.folders, case: None, denied: None };
    for tool in &head.catalog.tools {
        let said = assignment.tools.get(&tool.name);
        let is_chosen = settings.tools.as_ref().is_none_or(|glob| glob.is_match(&tool.name));
        if !is_chosen || said.is_some_and(|said| said.skip) {
            continue;
        }
        let class = said.and_then(|said| said.class).unwrap_or_else(|| Class::of(tool));
        let calls = settings.scope.calls(class);
        let valid = said.and_then(|said| said.valid.as_ref()).map(|valid| {
            // As they are sent, however the user wrote them.
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
        let generator = Generator::of(tool, &settings);
        if calls == Calls::Broken {
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
    (generators, withheld)
}

/// Arguments as JSON; what JSON cannot say is left out.
fn as_json(arguments: &Arguments) -> Value {
    let members = arguments.0.iter().filter_map(|(name, argument)| match argument {
        Argument::Json(value) => Some((name.clone(), value.clone())),
        Argument::Raw(_) => None,
    });
    Value::Object(members.collect())
}

pub(super) fn none_selected(settings: &Settings) -> String {
    match &settings.tools {
        Some(glob) => format!("no tool that may be called matches `--tools {}`", glob.glob()),
        None => {
            "there is no tool that may be called: `--allow-destructive` enables those that change something"
                .to_owned()
        }
    }
}
