//! Who worded an error: the tool, or the validation of an MCP SDK before the tool's own code ran.
//!
//! Each SDK has fixed words of its own. They stand here as data, with a text that they must be found in, and the way to take
//! validation over in that SDK.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;

/// An MCP SDK that answers bad arguments itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sdk {
    /// rmcp, Rust's official one, by serde.
    Rmcp,
    /// serde's own words and nothing else: rust-mcp-sdk, or a server that hands them on.
    Serde,
    /// The TypeScript SDK, by zod.
    TypeScript,
    /// The package `fastmcp` of npm, by the schema library of the server's choice.
    FastMcp,
    /// The Python SDK and FastMCP, by pydantic or jsonschema.
    Python,
    /// go-sdk, by its own JSON Schema package.
    Go,
    /// The C# SDK, by `System.Text.Json` and the binding of parameters.
    CSharp,
}

/// The words by which an SDK is recognised.
struct Words {
    sdk: Sdk,
    /// From the beginning of the text, behind a code in brackets if there is one.
    regex: &'static str,
    /// A text that they begin.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "it stands beside the expression for its reader and its test")
    )]
    hit: &'static str,
}

static WORDS: &[Words] = &[
    Words {
        sdk: Sdk::Rmcp,
        regex: r"failed to deserialize parameters: ",
        hit: "failed to deserialize parameters: missing field `path`",
    },
    Words {
        sdk: Sdk::Serde,
        regex: r"(?:[Ii]nvalid (?:arguments|params|parameters): )?(?:invalid (?:type|value|length): .{1,300}, expected .{1,300}|missing field `[^`]{1,100}`|unknown (?:field|variant) `[^`]{0,300}`, (?:expected .{1,500}|there are no (?:fields|variants)))\z",
        hit: "invalid type: integer `20`, expected a string",
    },
    Words {
        sdk: Sdk::TypeScript,
        regex: r"(?:MCP error -32602: )?(?:Input validation error: )?Invalid arguments for tool \S+: ",
        hit: "MCP error -32602: Input validation error: Invalid arguments for tool read: Required at path",
    },
    // Behind these words a tool may say anything: its own code throws the SDK's `McpError` too.
    Words {
        sdk: Sdk::TypeScript,
        regex: r"MCP error -32602: (?:Tool \S{1,200} (?:not found|disabled)\b|(?:Input|Output) validation error: |Invalid (?:params|request)\b)",
        hit: "MCP error -32602: Tool no_such_tool not found",
    },
    // The request itself does not fit, as where `arguments` is no object: the tool is not even looked for.
    Words {
        sdk: Sdk::TypeScript,
        regex: r#"\[\s*\{[^\[\]]{0,300}"path": \[\s*"params","#,
        hit: "[\n  {\n    \"expected\": \"record\",\n    \"code\": \"invalid_type\",\n    \"path\": [\n      \"params\",\n      \"arguments\"\n    ],",
    },
    // zod asks what should be a record for the `prototype` of its `constructor`, which the caller sent as null.
    Words {
        sdk: Sdk::TypeScript,
        regex: r"Cannot read properties of null \(reading 'prototype'\)\z",
        hit: "Cannot read properties of null (reading 'prototype')",
    },
    Words {
        sdk: Sdk::FastMcp,
        regex: r"(?:MCP error -32602: )?Tool '[^'\n]{1,200}' parameter validation failed: ",
        hit: "MCP error -32602: Tool 'next_task' parameter validation failed: tag: Invalid input: expected string",
    },
    Words {
        sdk: Sdk::Python,
        regex: r"(?:Error executing tool \S+: )?\d+ validation errors? for (?:call\[|\w+Arguments\b)",
        hit: "Error executing tool fetch: 1 validation error for fetchArguments\nurl\n  Field required",
    },
    Words {
        sdk: Sdk::Python,
        regex: r"Error rendering prompt \S+: \d+ validation errors? for \w+\n",
        hit: "Error rendering prompt plan: 1 validation error for plan\namount\n  Input should be a valid number",
    },
    Words {
        sdk: Sdk::Python,
        regex: r"Input validation error: ",
        hit: "Input validation error: 'path' is a required property",
    },
    Words { sdk: Sdk::Python, regex: r"Invalid request parameters\z", hit: "Invalid request parameters" },
    Words {
        sdk: Sdk::Go,
        regex: r#"(?:invalid params: )?validating "arguments": |invalid params: (?:unmarshaling|json: )"#,
        hit: "invalid params: validating \"arguments\": validating root: required: missing properties: [\"path\"]",
    },
    Words {
        sdk: Sdk::CSharp,
        regex: r"An error occurred invoking '[^']+'|The arguments dictionary is missing a value for the required parameter ",
        hit: "An error occurred invoking 'read_file'.",
    },
];

/// The SDK that worded this text, where one did.
pub fn sdk(text: &str) -> Option<Sdk> {
    static EACH: LazyLock<Vec<(Sdk, Regex)>> = LazyLock::new(|| {
        let compiled = WORDS.iter().map(|words| {
            let whole = format!(r"\A(?:\[[A-Z_]+\] )?(?:{})", words.regex);
            (words.sdk, expression(&whole))
        });
        compiled.collect()
    });
    EACH.iter().find(|(_, words)| words.is_match(text)).map(|(sdk, _)| *sdk)
}

/// Whether an SDK worded this text.
pub fn is_sdk(text: &str) -> bool {
    sdk(text).is_some()
}

impl Sdk {
    /// Its name, for a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rmcp => "rmcp",
            Self::Serde => "serde (by rust-mcp-sdk, or handed on by the server)",
            Self::TypeScript => "the TypeScript SDK",
            Self::FastMcp => "fastmcp (npm)",
            Self::Python => "the Python SDK",
            Self::Go => "go-sdk",
            Self::CSharp => "the C# SDK",
        }
    }

    /// How a server takes the validation of arguments over from it.
    pub fn way_out(self) -> &'static str {
        match self {
            Self::Rmcp => {
                "In rmcp, give the tool's function a `JsonObject` instead of `Parameters<T>`, deserialize in it, and return `CallToolResult::error` with words of your own."
            }
            Self::Serde => {
                "In Rust, deserialize the arguments in the tool's own code, where the parameter is known (`serde_path_to_error` tells it), and answer with words of your own."
            }
            Self::TypeScript => {
                "In the TypeScript SDK, use the low-level `Server` with `setRequestHandler(CallToolRequestSchema, ..)`, check the arguments there (`safeParse`), and return `{ isError: true, content }` with words of your own."
            }
            Self::FastMcp => {
                "In fastmcp of npm, give the tool loose `parameters` (such as `z.record(z.string(), z.unknown())`), check them in `execute`, and throw a `UserError` with words of your own."
            }
            Self::Python => {
                "In the Python SDK, use the low-level `Server`, whose `on_call_tool` gets the arguments as they came (before version 2 `@server.call_tool(validate_input=False)`), or declare loose types (`Any`, with defaults) in FastMCP, which is `MCPServer` in newer versions; check in the tool, and return an error with words of your own."
            }
            Self::Go => {
                "In go-sdk, add the tool by the method `Server.AddTool` with a raw handler instead of the function `mcp.AddTool`, unmarshal `req.Params.Arguments` in it, and return a `CallToolResult` with `IsError: true` and words of your own."
            }
            Self::CSharp => {
                "In the C# SDK, take the arguments as a `JsonElement`, or handle the call by a `CallToolHandler`, check in it, and return a `CallToolResult` with `IsError = true` and words of your own."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_each_sdk_are_recognised_with_and_without_a_code_before_them() {
        for words in WORDS {
            assert_eq!(sdk(words.hit), Some(words.sdk), "{}", words.hit);
            assert!(is_sdk(words.hit), "{}", words.hit);
            assert_eq!(sdk(&format!("[INVALID_INPUT] {}", words.hit)), Some(words.sdk), "{}", words.hit);
        }
    }

    #[test]
    fn serdes_words_are_its_own_behind_what_a_server_puts_before_all_of_them() {
        for text in
            ["invalid arguments: missing field `path`", "Invalid params: invalid type: null, expected u32"]
        {
            assert_eq!(sdk(text), Some(Sdk::Serde), "{text}");
        }
        assert!(!is_sdk("invalid arguments: send a path"));
    }

    #[test]
    fn a_tools_own_words_are_not_taken_for_an_sdks() {
        for text in [
            "[INVALID_INPUT] 'path' is required",
            "Invalid arguments: path",
            "no path was given",
            "MCP error -32602: Absolute paths are not allowed",
            "MCP error -32602: Invalid arguments: paths (Required)",
            "2 validation errors for your form",
            "[{\"code\": \"invalid_type\", \"path\": [\"edits\", 0]}]",
            "'limit': invalid type: string, expected a number. Give a number.",
        ] {
            assert!(!is_sdk(text), "{text}");
        }
    }

    #[test]
    fn every_way_out_names_its_sdk() {
        for words in WORDS {
            let name = words.sdk.name().split(" (").next().unwrap_or_default().trim_start_matches("the ");
            assert!(!name.is_empty() && words.sdk.way_out().contains(name), "{name}");
        }
    }
}
