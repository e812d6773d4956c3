//! The published JSON Schemas of configuration, baseline, recording and events: generated from the types, kept
//! up to date, and valid for what the program writes and reads.

use std::path::PathBuf;

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::baseline::Baseline;
use crate::config::{ConfigFile, Outline, WrittenVariable, render};
use crate::matrix::MatrixDocument;
use crate::recording::RecordingLine;
use crate::report::ndjson;

fn fresh<T: schemars::JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

/// Compares a published schema with the types, or writes it if `UPDATE=1` is set.
fn check<T: schemars::JsonSchema>(name: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schema").join(name);
    let text = serde_json::to_string_pretty(&fresh::<T>()).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some_and(|update| update == "1") {
        std::fs::write(&file, &text).unwrap();
    }
    let published = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(published == text, "schema/{name} is stale: run the tests once with UPDATE=1");
}

#[test]
fn the_published_schemas_say_what_the_types_say() {
    check::<ConfigFile>("config.schema.json");
    check::<MatrixDocument>("matrix.schema.json");
    check::<Baseline>("baseline.schema.json");
    check::<RecordingLine>("transcript.schema.json");
    check::<ndjson::EventLine<'static>>("ndjson.schema.json");
}

#[test]
fn a_configuration_fits_its_schema_as_the_loader_takes_it() {
    let validator = jsonschema::validator_for(&fresh::<ConfigFile>()).unwrap();
    let valid = |text: &str| validator.is_valid(&toml::from_str::<Value>(text).unwrap());
    let loads = |text: &str| crate::config::parse("c.toml", text, std::path::Path::new("")).is_ok();
    for (text, right) in [
        ("contract = 'bracket-code'\n[server]\ncommand = ['x']\nenv = { A = 'b' }\ntimeout = 3\n", true),
        ("[tools.x]\nclass = 'read'\nvalid = { a = 1 }\n[limits]\nroot = true\ndeny = ['*']\n", true),
        ("[levels]\n'message/vague' = 'off'\n[roles.read]\ntool = 'x'\npath = 'y'\n", true),
        ("[server]\ncomand = ['x']\n", false),
        ("[levels]\n'message/vague' = 'of'\n", false),
        ("[tools.x]\nclass = 'reader'\n", false),
        ("[roles.read]\npath = 'y'\n", false),
    ] {
        assert_eq!((valid(text), loads(text)), (right, right), "{text}");
    }
}

#[test]
fn what_init_writes_fits_the_schema() {
    let report = json!({
        "schema_version": 1, "harness": {"version": "0"},
        "server": {"command": ["a \"b\" \\ c\n", "\u{1b}"], "bundled": false, "name": "", "version": "", "protocol_version": "", "lifecycle": "legacy"},
        "contract": {"id": "bracket-code", "chosen": "default", "looks_like": null}, "seed": 0,
        "summary": {"cases": {"total": 0, "passed": 0, "failed": 0, "not_judged": 0, "skipped": 0, "errored": 0},
            "findings": {"must": 0, "should": 0, "note": 0}, "calls": 0, "error_replies": 0, "mendable": {"of": 0, "held": 0}, "duration_ms": 0},
        "bindings": [], "withheld": [], "cases": [], "findings": []
    });
    let report = serde_json::from_value(report).unwrap();
    let text = render(
        &report,
        &Outline {
            contract: "x",
            timeout: None,
            baseline: "b.toml",
            from: None,
            command: &report.server.command,
            env: &[WrittenVariable { name: "A".into(), value: "https://x".into(), is_address: true }],
        },
    );
    let validator = jsonschema::validator_for(&fresh::<ConfigFile>()).unwrap();
    assert!(validator.is_valid(&toml::from_str::<Value>(&text).unwrap()), "{text}");
    let config = crate::config::parse("c.toml", &text, std::path::Path::new("")).unwrap();
    assert_eq!(config.server.command, ["a \"b\" \\ c\n", "\u{1b}"]);
}
