//! What the server offers beside its tools: resources that describe it, a prompt for calling one of its tools, and
//! completions for both.
//!
//! The main functions are [`read`], [`get`] and [`complete`]. They end in a [`FeatureError`] where nothing is to be had,
//! which says what is.

use rmcp::ErrorData;
use rmcp::model::{
    ArgumentInfo, CompleteResult, CompletionInfo, ErrorCode, GetPromptResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, Prompt, PromptArgument, PromptMessage,
    ReadResourceResult, Reference, Resource, ResourceContents, ResourceTemplate, Role,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::contract::Contract;
use crate::failure::Quoted;
use crate::parameter;
use crate::tools::{self, TOOLS, Tool};

/// How errors are told.
const INSTRUCTIONS: &str = "errors://instructions";
/// What a tool is called with.
const TOOL: &str = "tools://";
/// What stands for a tool's name in the template of its resource.
const VARIABLE: &str = "name";
/// The prompt, and its argument.
const PROMPT: &str = "call_tool";
const ARGUMENT: &str = "tool";

/// What a request was about that cannot be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum About {
    /// A resource that is not there.
    Resource,
    /// A prompt that is not there.
    Prompt,
    /// An argument of the prompt that is missing, or names no tool.
    Argument,
    /// What completions are asked for, and is not there.
    Completion,
}

/// Why a request for a resource or a prompt cannot be answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FeatureError {
    pub(crate) about: About,
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl From<FeatureError> for ErrorData {
    fn from(error: FeatureError) -> Self {
        Self::new(ErrorCode(error.code), error.message, error.data)
    }
}

fn error(about: About, message: String) -> FeatureError {
    FeatureError { about, code: ErrorCode::INVALID_PARAMS.0, message, data: None }
}

pub(crate) fn resources() -> ListResourcesResult {
    let instructions =
        Resource::new(INSTRUCTIONS, "instructions").with_description("How this server tells of errors");
    let tool = |tool: &Tool| Resource::new(format!("{TOOL}{}", tool.name), tool.name);
    let tools = TOOLS.iter().map(tool);
    ListResourcesResult::with_all_items(std::iter::once(instructions).chain(tools).collect())
}

pub(crate) fn templates() -> ListResourceTemplatesResult {
    ListResourceTemplatesResult::with_all_items(vec![
        ResourceTemplate::new(template(), "tool")
            .with_description("What a tool does, and the smallest call of it"),
    ])
}

/// The template of the tools' resources.
fn template() -> String {
    format!("{TOOL}{{{VARIABLE}}}")
}

pub(crate) fn prompts() -> ListPromptsResult {
    let argument = PromptArgument::new(ARGUMENT).with_description("The name of a tool").with_required(true);
    ListPromptsResult::with_all_items(vec![Prompt::new(
        PROMPT,
        Some("Asks for one call of a tool"),
        Some(vec![argument]),
    )])
}

/// The text of a resource.
pub(crate) fn read(uri: &str, contract: Contract) -> Result<ReadResourceResult, FeatureError> {
    let tool = uri.strip_prefix(TOOL).and_then(tools::find);
    let text = match tool {
        _ if uri == INSTRUCTIONS => contract.instructions().to_owned(),
        Some(tool) => described(tool),
        None => {
            let message = format!(
                "Unknown resource {}. This server has {INSTRUCTIONS}, and {TOOL}NAME for each of its tools.",
                Quoted(uri)
            );
            return Err(FeatureError { data: Some(json!({"uri": uri})), ..error(About::Resource, message) });
        }
    };
    Ok(page(&text, uri))
}

/// A resource with this text.
pub(crate) fn page(text: &str, uri: &str) -> ReadResourceResult {
    ReadResourceResult::new(vec![ResourceContents::text(text, uri)])
}

/// The text of a prompt.
pub(crate) fn get(
    name: &str,
    arguments: Option<&Map<String, Value>>,
) -> Result<GetPromptResult, FeatureError> {
    if name != PROMPT {
        let message = format!("Unknown prompt {}. This server has {PROMPT}.", Quoted(name));
        return Err(error(About::Prompt, message));
    }
    let known = || TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ");
    let Some(sent) = arguments.and_then(|arguments| arguments.get(ARGUMENT)).and_then(Value::as_str) else {
        let message = format!(
            "The argument {} of the prompt {PROMPT} is missing. Send the name of a tool: {}.",
            Quoted(ARGUMENT),
            known()
        );
        return Err(error(About::Argument, message));
    };
    let Some(tool) = tools::find(sent) else {
        let message = format!(
            "The argument {} of the prompt {PROMPT} names no tool: {}. Send one of {}.",
            Quoted(ARGUMENT),
            Quoted(sent),
            known()
        );
        return Err(error(About::Argument, message));
    };
    let text = format!("Call the tool {} once. {}", tool.name, described(tool));
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

/// The tools whose names begin so, for the argument of the prompt and for the variable of the template.
pub(crate) fn complete(
    reference: &Reference,
    argument: &ArgumentInfo,
) -> Result<CompleteResult, FeatureError> {
    let refused = |message| Err(error(About::Completion, message));
    let (name, whose) = match reference {
        Reference::Prompt(prompt) if prompt.name == PROMPT => (ARGUMENT, format!("The prompt {PROMPT}")),
        Reference::Resource(resource) if resource.uri == template() => {
            (VARIABLE, format!("The template {}", template()))
        }
        Reference::Prompt(prompt) => {
            let name = Quoted(&prompt.name);
            return refused(format!(
                "Nothing can be completed for the prompt {name}. This server has {PROMPT}."
            ));
        }
        Reference::Resource(resource) => {
            let uri = Quoted(&resource.uri);
            return refused(format!(
                "Nothing can be completed for the template {uri}. This server has {}.",
                template()
            ));
        }
        _ => return refused(format!("Ask for completions of the prompt {PROMPT}, or of {}.", template())),
    };
    if argument.name != name {
        let sent = Quoted(&argument.name);
        return refused(format!("{whose} has no argument {sent}. Ask for completions of {}.", Quoted(name)));
    }
    let names = TOOLS.iter().map(|tool| tool.name).filter(|tool| tool.starts_with(&argument.value));
    let names = names.take(CompletionInfo::MAX_VALUES).map(str::to_owned).collect();
    Ok(completions(names))
}

/// These completions, at most as many as MCP allows.
pub(crate) fn completions(names: Vec<String>) -> CompleteResult {
    CompleteResult::new(CompletionInfo::with_all_values(names).unwrap_or_default())
}

fn described(tool: &Tool) -> String {
    format!("{} For instance: {}", tool.description, parameter::example(&tool.parameters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_are_completed_and_what_is_not_there_is_named() {
        let asked = |reference: &Reference, name: &str| complete(reference, &ArgumentInfo::new(name, "vi"));
        let (prompt, resource) = (Reference::for_prompt(PROMPT), Reference::for_resource(template()));
        for (reference, name) in [(&prompt, ARGUMENT), (&resource, VARIABLE)] {
            assert_eq!(asked(reference, name).unwrap().completion.values, ["view"]);
            let message = asked(reference, "other").unwrap_err().message;
            assert!(message.contains("'other'") && message.contains(name), "{message}");
        }
        for (reference, named) in
            [(Reference::for_prompt("no"), "'no'"), (Reference::for_resource("no://x"), "'no://x'")]
        {
            let message = asked(&reference, ARGUMENT).unwrap_err().message;
            assert!(message.contains(named), "{message}");
        }
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_is() {
        let contract = Contract::BracketCode;
        assert!(read(INSTRUCTIONS, contract).is_ok() && read("tools://view", contract).is_ok());
        for uri in ["tools://no", "errors://", ""] {
            let error = read(uri, contract).unwrap_err();
            assert!(error.message.contains(INSTRUCTIONS) && error.code == -32602, "{}", error.message);
        }
        let with = |tool: &str| json!({"tool": tool}).as_object().cloned();
        assert!(get(PROMPT, with("view").as_ref()).is_ok());
        for (name, arguments, names) in
            [("no", None, PROMPT), (PROMPT, None, "'tool'"), (PROMPT, with("no"), "'no'")]
        {
            let error = get(name, arguments.as_ref()).unwrap_err();
            assert!(error.message.contains(names), "{}", error.message);
        }
    }
}
