//! `code/undocumented`: a well-formed code stands in no catalogue.

use crate::contract::CodeField;
use crate::document::nearest;
use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Context, Rule};

/// BC-03: the code is one that the server's catalogue documents.
pub(crate) static RULE: Rule = Rule::of_reply("code/undocumented", include_str!("undocumented.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error.filter(|_| context.is_tool_error() && context.declared) else {
        return Vec::new();
    };
    let CodeField::Present { span, name } = &error.code else { return Vec::new() };
    if context.contract.code(name).is_some() {
        return Vec::new();
    }
    // A code of the same meaning may have a very different name: only likely typing errors are pointed out.
    let near = nearest(name, context.contract.codes.iter().map(|code| code.name.as_str()));
    let near = near.map(|code| format!(" (the nearest one is `{code}`)")).unwrap_or_default();
    let message = format!("the code `{name}` is not in any catalogue{near}");
    let help = format!("Send a documented code, or document `{name}` under `[codes]` in mcp-errconf.toml.");
    vec![Diagnostic::new(message, help).evidence(Evidence::marked(error.text.as_str(), span.clone()))]
}
