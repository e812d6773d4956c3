//! The published JSON Schemas of case and contract files: generated from the types, and kept up to date.

use std::path::PathBuf;

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::contract::Contract;

use super::Script;

fn fresh<T: schemars::JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

/// Compares a published schema with the types, or writes it if `UPDATE=1` is set.
fn check(name: &str, fresh: &Value) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../conformance-cases/schema").join(name);
    let text = serde_json::to_string_pretty(fresh).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some_and(|update| update == "1") {
        std::fs::write(&file, &text).unwrap();
    }
    let published = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(published == text, "schema/{name} is stale: run the tests once with UPDATE=1");
}

#[test]
fn the_published_schemas_say_what_the_types_say() {
    check("case.schema.json", &fresh::<Script>());
    check("contract.schema.json", &fresh::<Contract>());
}

#[test]
fn every_shipped_file_fits_its_published_schema() {
    for (schema, files) in [
        (fresh::<Script>(), mcp_errconf_cases::cases()),
        (fresh::<Contract>(), mcp_errconf_cases::contracts()),
    ] {
        let validator = jsonschema::validator_for(&schema).unwrap();
        for (id, text) in files {
            let file: Value = toml::from_str(text).unwrap();
            let errors: Vec<_> = validator.iter_errors(&file).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{id}: {errors:?}");
        }
    }
}

#[test]
fn the_published_schema_refuses_what_the_loader_refuses() {
    let validator = jsonschema::validator_for(&fresh::<Script>()).unwrap();
    let (_, text) = mcp_errconf_cases::cases()[0];
    for (from, to) in [("title", "titel"), ("role = \"", "role = \"no-"), ("[call]", "[calls]")] {
        let file: Value = toml::from_str(&text.replacen(from, to, 1)).unwrap();
        assert!(!validator.is_valid(&file), "{to}");
    }
}
