//! `doctor`: the machine, the configuration and the server's start.

use crate::config::SERVER;
use crate::program::{Folder, folder, stdout};

/// What it tells, with this exit code, in at most twenty lines.
fn told(folder: &Folder, arguments: &[&str], code: i32) -> String {
    let told = stdout(&folder.run(&[&["doctor"], arguments].concat()).code(code));
    assert!(told.lines().count() <= 20, "{told}");
    for label in
        ["program    mcp-errconf ", "system     ", "confine    ", "git        ", "runtimes   ", "verdict    "]
    {
        assert!(told.lines().any(|line| line.starts_with(label)), "{label}: {told}");
    }
    told
}

#[test]
fn a_server_that_starts_is_told_with_its_tools_and_leaves_nothing() {
    let folder = folder().with("server.sh", SERVER);
    let told = told(&folder, &["--", "sh", "server.sh"], 0);
    assert!(told.contains("script 1, MCP 2025-11-25; tools: 2, with a role: 1"), "{told}");
    assert!(told.contains("nothing keeps `mcp-errconf run` from working"), "{told}");
    assert_eq!(folder.files(), ["server.sh"]);
}

#[test]
fn a_server_that_does_not_start_is_told_with_why_and_what_to_do() {
    let folder = folder().with("mcp-errconf.toml", "[server]\ncommand = ['./no-such-server']\n");
    let told = told(&folder, &[], 3);
    assert!(told.contains("config     mcp-errconf.toml: the default contract"), "{told}");
    assert!(
        told.contains("there is no such program") && told.contains("  next     start it by hand"),
        "{told}"
    );
    assert!(told.contains("does not work yet"), "{told}");
}

#[test]
fn a_wrong_configuration_does_not_hide_what_the_machine_can_do() {
    let folder = folder().with("mcp-errconf.toml", "[server]\ncomand = ['sh']\n");
    let told = told(&folder, &[], 2);
    assert!(told.contains("mcp-errconf.toml:2:1: unknown key `comand`: did you mean `command`?"), "{told}");
}

#[test]
fn without_a_server_none_is_started() {
    let told = told(&folder(), &[], 0);
    assert!(told.contains("none is named") && told.contains("doctor -- ./my-server"), "{told}");
    assert!(told.contains("no `mcp-errconf.toml` here"), "{told}");
}

#[test]
#[cfg(feature = "reference-server")]
fn the_bundled_server_starts_wherever_the_program_does() {
    let told = told(&folder(), &["--bundled"], 0);
    assert!(told.contains("MCP 2025-11-25; tools: "), "{told}");
}
