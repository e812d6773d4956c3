//! `leak/internal-path`: a path of the server's own installation comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

/// The specification of every contract: no path of the server's own installation.
pub(crate) static RULE: Rule = Rule {
    id: "leak/internal-path",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6"],
    summary: "an error reply shows a path of the server's installation",
    page: r#"The caller has no need to know where the server is installed: it shows an attacker what runs there, and a model may try
to open the path.

**Counts:** folders of installed packages and runtimes (`node_modules/`, `site-packages/`, `.cargo/registry/`), and any
path inside the folder of a program on the server's command line.

**Does not count:** the workspace; what the caller sent; a folder of the server's that the message names as the one to use
(`inside the allowed directory '/srv/notes'`).

**How to fix it:** name the parameter or the setting, not the file where the server found it."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/a.txt: see /srv/app/node_modules/reader/index.js. Choose another file."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/a.txt: permission denied. Choose another file."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Name the parameter or the setting, and leave out where the server is installed.";
    super::judged(context, RULE.id, "a path of the server's installation", help)
}
