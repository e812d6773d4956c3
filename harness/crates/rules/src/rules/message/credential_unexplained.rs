//! `message/credential-unexplained`: a server that lacks a key does not say which one it needs, or how to get
//! it.

use crate::exchange::Outcome;
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::pattern;
use crate::rules::{Context, Rule};
use crate::wording::{hint, mention};

/// A59: what an error says about a missing key.
pub static RULE: Rule =
    Rule::of_reply("message/credential-unexplained", include_str!("credential_unexplained.toml"), check);

/// At most this many bytes of what a server wrote at its start are shown.
const SHOWN: usize = 1024;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Expected::Without(name) = &context.exchange.place.expected else { return Vec::new() };
    let Some(text) = reported(context) else { return Vec::new() };
    let (what, where_from) = match context.exchange.tool() {
        Some(tool) => (format!("`{tool}` refuses the call"), "its reply"),
        None => ("the server does not start".to_owned(), "what it writes"),
    };
    let help = format!(
        "Check for the variable first, and say what is missing (\"{name} is not set\"), where to get the key, and \
         to set it in the environment of this server."
    );
    if !names(&text, name) && !pattern!("cause/key-option").is_match(&text) {
        let kind = name.rsplit('_').next().unwrap_or(name);
        let half = names(&text, kind) || names(&text, &format!("{kind}s"));
        let message = format!("without `{name}` {what}, and {where_from} does not name the variable");
        let diagnostic = Diagnostic::new(message, help).evidence(shown(&text));
        return vec![if half { diagnostic.level(Level::Note) } else { diagnostic }];
    }
    let says_how = pattern!("cause/key-way").is_match(&text)
        || context.with_asked(|asked| hint::is_foreign(&text, asked));
    if says_how {
        return Vec::new();
    }
    let message = format!(
        "without `{name}` {what}; {where_from} names the variable, but does not say how to get the key or set it"
    );
    vec![Diagnostic::new(message, help).level(Level::Note).evidence(shown(&text))]
}

/// What the caller is told; `None` if nothing failed.
fn reported(context: &Context<'_>) -> Option<String> {
    if context.exchange.tool().is_some() && context.error.is_some() {
        return Some(context.texts().join("\n"));
    }
    let exchange = context.exchange;
    let reply = match &exchange.outcome {
        Outcome::Error(error) => error.message.as_str(),
        Outcome::Malformed(malformed) => malformed.line.as_str(),
        Outcome::Ended(_) | Outcome::NoReply { .. } => "",
        Outcome::Result(_) | Outcome::InputRequired(_) | Outcome::Oversized(_) => return None,
    };
    let noise = exchange.noise.join("\n");
    let texts = [reply, noise.as_str(), exchange.stderr.trim()];
    Some(texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"))
}

/// The end of a text, where a program says why it gave up.
fn shown(text: &str) -> Evidence {
    Evidence::whole(&text[text.ceil_char_boundary(text.len().saturating_sub(SHOWN))..])
}

/// Whether a name occurs in a text as a whole word, in any case.
fn names(text: &str, name: &str) -> bool {
    mention::stands_in(&text.to_lowercase(), &name.to_lowercase())
}
