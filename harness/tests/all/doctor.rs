//! `doctor`: the machine, the configuration and the server's start.

use crate::config::SERVER;
use crate::program::{Folder, folder, stdout};

/// What it tells, with this exit code, in at most twenty lines.
fn output(folder: &Folder, arguments: &[&str], code: i32) -> String {
    let output = stdout(&folder.run(&[&["doctor"], arguments].concat()).code(code));
    assert!(output.lines().count() <= 20, "{output}");
    for label in
        ["program    mcp-errconf ", "system     ", "confine    ", "git        ", "runtimes   ", "verdict    "]
    {
        assert!(output.lines().any(|line| line.starts_with(label)), "{label}: {output}");
    }
    output
}

#[test]
fn a_server_that_starts_is_reported_with_its_tools_and_leaves_nothing() {
    let folder = folder().with("server.sh", SERVER);
    let output = output(&folder, &["--", "sh", "server.sh"], 0);
    assert!(output.contains("script 1, MCP 2025-11-25; tools: 2, with a role: 1"), "{output}");
    assert!(output.contains("nothing keeps `mcp-errconf run` from working"), "{output}");
    assert_eq!(folder.files(), ["server.sh"]);
}

#[test]
fn a_server_that_does_not_start_is_reported_with_why_and_what_to_do() {
    let folder = folder().with("mcp-errconf.toml", "[server]\ncommand = ['./no-such-server']\n");
    let output = output(&folder, &[], 3);
    assert!(output.contains("config     mcp-errconf.toml: the default contract"), "{output}");
    assert!(
        output.contains("there is no such program") && output.contains("  next     start it by hand"),
        "{output}"
    );
    assert!(output.contains("does not work yet"), "{output}");
}

#[test]
fn a_wrong_configuration_does_not_hide_what_the_machine_can_do() {
    let folder = folder().with("mcp-errconf.toml", "[server]\ncomand = ['sh']\n");
    let output = output(&folder, &[], 2);
    assert!(
        output.contains("mcp-errconf.toml:2:1: unknown key `comand`: did you mean `command`?"),
        "{output}"
    );
}

#[test]
fn without_a_server_none_is_started() {
    let output = output(&folder(), &[], 0);
    assert!(output.contains("none is named") && output.contains("doctor -- ./my-server"), "{output}");
    assert!(output.contains("no `mcp-errconf.toml` here"), "{output}");
}

#[test]
#[cfg(feature = "reference-server")]
fn the_bundled_server_starts_wherever_the_program_does() {
    let output = output(&folder(), &["--bundled"], 0);
    assert!(output.contains("MCP 2025-11-25; tools: "), "{output}");
}
