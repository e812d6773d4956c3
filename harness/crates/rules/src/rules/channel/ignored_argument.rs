//! `channel/ignored-argument`: an argument that no parameter matches is silently ignored.

use std::sync::LazyLock;

use crate::catalog::Tool;
use crate::finding::{Diagnostic, Level};
use crate::json_schema::says_nothing_of_others;
use crate::names::misspelt;
use crate::rules::handling::{Harm, Subject};
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};
use crate::signature::deny_alike;
use crate::wording;

/// A58: what a tool does with an argument that it does not have.
pub(crate) static RULE: Rule = Rule {
    id: "channel/ignored-argument",
    tier: Tier::Gated,
    level: Level::Should,
    // The call succeeds as sent but for one argument: the caller is only not told.
    handling: Handling { harm: Harm::Wording, subject: Subject::Fault, ..super::HANDLING },
    requirements: &["A58"],
    page: LazyLock::new(|| RulePage::read(include_str!("ignored_argument.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(tool) = context.tool else { return Vec::new() };
    let Some(argument) = ignored(tool, context) else { return Vec::new() };
    let is_told = context.texts().iter().any(|text| text.contains(argument));
    // A reply that may be an error, such as a rate limit, is not a success that ignored the argument.
    let is_error =
        || wording::disguised_error(context.exchange, context.succeeded_control(), context.contract);
    let is_taken = context.answered_without_error() && is_error().is_none() && !context.denies_success();
    let Some(control) = context.succeeded_control() else { return Vec::new() };
    let is_denied = || deny_alike(context.exchange, control, &context.head.folders);
    if !is_taken || is_told || context.refuses_in_words() || is_denied() {
        return Vec::new();
    }
    let message = format!("`{}` silently ignores unknown arguments", tool.name);
    let help = "Say `\"additionalProperties\": false` in the schema, and refuse a call with such an argument by its name, \
        with the names that there are.";
    let mut diagnostic = Diagnostic::new(message, help);
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}

/// The argument that was sent under a misspelt name, if the schema does not say what must happen then.
fn ignored<'a>(tool: &Tool, context: &Context<'a>) -> Option<&'a str> {
    if !says_nothing_of_others(tool.own_schema()) {
        return None;
    }
    let sent = context.arguments().as_object()?;
    let unknown = |name: &&String| tool.parameter(name).is_none();
    let is_misspelt = |name: &&String| {
        let meant = |(known, _): (&str, _)| misspelt(known).as_ref() == Some(*name);
        tool.parameters().any(meant)
    };
    sent.keys().filter(unknown).find(is_misspelt).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::exchange::Outcome;
    use crate::rules::fixture::Fixture;

    fn found(more: &Value, arguments: &Value, reply: &str) -> usize {
        let mut fixture = Fixture::of(&super::RULE.page.bad);
        let schema = fixture.head.catalog.tools.iter_mut().find(|tool| tool.name == "view");
        let members = schema.and_then(|tool| tool.input_schema.as_object_mut()).expect("it has a schema");
        members.extend(more.as_object().cloned().unwrap_or_default());
        fixture.exchange.call.arguments = arguments.clone();
        fixture.exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": reply}]}));
        super::check(&fixture.context()).len()
    }

    #[test]
    fn an_ignored_argument_is_found_where_the_schema_is_open_and_the_reply_is_silent() {
        let misspelt = json!({"path": "a", "limti": 10});
        assert_eq!(found(&json!({}), &misspelt, "all lines"), 1);
        for said in [json!({"additionalProperties": true}), json!({"patternProperties": {}})] {
            assert_eq!(found(&said, &misspelt, "all lines"), 0, "{said}");
        }
        assert_eq!(found(&json!({}), &misspelt, "note: limti is not known here"), 0);
        for refused in ["Error: no such argument", r#"{"error": "Rate limit reached (10/day)", "url": "x"}"#]
        {
            assert_eq!(found(&json!({}), &misspelt, refused), 0, "{refused}");
        }
        assert_eq!(found(&json!({}), &json!({"path": "a", "limit": 10}), "all lines"), 0);
        assert_eq!(found(&json!({}), &json!({"path": "a", "colour": 10}), "all lines"), 0);
    }

    #[test]
    fn nothing_is_said_where_the_call_fails_as_the_control_does() {
        let failed = Outcome::Result(
            json!({"content": [{"type": "text", "text": "view error: there is no index on :Document"}]}),
        );
        let mut fixture = Fixture::of(&super::RULE.page.bad);
        fixture.exchange.outcome = failed.clone();
        fixture.control.as_mut().expect("the example has one").outcome = failed;
        assert!(super::check(&fixture.context()).is_empty());
    }

    #[test]
    fn nothing_is_said_where_no_call_succeeds() {
        let mut fixture = Fixture::of(&super::RULE.page.bad);
        fixture.control = None;
        assert!(super::check(&fixture.context()).is_empty());
    }
}
