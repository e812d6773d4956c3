//! The parts of a SARIF log that this program writes, as types of our own. Crates for all of SARIF generate
//! thousands of lines from its schema, of which only these few are needed.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::escape;
use crate::finding::{Finding, Level, State};
use crate::report::ReportView;
use crate::report::view::FindingView;
use crate::rules::{self, Rule};

/// The file to attach findings to if there is none: the configuration that a server would have.
const ANCHOR: &str = "mcp-errconf.toml";

#[derive(Debug, Serialize)]
pub(super) struct Log<'r> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'r>; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'r> {
    tool: Tool<'r>,
    automation_details: AutomationDetails,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<SarifResult<'r>>,
}

#[derive(Debug, Serialize)]
struct Tool<'r> {
    driver: Driver<'r>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'r> {
    name: &'static str,
    semantic_version: &'r str,
    rules: Vec<Descriptor>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    help: Help,
    default_configuration: Configuration,
    properties: Tags,
}

#[derive(Debug, Serialize)]
struct Message {
    text: String,
}

#[derive(Debug, Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Debug, Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Debug, Serialize)]
struct Tags {
    tags: Vec<String>,
}

/// Distinguishes the results of different servers and contracts in code scanning.
#[derive(Debug, Serialize)]
struct AutomationDetails {
    id: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    exit_code: u8,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Debug, Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'r> {
    rule_id: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    partial_fingerprints: Fingerprints,
    /// Set on all results or on none, as SARIF requires: only if there was a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<Vec<Suppression>>,
    occurrence_count: usize,
    properties: Map<String, Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    logical_locations: Vec<LogicalLocation>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    name: String,
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Debug, Serialize)]
struct Fingerprints {
    #[serde(rename = "errorSignature/v1")]
    signature: String,
    /// The fingerprint by which code scanning identifies alerts. Otherwise it would use the line in the file,
    /// which is the same for all.
    #[serde(rename = "primaryLocationLineHash")]
    line: String,
}

#[derive(Debug, Serialize)]
struct Suppression {
    kind: &'static str,
    status: &'static str,
    justification: &'static str,
}

/// The whole report.
pub(super) fn log(view: ReportView<'_>) -> Log<'_> {
    let report = view.report;
    let anchor = view.settings.anchor.as_deref().unwrap_or(ANCHOR);
    let compared = view.in_state(State::Known).next().is_some();
    let notification = |level, text: &str| Notification { level, message: message(text) };
    let failure = view.failure().map(|why| notification("error", &format!("{why}; {}", view.figures())));
    let is_successful = failure.is_none();
    let notices = view.notices();
    let notices = notices.iter().map(|notice| {
        notification(
            if notice.is_warning { "warning" } else { "note" },
            &format!("{}: {}", notice.label, notice.text),
        )
    });
    let server = if report.server.name.is_empty() { "server" } else { report.server.name.as_str() };
    let run = Run {
        tool: Tool {
            driver: Driver {
                name: "mcp-errconf",
                semantic_version: &report.harness.version,
                rules: rules::all().iter().map(|rule| descriptor(rule)).collect(),
            },
        },
        automation_details: AutomationDetails {
            id: format!("mcp-errconf/{}/{}/", segment(&report.contract.id), segment(server)),
        },
        invocations: [Invocation {
            execution_successful: is_successful,
            exit_code: view.conclusion.exit_code(),
            tool_execution_notifications: failure.into_iter().chain(notices).collect(),
        }],
        column_kind: "unicodeCodePoints",
        results: view
            .findings()
            .map(|shown| result(shown, anchor, compared.then_some(shown.finding.state)))
            .collect(),
    };
    Log { schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }
}

fn descriptor(rule: &Rule) -> Descriptor {
    Descriptor {
        id: rule.id,
        short_description: message(&rule.page.summary),
        full_description: message(&rule.page.summary),
        help_uri: rules::address(rule),
        help: Help { text: rule.page.text.clone(), markdown: rule.page.text.clone() },
        default_configuration: Configuration { level: level(rule.level) },
        properties: Tags { tags: rule.requirements.iter().map(|id| (*id).to_owned()).collect() },
    }
}

fn result<'r>(shown: FindingView<'r>, anchor: &str, compared: Option<State>) -> SarifResult<'r> {
    let finding = shown.finding;
    let mut lines = vec![shown.message()];
    lines.extend(shown.account_in_lines());
    let hash = shown.identity();
    SarifResult {
        rule_id: &finding.rule,
        rule_index: rules::all().iter().position(|rule| rule.id == finding.rule),
        level: level(finding.level),
        message: message(&lines.join("\n")),
        locations: [Location {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation { uri: uri(anchor) },
                region: Region { start_line: 1 },
            },
            logical_locations: logical(finding),
        }],
        partial_fingerprints: Fingerprints { line: format!("{hash}:1"), signature: hash },
        baseline_state: compared.map(|state| match state {
            State::New => "new",
            State::Known => "unchanged",
        }),
        suppressions: compared.map(|state| match state {
            State::New => Vec::new(),
            State::Known => {
                vec![Suppression {
                    kind: "external",
                    status: "accepted",
                    justification: "it is in the baseline",
                }]
            }
        }),
        occurrence_count: finding.count.max(1),
        properties: [
            ("requirement".to_owned(), json!(finding.requirement)),
            ("sent".to_owned(), finding.sent.clone()),
        ]
        .into_iter()
        .collect(),
    }
}

/// The places of a finding, each case and tool once, because SARIF requires a set. Places that differ only in
/// their condition are merged.
fn logical(finding: &Finding) -> Vec<LogicalLocation> {
    let mut named = BTreeSet::new();
    let places = finding.places.iter().map(|place| {
        let case = place.case.as_ref().map_or("(outside any case)", |case| case.0.as_str());
        let name = place.tool.as_deref().unwrap_or("(no tool)");
        (escape::line(name), escape::line(&format!("{case}/{name}")))
    });
    places
        .filter(|(_, qualified)| named.insert(qualified.clone()))
        .map(|(name, fully_qualified_name)| LogicalLocation { name, fully_qualified_name, kind: "function" })
        .collect()
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "error",
        Level::Should => "warning",
        Level::Note => "note",
    }
}

/// A message's text with brackets escaped, because `[words](target)` would be a link.
fn message(text: &str) -> Message {
    Message { text: text.replace("](", "] (") }
}

/// A relative path as a URI reference.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// A part of a hierarchical id.
fn segment(text: &str) -> String {
    escape::line_within(text, 60).replace('/', "-")
}
