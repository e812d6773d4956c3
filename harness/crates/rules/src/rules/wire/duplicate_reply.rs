//! `wire/duplicate-reply`: a request is answered twice.

use crate::exchange::StrayMessage;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::pattern;
use crate::rules::{Context, Rule};

/// JSON-RPC 2.0, 5: a request has one response.
pub(crate) static RULE: Rule =
    Rule::of_reply("wire/duplicate-reply", include_str!("duplicate_reply.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let strays = context.exchange.strays.iter().filter_map(|stray| {
        let StrayMessage::DuplicateReply(line) = stray else { return None };
        if pattern!("cause/cancelled-twice").is_match(line) {
            let message =
                format!("`{}` was answered twice: the Python SDK also answered the cancellation", context.called());
            let help = "This is not the tool's doing: the SDK answers a cancellation even if the reply is on its way. Report \
                it to the SDK.";
            let diagnostic = Diagnostic::new(message, help).level(Level::Note);
            return Some(diagnostic.evidence(Evidence::whole(line.as_str())));
        }
        let message = format!("`{}` was answered, and then answered again", context.called());
        let help = "Answer a call in only one place; look for an error handler that answers calls which have \
            already been answered.";
        Some(Diagnostic::new(message, help).evidence(Evidence::whole(line.as_str())))
    });
    strays.collect()
}

#[cfg(test)]
mod tests {
    use crate::exchange::StrayMessage;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;

    #[test]
    fn answer_of_the_python_sdk_to_a_cancellation_is_a_note() {
        let level = |line: &str| {
            let mut fixture = Fixture::of(&super::RULE.page().bad);
            fixture.exchange.strays = vec![StrayMessage::DuplicateReply(line.to_owned())];
            super::check(&fixture.context())[0].level
        };
        let cancelled = r#"{"jsonrpc":"2.0","id":22,"error":{"code":0,"message":"Request cancelled"}}"#;
        assert_eq!(level(cancelled), Some(Level::Note));
        assert_eq!(level(r#"{"jsonrpc":"2.0","id":22,"result":{}}"#), None);
    }
}
