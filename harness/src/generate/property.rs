//! A property of all inputs, for tests, and the schemas of which they are drawn.
//!
//! The main function is [`check`]. Arbitrary bytes determine a satisfiable schema, made by [`schema`].

use serde_json::{Map, Value, json};

use super::bytes::Bytes;
use super::confirm::{Confirmer, Ruling};
use super::input::{Input, Validity};

/// What an input says of itself agrees with what the validator says of it.
///
/// # Panics
/// If it does not.
pub fn check(input: &Input, confirmer: &Confirmer, of: &str) {
    let ruling = input.value().map(|value| confirmer.ruling(&value));
    match input.validity {
        Validity::Valid => assert_eq!(ruling, Some(Ruling::Allows), "{of}: {}", input.arguments),
        Validity::Invalid => assert_eq!(ruling, Some(Ruling::Forbids), "{of}: {}", input.arguments),
        Validity::Unknown => {}
    }
}

/// A satisfiable schema for a tool's arguments, determined by these bytes.
pub fn schema(bytes: &[u8]) -> Value {
    let mut source = Bytes::new(bytes);
    let mut schema = object(&mut source, 4);
    schema["$defs"] = json!({
        "Level": {"type": "integer", "minimum": 1, "maximum": 9},
        "Tree": {"type": "object", "properties": {
            "label": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            "next": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]}
        }, "required": ["label"]}
    });
    schema
}

/// Names of members, more and less meaningful ones.
const NAMES: [&str; 10] =
    ["path", "query", "id", "label", "limit", "a/b", "mode~", "files", "pattern", "note"];
/// Satisfiable expressions.
const PATTERNS: [&str; 6] =
    ["^[a-z]+$", "^\\d{4}-\\d{2}$", "x", "^(a|b){2,3}$", "^#[0-9a-f]{6}$", "^\\S+@\\S+$"];

/// Formats of texts.
const FORMATS: [&str; 6] = ["date", "date-time", "uuid", "uri", "email", "ipv4"];

fn object(source: &mut Bytes<'_>, depth: usize) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for _ in 0..source.below(5) {
        let name = NAMES[source.below(NAMES.len())];
        let schema = value(source, depth);
        if source.below(2) == 0 && !properties.contains_key(name) {
            required.push(name);
        }
        properties.insert(name.to_owned(), schema);
    }
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    match source.below(6) {
        0 => schema["additionalProperties"] = json!(false),
        1 => schema["additionalProperties"] = json!({"type": "integer"}),
        2 => schema["minProperties"] = json!(2),
        3 => schema["dependentRequired"] = json!({"path": ["query"]}),
        _ => {}
    }
    if schema["additionalProperties"].is_object() || schema["additionalProperties"] == false {
        // Required members are among the named ones.
        schema["required"] = json!(required);
    }
    schema
}

fn value(source: &mut Bytes<'_>, depth: usize) -> Value {
    let depth = depth.saturating_sub(1);
    match source.below(if depth == 0 { 9 } else { 16 }) {
        0 => json!({}),
        1 => json!({"type": "boolean"}),
        2 => number(source),
        3 => text(source),
        4 => json!({"enum": ["one", "Two", 3, null]}),
        5 => json!({"const": "only"}),
        6 => json!({"$ref": "#/$defs/Level"}),
        7 => json!({"type": ["string", "null"], "default": "d"}),
        8 => json!({"type": "string", "pattern": PATTERNS[source.below(PATTERNS.len())]}),
        9 => {
            let least = source.below(4);
            json!({"type": "array", "items": value(source, depth), "minItems": least, "maxItems": least + source.below(3)})
        }
        10 => {
            json!({"type": "array", "items": {"type": "integer"}, "uniqueItems": true, "minItems": source.below(4)})
        }
        11 => object(source, depth),
        12 => json!({"anyOf": [value(source, depth), {"type": "null"}]}),
        13 => {
            json!({"oneOf": [{"type": "string"}, {"type": "integer"}, object(source, depth)], "description": "d"})
        }
        14 => json!({"$ref": "#/$defs/Tree"}),
        _ => json!({
            "allOf": [
                {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}, "required": ["kind"]},
                {"if": {"properties": {"kind": {"const": "a"}}}, "then": {"required": ["size"], "properties": {"size": number(source)}}}
            ]
        }),
    }
}

fn number(source: &mut Bytes<'_>) -> Value {
    let kind = ["integer", "number"][source.below(2)];
    let least = source.below(200) as i64 - 100;
    match source.below(5) {
        0 => json!({ "type": kind }),
        1 => json!({"type": kind, "minimum": least, "maximum": least + source.below(9) as i64}),
        2 => {
            json!({"type": kind, "exclusiveMinimum": least, "exclusiveMaximum": least + 2 + source.below(9) as i64})
        }
        3 => json!({"type": kind, "multipleOf": 1 + source.below(9), "minimum": least}),
        _ => json!({"type": kind, "maximum": least}),
    }
}

fn text(source: &mut Bytes<'_>) -> Value {
    let least = source.below(40);
    match source.below(4) {
        0 => json!({"type": "string"}),
        1 => json!({"type": "string", "minLength": least, "maxLength": least + source.below(9)}),
        2 => {
            json!({"type": "string", "format": FORMATS[source.below(FORMATS.len())]})
        }
        _ => json!({"type": "string", "examples": ["e1", "e2"]}),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{ProptestConfig, any, proptest};

    use super::super::generator::{Generator, GeneratorSettings};
    use super::super::pool::Pool;
    use super::super::rng::Rng;
    use super::super::tool_files::ToolFiles;
    use super::*;
    use crate::catalog::Tool;
    use crate::class::Class;
    use crate::json::texts;

    /// At most this many inputs of one schema are checked.
    const INPUTS: usize = 24;
    /// After at most this many minimizing steps an input must be minimal.
    const STEPS: usize = 20_000;
    /// The folder of the inputs.
    const FOLDER: &str = "/workspace/property";

    fn holds(input: &Input, confirmer: &Confirmer, schema: &Value) {
        check(input, confirmer, &schema.to_string());
        assert!(!input.arguments.contains(['\n', '\r']), "an input is one line: {:?}", input.arguments);
        assert!(input.validity == Validity::Unknown || input.is_json(), "{}", input.arguments);
        if let Some(value) = input.value() {
            for text in texts(&value) {
                let is_path = text.starts_with('/');
                assert!(!is_path || text.starts_with(FOLDER), "a path leads out of the folder: {text}");
            }
        }
    }

    fn generator(schema: &Value) -> Generator {
        let tool = Tool::named("try", schema.clone());
        let tool_files = ToolFiles::at(FOLDER);
        let settings = GeneratorSettings::complete(Class::Read, &tool_files);
        Generator::new(&tool, &settings)
    }

    fn seed(bytes: &[u8]) -> u64 {
        bytes.iter().fold(1, |seed: u64, byte| seed.wrapping_mul(0x0100_0000_01b3) ^ u64::from(*byte))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

        #[test]
        fn every_input_is_what_it_says(bytes in vec(any::<u8>(), 0..60)) {
            let (schema, seed) = (schema(&bytes), seed(&bytes));
            let generator = generator(&schema);
            let confirmer = Confirmer::new(&schema);
            let (mut rng, pool) = (Rng::seeded(seed), Pool::default());
            for _ in 0..INPUTS {
                let valid = generator.valid(&mut rng, &pool);
                assert_eq!(valid.validity, Validity::Valid, "{}\n{schema}", valid.arguments);
            }
            let mut kept = generator.draw(&mut Rng::seeded(seed), &pool);
            let again = generator.draw(&mut Rng::seeded(seed), &pool);
            assert_eq!(kept, again, "the same seed draws the same");
            for _ in 0..INPUTS {
                let drawn = generator.draw(&mut rng, &pool);
                kept = generator.near(&mut rng, &pool, &kept);
                holds(&drawn, &confirmer, &schema);
                holds(&kept, &confirmer, &schema);
                let is_plain = drawn.changes.is_empty();
                assert!(!is_plain || drawn.validity == Validity::Valid, "{}\n{schema}", drawn.arguments);
            }
        }

        #[test]
        fn whatever_is_looked_for_shrinking_ends(bytes in vec(any::<u8>(), 0..40)) {
            let (schema, seed) = (schema(&bytes), seed(&bytes));
            let generator = generator(&schema);
            let confirmer = Confirmer::new(&schema);
            let mut rng = Rng::seeded(seed);
            let mut input = generator.draw(&mut rng, &Pool::default());
            let mut steps = 0;
            // Random ones show the fault, as with a flaky server.
            while let Some(smaller) = generator.simpler(&input).find(|smaller| {
                assert!(smaller.size() < input.size(), "{smaller:?} is not smaller than {input:?}");
                rng.one_in(3)
            }) {
                holds(&smaller, &confirmer, &schema);
                input = smaller;
                steps += 1;
                assert!(steps < STEPS, "shrinking has no end: {}", input.arguments);
            }
        }

        #[test]
        fn pieces_of_schemas_in_any_order_are_drawn_from(
            pieces in vec(proptest::sample::select(&PIECES[..]), 0..12),
        ) {
            let text = format!("{{{}}}", pieces.join(","));
            let Ok(schema) = serde_json::from_str::<Value>(&text) else { return Ok(()) };
            let generator = generator(&schema);
            let confirmer = Confirmer::new(&schema);
            let (mut rng, pool) = (Rng::seeded(seed(text.as_bytes())), Pool::default());
            for _ in 0..INPUTS {
                let drawn = generator.draw(&mut rng, &pool);
                holds(&drawn, &confirmer, &schema);
                assert!(drawn.arguments.len() < 10_000_000, "an input has an end");
            }
        }
    }

    #[test]
    fn an_array_of_what_is_executed_keeps_to_its_bounds() {
        for (least, most) in [(0, 0), (0, 1), (3, 5), (7, 7)] {
            let items = json!({"type": "string", "format": "uri"});
            let array = json!({"type": "array", "items": items, "minItems": least, "maxItems": most});
            let schema = json!({"type": "object", "properties": {"url": array}, "required": ["url"]});
            let generator = generator(&schema);
            for seed in 0..40 {
                let valid = generator.valid(&mut Rng::seeded(seed), &Pool::default());
                assert_eq!(valid.validity, Validity::Valid, "{}\n{schema}", valid.arguments);
            }
        }
    }

    /// Members of a schema, valid and invalid, some of which contradict each other or are infinite.
    const PIECES: [&str; 24] = [
        r##""$ref":"#""##,
        r##""allOf":[{"$ref":"#"},{"$ref":"#"}]"##,
        r##""anyOf":[{"$ref":"#"},{"$ref":"#/$defs/a"}]"##,
        r##""$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]},"b":{"items":{"$ref":"#/$defs/b"},"minItems":1,"type":"array"}}"##,
        r##""properties":{"a":{"$ref":"#/$defs/a"},"b":{"$ref":"#/$defs/b"},"path":{"default":"/etc/passwd"}}"##,
        r##""properties":{"self":{"$ref":"#"}}"##,
        r#""required":["a","self","zzz"]"#,
        r#""required":7"#,
        r#""type":"object""#,
        r#""type":["object","array","nothing"]"#,
        r#""type":7"#,
        r#""additionalProperties":false"#,
        r#""additionalProperties":{"type":"array","minItems":1000000000}"#,
        r#""minProperties":1000000000"#,
        r#""maxProperties":0"#,
        r#""patternProperties":{"^(a{1000}){1000}$":{},"(":{},"^x+$":{"type":"integer"}}"#,
        r#""enum":[]"#,
        r#""enum":[{"a":1},{"path":"../../x"}]"#,
        r#""const":{"a":"/etc/shadow"}"#,
        r#""not":{}"#,
        r#""if":{"required":["a"]},"then":false,"else":{"required":["b"]}"#,
        r#""dependentRequired":{"a":["b"],"b":["a"]}"#,
        r#""examples":[{"url":"https://example.com/"}],"default":{"file":"~/x"}"#,
        r#""$schema":"http://json-schema.org/draft-04/schema#","exclusiveMinimum":true,"minimum":1e308"#,
    ];
}
