//! `channel/ignored-argument`: an argument that no parameter matches, or that a parameter declares, is silently ignored.

use crate::catalog::Tool;
use crate::class::Class;
use crate::finding::Diagnostic;
use crate::json_schema::says_nothing_of_others;
use crate::names::misspelt;
use crate::pattern;
use crate::rules::{Context, Rule};
use crate::signature::deny_alike;
use crate::wording;

/// A58: what a tool does with an argument that it does not have.
pub(crate) static RULE: Rule =
    Rule::of_reply("channel/ignored-argument", include_str!("ignored_argument.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(tool) = context.tool else { return Vec::new() };
    if let Some(found) = without_effect(tool, context) {
        return vec![found];
    }
    let Some(argument) = ignored(tool, context) else { return Vec::new() };
    let is_told = context.texts().iter().any(|text| text.contains(argument));
    // A reply that may be an error, such as a rate limit, is not a success that ignored the argument.
    let is_error =
        || wording::disguised_error(context.exchange, context.succeeded_control(), context.contract);
    let is_taken = context.answered_without_error() && is_error().is_none();
    let Some(control) = context.succeeded_control() else { return Vec::new() };
    let is_denied = || deny_alike(context.exchange, control, &context.head.folders);
    if !is_taken || is_told || context.refuses_in_words() || is_denied() {
        return Vec::new();
    }
    let message = format!("`{}` silently ignores unknown arguments", tool.name);
    let help = "Say `\"additionalProperties\": false` in the schema (in zod, `z.strictObject`), and refuse a call with such an \
        argument by its name, with the names that there are.";
    vec![context.diagnostic(message, help)]
}

/// A parameter that should narrow the result but never does: at least three values, one of them invalid, give the same result
/// as no value, while another parameter changes it.
fn without_effect(tool: &Tool, context: &Context<'_>) -> Option<Diagnostic> {
    /// So many values do not have the same result by chance.
    const VALUES: usize = 3;
    /// A longer result, in bytes of JSON, is not empty.
    const SHORT: usize = 300;
    let control = context.succeeded_control().filter(|_| Class::from_tool(tool) == Class::Read)?;
    let effects = context.run_record.effects_of(&tool.name)?;
    let (name, effect) =
        effects.iter().find(|(_, effect)| effect.none.first() == Some(&context.exchange.index))?;
    let described = tool.parameter(name)?.get("description")?.as_str()?;
    let names_nothing = |index: &usize| {
        let case = context.run_record.exchanges.get(*index).and_then(|exchange| exchange.place.case.as_ref());
        case.is_some_and(|case| case.0.ends_with("/unlisted") || case.0.ends_with("/unparsable"))
    };
    let is_without = !effect.is_some && effect.none.len() >= VALUES && effect.none.iter().any(names_nothing);
    let has_another = effects.values().any(|other| other.is_some);
    let result = control.outcome.result()?.to_string();
    // A long result has something in it, although a member of it may be null.
    let is_found = result.len() > SHORT || !pattern!("state/nothing-found").is_match(&result);
    let selects = pattern!("name/narrows").is_match(described) && is_found;
    if !is_without || !has_another || !selects || context.disguised_error().is_some() {
        return None;
    }
    let message = format!(
        "`{}` ignores its parameter `{name}`: {} values have the same result as none",
        tool.name,
        effect.none.len()
    );
    let help = "Pass the argument on to what selects the results, and refuse a value that is not valid.";
    Some(context.diagnostic(message, help))
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

    use crate::condition::CaseId;
    use crate::exchange::{Exchange, Outcome, Step};
    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;
    use crate::rules::{Context, Control, Example, RunRecord};

    /// The messages about a list of which each of these calls, with its case and its result, has another part.
    fn messages(described: &str, calls: &[(&str, Value, &str)]) -> Vec<String> {
        let schema = json!({"type": "object", "properties": {
            "from": {"type": "string", "description": described}, "limit": {"type": "integer"}}});
        let fixture = Fixture::of(&Example {
            call: r#"{"tool": "view", "arguments": {}}"#.to_owned(),
            reply: r#"{"jsonrpc":"2.0","id":2,"result":{}}"#.to_owned(),
            expected: Expected::Anything,
            beside: json!({ "input_schema": schema }).to_string(),
        });
        let reply = |text: &str| Outcome::Result(json!({"content": [{"type": "text", "text": text}]}));
        let control = Exchange::alone(Some("view"), json!({}), reply("two messages"));
        let mut recorded = vec![control.clone()];
        for (case, arguments, result) in calls {
            let mut exchange = Exchange::alone(Some("view"), arguments.clone(), reply(result));
            exchange.index = recorded.len();
            exchange.place.control = Some(0);
            exchange.place.step = Step::Call;
            exchange.place.case = Some(CaseId(format!("probe/view/from/{case}")));
            recorded.push(exchange);
        }
        let run_record = RunRecord::new(&[], &recorded);
        let found = recorded[1..].iter().flat_map(|exchange| {
            let control = Control::Succeeded(&control);
            super::check(&Context { run_record: &run_record, exchange, control, ..fixture.context() })
        });
        found.map(|found| found.message).collect()
    }

    #[test]
    fn parameter_that_should_select_is_ignored_if_no_value_changes_the_result() {
        let from =
            |case: &'static str, text: &str, result: &'static str| (case, json!({"from": text}), result);
        let all = "two messages";
        let calls = [
            from("unlisted", "no-such-value", all),
            from("given", "alpha", all),
            from("quoted", "it's", all),
            ("given", json!({"limit": 1}), "one message"),
        ];
        let only = "only those of this workspace";
        let message = "`view` ignores its parameter `from`: 3 values have the same result as none";
        assert_eq!(messages(only, &calls), [message]);
        assert_eq!(messages("the sender's language", &calls), [""; 0]);
        assert_eq!(messages(only, &calls[..3]), [""; 0], "nothing shows that any parameter has an effect");
        assert_eq!(messages(only, &calls[1..]), [""; 0], "too few values");
        let mut one_differs = calls;
        one_differs[2].2 = "no message";
        assert_eq!(messages(only, &one_differs), [""; 0]);
    }
}
