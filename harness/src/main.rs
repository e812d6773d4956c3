//! `mcp-errconf`: a conformance harness for the error replies of MCP servers.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    // Before there is any thread: this process may have to become a confined server.
    if let Some(exit) = mcp_errconf::server::run_as_helper() {
        return exit;
    }
    mcp_errconf::server::install_crash_handlers();
    cli::run_contained()
}
