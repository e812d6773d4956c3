//! `leak/format-accident`: a message contains the remains of failed formatting.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Level};
use crate::json::leaves;
use crate::pattern;
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
    const ACCIDENTS: [&str; 5] = ["%", "{", "undefined", "NaN", "[object O"];
    const NULLS: [&str; 6] = ["null", "None", "nil", "Null", "NULL", "<nil>"];
    NULLS.iter().any(|null| found.contains(null))
        && !ACCIDENTS.iter().any(|accident| found.contains(accident))
        && leaves(&context.exchange.call.arguments).iter().any(|leaf| leaf.is_null())
}

/// Whether the text before a match says that a placeholder follows, so that the server means it.
pub(super) fn is_introduced(before: &str) -> bool {
    pattern!("text/placeholder-ahead").is_match(before)
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Format the value itself: an error as its message, a path as a string. Test this message with \
        every value that it can get.";
    super::judged(context, RULE.id, "the leftovers of failed formatting", help)
}
