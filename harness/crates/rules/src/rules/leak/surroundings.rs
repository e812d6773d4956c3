//! `leak/surroundings`: details of the server's machine or user come through.

use crate::exchange::Exchange;
use crate::finding::Diagnostic;
use crate::pattern;
use crate::rules::{Context, Rule};
use crate::wording;
use crate::words;

mod names;

/// The specification of every contract: nothing internal. CWE-209 names what a message tells of its surroundings.
pub(crate) static RULE: Rule = Rule::of_reply("leak/surroundings", include_str!("surroundings.toml"), check);

/// Whether the match is an example that identifies nobody.
pub(super) fn is_example(found: &str) -> bool {
    let names_nobody = |word: &str| words!("names/anybody").contains(&word.to_ascii_lowercase().as_str());
    let mut words = found.split(['/', '\\', '=']).skip(1).filter(|word| !word.is_empty());
    match words.next() {
        Some("home" | "Users") => words.next().is_some_and(names_nobody),
        Some(value) => found.contains('=') && names_nobody(value),
        None => false,
    }
}

/// Whether a text leads to a path as to the place where the server's user keeps a file for it: "No license found at ..".
pub(super) fn is_where_to_put(before: &str) -> bool {
    pattern!("leak/where-to-put").is_match(before)
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Name the setting or the service, and leave out where it is and who runs it.";
    let found = super::judged(context, RULE.id, "where the server runs", help);
    match found.is_empty() {
        true => names::diagnostic(context, help).into_iter().collect(),
        false => found.into_iter().filter(|diagnostic| !is_shown_by_a_success(context, diagnostic)).collect(),
    }
}

/// Whether a call that succeeded gave the same place away: what the server tells everybody is part of what it does.
fn is_shown_by_a_success(context: &Context<'_>, diagnostic: &Diagnostic) -> bool {
    /// A shorter text may stand anywhere.
    const SHORTEST: usize = 6;
    /// The parts of `/root/.shelf/notes`, the empty one before the first slash included.
    const HOME: usize = 4;
    let marked = diagnostic.evidence.as_ref().and_then(|evidence| {
        let (start, end) = evidence.span?;
        evidence.text.get(start..end)
    });
    let place =
        marked.map(|marked| marked.trim_matches(|sign: char| !(sign.is_alphanumeric() || sign == '/')));
    // Of a path the folder in the home: what lies in it differs from call to call.
    let place = place.map(|place| place.split('/').take(HOME).collect::<Vec<_>>().join("/"));
    let Some(place) = place.filter(|place| place.len() >= SHORTEST) else { return false };
    let is_success = |other: &Exchange| {
        let is_disguised = || wording::disguised_error(other, None, context.contract).is_some();
        other.outcome.result().is_some() && !other.outcome.is_tool_error() && !is_disguised()
    };
    context.run_record.is_shown(&place, is_success)
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    use crate::exchange::Outcome;
    use crate::expectation::Expected;
    use crate::rules::RunRecord;
    use crate::rules::fixture::Fixture;

    #[test]
    fn a_place_that_a_success_shows_is_no_secret() {
        let text = "[Errno 17] File exists: '/root/.shelf/notes.txt'";
        let fixture = Fixture::refusal(text, &json!({"id": "7"}), Expected::Anything);
        let found = |shown: &str| {
            let mut success = fixture.exchange.clone();
            success.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": shown}]}));
            let recorded = [success, fixture.exchange.clone()];
            let run_record = RunRecord::new(&[], &recorded);
            let context = Context { run_record: &run_record, exchange: &recorded[1], ..fixture.context() };
            super::check(&context).len()
        };
        assert_eq!(found("Stored as file:///root/.shelf/notes.txt"), 0);
        assert_eq!(found("Stored in /root/.other/notes.txt"), 1);
        assert_eq!(found("Stored."), 1);
    }

    #[test]
    fn an_example_of_a_path_names_nobody() {
        for found in [" /home/user/notes.txt", r"C:\Users\YourName\notes", "USER=name", " /Users/me/a"] {
            assert!(is_example(found), "{found}");
        }
        for found in [" /home/deploy/user/a", r"C:\Users\anna\name", "USER=deploy", "http://10.0.0.7/me"] {
            assert!(!is_example(found), "{found}");
        }
    }
}
