//! `leak/format-accident`: a message contains the remains of failed formatting.

use std::sync::LazyLock;

use serde_json::Value;

use crate::finding::{Diagnostic, Level};
use crate::rules::handling::Retold;
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/format-accident",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { retold: Retold::Name, ..super::HANDLING },
    requirements: &["BC-20", "A6"],
    page: LazyLock::new(|| RulePage::read(include_str!("format_accident.toml"))),
    check: RuleCheck::Exchange(check),
};

/// Whether the match is only a null that the caller sent, in the language's own word.
pub(super) fn is_null_told_back(context: &Context<'_>, found: &str) -> bool {
    fn holds_null(value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Array(items) => items.iter().any(holds_null),
            Value::Object(members) => members.values().any(holds_null),
            _ => false,
        }
    }
    const ACCIDENTS: [&str; 5] = ["%", "{", "undefined", "NaN", "[object O"];
    const NULLS: [&str; 6] = ["null", "None", "nil", "Null", "NULL", "<nil>"];
    NULLS.iter().any(|null| found.contains(null))
        && !ACCIDENTS.iter().any(|accident| found.contains(accident))
        && holds_null(&context.exchange.call.arguments)
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Format the value itself: an error as its message, a path as a string. Test this message with \
        every value that it can get.";
    super::judged(context, RULE.id, "the leftovers of failed formatting", help)
}
