//! `leak/surroundings`: where the server runs, and for whom, comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

mod names;

/// The specification of every contract: nothing internal. CWE-209 names what a message tells of its surroundings.
pub(crate) static RULE: Rule = Rule {
    id: "leak/surroundings",
    tier: Tier::Ungated,
    level: Level::Should,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6"],
    summary: "an error reply shows where the server runs, and for whom: a home folder, an internal address, its environment, names",
    page: r#"The caller cannot use it, and it tells an attacker who runs the server and what stands behind it (CWE-209).

**Counts:** a path in a user's home folder; an address of an internal network with a port or in a URL; the name of a host in an
internal domain; variables such as `HOME` and `USER` with their values; the name of the machine, or of the user who runs the
server, where it is told as one ("on host build-17"), elsewhere as a Note.

**Does not count:** what the caller sent and what stands in its files; the workspace; placeholders such as `/home/user/`;
the server's installation (`leak/internal-path`) and secrets (`leak/secret`).

**How to fix it:** name the setting or the service ("the store", `READER_CACHE`), not where it is."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/a.txt: no index at /home/deploy/.cache/reader. Choose another file."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/a.txt: it has no index yet. Choose another file."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

/// Names of users that stand for any user, in examples of a path or a setting.
const ANYBODY: [&str; 12] = [
    "user",
    "username",
    "name",
    "you",
    "yourname",
    "your_name",
    "your-name",
    "me",
    "myuser",
    "example",
    "someone",
    "youruser",
];

/// Whether what was found is an example that names nobody.
pub(super) fn is_example(found: &str) -> bool {
    let names_nobody = |word: &str| ANYBODY.contains(&word.to_ascii_lowercase().as_str());
    let mut words = found.split(['/', '\\', '=']).skip(1).filter(|word| !word.is_empty());
    match words.next() {
        Some("home" | "Users") => words.next().is_some_and(names_nobody),
        Some(value) => found.contains('=') && names_nobody(value),
        None => false,
    }
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Name the setting or the service, and leave out where it is and who runs it.";
    let found = super::judged(context, RULE.id, "where the server runs", help);
    match found.is_empty() {
        true => names::told(context, help).into_iter().collect(),
        false => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    #[test]
    fn a_home_folder_that_is_the_bound_is_a_hint() {
        let found = |text: &str| {
            let fixture = Fixture::refusal(text, &json!({"path": "../absent.txt"}), Expected::Anything);
            super::check(&fixture.context()).len()
        };
        assert_eq!(found("Path '../absent.txt' escapes the palace root '/root/.locus'"), 0);
        assert_eq!(found("Only folders within /home/deploy/notes/data may be read"), 0);
        assert_eq!(found("[Errno 17] File exists: '/root/.locus/notes.txt'"), 1);
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
