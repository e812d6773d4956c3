//! `message/state-untold`: something is in the wrong state, and the message does not say which state that is.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};
use crate::wording::echo::FILL;

/// BC-19: what is wrong, and with which value.
pub(crate) static RULE: Rule = Rule {
    id: "message/state-untold",
    tier: Tier::Ungated,
    level: Level::Note,
    handling: super::HANDLING,
    requirements: &["BC-19", "PL-02"],
    page: LazyLock::new(|| RulePage::read(include_str!("state_untold.toml"))),
    check: RuleCheck::Exchange(check),
};

/// Words that say that a state is wrong.
static WRONG: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?ix)\b(?:invalid|illegal|wrong|bad|inappropriate|unexpected|incorrect)\ (?:\w+\ ){0,1}state\b(?:\ transition)?
          | \b(?:not|cannot\ be|can't\ be)\ (?:allowed|possible|permitted|valid|available|supported|done|performed)\ (?:in|for)\ (?:this|the\ current|its\ current|the\ present)\ (?:state|status)\b
          | \bnot\ in\ (?:the|a)\ (?:right|correct|required|expected|valid|proper)\ state\b
          | \b(?:current\ )?state\ does\ not\ (?:allow|permit)\b",
    )
});
/// Words and signs that introduce the name of a state, anywhere in the message.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?x)["'`\x{201c}\x{ab}] | \b(?i:state|status)\s*[:=(]\s*\w | \b(?i:must|only|while|because|until|already|currently|not\ yet|expected|requires?|needs?)\b | \bfrom\ \w+\ to\ \w | \b[A-Z][A-Z_]{3,}\b"#,
    )
});
/// A statement about the thing in the same sentence.
static SAID: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)\A[^.!?\n]*\b(?:is|are|was|were)\b"));

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error else { return Vec::new() };
    if !WRONG.is_match(&error.text) || has_state(context) {
        return Vec::new();
    }
    let message = error.message();
    let blank = context.echo().blank(message);
    let Some(found) = WRONG.find(&blank) else { return Vec::new() };
    let mut rest = blank.clone();
    rest.replace_range(found.range(), "state");
    // The quotation marks around an echo are not a state.
    let plain = unquoted(&rest);
    if NAMED.is_match(&plain) || SAID.is_match(&blank[found.end()..]) {
        return Vec::new();
    }
    let reported =
        format!("the message of `{}` says that a state is wrong, but not which one it is", context.called());
    let help = "Name the state that it is in, and the one in which the call is possible.";
    let evidence = match error.text.find(found.as_str()) {
        Some(start) => Evidence::marked(&error.text, start..start + found.len()),
        None => Evidence::whole(error.text.as_str()),
    };
    vec![Diagnostic::new(reported, help).evidence(evidence)]
}

/// Whether the caller sends a state: then that value is what is invalid.
fn has_state(context: &Context<'_>) -> bool {
    let names =
        context.tool.into_iter().flat_map(|tool| tool.parameters().map(|(name, _)| name.to_lowercase()));
    let mut names = names.chain(
        context
            .exchange
            .call
            .arguments
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.to_lowercase()),
    );
    names.any(|name| name.contains("state") || name.contains("status"))
}

/// A text without echoes and the quotation marks around them.
fn unquoted(blank: &str) -> String {
    let fill = char::from(FILL);
    let mut plain = String::with_capacity(blank.len());
    let mut letters = blank.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_mark = |letter: char| "\"'`".contains(letter);
        let opens = is_mark(letter) && letters.peek() == Some(&fill);
        let closes = is_mark(letter) && plain.ends_with(fill);
        if !opens && !closes {
            plain.push(letter);
        }
    }
    plain.replace(fill, "")
}
