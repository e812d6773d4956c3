//! The text of requirements that belong to no contract: decisions of this project, and sentences of
//! specifications.
//!
//! The sentences of MCP and JSON-RPC are paraphrased, with the page on which they stand; the decisions are
//! those of `conformance-cases/DECISIONS.md`. The main type is [`Statement`].

use std::sync::LazyLock;

use serde::Deserialize;

use crate::document::entries;

/// The revision of MCP whose statements on errors are listed one by one.
pub const REVISION: &str = "2026-07-28";

/// What a revision of MCP says about errors, and how it is checked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The id of the requirement.
    pub id: String,
    /// `must` or `should`, as the specification has it.
    pub level: String,
    /// The page of the specification.
    pub page: String,
    /// The statement, as one sentence.
    pub says: String,
    /// The rules that find a breach.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The cases that bring one about; without any the rules look at every reply.
    #[serde(default)]
    pub cases: Vec<String>,
    /// What is not checked, and why.
    pub unchecked: Option<String>,
}

/// What [`REVISION`] says about errors, in the order of its pages.
pub fn statements() -> &'static [Statement] {
    static STATEMENTS: LazyLock<Vec<Statement>> =
        LazyLock::new(|| entries(include_str!("mcp_2026_07_28.toml")));
    &STATEMENTS
}

/// The text of a requirement that is not a contract's; `None` if the id is unknown or belongs to a contract.
pub fn promise(id: &str) -> Option<&'static str> {
    let of_revision = || statements().iter().find(|statement| statement.id == id);
    let known = PROMISES.iter().find(|(known, _)| *known == id).map(|(_, sentence)| *sentence);
    known.or_else(|| of_revision().map(|statement| statement.says.as_str()))
}

/// Each id once, in the order of the rules that name them.
static PROMISES: &[(&str, &str)] = &[
    (
        "MCP 2025-11-25",
        "A tool reports bad arguments as a result with `isError: true`, not as a JSON-RPC error, so that the model sees what to correct (MCP 2025-11-25, Server Features, Tools, \"Error Handling\").",
    ),
    (
        "SEP-1303",
        "Input validation errors are tool execution errors: this is the proposal that MCP 2025-11-25 \
         adopted, because a model never sees a protocol error and so cannot correct itself.",
    ),
    (
        "MCP stdio transport",
        "A server writes nothing but MCP messages to its standard output, each as one line of UTF-8; its logs belong on standard error (MCP, Base Protocol, Transports, \"stdio\").",
    ),
    (
        "JSON-RPC 2.0",
        "Each request gets one response, with the request's own id and either `result` or an `error` with an \
         integer code and a message (sections 4 and 5 of the specification).",
    ),
    (
        "MCP tool",
        "A tool is listed with an `inputSchema`, a JSON Schema whose `type` is \"object\" (MCP, Server Features, Tools, and the schema of `Tool`).",
    ),
    (
        "MCP progress",
        "A progress notification has the token of a request that is running, and its progress increases (MCP, Base Protocol, Utilities, \"Progress\").",
    ),
    (
        "MCP logging",
        "Log messages contain no credentials or secrets (MCP, Server Features, Utilities, \"Logging\").",
    ),
    (
        "MCP tool result",
        "The result of a tool call has `content`, an array of items that each have a `type`, and may have \
         `isError`, a boolean (MCP, Server Features, Tools, and the schema of `CallToolResult`).",
    ),
    (
        "MCP output schema",
        "If a tool has an `outputSchema`, its structured results conform to it, and clients should validate them (MCP, Server Features, Tools, \"Output Schema\").",
    ),
    (
        "MCP roots",
        "A server respects the boundaries of its roots and validates every path against them (MCP, Client Features, Roots).",
    ),
    (
        "MCP arguments",
        "A call may leave `arguments` out (MCP, schema of `CallToolRequest`), so that a tool that requires none accepts it.",
    ),
    (
        "MCP isError",
        "`isError` says that a tool call ended in an error (MCP, schema of `CallToolResult`): a command that \
         ran to its end was run as requested, whatever its status.",
    ),
    (
        "A6",
        "A message that is a runtime error, or begins with one, is a leak, and so is anything that only a \
         runtime says, wherever it appears; a plain cause after the operation and the value is context.",
    ),
    (
        "A11",
        "A finished background task should not count towards the limit: it is a Should finding if it keeps a \
         new one from starting.",
    ),
    (
        "A13",
        "The exit status may be anywhere in the text: `exit`, `code` or `status`, with the number within a \
         few words.",
    ),
    (
        "A16",
        "An error inside a success is a separate finding: Must if a member of a JSON object says that the \
         call failed, Should if only the first words do.",
    ),
    (
        "A17",
        "If a contract answers errors with ordinary results, an error that is not flagged is still a \
         finding, at Should.",
    ),
    ("A18", "A reply may have `structuredContent` as well as text; if it has both, they must agree."),
    (
        "A23",
        "The contract's own code and status are expected; for a server that uses others, the configuration \
         says so under `[codes]` and `[statuses]`.",
    ),
    (
        "A26",
        "A server that promises codes gives one in each error reply; one that promises none says so, by the \
         contract `plain`.",
    ),
    (
        "A45",
        "A server's memory must not grow with the calls that it answers: steady growth through the second \
         half of many calls that does not level off is a Note.",
    ),
    (
        "A56",
        "An error reply has at most 8 KiB of text besides what the caller sent, and neither a page of HTML nor a \
         block of base64.",
    ),
    (
        "A57",
        "An error message has no characters that steer a terminal, change the direction of writing or hide \
         words, unless the caller sent them.",
    ),
    ("A43", "A reply gives the time that a service asks to wait: not less, and at most half as much again."),
    (
        "A58",
        "A tool that does not have an argument says so, unless its schema allows for any: a model that misspells \
         an optional argument is told by nothing else.",
    ),
    (
        "A59",
        "A server that lacks a key names the variable or the option for it, and says how to get the key and \
         set it.",
    ),
    ("A73", "A success contains no part of a JSON document."),
    ("A75", "A server's log on standard error contains no secret that the server was given."),
    ("A76", "What a reply repeats of the call has the characters that were sent."),
    ("A60", "A reply to a batch that was done in part says so at its top."),
    ("A61", "A reply that was cut says how to get the rest."),
    (
        "A62",
        "An error message has no links that are loaded when it is shown, that track its reader or that sell.",
    ),
    (
        "A63",
        "A message marks what came from the caller or from a service, so that it is not read as the server's own \
         words.",
    ),
    (
        "A40",
        "If texts are kept as snapshots, a new or changed one is a finding until somebody has read and \
         accepted it.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    use crate::rules;

    /// Whether an id has the form that contracts use, such as `BC-05`.
    fn is_contracts(id: &str) -> bool {
        ["BC-", "EE-", "TE-", "PD-", "PL-"].iter().any(|contract| id.starts_with(contract))
    }

    #[test]
    fn every_requirement_of_a_rule_that_is_no_contracts_has_its_sentence() {
        for rule in rules::all() {
            for requirement in rule.requirements.iter().filter(|id| !is_contracts(id)) {
                assert!(promise(requirement).is_some(), "{requirement} of {}", rule.id);
            }
        }
    }

    #[test]
    fn every_sentence_is_whole_and_some_rule_names_its_requirement() {
        for (id, sentence) in PROMISES {
            let named = rules::all().iter().any(|rule| rule.requirements.contains(id));
            assert!(named, "no rule names {id}");
            assert!(sentence.len() > 40 && sentence.ends_with('.'), "{id}: {sentence}");
        }
    }

    #[test]
    fn every_statement_of_the_revision_is_checked_or_says_why_not() {
        for statement in statements() {
            let Statement { id, level, says, rules: checks, unchecked, .. } = statement;
            assert!(id.starts_with("MCP 2026-07-28") && says.ends_with('.'), "{id}: {says}");
            assert!(["must", "should"].contains(&level.as_str()), "{id}: {level}");
            assert!(!checks.is_empty() || unchecked.is_some(), "{id}");
            for rule in checks {
                assert!(rules::find(rule).is_some(), "{id} names the rule {rule}");
            }
        }
    }

    #[test]
    fn a_contracts_own_requirement_is_none_of_these() {
        assert_eq!(promise("BC-05"), None);
    }
}
