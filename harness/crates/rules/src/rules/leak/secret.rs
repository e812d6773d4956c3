//! `leak/secret`: a secret comes through.

use crate::finding::Diagnostic;
use crate::rules::{Context, Rule};

/// The specification of every contract: no secret.
pub(crate) static RULE: Rule = Rule::of_reply("leak/secret", include_str!("secret.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = match context.is_failure_of_service() {
        true => "Say in your own words what failed, and pass on nothing else of the service's response.",
        false => {
            "Name the setting that is wrong, but never its value; keep the environment out of whatever is printed."
        }
    };
    super::judged(context, RULE.id, "a secret", help)
}
