//! `mcp-errconf`: a conformance harness for the error replies of MCP servers.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::fault::contained(|| match cli::parse() {
        Ok(cli) => cli.dispatch(),
        Err(exit) => exit,
    })
}
