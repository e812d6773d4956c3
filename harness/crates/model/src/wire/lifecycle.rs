//! How a session begins, in either lifecycle: both lead to a [`ServerHello`].
//!
//! In the legacy lifecycle `initialize`, then `notifications/initialized`. In the modern one (from 2026-07-28)
//! there is no handshake: `server/discover` asks the server to describe itself, and every request says in
//! `_meta` which client and version it comes from.

use serde_json::{Value, json};

/// The request that begins the handshake.
pub const INITIALIZE: &str = "initialize";

/// The request that asks a server of the modern lifecycle to describe itself.
pub const DISCOVER: &str = "server/discover";

/// The protocol version of the modern lifecycle.
pub const MODERN_VERSION: &str = "2026-07-28";

/// The notification that ends the handshake.
pub const INITIALIZED: &str = "notifications/initialized";
/// The method by which a server reports the progress of a request that gave a token for it.
pub const PROGRESS: &str = "notifications/progress";
/// The member of a request's `_meta`, and of the params of [`PROGRESS`], that contains this token.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// The method by which a server sends a log message.
pub const LOG_MESSAGE: &str = "notifications/message";

/// The protocol versions of the legacy lifecycle, newest first; the first is requested.
pub const LEGACY_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The server's description of itself at the start of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerHello {
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
pub fn welcome(result: &Value) -> Result<ServerHello, String> {
    let Some(protocol_version) = result.get("protocolVersion").and_then(Value::as_str) else {
        return Err("its reply to `initialize` has no `protocolVersion`".to_owned());
    };
    if !LEGACY_VERSIONS.contains(&protocol_version) {
        return Err(format!(
            "it chose protocol version {protocol_version:?}, but this program supports {}",
            LEGACY_VERSIONS.join(", ")
        ));
    }
    Ok(greeting(result.get("serverInfo"), protocol_version))
}

/// Reads the result of `server/discover`.
///
/// # Errors
/// When it does not name the version that this client speaks; with the cause in words.
pub fn discovered(result: &Value) -> Result<ServerHello, String> {
    let Some(versions) = result.get("supportedVersions").and_then(Value::as_array) else {
        return Err(format!("its reply to `{DISCOVER}` has no `supportedVersions`"));
    };
    if !versions.iter().any(|version| version == MODERN_VERSION) {
        let named: Vec<&str> = versions.iter().filter_map(Value::as_str).take(8).collect();
        return Err(format!(
            "it supports the protocol versions {}, but the only one without a handshake that this program \
             supports is {MODERN_VERSION}",
            named.join(", ")
        ));
    }
    let info = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
    Ok(greeting(info.or_else(|| result.get("serverInfo")), MODERN_VERSION))
}

fn greeting(info: Option<&Value>, protocol_version: &str) -> ServerHello {
    let info = |member: &str| {
        let text = info.and_then(|info| info.get(member)).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    ServerHello {
        name: info("name"),
        version: info("version"),
        protocol_version: protocol_version.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_both_lifecycles_is_read_alike() {
        let info = json!({"name": "s", "version": "1"});
        let legacy = welcome(&json!({"protocolVersion": "2025-11-25", "serverInfo": info})).unwrap();
        let modern = discovered(&json!({
            "resultType": "complete",
            "supportedVersions": ["2025-11-25", "2026-07-28"],
            "_meta": {"io.modelcontextprotocol/serverInfo": info},
        }))
        .unwrap();
        assert_eq!((&legacy.name, &legacy.version), (&modern.name, &modern.version));
        assert_eq!(modern.protocol_version, MODERN_VERSION);
    }

    #[test]
    fn a_version_that_is_not_spoken_is_reported_with_those_that_are() {
        let message = welcome(&json!({"protocolVersion": "1"})).unwrap_err();
        assert!(message.contains("\"1\"") && message.contains("2024-11-05"), "{message}");
        let message = discovered(&json!({"supportedVersions": ["2027-01-01"]})).unwrap_err();
        assert!(message.contains("2027-01-01") && message.contains(MODERN_VERSION), "{message}");
        assert!(discovered(&json!({})).unwrap_err().contains("supportedVersions"));
    }
}
