//! SARIF is read by programs of others: a report keeps to what the standard says of every member, and to what code
//! scanning asks for beyond it.

use std::sync::LazyLock;

use jsonschema::Validator;
use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::judge::Report;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::published::{judged, mixed, rendered, shown, text, with_text};
use crate::sample::{hostile, report};

static STANDARD: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(include_str!("sarif.schema.json")).expect("it is JSON");
    jsonschema::options().should_validate_formats(true).build(&schema).expect("it is a schema")
});

/// What the standard has against this log, each with its place.
fn faults(log: &Value) -> Vec<String> {
    STANDARD.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn log(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

fn conforms(text: &str) {
    let faults = faults(&log(text));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_report_of_every_level_state_and_word_is_sarif_as_the_standard_has_it() {
    let mut fresh = mixed();
    fresh.findings.retain(|finding| finding.state == mcp_errconf::finding::State::New);
    for report in [report(), mixed(), fresh, hostile()] {
        conforms(&shown("sarif", &report));
    }
}

#[test]
fn a_run_that_came_to_nothing_is_sarif_too() {
    let unjudged = |report: &Report, conclusion| rendered("sarif", &[judged(report, conclusion)]);
    for conclusion in [
        Conclusion::NotExercised("it ended".into()),
        Conclusion::NothingSelected("no case has this name".into()),
        Conclusion::NothingJudged,
        Conclusion::Interrupted,
    ] {
        let rendered = unjudged(&report(), conclusion);
        conforms(&rendered);
        assert_eq!(log(&rendered)["runs"][0]["invocations"][0]["executionSuccessful"], false, "{rendered}");
    }
}

#[test]
fn a_log_that_the_standard_refuses_is_refused_here() {
    let sound = log(&shown("sarif", &mixed()));
    let check = |pointer: &str, value: Option<Value>| {
        let mut log = sound.clone();
        let (parent, name) = pointer.rsplit_once('/').expect("a member");
        let parent = log.pointer_mut(parent).and_then(Value::as_object_mut).expect("the member is there");
        match value {
            Some(value) => drop(parent.insert(name.to_owned(), value)),
            None => drop(parent.remove(name).expect("the member is there")),
        }
        assert!(!faults(&log).is_empty(), "{pointer}");
    };
    check("/version", Some(json!("2.0.0")));
    check("/runs/0/tool", None);
    check("/runs/0/tool/driver/name", None);
    check("/runs/0/tool/driver/rules/0/id", None);
    check("/runs/0/tool/driver/rules/0/help", None);
    check("/runs/0/invocations/0/executionSuccessful", None);
    check("/runs/0/results/0/message", None);
    check("/runs/0/results/0/level", Some(json!("must")));
    check("/runs/0/results/0/baselineState", Some(json!("known")));
    check("/runs/0/results/0/occurrenceCount", Some(json!(0)));
    check("/runs/0/results/0/partialFingerprints", Some(json!({})));
    check("/runs/0/results/0/locations/0/physicalLocation/region/startLine", Some(json!(0)));
    check(
        "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri",
        Some(json!("/home/somebody/mcp-errconf.toml")),
    );
    check("/runs/0/results/0/locations/0/logicalLocations", Some(json!([{"name": "a"}, {"name": "a"}])));
    check("/runs/0/results/0/rule_id", Some(json!("leak/panic")));
}

proptest! {
    #[test]
    fn no_word_of_a_server_takes_a_log_out_of_the_standard(text in text()) {
        let log = log(&shown("sarif", &with_text(&text)));
        let faults = faults(&log);
        prop_assert!(faults.is_empty(), "{}", faults.join("\n"));
        let results = log["runs"][0]["results"].as_array().expect("results");
        prop_assert_eq!(results.len(), 2);
        for result in results {
            prop_assert!(!result["message"]["text"].as_str().expect("a message").contains("]("));
        }
    }
}
