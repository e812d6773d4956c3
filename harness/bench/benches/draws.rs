//! How many inputs a second the generator draws for a typical tool, in one thread: `cargo bench -p
//! mcp-errconf-bench --bench draws`.

use std::hint::black_box;
use std::time::Instant;

use mcp_errconf::catalog::Catalog;
use mcp_errconf::class::Class;
use mcp_errconf::generate::{Generator, GeneratorSettings, Pool, Rng, ToolFiles};
use mcp_errconf_bench::median;
use serde_json::json;

/// The number of inputs drawn in one round.
const INPUTS: usize = 300_000;
/// The median of this many rounds is reported.
const ROUNDS: usize = 5;

fn main() {
    let mut catalog = Catalog::default();
    catalog.add_page(&json!({"tools": [{
        "name": "search_files",
        "description": "Searches files for a text.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The folder to search"},
                "query": {"type": "string", "minLength": 1},
                "mode": {"type": "string", "enum": ["plain", "regex"], "default": "plain"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
                "exclude": {"type": "array", "items": {"type": "string"}}
            },
            "required": ["path", "query"],
            "additionalProperties": false
        }
    }]}));
    let tool_files = ToolFiles::at("/workspace/search");
    let settings = GeneratorSettings::complete(Class::Read, &tool_files);
    let Some(tool) = catalog.tools.first() else { return };
    let generator = Generator::new(tool, &settings);
    let mut pool = Pool::default();
    for number in 0..100 {
        let reply = json!({"structuredContent": {"query": format!("found-{number}"), "id": number}});
        pool.learn("search_files", &json!({"query": format!("word{number}")}), &reply);
    }
    let mut rng = Rng::seeded(1);
    let mut kept = generator.draw(&mut rng, &pool);
    let draws = rate(|| drop(black_box(generator.draw(&mut rng, &pool))));
    let mut rng = Rng::seeded(1);
    let near = rate(|| {
        let input = generator.near(&mut rng, &pool, &kept);
        kept = black_box(input);
    });
    let mut rng = Rng::seeded(1);
    let bytes: usize = (0..INPUTS).map(|_| generator.draw(&mut rng, &pool).arguments.len()).sum();
    println!("draws a second:      {draws:>9.0}");
    println!("neighbours a second: {near:>9.0}");
    println!("bytes an input:      {:>9.0}", bytes as f64 / INPUTS as f64);
}

/// How often something is done in a second.
fn rate(mut one: impl FnMut()) -> f64 {
    let rates = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        (0..INPUTS).for_each(|_| one());
        INPUTS as f64 / start.elapsed().as_secs_f64()
    });
    median(rates.collect())
}
