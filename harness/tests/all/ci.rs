//! `init --ci`: the file with which a code host runs the program.

use std::fs;

use crate::program::{folder, stderr, stdout};

/// Lists one tool, which refuses every call.
const SERVER: &str = r#"
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  case $line in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","inputSchema":{"type":"object","properties":{"what":{"type":"string"}},"required":["what"]},"annotations":{"readOnlyHint":true}}]}}\n' "$id" ;;
    *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"It failed."}],"isError":true}}\n' "$id" ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id" ;;
  esac
done
"#;

#[test]
fn a_configuration_that_is_there_gets_its_file_alone() {
    let folder = folder().with("mcp-errconf.toml", "");
    fs::create_dir(folder.path().join(".git")).expect("the folder is ours");
    let output = stdout(&folder.run(&["init", "--ci", "github"]).code(0));
    assert!(
        output.contains("wrote `.github/workflows/mcp-errconf.yml`") && !output.contains("root"),
        "{output}"
    );
    let workflow = folder.read(".github/workflows/mcp-errconf.yml");
    let version = format!("`pipx install mcp-errconf=={}`", env!("CARGO_PKG_VERSION"));
    assert!(workflow.contains(&version) && workflow.contains("not published yet"), "{workflow}");
    assert!(workflow.contains("cargo install --locked --git https://github.com/"), "{workflow}");
    assert!(
        workflow.contains("run: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
        "{workflow}"
    );
    assert!(
        workflow.contains("# Install or build the server here") && !workflow.contains(" {"),
        "{workflow}"
    );
    assert_eq!(folder.read("mcp-errconf.toml"), "", "it was left alone");
    let output = stderr(&folder.run(&["init", "--ci", "github"]).code(2));
    assert!(output.contains("never overwrites"), "{output}");
}

#[test]
fn gitlab_reads_one_file_and_ours_stands_beside_one_that_is_there() {
    let folder = folder().with("mcp-errconf.toml", "");
    let output = stdout(&folder.run(&["init", "--ci", "gitlab"]).code(0));
    assert!(output.contains("wrote `.gitlab-ci.yml`") && output.contains("root of a repository"), "{output}");
    let job = folder.read(".gitlab-ci.yml");
    let output = stdout(&folder.run(&["init", "--ci", "gitlab"]).code(0));
    assert!(output.contains("wrote `.gitlab/mcp-errconf.yml`"), "{output}");
    assert!(output.contains("- local: .gitlab/mcp-errconf.yml"), "{output}");
    assert_eq!(folder.read(".gitlab/mcp-errconf.yml"), job);
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
    assert!(folder.read("mcp-errconf.toml").contains("server.sh"));
}

/// A configuration for a Node server that needs a key.
const NODE: &str =
    "[server]\ncommand = ['env', 'A=b', 'node', 'dist/index.js']\nenv = { KEY = '${API_KEY}' }\n";

/// What is written for a project with these files, and what is said about it.
fn written(host: &str, file: &str, config: &str, files: &[(&str, &str)]) -> (String, String) {
    let folder = files
        .iter()
        .fold(folder().with("mcp-errconf.toml", config), |folder, (name, text)| folder.with(name, text));
    let output = stdout(&folder.run(&["init", "--ci", host]).code(0));
    (folder.read(file), output)
}

#[test]
fn a_node_server_gets_node_its_packages_its_build_and_its_secrets() {
    let files = [("package-lock.json", "{}"), ("package.json", r#"{"scripts":{"build":"tsc"}}"#)];
    let (workflow, output) = written("github", ".github/workflows/mcp-errconf.yml", NODE, &files);
    assert!(workflow.contains("uses: actions/setup-node@"), "{workflow}");
    assert!(workflow.contains("        run: |\n          npm ci\n          npm run build\n"), "{workflow}");
    assert!(
        workflow.contains("        env:\n          API_KEY: ${{ secrets.API_KEY }}\n        run: |"),
        "{workflow}"
    );
    assert!(output.contains("set these secrets on the code host: API_KEY"), "{output}");
    assert!(!output.contains("first add the step"), "{output}");
    let (job, _) = written("gitlab", ".gitlab-ci.yml", NODE, &files);
    assert!(job.contains("  image: node:22-bookworm-slim\n"), "{job}");
    assert!(job.contains("  before_script:\n    - npm ci\n    - npm run build\n    - export PATH="), "{job}");
    assert!(job.contains("masked CI/CD variables of the project: API_KEY."), "{job}");
    assert!(job.contains("  allow_failure:\n    exit_codes: 4\n"), "{job}");
}

#[test]
fn a_python_server_gets_python_and_what_it_requires() {
    let config = "[server]\ncommand = ['python3', 'server.py']\n";
    let files = [("requirements.txt", "mcp\n")];
    let install = "python3 -m pip install --requirement requirements.txt\n";
    let (workflow, _) = written("github", ".github/workflows/mcp-errconf.yml", config, &files);
    assert!(workflow.contains("uses: actions/setup-python@") && workflow.contains(install), "{workflow}");
    assert!(!workflow.contains("secrets."), "{workflow}");
    let (job, _) = written("gitlab", ".gitlab-ci.yml", config, &files);
    assert!(job.contains("  image: python:3.13-slim-bookworm\n") && job.contains(install), "{job}");
    let config = "[server]\ncommand = ['uv', 'run', 'server.py']\n";
    let (workflow, _) = written("github", ".github/workflows/mcp-errconf.yml", config, &[("uv.lock", "")]);
    assert!(workflow.contains("uses: astral-sh/setup-uv@"), "{workflow}");
    assert!(workflow.contains("          uv sync --locked\n"), "{workflow}");
}

#[test]
fn where_the_runtime_is_unknown_the_file_says_what_to_add() {
    let config = "[server]\ncommand = ['./my-server']\n";
    let (job, output) = written("gitlab", ".gitlab-ci.yml", config, &[]);
    assert!(job.contains("# Put an image here that has what the server needs."), "{job}");
    assert!(job.contains("# Install or build the server here"), "{job}");
    assert!(output.contains("first add the step that installs or builds the server"), "{output}");
}
