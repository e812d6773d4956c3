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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    #[test]
    fn only_of_a_declared_contract_must_a_code_be_in_the_catalogue() {
        for (text, declared, diagnostics) in [
            ("[PATH_NOT_FOUNT] no", true, 1),
            ("[PATH_NOT_FOUNT] no", false, 0),
            ("[PATH_NOT_FOUND] no", true, 0),
            ("no", true, 0),
        ] {
            let mut fixture = Fixture::refusal(text, &json!({}), Expected::Anything);
            fixture.declared = declared;
            let found = super::check(&fixture.context());
            assert_eq!(found.len(), diagnostics, "{text}, declared: {declared}");
            assert!(found.iter().all(|diagnostic| diagnostic.message.contains("`PATH_NOT_FOUND`")), "{text}");
        }
    }

    #[test]
    fn a_code_is_not_said_to_be_near_one_that_is_nothing_like_it() {
        let mut fixture = Fixture::refusal("[NOT_A_FILE] no", &json!({}), Expected::Anything);
        fixture.declared = true;
        let found = super::check(&fixture.context());
        assert_eq!(found[0].message, "the code `NOT_A_FILE` is not in any catalogue");
    }
}
