//! How a session begins. Today the legacy lifecycle: `initialize`, then `notifications/initialized`.
//!
//! The modern one (from 2026-07-28) has no handshake; it will stand beside this as another way to a [`Welcome`].

use serde_json::{Value, json};

/// The notification that ends the handshake.
pub const INITIALIZED: &str = "notifications/initialized";

/// The protocol versions of the legacy lifecycle, newest first; the first is asked for.
pub const LEGACY_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// What a server says of itself when a session begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Welcome {
    /// `serverInfo.name`, empty where it is missing.
    pub name: String,
    /// `serverInfo.version`, empty where it is missing.
    pub version: String,
    /// The protocol version that it chose.
    pub protocol_version: String,
}

/// The parameters of `initialize`.
pub fn initialize_params() -> Value {
    json!({
        "protocolVersion": LEGACY_VERSIONS[0],
        "capabilities": {"roots": {"listChanged": false}},
        "clientInfo": {"name": "mcp-errconf", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// Reads the result of `initialize`.
///
/// # Errors
/// When it names no protocol version, or one that this client does not speak; with the cause in words.
pub fn welcome(result: &Value) -> Result<Welcome, String> {
    let Some(protocol_version) = result.get("protocolVersion").and_then(Value::as_str) else {
        return Err("its reply to `initialize` has no `protocolVersion`".to_owned());
    };
    if !LEGACY_VERSIONS.contains(&protocol_version) {
        return Err(format!(
            "it chose protocol version {protocol_version:?}; this program speaks {}",
            LEGACY_VERSIONS.join(", ")
        ));
    }
    let info = |member: &str| {
        let text = result.get("serverInfo").and_then(|info| info.get(member)).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    Ok(Welcome {
        name: info("name"),
        version: info("version"),
        protocol_version: protocol_version.to_owned(),
    })
}
