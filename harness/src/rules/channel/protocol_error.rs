//! `channel/protocol-error`: a bad argument or a tool's own failure is answered by a JSON-RPC error.

use crate::exchange::Outcome;
use crate::finding::{Breach, Evidence, Layer, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};
use crate::wording::{self, layer};

/// SEP-1303: "Input validation errors should be reported as tool execution errors, so that the model can correct itself."
pub(crate) static RULE: Rule = Rule {
    id: "channel/protocol-error",
    tier: Tier::Ungated,
    level: Level::Should,
    requirements: &["MCP 2025-11-25, SEP-1303"],
    summary: "a bad argument, or a tool's own failure, is answered by a JSON-RPC error instead of a result with `isError: true`",
    page: r#"Clients show the model the results of tools. A JSON-RPC error often ends in the client, and the model never learns what
to change.

**Counts:** any JSON-RPC error in answer to the call of a tool that the server lists. The specification asks for tool
errors since 2025-11-25 (SEP-1303), though its published schema still shows -32602 for arguments: Should under these
versions, a Note under older ones.

**Does not count:** a tool that does not exist, for which MCP itself asks for -32602.

**To mend it:** check the arguments in the tool and return a result with `isError: true`. Where the SDK's own validation
answers first, let it take any object and validate yourself."#,
    check: Check::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"'path' is required"}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[INVALID_INPUT] 'path' is required"}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let Outcome::Error(error) = &scene.exchange.outcome else { return Vec::new() };
    // A15: -32602 is right for a tool that does not exist.
    if scene.tool.is_none() || scene.condition() == Some("unknown-tool") {
        return Vec::new();
    }
    let tool = scene.called();
    let message = format!(
        "`{tool}` answers with the JSON-RPC error {} instead of a result with `isError: true` (`{}`)",
        error.code,
        wording::excerpt(&error.message)
    );
    let mut breach = Breach::new(
        message,
        "Return a tool result with `isError: true` and this text, so that the model sees it. Where the SDK validates before your code runs, accept any object in the handler and validate there.",
    )
    .evidence(Evidence::whole(error.message.as_str()));
    // The specification's wish is younger than the older versions.
    if scene.head.protocol_version.as_str() < "2025-11-25" {
        breach = breach.level(Level::Note);
    }
    breach.layer = layer::is_sdk(&error.message).then_some(Layer::Sdk);
    vec![breach]
}
