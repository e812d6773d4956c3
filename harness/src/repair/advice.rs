//! Whether a message says what to do, for a caller who knows the intended values.
//!
//! The main function is [`advises`]. No message can say which file or text a caller wants: saying how to go on
//! is enough, but saying only that something is missing is not.

use serde_json::Value;

use crate::catalog::Tool;
use crate::pattern;
use crate::placeholder::Folders;
use crate::wording::Echo;
use crate::wording::hint::{Advice, Asked, advice};

use super::CalledTool;

/// Whether the refusal of a call with these values of the tool's parameters says what to do. A message in a
/// language that is not analysed never does.
pub(super) fn advises(known: &CalledTool<'_>, sent: &Value, text: &str) -> bool {
    if pattern!("order/place").is_match(text) {
        return true;
    }
    let folders = Folders { workspace: known.workspace.to_owned(), ..Folders::default() };
    let echo = Echo::of_values(sent, &folders);
    let parameters: Vec<&str> = known.tool.parameters().map(|(name, _)| name).collect();
    let required: Vec<&str> = Tool::required(known.tool).collect();
    let schemas: Vec<(&str, &Value)> = known.tool.parameters().collect();
    let tools: Vec<&str> = known.catalog.tools.iter().map(|tool| tool.name.as_str()).collect();
    let asked = Asked {
        echo: &echo,
        arguments: sent,
        tool: &known.tool.name,
        parameters: &parameters,
        schemas: &schemas,
        wrong: &[],
        required: &required,
        tools: &tools,
        workspace: known.workspace,
        condition: "",
    };
    advice(text, &asked) == Advice::Given
}
