//! `init --ci`: the file with which a code host runs the program.

use std::fs;

use crate::program::{Folder, folder, stderr, stdout};

/// Answers the start of a session, lists no tool, and takes whatever else is asked.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","inputSchema":{"type":"object","properties":{"what":{"type":"string"}},"required":["what"]},"annotations":{"readOnlyHint":true}}]}}\n' "$id" ;;
    *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"It failed."}],"isError":true}}\n' "$id" ;;
  esac
done
"#;

fn read(folder: &Folder, file: &str) -> String {
    fs::read_to_string(folder.path().join(file)).expect("it was written")
}

#[test]
fn a_configuration_that_is_there_gets_its_file_alone() {
    let folder = folder().with("mcp-errconf.toml", "");
    fs::create_dir(folder.path().join(".git")).expect("the folder is ours");
    let output = stdout(&folder.run(&["init", "--ci", "github"]).code(0));
    assert!(
        output.contains("wrote `.github/workflows/mcp-errconf.yml`") && !output.contains("root"),
        "{output}"
    );
    let workflow = read(&folder, ".github/workflows/mcp-errconf.yml");
    let version = format!("mcp-errconf=={} run", env!("CARGO_PKG_VERSION"));
    assert!(workflow.contains(&version) && !workflow.contains("{version}"), "{workflow}");
    assert_eq!(read(&folder, "mcp-errconf.toml"), "", "it was left alone");
    let output = stderr(&folder.run(&["init", "--ci", "github"]).code(2));
    assert!(output.contains("never overwrites"), "{output}");
}

#[test]
fn gitlab_reads_one_file_and_ours_stands_beside_one_that_is_there() {
    let folder = folder().with("mcp-errconf.toml", "");
    let output = stdout(&folder.run(&["init", "--ci", "gitlab"]).code(0));
    assert!(output.contains("wrote `.gitlab-ci.yml`") && output.contains("root of a repository"), "{output}");
    let job = read(&folder, ".gitlab-ci.yml");
    let output = stdout(&folder.run(&["init", "--ci", "gitlab"]).code(0));
    assert!(output.contains("wrote `.gitlab/mcp-errconf.yml`"), "{output}");
    assert!(output.contains("- local: .gitlab/mcp-errconf.yml"), "{output}");
    assert_eq!(read(&folder, ".gitlab/mcp-errconf.yml"), job);
    folder.run(&["init", "--ci", "gitlab"]).code(2);
}

#[test]
fn without_a_configuration_the_server_is_asked_for_and_inspected_first() {
    let folder = folder().with("server.sh", SERVER);
    let output = stderr(&folder.run(&["init", "--ci", "github"]).code(2));
    assert!(output.contains("no `mcp-errconf.toml`") && output.contains("-- ./my-server"), "{output}");
    assert_eq!(folder.files(), ["server.sh"]);
    let output = stdout(&folder.run(&["init", "--ci", "github", "--", "sh", "server.sh"]).code(0));
    assert!(output.contains("wrote `mcp-errconf.toml`"), "{output}");
    assert!(output.contains("wrote `.github/workflows/mcp-errconf.yml`"), "{output}");
    assert!(read(&folder, "mcp-errconf.toml").contains("server.sh"));
}
