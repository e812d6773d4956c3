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
    let help = "Say `\"additionalProperties\": false` in the schema (in zod, `z.strictObject`), and refuse a call with such an \
        argument by its name, with the names that there are.";
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
