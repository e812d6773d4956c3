//! How many of the eight planted faults a campaign finds, over several seeds of both sides:
//!
//! ```sh
//! cargo build --release -p mcp-errconf --bin mcp-errconf --example eight_faults --example eight_faults_score
//! target/release/examples/eight_faults_score --seeds 5 --duration 60s
//! ```
//!
//! Each pair of seeds is one campaign against the server `eight_faults`. A fault is found where a finding names its tool
//! and a rule that it breaks; it is reported once where one finding does. The sizes are those of the shrunk inputs beside
//! the smallest that there are, in bytes of JSON; where one stands in the way of another (a crash in the middle of a
//! sequence), the finding counts for both tools. What belongs to no planted fault is reported as well: it is a false alarm.
//! Options behind `--` are handed to `mcp-errconf fuzz`.

#[path = "eight_faults_score/campaign.rs"]
mod campaign;
#[path = "eight_faults_score/tally.rs"]
mod tally;

use std::process::ExitCode;

use campaign::{Campaign, Planted};
use tally::Tally;

const USAGE: &str = "usage: eight_faults_score [--seeds N] [--duration 60s] [-- OPTIONS OF FUZZ]";

/// What the command line asks for.
struct Asked {
    seeds: u64,
    duration: String,
    options: Vec<String>,
}

fn main() -> ExitCode {
    let Some(asked) = asked(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let mut tally = Tally::default();
    for campaigns in 0..asked.seeds {
        for servers in 0..asked.seeds {
            // The campaign does not know the server's seed, and no two servers are alike.
            let (seed, server) = (1 + campaigns, 100 * (1 + campaigns) + servers);
            let run = Campaign { seed, server, duration: &asked.duration, options: &asked.options };
            let scored =
                Planted::of(server).and_then(|planted| Ok(tally::Scored::of(&planted, &run.findings()?)));
            match scored {
                Ok(scored) => {
                    println!("campaign {seed}, server {server}: {scored}");
                    tally.add(&scored);
                }
                Err(what) => {
                    eprintln!("error: campaign {seed}, server {server}: {what}");
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    print!("{tally}");
    ExitCode::SUCCESS
}

fn asked(mut words: impl Iterator<Item = String>) -> Option<Asked> {
    let mut asked = Asked { seeds: 5, duration: "60s".to_owned(), options: Vec::new() };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seeds" => asked.seeds = words.next()?.parse().ok()?,
            "--duration" => asked.duration = words.next()?,
            "--" => asked.options = words.by_ref().collect(),
            _ => return None,
        }
    }
    Some(asked)
}
