//! `wire/reserved-code`: a JSON-RPC error has a code that MCP reserves for itself.

use crate::exchange::Outcome;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Rule};

/// The first protocol version that reserves codes.
const RESERVING: &str = "2026-07-28";
/// The request that -32002 answers in earlier versions.
const READ: &str = "resources/read";
/// The protocol version that defines -32042: the client is to open an address.
const WITH_ELICITATION: &str = "2025-11-25";

/// The statement on codes of a server's own.
const OWN_CODES: &str = "MCP 2026-07-28 own-codes";

/// MCP 2026-07-28: the codes from -32020 to -32099 are the specification's own; three of them are defined.
pub(crate) static RULE: Rule =
    Rule::of_reply("wire/reserved-code", include_str!("reserved_code.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Outcome::Error(error) = &context.exchange.outcome else { return Vec::new() };
    let version = context.head.protocol_version.as_str();
    let what = match error.code {
        -32022..=-32020 => return Vec::new(),
        -32042 if version == WITH_ELICITATION => return Vec::new(),
        // MCP, Resources, Error Handling: until then the code for a resource that does not exist.
        -32002 if version < RESERVING && context.exchange.call.method == READ => return Vec::new(),
        -32002 => "which meant \"resource not found\" and has been withdrawn since 2026-07-28",
        -32099..=-32020 => "which MCP has reserved since 2026-07-28 but does not define",
        -32019..=-32000 if version >= RESERVING => {
            "from the range that JSON-RPC reserves for implementations"
        }
        _ => return Vec::new(),
    };
    let is_should = (-32019..=-32000).contains(&error.code) && error.code != -32002;
    let message =
        format!("`{}` is answered with the JSON-RPC error {}, {what}", context.called(), error.code);
    let help = "Use -32602 for bad parameters, -32603 for a failure of the server itself, or a code outside \
        -32768 to -32000.";
    let diagnostic = Diagnostic::new(message, help).evidence(Evidence::whole(error.message.as_str()));
    vec![match version < RESERVING {
        true => diagnostic.level(Level::Note),
        false if is_should => diagnostic.level(Level::Should).requirement(OWN_CODES),
        false => diagnostic,
    }]
}
