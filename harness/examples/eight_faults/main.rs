//! A server with eight planted faults, for measuring what a campaign finds:
//!
//! ```sh
//! cargo run --example eight_faults -- --seed 7 --list
//! mcp-errconf fuzz --allow-destructive -- target/debug/examples/eight_faults --seed 7
//! ```
//!
//! The names of tools and parameters, the thresholds and the places are drawn from the seed (`--seed N`, else the
//! variable `EIGHT_FAULTS_SEED`, else 0). In all else it is an honest server of the contract `bracket-code`: it refuses
//! what its schemas forbid, takes what they allow, and says why. Beside the faulty tools stand sound ones, and `--sound`
//! leaves the faults out.
//!
//! It answers calls in the order in which they come, one at a time, each before the next is read. A hang is one of the
//! whole process, which neither reads nor answers any more; it ends by itself after ten minutes. It keeps what it is given
//! in memory, bounded, and touches no file and no network.

mod fault;
mod innocent;
mod plan;
mod refusal;
mod seed;
mod server;
mod shape;
mod store;
mod tool;

use std::io::{self, BufRead, Write};
use std::process::{ExitCode, abort};
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use fault::Showed;
use plan::Plan;
use server::{Answer, Server};

const USAGE: &str = "usage: eight_faults [--seed N] [--sound] [--list]";

/// What the command line asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Serve,
    List,
}

fn main() -> ExitCode {
    let (plan, task) = match asked(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(what) => {
            eprintln!("error: {what}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let done = match task {
        Task::List => list(&plan),
        Task::Serve => serve(Server::new(plan)),
    };
    // A reader who went away is none of a server's trouble.
    done.unwrap_or(ExitCode::SUCCESS)
}

fn asked(mut words: impl Iterator<Item = String>) -> Result<(Plan, Task), String> {
    let mut seed = std::env::var("EIGHT_FAULTS_SEED").unwrap_or_else(|_| "0".to_owned());
    let (mut mend, mut task): (fn(Plan) -> Plan, Task) = (|plan| plan, Task::Serve);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seed" => seed = words.next().ok_or("--seed needs a number")?,
            "--sound" => mend = Plan::mended,
            "--list" => task = Task::List,
            _ => return Err(format!("unknown argument {word:?}")),
        }
    }
    let seed = seed.parse().map_err(|_| format!("the seed {seed:?} is no whole number"))?;
    Ok((mend(Plan::of(seed)), task))
}

/// One line a fault: its kind, the rule, the tool, in words, and the smallest calls that bring it about; tabs between.
fn list(plan: &Plan) -> io::Result<ExitCode> {
    let mut out = io::stdout().lock();
    for tool in &plan.tools {
        let (Some(fault), Some(calls)) = (&tool.fault, plan::smallest(plan, tool)) else { continue };
        let calls: Vec<_> = calls
            .into_iter()
            .map(|(name, arguments)| json!({"name": name, "arguments": arguments}))
            .collect();
        let (kind, rule) = (fault.kind.name(), fault.kind.rule());
        writeln!(out, "{kind}\t{rule}\t{}\t{fault}\t{}", tool.name, json!(calls))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn serve(mut server: Server) -> io::Result<ExitCode> {
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        match server.answer(&line) {
            Answer::Line(answer) => {
                writeln!(out, "{answer}")?;
                out.flush()?;
            }
            Answer::Nothing => {}
            Answer::Fault(showed) => match showed {
                Showed::Reply(text) | Showed::Silence(text) => eprintln!("{text}"),
                Showed::Hang => {
                    sleep(Duration::from_secs(600));
                    return Ok(ExitCode::FAILURE);
                }
                Showed::Abort(words) => {
                    eprintln!("{words}");
                    abort();
                }
                Showed::Panic(words) => {
                    eprintln!("{words}");
                    return Ok(ExitCode::from(101));
                }
            },
        }
    }
}
