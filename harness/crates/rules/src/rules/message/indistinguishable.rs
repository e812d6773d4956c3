//! `message/indistinguishable`: the same reply to faults of different arguments.

use std::sync::LazyLock;

use serde_json::Value;

use crate::exchange::Exchange;
use crate::expectation::ExpectedValue;
use crate::finding::{Diagnostic, Level};
use crate::rules::message::value_missing::is_of_state;
use crate::rules::should_read::sentence;
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};
use crate::wording::circumstance::is_of_circumstance;
use crate::wording::{excerpt, hint, layer, mention};

/// BC-19: every message includes the relevant value, and suggests how to fix the request.
pub(crate) static RULE: Rule = Rule {
    id: "message/indistinguishable",
    tier: Tier::Gated,
    level: Level::Should,
    handling: super::HANDLING,
    requirements: &["BC-19", "PL-02"],
    page: LazyLock::new(|| RulePage::read(include_str!("indistinguishable.toml"))),
    check: RuleCheck::Exchange(check),
};

/// The signs of a hint that any message may have, whichever argument is meant: "Look it up in the schema". All others say
/// what must hold of the arguments.
const GENERIC: [&str; 7] = ["identifier", "instruction", "language", "missing", "rule", "tool", "unsent"];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (Some(error), Some(failure)) = (context.error, context.refused_for()) else { return Vec::new() };
    let wrong = failure.value.as_ref().map(ExpectedValue::parameters).unwrap_or_default();
    let passes = || is_of_circumstance(&error.text) || is_of_state(context, error);
    if wrong.is_empty()
        || layer::is_sdk(&error.text)
        || passes()
        || context.leaks().iter().any(|leak| leak.is_certain())
    {
        return Vec::new();
    }
    let Some(other) = context.run_record.refused_alike(context.exchange, &error.text, &wrong) else {
        return Vec::new();
    };
    let names = |name: &str| error.texts().any(|text| mention::names_parameter(text, name));
    let other_arguments: Vec<&str> = context.run_record.wrong_in(other);
    // Which of two required arguments is lacking, the caller sees.
    let is_lacking = wrong.iter().any(|name| is_empty(context.arguments().get(*name)));
    let singles_it_out = wrong.iter().any(|name| names(name))
        && (is_lacking || !other_arguments.iter().any(|name| names(name)));
    let signs =
        context.with_asked(|asked| hint::signs(&without_names(error.message(), asked.parameters), asked));
    if singles_it_out || quotes_the_value(context, &wrong) || signs.iter().any(|sign| !GENERIC.contains(sign))
    {
        return Vec::new();
    }
    let message =
        format!("the reply to {} is the same: it does not tell which argument is wrong", called_with(other));
    let help = format!(
        "Name the argument in the message, and say what is wrong with its value.{}",
        sentence(context)
    );
    let mut diagnostic = Diagnostic::new(message, help);
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}

/// Whether nothing is sent in an argument.
fn is_empty(sent: Option<&Value>) -> bool {
    match sent {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(_) => false,
    }
}

/// A message without the quoted names of the parameters, a list of which is none of values.
fn without_names(message: &str, parameters: &[&str]) -> String {
    let quoted =
        parameters.iter().flat_map(|name| ["`", "'", "\""].map(|mark| format!("{mark}{name}{mark}")));
    quoted.fold(message.to_owned(), |message, name| message.replace(&name, "it"))
}

/// Whether the reply holds what was sent in one of these arguments.
fn quotes_the_value(context: &Context<'_>, wrong: &[&str]) -> bool {
    /// A shorter value may be any word.
    const TELLING: usize = 4;
    let sent = wrong.iter().filter_map(|name| context.arguments().get(*name));
    let plain = sent.map(|sent| sent.as_str().map_or_else(|| sent.to_string(), str::to_owned));
    plain.filter(|sent| sent.len() >= TELLING).any(|sent| {
        let value = ExpectedValue::Text(sent);
        context.texts().iter().any(|text| mention::mentions(text, &value, &context.head.folders))
    })
}

/// A call in a sentence: its arguments.
fn called_with(exchange: &Exchange) -> String {
    format!("`{}`", excerpt(&exchange.call.arguments.to_string()))
}

#[cfg(test)]
mod tests {
    use crate::rules::Example;
    use crate::rules::fixture::Fixture;

    fn count(error: &str) -> usize {
        let reply = |text: &str| serde_json::json!({"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": text}], "isError": true}});
        let mut example = Example { reply: reply(error).to_string(), ..super::RULE.page.bad.clone() };
        let mut beside: serde_json::Value = serde_json::from_str(&example.beside).expect("it is JSON");
        beside["also"]["reply"] = reply(error);
        example.beside = beside.to_string();
        super::check(&Fixture::of(&example).context()).len()
    }

    #[test]
    fn the_same_reply_to_two_faults_must_say_what_covers_both() {
        for (error, found) in [
            ("[INVALID_INPUT] One of `path` and `old_str` is wrong. Look it up in the tool's schema.", 1),
            ("[INVALID_INPUT] \u{53c2}\u{6570}\u{65e0}\u{6548}\u{3002}", 1),
            ("[INVALID_INPUT] `path` and `old_str` must be strings.", 0),
            ("[INVALID_INPUT] The connection to the service was lost.", 0),
            ("[INVALID_INPUT] `path` is wrong.", 0),
        ] {
            assert_eq!(count(error), found, "{error}");
        }
    }
}
