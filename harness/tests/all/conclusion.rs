//! What a run comes to, and its exit code.

use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::finding::{Finding, Level, State};
use mcp_errconf::judge::{Report, Strictness};
use mcp_errconf::transcript::Transcript;

use crate::sample::{finding, report, with_finding};

/// A run with such a report has this exit code.
fn check(report: &Report, strictness: Strictness, exit_code: u8) {
    let transcript: Transcript = serde_json::from_value(serde_json::json!({
        "head": {
            "command": [], "bundled": false, "server_name": "", "server_version": "", "protocol_version": "",
            "lifecycle": "legacy", "contract": "bracket-code", "chosen": "default", "catalog": {"tools": []},
            "bindings": [], "limits": {"root": true, "max_file_size": null, "background_tasks": null}, "seed": 0,
            "folders": {"workspace": "", "outside": "", "canary": ""}
        },
        "cases": [], "exchanges": [], "interrupted": false, "duration_ms": 0
    }))
    .expect("it is a transcript");
    assert_eq!(Conclusion::of(&transcript, report, strictness).exit_code(), exit_code);
    let interrupted = Transcript { interrupted: true, ..transcript };
    assert_eq!(Conclusion::of(&interrupted, report, strictness).exit_code(), 130);
}

fn with(level: Level, state: State) -> Report {
    with_finding(report(), Finding { level, state, ..finding("it failed", "it") })
}

#[test]
fn no_finding_is_conformant() {
    check(&report(), Strictness::Should, 0);
}

#[test]
fn must_counts_always_and_should_where_it_is_strict() {
    check(&with(Level::Must, State::New), Strictness::Must, 1);
    check(&with(Level::Should, State::New), Strictness::Must, 0);
    check(&with(Level::Should, State::New), Strictness::Should, 1);
    check(&with(Level::Note, State::New), Strictness::Should, 0);
}

#[test]
fn a_known_finding_does_not_count() {
    check(&with(Level::Must, State::Known), Strictness::Should, 0);
}

#[test]
fn without_an_error_reply_nothing_is_called_conformant() {
    let mut silent = with(Level::Should, State::New);
    silent.summary.error_replies = 0;
    check(&silent, Strictness::Must, 4);
    check(&silent, Strictness::Should, 1);
}
