//! `code/undocumented`: a well-formed code stands in no catalogue.

use std::sync::LazyLock;

use crate::contract::CodeField;
use crate::document::nearest;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};

/// BC-03: the code is one that the server's catalogue documents.
pub(crate) static RULE: Rule = Rule {
    id: "code/undocumented",
    tier: Tier::Ungated,
    level: Level::Should,
    handling: super::HANDLING,
    requirements: &["BC-03", "EE-02", "TE-02", "PD-06"],
    page: LazyLock::new(|| RulePage::read(include_str!("undocumented.toml"))),
    check: RuleCheck::Exchange(check),
};

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
