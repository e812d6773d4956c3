//! The sarif report: SARIF 2.1.0, which code scanning takes.
//!
//! A fault in a server's replies has no line in its sources, so the logical location is the case and the tool, and the
//! physical one is the anchor file. Crates for all of SARIF generate thousands of lines from its schema, of which only
//! these few members are needed; a test checks the document against the schema.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::escape;
use crate::finding::{Finding, Level, State};
use crate::rules::{self, Rule};

use super::view::FindingView;
use super::{ANCHOR, Kind, ReportFormat, ReportView, json};

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "sarif",
    kind: Kind::AtTheEnd(|view, out| out.write_all(json::document(&log(view))?.as_bytes())),
};

/// The whole report.
fn log(view: ReportView<'_>) -> Value {
    let report = view.report;
    let server = if report.server.name.is_empty() { "server" } else { report.server.name.as_str() };
    let rules: Vec<Value> = rules::all().iter().map(|rule| descriptor(rule)).collect();
    // A state is set on all results or on none, as SARIF requires: only if there was a baseline.
    let is_compared = view.in_state(State::Known).next().is_some();
    let results: Vec<Value> = view.findings().map(|shown| result(shown, is_compared)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "mcp-errconf",
                    "semanticVersion": report.harness.version,
                    "rules": rules,
                },
            },
            // Distinguishes the results of different servers and contracts in code scanning.
            "automationDetails": {
                "id": format!("mcp-errconf/{}/{}/", segment(&report.contract.id), segment(server)),
            },
            "invocations": [invocation(view)],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn invocation(view: ReportView<'_>) -> Value {
    let notification = |level: &str, text: &str| json!({"level": level, "message": message(text)});
    let failure = view.failure().map(|why| notification("error", &format!("{why}; {}", view.figures())));
    let mut invocation = json!({
        "executionSuccessful": failure.is_none(),
        "exitCode": view.conclusion.exit_code(),
    });
    let notices = view.notices().into_iter().map(|notice| {
        let level = if notice.is_warning { "warning" } else { "note" };
        notification(level, &format!("{}: {}", notice.label, notice.text))
    });
    let notifications: Vec<Value> = failure.into_iter().chain(notices).collect();
    if !notifications.is_empty() {
        invocation["toolExecutionNotifications"] = notifications.into();
    }
    invocation
}

fn descriptor(rule: &Rule) -> Value {
    let mut descriptor = json!({
        "id": rule.id,
        "shortDescription": message(&rule.page().summary),
        "fullDescription": message(&rule.page().summary),
    });
    if let Some(address) = rules::address(rule) {
        descriptor["helpUri"] = address.into();
    }
    descriptor["help"] = json!({"text": rule.page().text, "markdown": rule.page().text});
    descriptor["defaultConfiguration"] = json!({"level": level(rule.page().level)});
    descriptor["properties"] = json!({"tags": rule.page().requirements});
    descriptor
}

fn result(shown: FindingView<'_>, is_compared: bool) -> Value {
    let finding = shown.finding;
    let mut lines = vec![shown.message()];
    lines.extend(shown.account_in_lines());
    let hash = shown.identity();
    let mut result = json!({"ruleId": finding.rule});
    if let Some(index) = rules::all().iter().position(|rule| rule.id == finding.rule) {
        result["ruleIndex"] = index.into();
    }
    result["level"] = level(finding.level).into();
    result["message"] = message(&lines.join("\n"));
    result["locations"] = json!([{
        "physicalLocation": {
            "artifactLocation": {"uri": uri(shown.view.settings.anchor.as_deref().unwrap_or(ANCHOR))},
            "region": {"startLine": 1},
        },
        "logicalLocations": logical(finding),
    }]);
    // By the second, code scanning identifies alerts. Otherwise it would use the line in the file, which is the same for all.
    result["partialFingerprints"] =
        json!({"errorSignature/v1": hash, "primaryLocationLineHash": format!("{hash}:1")});
    if is_compared {
        let (state, suppressions) = match finding.state {
            State::New => ("new", json!([])),
            State::Known => {
                let justification = "it is in the baseline";
                let suppression =
                    json!({"kind": "external", "status": "accepted", "justification": justification});
                ("unchanged", json!([suppression]))
            }
        };
        result["baselineState"] = state.into();
        result["suppressions"] = suppressions;
    }
    result["occurrenceCount"] = finding.count.max(1).into();
    result["properties"] = json!({"requirement": finding.requirement, "sent": finding.sent});
    result
}

/// The places of a finding, each case and tool once, because SARIF requires a set. Places that differ only in
/// their condition are merged.
fn logical(finding: &Finding) -> Vec<Value> {
    let mut named = BTreeSet::new();
    let places = finding.places.iter().map(|place| {
        let case = place.case.as_ref().map_or("(outside any case)", |case| case.0.as_str());
        let name = place.tool.as_deref().unwrap_or("(no tool)");
        (escape::line(name), escape::line(&format!("{case}/{name}")))
    });
    places
        .filter(|(_, qualified)| named.insert(qualified.clone()))
        .map(|(name, qualified)| json!({"name": name, "fullyQualifiedName": qualified, "kind": "function"}))
        .collect()
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "error",
        Level::Should => "warning",
        Level::Note => "note",
    }
}

/// A message with brackets escaped, because `[words](target)` would be a link.
fn message(text: &str) -> Value {
    json!({"text": text.replace("](", "] (")})
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
