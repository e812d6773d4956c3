//! Tests what a generator draws: the same for the same seed, changed everywhere, and harmless.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// A generator for a tool of this name and schema.
pub(crate) fn generator(name: &str, schema: &Value, calls: Calls) -> Generator {
    let tool_files = ToolFiles::at("/w/c");
    let class = if calls == Calls::Complete { Class::Read } else { Class::Effect };
    let settings = GeneratorSettings { calls, ..GeneratorSettings::complete(class, &tool_files) };
    Generator::new(&Tool::named(name, schema.clone()), &settings)
}

/// Generators for complete calls of tools of these names and schemas.
pub(crate) fn generators(tools: &[(&str, &Value)]) -> BTreeMap<String, Generator> {
    let of = |(name, schema): &(&str, &Value)| ((*name).to_owned(), generator(name, schema, Calls::Complete));
    tools.iter().map(of).collect()
}

fn search() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "query": {"type": "string", "minLength": 1},
            "mode": {"type": "string", "enum": ["plain", "regex"]},
            "limit": {"type": "integer", "minimum": 1},
            "tags": {"type": "array", "items": {"type": "string"}},
            "range": {"type": "object", "properties": {"from": {"type": "integer"}, "to": {"type": "integer"}}, "required": ["from"]}
        },
        "required": ["path", "query"],
        "additionalProperties": false
    })
}

/// Inputs drawn with an empty pool.
fn drawn(generator: &Generator, count: usize) -> Vec<Input> {
    let (mut rng, pool) = (Rng::seeded(1), Pool::default());
    (0..count).map(|_| generator.draw(&mut rng, &pool)).collect()
}

#[test]
fn an_input_without_a_change_is_valid_and_every_kind_of_change_comes_up() {
    let generator = generator("search", &search(), Calls::Complete);
    let inputs = drawn(&generator, 20_000);
    for input in inputs.iter().filter(|input| input.changes.is_empty()) {
        assert_eq!(input.validity, Validity::Valid, "{}", input.arguments);
    }
    let keywords: BTreeSet<&str> =
        inputs.iter().flat_map(|input| &input.changes).map(|change| change.keyword.as_str()).collect();
    insta::assert_snapshot!(keywords.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_argument_is_changed_those_in_one_another_too() {
    let generator = generator("search", &search(), Calls::Complete);
    let paths: BTreeSet<String> = drawn(&generator, 3_000)
        .into_iter()
        .flat_map(|input| input.changes)
        .map(|change| change.path)
        .collect();
    for path in
        ["", "/path", "/query", "/mode", "/limit", "/tags", "/tags/0", "/range", "/range/from", "/range/to"]
    {
        assert!(paths.contains(path), "{path}: {paths:?}");
    }
}

#[test]
fn what_could_be_executed_is_never_anything_but_harmless() {
    let schema = json!({"type": "object", "properties": {"command": {"type": "string"}, "timeout": {"type": "integer"}}, "required": ["command"]});
    let generator = generator("run_command", &schema, Calls::Complete);
    let (mut rng, mut pool) = (Rng::seeded(1), Pool::default());
    pool.learn("run_command", &json!({"command": "rm -r /"}), &json!({"command": "rm -r /"}));
    let mut kept = generator.draw(&mut rng, &pool);
    for turn in 0..1_500 {
        let near = generator.near(&mut rng, &pool, &kept);
        let fed = generator.with(&near, "command", &json!("rm -r /"));
        for input in [&near, &fed, &generator.draw(&mut rng, &pool)] {
            let value = input.value().unwrap_or_default();
            let text = value["command"].as_str().unwrap_or_default();
            let program =
                text.trim_start().split(|letter: char| letter.is_whitespace()).next().unwrap_or_default();
            assert!(!["rm", "alpha/", "sh"].contains(&program), "{text}");
            assert!(!text.contains("../") && !text.contains("${x}"), "{text}");
        }
        if turn % 50 == 0 {
            for smaller in generator.simpler(&near) {
                let value = smaller.value().unwrap_or_default();
                let text = value["command"].as_str().unwrap_or_default().to_owned();
                let plainest = generator.base["command"].as_str();
                let same = near.value().unwrap_or_default()["command"] == value["command"];
                assert!(same || text.is_empty() || Some(text.as_str()) == plainest, "{text}");
            }
        }
        kept = near;
    }
}

#[test]
fn no_path_leads_out_of_the_folder_whatever_the_server_returned() {
    const SIMPLER: usize = 200;
    let schema = json!({"type": "object", "properties": {
        "path": {"type": "string", "default": "/etc/passwd"}, "files": {"type": "array", "items": {"type": "string"}}, "name": {"type": "string"}},
        "required": ["path"]});
    let tool_files = ToolFiles::at("/w/c");
    let settings = GeneratorSettings::complete(Class::Write, &tool_files);
    let generator = Generator::new(&Tool::named("write_file", schema.clone()), &settings);
    let mut pool = Pool::default();
    let returned = json!({"path": "/etc/shadow", "files": ["/elsewhere/x", "../y"], "name": "../../z"});
    pool.learn("list", &json!({"path": "/", "name": "/etc"}), &returned);
    let mut rng = Rng::seeded(9);
    let mut kept = generator.draw(&mut rng, &pool);
    for turn in 0..1_500 {
        let near = generator.near(&mut rng, &pool, &kept);
        let mut inputs =
            vec![generator.draw(&mut rng, &pool), generator.with(&near, "path", &json!("/etc/hosts"))];
        if turn % 50 == 0 {
            // An input that has been changed a thousand times has ten thousand smaller ones.
            inputs.extend(generator.simpler(&near).take(SIMPLER));
        }
        for input in inputs.iter().chain([&near]) {
            let Some(value) = input.value() else { continue };
            if let Some(path) = value["path"].as_str() {
                assert!(path.starts_with("/w/c"), "{path}");
            }
            for text in crate::json::texts(&value) {
                assert!(
                    !text.trim_start().starts_with('/') || text.trim_start().starts_with("/w/c"),
                    "{text}"
                );
            }
        }
        kept = near;
    }
}

#[test]
fn what_the_server_returned_is_used() {
    let schema =
        json!({"type": "object", "properties": {"note_id": {"type": "string"}}, "required": ["note_id"]});
    let generator = generator("read_note", &schema, Calls::Complete);
    let mut pool = Pool::default();
    pool.learn("create_note", &json!({}), &json!({"structuredContent": {"id": "n-4711"}}));
    let mut rng = Rng::seeded(1);
    let used = (0..200).filter(|_| generator.valid(&mut rng, &pool).arguments.contains("n-4711")).count();
    assert!(used > 20, "{used}");
}

#[test]
fn a_threshold_is_found_again_exactly_by_what_is_simpler() {
    let generator = generator("search", &search(), Calls::Complete);
    let shrunk = |arguments: &str, fails: &dyn Fn(&Input) -> bool| -> String {
        let mut input = generator.judged_text(arguments.to_owned(), Vec::new()).unwrap();
        assert!(fails(&input), "{arguments}");
        let mut calls = 0;
        while let Some(smaller) =
            generator.simpler(&input).inspect(|_| calls += 1).find(|smaller| fails(smaller))
        {
            assert!(smaller.size() < input.size());
            input = smaller;
        }
        assert!(calls < 3_000, "{calls}");
        input.arguments
    };
    let limit = |input: &Input| input.value().and_then(|value| value["limit"].as_i64());
    let arguments = r#"{"path":"/w/c/notes.txt","query":"abc","limit":8123456789012,"tags":["a","b"]}"#;
    let middling =
        |input: &Input| limit(input).is_some_and(|limit| (3_000_000_001..9_000_000_000_000).contains(&limit));
    assert_eq!(shrunk(arguments, &middling), r#"{"limit":3000000001}"#);
    let query =
        |input: &Input| input.value().and_then(|value| Some(value["query"].as_str()?.chars().count()));
    let long = format!(r#"{{"path":"/w/c","query":"{}","mode":"plain"}}"#, "xyz".repeat(3_000));
    let shortest = shrunk(&long, &|input| query(input).is_some_and(|count| count >= 777));
    assert_eq!(shortest, format!(r#"{{"query":"{}"}}"#, "a".repeat(777)));
    let deep = format!(r#"{{"tags":{}{}}}"#, "[".repeat(90), "]".repeat(90));
    let nested = |input: &Input| input.arguments.matches('[').count() >= 5;
    assert_eq!(shrunk(&deep, &nested), r#"{"tags":[[[[[]]]]]}"#);
    let slash = |input: &Input| {
        input.value().is_some_and(|value| value["path"].as_str().is_some_and(|path| path.ends_with('/')))
    };
    assert_eq!(shrunk(r#"{"path":"/w/c/sub/x/","query":"y"}"#, &slash), r#"{"path":"/w/c/"}"#);
    let half = |input: &Input| input.arguments.contains("\\ud8");
    assert_eq!(shrunk(r#"{"path":"/w/c","query":"ab\ud83dcd"}"#, &half), r#"{"query":"\ud83d"}"#);
}

#[test]
fn the_deepest_inputs_are_measured_and_made_smaller_on_the_small_stack_of_a_thread() {
    let generator = generator("search", &search(), Calls::Complete);
    let nested = format!("{}{}", "[".repeat(1_100), "]".repeat(1_100));
    let input = Input {
        arguments: format!(r#"{{"path":"a","query":{nested}}}"#),
        changes: Vec::new(),
        validity: Validity::Unknown,
    };
    assert_eq!(input.size().values, 1_102);
    let smaller: Vec<Input> = generator.simpler(&input).take(50).collect();
    assert!(!smaller.is_empty() && smaller.iter().all(|smaller| smaller.size() < input.size()));
}
