//! `leak/surroundings`: where the server runs, and for whom, comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

use super::{Confidence, Language, Pattern, Place};

mod names;

/// How it shows.
pub(super) static PATTERNS: &[Pattern] = &[
    Pattern {
        language: Language::Any,
        tells: "a user's home folder",
        regex: r#"(?:^|[\s"'(=,\[`:])/(?:home|Users)/[A-Za-z_][\w.-]*/[\w.@+-][\w.@+/-]*"#,
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &[
            "cannot write /home/deploy/.cache/reader/index.db",
            "no config at '/Users/anna/.reader.toml'",
        ],
        misses: &["/home is outside the root", "see https://example.org/home/start/page"],
    },
    Pattern {
        language: Language::Any,
        tells: "a user's home folder",
        regex: r"\b[A-Za-z]:\\{1,2}Users\\{1,2}[A-Za-z_][\w.-]*\\{1,2}[\w.@+-]+",
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &[r"cannot write C:\Users\anna\AppData\Local\reader"],
        misses: &[r"C:\Users is outside the root"],
    },
    Pattern {
        language: Language::Any,
        tells: "an address of an internal network",
        regex: r"(?:://|@)(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}\b|\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}:\d{2,5}\b",
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &["cannot reach http://10.20.0.7/v1", "no answer from 192.168.4.11:5432"],
        misses: &["10.0.0.0/8 is a private network: use a public address", "version 10.2.3.4 is too old"],
    },
    Pattern {
        language: Language::Any,
        tells: "the name of an internal host",
        regex: r"\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.svc\.cluster\.local\b|://[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:internal|corp|intranet)\b",
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &["no answer from store.prod.svc.cluster.local", "GET https://billing.corp/v1 failed"],
        misses: &["hosts in .internal are refused", "org.reader.internal is no package"],
    },
    Pattern {
        language: Language::Any,
        tells: "a variable of the server's environment with its value",
        regex: r#"\b(?:HOME|USER|USERNAME|LOGNAME|HOSTNAME|COMPUTERNAME|USERPROFILE)=[^\s,;\x1a*<>{}'"$%]{2,}"#,
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &["started with HOME=/srv/reader USER=deploy"],
        misses: &["HOME is not set", "set USER=<name> first"],
    },
];

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
