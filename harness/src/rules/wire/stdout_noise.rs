//! `wire/stdout-noise`: lines that are no messages stand on standard output.

use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

/// MCP, stdio: "The server MUST NOT write anything to its stdout that is not a valid MCP message."
pub(crate) static RULE: Rule = Rule {
    id: "wire/stdout-noise",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["MCP stdio transport"],
    summary: "standard output carries lines that are no JSON-RPC messages",
    page: r#""The server MUST NOT write anything to its stdout that is not a valid MCP message." A client that is strict ends the
session at the first such line; others drop it, and now and then a reply with it.

**Counts:** every line on standard output that is no JSON-RPC message: log lines, banners, blank progress lines.

**Does not count:** standard error, where logs belong.

**To mend it:** send logs to standard error: `console.error`, `logging.basicConfig(stream=sys.stderr)`, `eprintln!`."#,
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
    let lines = if noise.len() == 1 { "a line".to_owned() } else { format!("{} lines", noise.len()) };
    let message = format!(
        "the server wrote {lines} on standard output that {} no JSON-RPC message",
        if noise.len() == 1 { "is" } else { "are" },
    );
    let help = "Write logs to standard error; standard output belongs to the protocol alone.";
    vec![Diagnostic::new(message, help).evidence(Evidence::whole(first.as_str()))]
}
