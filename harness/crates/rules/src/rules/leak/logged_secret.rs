//! `leak/logged-secret`: the server logs a secret that it was started with.

use std::ops::Range;

use crate::exchange::StrayMessage;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Rule};
use crate::secret::{self, BEGIN};

/// MCP, Logging: "Log messages MUST NOT contain: Credentials or secrets".
pub(crate) static RULE: Rule =
    Rule::of_reply("leak/logged-secret", include_str!("logged_secret.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let messages = context.exchange.strays.iter().filter_map(|stray| match stray {
        StrayMessage::LogMessage(line) => Some((line.as_str(), "a log message", "MCP logging", Level::Must)),
        _ => None,
    });
    // What the reply shows as well is a finding of `leak/secret`.
    let is_told = context.exchange.outcome.words().iter().any(|text| shown(context, text).is_some());
    let stderr = (context.exchange.stderr.as_str(), "standard error", "A75", Level::Should);
    let found = messages.chain((!is_told).then_some(stderr)).find_map(|(text, place, requirement, level)| {
        Some((shown(context, text)?, text, place, requirement, level))
    });
    let Some((span, text, place, requirement, level)) = found else { return Vec::new() };
    let message = format!("the server logs a secret that it was started with ({place})");
    let help = "Log the name of the setting, never its value; keep the environment and the command line out of the log.";
    vec![
        Diagnostic::new(message, help)
            .evidence(Evidence::marked(text, span))
            .requirement(requirement)
            .level(level),
    ]
}

/// Where a text shows the canary from the server's environment, or a secret of the user's, which was replaced by its name.
fn shown(context: &Context<'_>, text: &str) -> Option<Range<usize>> {
    if !secret::may_show(text) {
        return None;
    }
    let drawn = secret::drawn(context.head.seed);
    let of_user = || {
        let start = text.find(BEGIN)?;
        Some(start..start + text[start..].find('}')? + 1)
    };
    let span = text.find(&drawn).map(|start| start..start + drawn.len()).or_else(of_user)?;
    // The caller may have sent it.
    (!context.exchange.call.line.contains(&text[span.clone()])).then_some(span)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    #[test]
    fn a_secret_on_standard_error_is_a_should_unless_the_caller_sent_it() {
        let levels = |stderr: &str, sent: &str| {
            let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
            fixture.exchange.stderr = stderr.to_owned();
            sent.clone_into(&mut fixture.exchange.call.line);
            let found = check(&fixture.context()).into_iter();
            found.map(|diagnostic| diagnostic.level).collect::<Vec<_>>()
        };
        let drawn = format!("started with {}", secret::drawn(0));
        assert_eq!(levels(&drawn, "{}"), [Some(Level::Should)]);
        assert_eq!(levels("using the key {concealed:API_KEY}", "{}"), [Some(Level::Should)]);
        assert_eq!(levels("using the key {concealed:API_KEY}", "{\"key\":\"{concealed:API_KEY}\"}"), []);
        assert_eq!(levels("a card was drawn-0123456789abcdef", "{}"), []);
        assert_eq!(levels("API_KEY is set", "{}"), []);
    }

    #[test]
    fn what_the_reply_shows_as_well_is_no_second_finding() {
        let drawn = format!("started with {}", secret::drawn(0));
        let mut fixture = Fixture::refusal(&drawn, &json!({}), Expected::Anything);
        fixture.exchange.stderr = drawn;
        assert_eq!(check(&fixture.context()), []);
    }
}
