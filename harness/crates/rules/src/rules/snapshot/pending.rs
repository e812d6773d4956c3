//! `snapshot/pending`: an error text that nobody has accepted.

use crate::escape;
use crate::finding::{Diagnostic, Evidence, Level, PendingText};
use crate::rules::{Rule, RunContext};
use crate::snapshot::{Pending, Placing, compare};
use crate::transcript::{PendingPolicy, SnapshotUpdate, Snapshots};

/// A40: a text is reviewed once, and again whenever it changes.
pub static RULE: Rule = Rule::of_run("snapshot/pending", include_str!("pending.toml"), check);

/// How much of the accepted text is shown, in columns.
const ACCEPTED: usize = 240;

fn check(run: &RunContext<'_>) -> Vec<(usize, Diagnostic)> {
    let Some(snapshots) = &run.transcript.head.snapshots else { return Vec::new() };
    let comparison = compare(run.transcript, run.contract).unwrap_or_default();
    let waiting = comparison.pending.iter().filter(|pending| pending.placing(snapshots) != Placing::InPlace);
    waiting.map(|pending| (pending.taken.exchange, diagnostic(pending, snapshots, run))).collect()
}

fn diagnostic(pending: &Pending, snapshots: &Snapshots, run: &RunContext<'_>) -> Diagnostic {
    let Pending { name, taken, before } = pending;
    let message = match before {
        None => format!(
            "`{}` answers with a text that is not in any snapshot: `{name}` would be \
            new",
            taken.tool
        ),
        Some(before) => format!(
            "`{}` answers with a text that differs from the snapshot `{name}`: {}",
            taken.tool,
            escape::line_within(&before.split_whitespace().collect::<Vec<_>>().join(" "), ACCEPTED)
        ),
    };
    let help = match snapshots.update {
        SnapshotUpdate::Nowhere => {
            "Read the text. If it is intended, run the same command where files may be written (not in CI), \
             accept the text with `cargo insta review` or `mcp-errconf snapshots accept DIR`, and commit the \
             file."
        }
        _ => {
            "Read the text. If it is intended, accept it with `cargo insta review` in the snapshots' folder, \
             or with `mcp-errconf snapshots accept DIR`."
        }
    };
    let mut diagnostic = Diagnostic::new(message, help);
    if snapshots.pass == PendingPolicy::Forced {
        diagnostic = diagnostic.level(Level::Note);
    }
    diagnostic.text =
        Some(PendingText { snapshot: name.clone(), accepted: before.clone(), seen: taken.text.clone() });
    diagnostic.evidence =
        run.errors[taken.exchange].as_ref().map(|error| Evidence::whole(error.text.as_str()));
    diagnostic
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::rules::Example;
    use crate::rules::fixture::Fixture;

    fn diagnostics(beside: impl Into<String>) -> Vec<Diagnostic> {
        Fixture::of(&Example { beside: beside.into(), ..RULE.page().bad.clone() }).survey(check)
    }

    /// The fixture's keys for an accepted text.
    fn beside() -> &'static str {
        &RULE.page().bad.beside
    }

    #[test]
    fn without_snapshots_nothing_is_pending() {
        assert_eq!(diagnostics("{}"), []);
    }

    #[test]
    fn where_nothing_is_stored_the_text_is_new() {
        let found = diagnostics(r#"{"snapshots": {"update": "beside", "pass": "usual", "stored": []}}"#);
        assert!(found[0].message.contains("`read__missing@view` would be new"), "{found:?}");
    }

    #[test]
    fn a_changed_text_is_told_beside_the_accepted_one() {
        let text = diagnostics(beside()).remove(0).text.expect("it waits");
        let accepted = text.accepted.expect("there was one");
        assert!(accepted.ends_with("Nothing exists at <value>. List the folder first."), "{accepted}");
        assert!(text.seen.ends_with("<value> is not there. List the folder first."), "{}", text.seen);
        let new =
            diagnostics(r#"{"snapshots": {"update": "beside", "pass": "usual", "stored": []}}"#).remove(0);
        assert_eq!(new.text.expect("it waits").accepted, None);
    }

    #[test]
    fn what_is_accepted_in_place_is_not_pending() {
        assert_eq!(diagnostics(beside().replace("beside\"", "in_place\"")), []);
        assert_eq!(diagnostics(beside().replace("beside\"", "new_in_place\"")).len(), 1);
    }

    #[test]
    fn a_forced_pass_leaves_a_note() {
        assert_eq!(diagnostics(beside().replace("usual", "forced"))[0].level, Some(Level::Note));
    }

    #[test]
    fn in_ci_the_help_says_that_no_file_was_written() {
        let help = diagnostics(beside().replace("beside\"", "nowhere\"")).remove(0).help;
        assert!(help.contains("not in CI"), "{help}");
    }
}
