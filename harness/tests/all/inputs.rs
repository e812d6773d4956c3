//! The generator on the schemas of real servers, and beside a generator that was written by somebody else.

use std::path::PathBuf;

use mcp_errconf::catalog::{Catalog, Tool};
use mcp_errconf::class::Class;
use mcp_errconf::generate::property::{check, schema};
use mcp_errconf::generate::{
    Confirmer, Generator, GeneratorSettings, Input, Pool, Rng, Ruling, ToolFiles, Validity,
};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde_json::Value;

/// Every tool of the recorded servers, with the server's name.
fn recorded() -> Vec<(String, Tool)> {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut files: Vec<PathBuf> = ["catalogs", "schemas"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(data.join(folder)).expect("the folder is a part of the tests"))
        .map(|entry| entry.expect("the folder can be listed").path())
        .collect();
    files.sort();
    let mut tools = Vec::new();
    for file in files {
        let server = file.file_stem().unwrap_or_default().display().to_string();
        let mut catalog = Catalog::default();
        let text = std::fs::read_to_string(&file).expect("a recorded catalog is text");
        catalog.add_page(&serde_json::from_str(&text).expect("a recorded catalog is JSON"));
        tools.extend(catalog.tools.into_iter().map(|tool| (server.clone(), tool)));
    }
    tools
}

fn generator(tool: &Tool) -> Generator {
    let tool_files = ToolFiles::at("/workspace/recorded");
    let settings = GeneratorSettings::complete(Class::from_tool(tool), &tool_files);
    Generator::new(tool, &settings)
}

fn tool(schema: &Value) -> Tool {
    Tool { read_only: Some(true), ..Tool::named("try", schema.clone()) }
}

#[test]
fn every_valid_draw_for_the_tools_of_real_servers_is_valid_and_every_invalid_one_is_not() {
    let tools = recorded();
    assert!(tools.len() > 100, "{}", tools.len());
    let pool = Pool::default();
    for (server, tool) in &tools {
        let of = format!("{server} {}", tool.name);
        let (generator, confirmer) = (generator(tool), Confirmer::new(&tool.input_schema));
        let mut rng = Rng::seeded(7).fork(&of);
        let mut forbidden = 0;
        for _ in 0..40 {
            let valid = generator.valid(&mut rng, &pool);
            assert_eq!(valid.validity, Validity::Valid, "{of}: {}", valid.arguments);
            check(&valid, &confirmer, &of);
            let drawn = generator.draw(&mut rng, &pool);
            check(&drawn, &confirmer, &of);
            check(&generator.near(&mut rng, &pool, &drawn), &confirmer, &of);
            assert!(
                drawn.validity != Validity::Invalid || !drawn.changes.is_empty(),
                "{of}: {}",
                drawn.arguments
            );
            forbidden += usize::from(drawn.validity == Validity::Invalid);
        }
        let says_something = tool.required().next().is_some();
        assert!(forbidden > 0 || !says_something, "{of}: nothing forbidden was drawn");
    }
}

#[test]
fn shrinking_ends_for_the_tools_of_real_servers() {
    let pool = Pool::default();
    for (server, tool) in recorded() {
        let generator = generator(&tool);
        let mut rng = Rng::seeded(3).fork(&server).fork(&tool.name);
        let mut input = generator.draw(&mut rng, &pool);
        while let Some(smaller) = generator.simpler(&input).find(|_| rng.one_in(2)) {
            assert!(smaller.size() < input.size(), "{server} {}: {}", tool.name, smaller.arguments);
            input = smaller;
        }
    }
}

#[test]
fn an_independent_generator_agrees_on_what_is_valid() {
    let mut independent = StdRng::seed_from_u64(1);
    let (mut rng, pool) = (Rng::seeded(1), Pool::default());
    let of_bytes = (0..300).map(|_| {
        let bytes: Vec<u8> = (0..40).map(|_| rng.below(256) as u8).collect();
        schema(&bytes)
    });
    let of_bytes: Vec<Value> = of_bytes.collect();
    let schemas = recorded().into_iter().map(|(_, tool)| tool.input_schema).chain(of_bytes);
    let mut agreed = 0;
    for schema in schemas {
        let (confirmer, generator) = (Confirmer::new(&schema), generator(&tool(&schema)));
        for _ in 0..4 {
            // It refuses a schema now and then; where it draws, both must see the same schema in it.
            let Ok(theirs) = noson::generate(&schema, &mut independent) else { continue };
            if confirmer.ruling(&theirs) != Ruling::Allows {
                continue;
            }
            agreed += 1;
            let ours = generator.valid(&mut rng, &pool);
            assert_eq!(
                ours.validity,
                Validity::Valid,
                "they find {theirs}, we {} in {schema}",
                ours.arguments
            );
            // What somebody else drew is shrunk and changed like what we drew.
            let kept =
                Input { arguments: theirs.to_string(), changes: Vec::new(), validity: Validity::Valid };
            check(&generator.near(&mut rng, &pool, &kept), &confirmer, "a neighbour");
            for smaller in generator.simpler(&kept).take(20) {
                check(&smaller, &confirmer, "a smaller one");
                assert!(smaller.size() < kept.size());
            }
        }
    }
    assert!(agreed > 1_000, "{agreed}");
}
