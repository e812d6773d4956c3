//! `message/state-untold`: something is in the wrong state, and the message does not say which state that is.

use crate::finding::{Diagnostic, Evidence};
use crate::pattern;
use crate::rules::{Context, Rule};
use crate::wording::echo::FILL;

/// BC-19: what is wrong, and with which value.
pub(crate) static RULE: Rule =
    Rule::of_reply("message/state-untold", include_str!("state_untold.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error else { return Vec::new() };
    if !pattern!("state/wrong").is_match(&error.text) || has_state(context) {
        return Vec::new();
    }
    let message = error.message();
    let blank = context.echo().blank(message);
    let Some(found) = pattern!("state/wrong").find(&blank) else { return Vec::new() };
    let mut rest = blank.clone();
    rest.replace_range(found.range(), "state");
    // The quotation marks around an echo are not a state.
    let plain = unquoted(&rest);
    if pattern!("state/named").is_match(&plain) || pattern!("state/told").is_match(&blank[found.end()..]) {
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
    let sent = context.exchange.call.arguments.as_object().into_iter().flat_map(|sent| sent.keys());
    let mut names = context.parameters().chain(sent.map(String::as_str)).map(str::to_lowercase);
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
