//! `wire/stdout-noise`: lines that are no messages stand on standard output.

use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Attribution;
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

/// MCP, stdio: "The server MUST NOT write anything to its stdout that is not a valid MCP message."
pub(crate) static RULE: Rule = Rule {
    id: "wire/stdout-noise",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { attribution: Attribution::Stray, ..super::HANDLING },
    requirements: &["MCP stdio transport"],
    summary: "standard output has lines that are not JSON-RPC messages",
    page: r#""The server MUST NOT write anything to its stdout that is not a valid MCP message." A strict client ends the session at
the first such line; others drop it, and sometimes a reply with it.

**Counts:** every line on standard output that is not a JSON-RPC message: log lines, banners, blank lines, progress
output.

**Does not count:** standard error, where logs belong.

**How to fix it:** send logs to standard error: `console.error`, `logging.basicConfig(stream=sys.stderr)`, `eprintln!`."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: r#"{"noise": ["loading config"]}"#,
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let noise = &context.exchange.noise;
    let Some(first) = noise.first() else { return Vec::new() };
    // One line or many: the same words, so that they are one finding.
    let message =
        format!("the server wrote what is no JSON-RPC message on standard output (lines: {})", noise.len());
    let help = "Write logs to standard error; standard output is only for the protocol.";
    vec![Diagnostic::new(message, help).evidence(Evidence::whole(first.as_str()))]
}
