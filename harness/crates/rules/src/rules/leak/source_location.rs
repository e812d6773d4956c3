//! `leak/source-location`: a position in the server's own source comes through.

use crate::finding::Diagnostic;
use crate::rules::{Context, Rule};

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule =
    Rule::of_reply("leak/source-location", include_str!("source_location.toml"), check);

/// Whether a position is in the caller's project and not in the server's source: servers do not run from test
/// files, and a compiler writes `./` for files of its working folder.
pub(super) fn is_of_a_project(found: &str) -> bool {
    let name = found.rsplit('/').next().unwrap_or(found);
    found.starts_with("./")
        || name.starts_with("test_")
        || ["_test.", ".test.", ".spec.", "_spec."].iter().any(|part| name.contains(part))
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Write the place to the log, and give the caller only the cause.";
    super::judged(context, RULE.id, "a place in the server's source code", help)
}

#[cfg(test)]
mod tests {
    use super::is_of_a_project;

    #[test]
    fn a_test_and_a_file_that_a_compiler_was_given_are_of_the_project() {
        for (found, is_one) in [
            ("store_test.go:18", true),
            ("tests/test_store.py:4", true),
            ("web/store.spec.ts:9:1", true),
            ("./main.go:12:5", true),
            ("src/store.rs:9:1", false),
            ("latest.py:4", false),
        ] {
            assert_eq!(is_of_a_project(found), is_one, "{found}");
        }
    }
}
