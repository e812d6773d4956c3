//! `envelope/schema`: the object in an error reply violates the contract's schema.

use serde_json::Value;

use crate::contract::JsonForm;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Rule};

use super::object;

/// EE-01: every error has this envelope. TE-01: it satisfies the schema. PD-03: the problem has the standard's form.
pub(crate) static RULE: Rule = Rule::of_reply("envelope/schema", include_str!("schema.toml"), check);

/// At most this many violations are named.
const NAMED: usize = 5;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (Some(form), Some(error)) = (object::of_json(context), context.error) else { return Vec::new() };
    let (Some(object), Some(schema)) = (object::of(context), context.contract.schema()) else {
        return Vec::new();
    };
    let faults = schema.faults(&object);
    let own = faults.iter().filter(|fault| !has_its_own_rule(&fault.place, &fault.problem, form));
    let mut named: Vec<String> = own.map(|fault| named(&fault.place, &fault.problem)).collect();
    named.sort();
    let mut diagnostics = Vec::new();
    if !named.is_empty() {
        let more = named.len().saturating_sub(NAMED);
        named.truncate(NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let message = format!(
            "an error of `{}` violates the contract's schema: {}{more}",
            context.called(),
            named.join("; ")
        );
        let help = "Send every member that the contract names, with its type, and no others if the contract \
            forbids them.";
        diagnostics.push(Diagnostic::new(message, help).evidence(Evidence::whole(error.text.as_str())));
    }
    if is_wrapped(&error.text, &object) && !stands_structured(context, &object) {
        let message =
            format!("the JSON object in an error of `{}` is surrounded by other text", context.called());
        let help = "Send only the object as the text: a client that parses the whole text finds no object \
            here.";
        let diagnostic = Diagnostic::new(message, help).evidence(Evidence::whole(error.text.as_str()));
        diagnostics.push(diagnostic.level(Level::Should));
    }
    diagnostics
}

/// Whether another rule covers this: the code and the hints in any state, and a missing message.
fn has_its_own_rule(place: &str, what: &str, form: &JsonForm) -> bool {
    let within = |pointer: &str| place == pointer || place.starts_with(&format!("{pointer}/"));
    within(&form.code)
        || form.hints.iter().any(|pointer| within(pointer))
        || (place == form.message && what == crate::contract::SchemaFault::MISSING)
}

fn named(place: &str, what: &str) -> String {
    if place.is_empty() { format!("it {what}") } else { format!("`{place}` {what}") }
}

/// Whether the text contains more than the object.
fn is_wrapped(text: &str, object: &Value) -> bool {
    let is_held = text.contains('{') && text.contains('}');
    is_held && object.is_object() && serde_json::from_str::<serde::de::IgnoredAny>(text).is_err()
}

/// Whether the object also stands alone in structured content, where a client reads it.
fn stands_structured(context: &Context<'_>, object: &Value) -> bool {
    let structured = context.exchange.outcome.result().and_then(|result| result.get("structuredContent"));
    structured == Some(object)
}
