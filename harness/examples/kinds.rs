//! What the program takes the parameters of listed tools for, against labels.
//!
//! ```text
//! cargo run --release -p mcp-errconf --example kinds -- LABELS.toml CATALOGS [--each]
//! ```
//!
//! `CATALOGS` is a folder with a result of `tools/list` for each server of the labels, `SERVER.json`; servers without one are
//! named and left out. A table comes first: precision and recall of each kind, over servers that the table of kinds was changed
//! by and over the others; then what is taken most often for what it is not, with `--each` every such parameter. The last line
//! is one JSON object.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use mcp_errconf::catalog::Catalog;
use mcp_errconf::generate::recognised;

#[path = "kinds/labels.rs"]
mod labels;
#[path = "kinds/tally.rs"]
mod tally;

use labels::{Labels, Named};
use tally::Tally;

const USAGE: &str = "usage: kinds LABELS.toml CATALOGS [--each]";

/// A labelled parameter, and what it is taken for.
struct Answer {
    server: String,
    /// Whether the table of kinds was changed by its server.
    tuned: bool,
    /// The names of the tool and of the parameter.
    place: String,
    /// What it is, the likeliest first.
    labels: Vec<String>,
    /// What it is taken for, called as the labels are.
    taken: String,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [labels, catalogs] => measure(labels, catalogs, false),
        [labels, catalogs, "--each"] => measure(labels, catalogs, true),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("kinds: {message}");
            ExitCode::from(2)
        }
    }
}

fn measure(labels: &str, catalogs: &str, each: bool) -> Result<(), String> {
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| format!("could not read {}: {error}", path.display()))
    };
    let labels = Labels::read(&read(Path::new(labels))?).map_err(|error| format!("{labels}: {error}"))?;
    let mut answers = Vec::new();
    for (name, server) in &labels.server {
        let path = Path::new(catalogs).join(format!("{name}.json"));
        if !path.exists() {
            println!("no catalog of {name} ({} {})", server.is.package, server.is.version);
            continue;
        }
        let listed =
            serde_json::from_str(&read(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut catalog = Catalog::default();
        catalog.add_page(&listed);
        for (tool, parameters) in &server.tools {
            for (parameter, named) in parameters {
                let found = catalog.tool(tool).and_then(|tool| recognised(tool, parameter));
                let taken = found.ok_or_else(|| format!("{name} has no {parameter} of {tool}"))?;
                answers.push(Answer {
                    server: name.clone(),
                    tuned: server.is.tuned,
                    place: format!("{tool} {parameter}"),
                    labels: Named::all(named),
                    taken: labels.called(taken).to_owned(),
                });
            }
        }
    }
    let halves = [
        Tally::of(answers.iter().filter(|one| one.tuned)),
        Tally::of(answers.iter().filter(|one| !one.tuned)),
    ];
    tally::print(&halves, &answers, each);
    println!("{}", serde_json::json!({"tuned": halves[0].to_json(), "others": halves[1].to_json()}));
    Ok(())
}
