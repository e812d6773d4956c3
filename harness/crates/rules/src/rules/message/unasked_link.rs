//! `message/unasked-link`: an error contains a link that loads, tracks or advertises something.

use crate::finding::{Diagnostic, Evidence};
use crate::pattern;
use crate::roles::Role;
use crate::rules::{Context, Rule};
use crate::wording::echo::FILL;

/// A62: which links an error may contain.
pub(crate) static RULE: Rule =
    Rule::of_reply("message/unasked-link", include_str!("unasked_link.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.error.is_none() || context.plays(Role::Shell) {
        return Vec::new();
    }
    for text in context.texts() {
        if !text.contains("http") {
            continue;
        }
        let mut blank = None;
        // Each kind of link, and what it does.
        for (kind, does) in [
            (pattern!("text/image-link"), "an image or a frame that is loaded when the reply is shown"),
            (pattern!("text/tracking-link"), "a link that tracks who follows it"),
            (pattern!("text/paid-link"), "a link that asks for money"),
        ] {
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
