//! Who worded an error: the tool, or the validation of an MCP SDK before the tool's own code ran.

use std::sync::LazyLock;

use regex::Regex;

/// Whether an SDK worded this text: rmcp, the TypeScript SDK, the Python SDK with FastMCP, go-sdk, each by its own
/// fixed words.
pub fn is_sdk(text: &str) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        let words = [
            r"failed to deserialize parameters: ",
            r"MCP error -32602: ",
            r"Input validation error: ",
            r"Invalid arguments for tool \S+: ",
            r"(?:Error executing tool \S+: )?\d+ validation errors? for (?:call\[|\w+Arguments\b)",
            r#"(?:invalid params: )?validating "arguments": "#,
            r"invalid params: (?:unmarshaling|json: )",
            r"Invalid request parameters$",
        ];
        Regex::new(&format!(r"\A(?:\[[A-Z_]+\] )?(?:{})", words.join("|")))
            .expect("the expression is well-formed")
    });
    WORDS.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::is_sdk;

    #[test]
    fn the_words_of_the_sdks_are_recognised() {
        for text in [
            "failed to deserialize parameters: missing field `path`",
            "MCP error -32602: Input validation error: Invalid arguments for tool read: Required",
            "Error executing tool fetch: 1 validation error for fetchArguments\nurl\n  Field required",
            "invalid params: validating \"arguments\": validating root: required: missing properties: [\"path\"]",
        ] {
            assert!(is_sdk(text), "{text}");
        }
    }

    #[test]
    fn a_tools_own_words_are_not_taken_for_an_sdks() {
        for text in ["[INVALID_INPUT] 'path' is required", "Invalid arguments: path", "no path was given"] {
            assert!(!is_sdk(text), "{text}");
        }
    }
}
