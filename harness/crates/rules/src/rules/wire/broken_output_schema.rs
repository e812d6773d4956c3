//! `wire/broken-output-schema`: a result does not have the form that its tool's `outputSchema` promises.

use serde_json::Value;

use crate::finding::{Diagnostic, Evidence, Level};
use crate::json_schema::confirm::{Confirmer, Ruling};
use crate::rules::{Context, Rule};

/// MCP, Server Features, Tools, "Output Schema": servers provide structured results that conform to it, and clients
/// should validate them.
pub(crate) static RULE: Rule =
    Rule::of_reply("wire/broken-output-schema", include_str!("broken_output_schema.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let schema = context.tool.and_then(|tool| tool.output_schema.as_ref());
    let (Some(schema), Some(result)) = (schema, context.exchange.outcome.result()) else { return Vec::new() };
    // Another kind of result, such as a question to the caller, has no output yet.
    let is_complete = result.get("resultType").is_none_or(|kind| kind == "complete");
    if !is_complete || !result.is_object() {
        return Vec::new();
    }
    let is_flagged = context.exchange.outcome.is_tool_error();
    // An unflagged failure is reported as such; with the flag, clients read it.
    if !is_flagged && context.unflagged_failure().is_some() {
        return Vec::new();
    }
    let tool = context.called();
    let what = match result.get("structuredContent").filter(|structured| !structured.is_null()) {
        None if is_flagged => return Vec::new(),
        // A schema that cannot be compiled cannot be kept.
        None if Confirmer::new(schema).ruling(&Value::Null) == Ruling::Silent => return Vec::new(),
        None => format!("`{tool}` has an `outputSchema`, but its result has no `structuredContent`"),
        Some(structured) => {
            let confirmer = Confirmer::new(schema);
            if confirmer.ruling(structured) != Ruling::Forbids {
                return Vec::new();
            }
            let violated = confirmer.violated(structured).join("`, `");
            let kind = if is_flagged { "an error" } else { "a result" };
            format!(
                "the `structuredContent` of {kind} of `{tool}` does not match its `outputSchema` (`{violated}`)"
            )
        }
    };
    let help = if is_flagged {
        "Leave `structuredContent` out of an error: clients throw away what does not match `outputSchema`, and the \
            caller never reads the message."
    } else {
        "Send `structuredContent` that fits `outputSchema` with every result: clients throw away what does not match."
    };
    let mut diagnostic = Diagnostic::new(what, help);
    diagnostic.evidence = Some(Evidence::whole(result.to_string()));
    diagnostic.level = is_flagged.then_some(Level::Should);
    vec![Diagnostic { folded: true, of_one_tool: true, ..diagnostic }]
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::exchange::Outcome;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;

    fn levels(schema: &Value, result: Value) -> Vec<Option<Level>> {
        let mut fixture = Fixture::of(&super::RULE.page().good);
        let tool = fixture.head.catalog.tools.iter_mut().find(|tool| tool.name == "view");
        tool.expect("it is listed").output_schema = Some(schema.clone());
        fixture.exchange.outcome = Outcome::Result(result);
        let fixture = fixture.answered();
        super::check(&fixture.context()).into_iter().map(|found| found.level).collect()
    }

    #[test]
    fn what_clients_throw_away_is_found_and_what_they_hand_on_is_not() {
        let schema = json!({"type": "object", "required": ["a"]});
        let of = |result| levels(&schema, result);
        assert_eq!(of(json!({"content": []})), [None]);
        assert_eq!(of(json!({"content": [], "structuredContent": null})), [None]);
        assert_eq!(of(json!({"content": [], "structuredContent": {"b": 1}})), [None]);
        assert_eq!(
            of(json!({"content": [], "structuredContent": {"error": "no"}})),
            [],
            "the flag is missing"
        );
        assert_eq!(
            of(json!({"content": [], "structuredContent": {"error": "no"}, "isError": true})),
            [Some(Level::Should)]
        );
        assert_eq!(of(json!({"content": [], "isError": true})), []);
        assert_eq!(of(json!({"content": [], "structuredContent": {"a": 1}})), []);
        assert_eq!(of(json!({"resultType": "input_required", "inputRequests": {}})), []);
    }

    #[test]
    fn a_schema_that_is_none_promises_nothing() {
        for schema in [json!({"type": "celsius"}), json!({"$ref": "https://example.com/schema.json"})] {
            assert_eq!(levels(&schema, json!({"content": []})), []);
            assert_eq!(levels(&schema, json!({"content": [], "structuredContent": {}})), []);
        }
    }
}
