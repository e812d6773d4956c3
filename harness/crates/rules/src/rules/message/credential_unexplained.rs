//! `message/credential-unexplained`: a server that lacks a key does not say which one it needs, or how to get
//! it.

use std::sync::LazyLock;

use crate::exchange::Outcome;
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::pattern;
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};
use crate::wording::hint;

/// A59: what an error says about a missing key.
pub static RULE: Rule = Rule {
    id: "message/credential-unexplained",
    tier: Tier::Ungated,
    level: Level::Should,
    handling: super::HANDLING,
    requirements: &["A59"],
    page: LazyLock::new(|| RulePage::read(include_str!("credential_unexplained.toml"))),
    check: RuleCheck::Exchange(check),
};

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
    if let Some(error) = context.error
        && context.exchange.tool().is_some()
    {
        return Some(
            std::iter::once(&error.text)
                .chain(&error.more)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join("\n"),
        );
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
    let start = (text.len().saturating_sub(SHOWN)..=text.len()).find(|at| text.is_char_boundary(*at));
    Evidence::whole(&text[start.unwrap_or_default()..])
}

/// Whether a name occurs in a text as a whole word, in any case.
fn names(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_ascii_lowercase(), name.to_ascii_lowercase());
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(&name).any(|(start, found)| {
        !text[..start].ends_with(is_word) && !text[start + found.len()..].starts_with(is_word)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exchange::Exit;
    use crate::rules::fixture::Fixture;

    #[test]
    fn a_start_is_judged_by_what_was_written_and_one_that_succeeds_not_at_all() {
        let at_start = |outcome: Outcome, stderr: &str| {
            let mut fixture = Fixture::refusal("", &json!({}), Expected::Without("ACME_API_KEY".to_owned()));
            fixture.exchange.call.tool = None;
            fixture.exchange.outcome = outcome;
            fixture.exchange.stderr = stderr.to_owned();
            super::check(&fixture.answered().context()).len()
        };
        let ended = || Outcome::Ended(Exit::Status(1));
        assert_eq!(at_start(ended(), "Error: ACME_API_KEY must be set\n"), 0);
        assert_eq!(at_start(ended(), "TypeError: x is undefined\n"), 1);
        assert_eq!(at_start(ended(), ""), 1);
        assert_eq!(at_start(Outcome::Result(json!({"capabilities": {}})), ""), 0);
    }
}
