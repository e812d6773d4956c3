//! `message/unasked-link`: an error contains a link that loads, tracks or advertises something.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::roles::Role;
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};
use crate::wording::echo::FILL;

/// A62: which links an error may contain.
pub(crate) static RULE: Rule = Rule {
    id: "message/unasked-link",
    tier: Tier::Ungated,
    level: Level::Note,
    handling: super::HANDLING,
    requirements: &["A62"],
    page: LazyLock::new(|| RulePage::read(include_str!("unasked_link.toml"))),
    check: RuleCheck::Exchange(check),
};

/// The pattern of each kind of link, and what it does.
static KINDS: LazyLock<[(Regex, &str); 3]> = LazyLock::new(|| {
    [
        (
            expression(
                r#"(?i)!\[[^\]\n]*\]\(\s*https?://[^)\s]+|<(?:img|script|iframe)\b[^>\n]*\bsrc\s*=\s*["']?https?://[^\s"'>]+"#,
            ),
            "an image or a frame that is loaded when the reply is shown",
        ),
        (
            expression(
                r#"(?i)https?://[^\s"'<>)]*[?&](?:utm_\w+|gclid|fbclid|mc_cid|affiliate(?:_id)?)=[^\s"'<>)]*"#,
            ),
            "a link that tracks who follows it",
        ),
        (
            expression(
                r#"(?i)\b(?:upgrade (?:to|your|now)|subscribe|donate|sponsor (?:us|me|this)|buy (?:a|an|more|credits|us|me)|go pro)\b[^\n]{0,80}https?://[^\s"'<>)]+"#,
            ),
            "a link that asks for money",
        ),
    ]
});

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.error.is_none() || context.plays(Role::Shell) {
        return Vec::new();
    }
    for text in context.texts() {
        if !text.contains("http") {
            continue;
        }
        let mut blank = None;
        for (kind, does) in KINDS.iter() {
            let Some(found) = kind.find(text) else { continue };
            let blank = blank.get_or_insert_with(|| context.echo().blank(text));
            // What the caller sent may come back; an address counts as the server's own only if no byte of it
            // is the caller's.
            if blank.as_bytes().get(found.range()).is_none_or(|part| part.contains(&FILL)) {
                continue;
            }
            let message = format!("the error reply of `{}` contains {does}", context.called());
            let help = "Leave the link out, or write the plain address of the documentation.";
            return vec![Diagnostic::new(message, help).evidence(Evidence::marked(text, found.range()))];
        }
    }
    Vec::new()
}
