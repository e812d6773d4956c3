//! `--from FILE --server NAME`: the server of a host's file.

use std::fs;

use mcp_errconf::finding::Level;

use crate::config::SERVER;
use crate::program::{Folder, first_of, folder, stderr, stdout};

/// What must stand nowhere.
const SECRET: &str = "Xq7-verysecret-93";

/// Two servers; one tells its key in every error, in the reply and on standard error.
fn hosted() -> Folder {
    let file = format!(
        r#"{{"mcpServers": {{
            "talks": {{"command": "sh", "args": ["server.sh", "--api-key", "${{KEY_OF_TEST}}"],
                "env": {{"TEXT": "[NOT_FOUND] the key {SECRET} is wrong", "API_KEY": "{SECRET}"}}}},
            "far": {{"type": "http", "url": "https://example.com/mcp"}}
        }}}}"#
    );
    let server = format!("echo \"started with $API_KEY\" >&2\n{SERVER}");
    folder().with("server.sh", &server).with(".mcp.json", &file)
}

/// Every file below the folder but those that were there before.
fn written(folder: &Folder) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut open = vec![folder.path().to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("it is a folder").flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if path.is_dir() {
                open.push(path);
            } else if ![".mcp.json", "server.sh"].contains(&name.as_str()) {
                files.push((name, fs::read_to_string(path).expect("it is a text")));
            }
        }
    }
    files
}

#[test]
fn a_server_of_a_file_is_judged_and_its_secrets_are_reported_nowhere() {
    let folder = hosted();
    let reports = ["json", "ndjson", "junit", "sarif", "markdown", "html", "gitlab"];
    let mut run = folder.program_with(
        "run --from .mcp.json --server talks --filter read/missing-file --transcript t.jsonl --snapshots texts -v \
         --report human",
    );
    run.env("KEY_OF_TEST", SECRET);
    for report in reports {
        run.args(["--report".to_owned(), format!("{report}={report}.out")]);
    }
    let run = run.assert().code(1);
    let files = written(&folder);
    assert!(files.len() > reports.len() + 1, "{files:?}");
    let output = [("out".to_owned(), stdout(&run)), ("err".to_owned(), stderr(&run))];
    for (name, text) in files.iter().chain(&output) {
        assert!(!text.contains(SECRET), "{name}: {text}");
    }
    let report = folder.report("json.out");
    assert_eq!(report.server.command, ["sh", "server.sh", "--api-key", "{concealed:KEY_OF_TEST}"]);
    let leak = first_of(&report, "leak/secret");
    assert_eq!(leak.level, Level::Must);
    let evidence = leak.evidence.as_ref().expect("there is a text");
    assert!(evidence.text.contains("the key {concealed:KEY_OF_TEST} is wrong"), "{}", evidence.text);
}

#[test]
fn init_names_the_file_and_copies_nothing_of_it() {
    let folder = hosted();
    let init = ["init", "--from", ".mcp.json", "--server", "talks"];
    folder.program().env("KEY_OF_TEST", SECRET).args(init).assert().code(0);
    let configuration = folder.read("mcp-errconf.toml");
    assert!(configuration.contains("from = \".mcp.json\"\nname = \"talks\"\n"), "{configuration}");
    assert!(!configuration.contains("\ncommand"), "{configuration}");
    for (name, text) in written(&folder) {
        assert!(!text.contains(SECRET), "{name}: {text}");
    }
    let run = ["run", "--filter", "read/missing-file", "--report", "json=report.json"];
    let again = folder.program().env("KEY_OF_TEST", SECRET).args(run).assert();
    let again = again.code(0);
    assert_eq!(folder.report("report.json").server.name, "script", "{}", stderr(&again));
}

#[test]
fn a_command_without_a_server_lists_the_files_that_name_some_and_starts_none() {
    let folder = hosted().with("server.sh", "touch started");
    fs::create_dir(folder.path().join(".vscode")).expect("the folder is ours");
    let code = "{ // none\n \"servers\": {\"one\": {\"command\": \"touch\", \"args\": [\"started\"]}} }";
    folder.write(".vscode/mcp.json", code);
    for command in ["init", "run", "fuzz"] {
        let output = stderr(&folder.run(&[command]).code(2));
        assert!(output.contains("`.mcp.json` (Claude Code) names: talks, far\n"), "{output}");
        assert!(output.contains("`.vscode/mcp.json` (VS Code) names: one\n"), "{output}");
        assert!(
            output.contains(&format!("mcp-errconf {command} --from .mcp.json --server talks")),
            "{output}"
        );
    }
    assert!(!folder.path().join("started").exists());
}

#[test]
fn what_cannot_be_started_is_reported_with_what_to_do() {
    let folder = hosted();
    let output = |arguments: &[&str]| stderr(&folder.run(arguments).code(2));
    let several = output(&["run", "--from", ".mcp.json"]);
    assert!(several.contains("has 2 servers; choose one with `--server NAME`"), "{several}");
    assert!(output(&["fuzz", "--from", ".mcp.json", "--server", "far"]).contains("reached by URL"));
    assert!(
        output(&["run", "--from", ".mcp.json", "--server", "talks"]).contains("`KEY_OF_TEST` is not set")
    );
    assert!(output(&["run", "--from", "none.json"]).contains("cannot read `none.json`"));
    assert!(output(&["run", "--server", "talks"]).contains("--from <FILE>"));
    output(&["run", "--from", ".mcp.json", "--", "sh"]);
    output(&["run", "--from", ".mcp.json", "--bundled"]);
    let folder = folder.with("mcp-errconf.toml", "[server]\ncommand = ['sh']\nfrom = '.mcp.json'\n");
    assert!(stderr(&folder.run(&["run"]).code(2)).contains("mcp-errconf.toml:3:1: `command` and `from`"));
}

#[test]
fn a_campaign_says_how_its_findings_are_sent_again_without_the_secret() {
    let folder = hosted();
    let fuzz = "fuzz --from .mcp.json --server talks --max-calls 60 --seed 1 --findings found --corpus corpus \
                --report human";
    let fuzz = folder.program_with(fuzz).env("KEY_OF_TEST", SECRET).assert().code(1);
    let output = [("out".to_owned(), stdout(&fuzz)), ("err".to_owned(), stderr(&fuzz))];
    for (name, text) in written(&folder).iter().chain(&output) {
        assert!(!text.contains(SECRET), "{name}: {text}");
    }
    let (name, file) =
        written(&folder).into_iter().find(|(name, _)| name.starts_with("leak-")).expect("a finding");
    assert!(file.contains("\"--from\"") && file.contains("\"env\""), "{file}");
    folder.program().env("KEY_OF_TEST", SECRET).args(["replay", &format!("found/{name}")]).assert().code(1);
    let unset = stderr(&folder.run(&["replay", &format!("found/{name}")]).code(2));
    assert!(unset.contains("`KEY_OF_TEST` is not set"), "{unset}");
}
