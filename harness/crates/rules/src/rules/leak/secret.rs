//! `leak/secret`: a secret comes through.

use crate::finding::Diagnostic;
use crate::pattern;
use crate::rules::{Context, Rule};

/// The specification of every contract: no secret.
pub(crate) static RULE: Rule = Rule::of_reply("leak/secret", include_str!("secret.toml"), check);

/// Whether what stands behind the name of a secret is what a program writes for a missing value.
pub(super) fn is_unset(found: &str) -> bool {
    pattern!("leak/unset").is_match(found)
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = match context.is_failure_of_service() {
        true => super::OF_SERVICE,
        false => {
            "Name the setting that is wrong, but never its value; keep the environment out of whatever is printed."
        }
    };
    super::judged(context, RULE.id, "a secret", help)
}
