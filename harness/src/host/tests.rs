//! Tests the files of hosts: whose file it is, what its variables become, and that no secret is shown.

use serde_json::json;

use super::*;

/// The environment of a user with the home `/home/u` and the project `/home/u/p`, with these variables.
fn environment(variables: &[(&str, &str)]) -> HostEnvironment {
    HostEnvironment {
        home: Some("/home/u".into()),
        working: "/home/u/p".into(),
        variables: variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
    }
}

fn read(path: &str, text: &str) -> HostFile {
    HostFile::parse(Path::new(path), text).expect("the file is read")
}

fn launch(path: &str, text: &str, variables: &[(&str, &str)]) -> Launch {
    read(path, text).launch(None, &environment(variables)).expect("the server can be started")
}

/// The error for a file that cannot be used.
fn refused(path: &str, text: &str) -> String {
    let read = HostFile::parse(Path::new(path), text);
    read.and_then(|file| file.launch(None, &environment(&[]))).expect_err("it is refused").to_string()
}

#[test]
fn each_host_has_its_file_its_folder_and_its_variables() {
    let claude = r#"{"mcpServers": {"a": {"command": "${BIN:-node}", "args": ["${DIR}/x.js", "${env:DIR}"], "env": {"LEVEL": "${LEVEL:-info}"}}}}"#;
    let claude = launch(".mcp.json", claude, &[("DIR", "/d")]);
    assert_eq!(claude.command, ["node", "/d/x.js", "${env:DIR}"]);
    assert_eq!(claude.env["LEVEL"], "info");
    assert_eq!(claude.env["CLAUDE_PROJECT_DIR"], "/home/u/p");
    assert_eq!(claude.cwd, None, "the project's folder is the working one");
    assert!(claude.remarks[0].contains("`${env:DIR}`"), "{:?}", claude.remarks);

    let desktop = r#"{"mcpServers": {"a": {"command": "npx", "args": ["${HOME}"]}}}"#;
    let desktop = launch("/elsewhere/claude_desktop_config.json", desktop, &[("HOME", "/home/u")]);
    assert_eq!((desktop.command[1].as_str(), desktop.cwd), ("${HOME}", None));

    let code = r#"{ // the servers
        "servers": {"a": {"type": "stdio", "command": "${workspaceFolder}/bin/s",
            "args": ["${userHome}", "${workspaceFolderBasename}", "${env:NONE}", "${input:port}", "a${/}b",],
            "env": {"PORT": 80, "GONE": null}, "cwd": "${workspaceFolder}/sub",},},
        "inputs": [{"id": "port", "type": "promptString", "default": "90"}],
    }"#;
    let code = launch("sub/.vscode/mcp.json", code, &[]);
    assert_eq!(code.command, ["/home/u/p/sub/bin/s", "/home/u", "sub", "", "90", "a/b"]);
    assert_eq!((code.env["PORT"].as_str(), code.env.len()), ("80", 1));
    assert_eq!(code.cwd, Some("/home/u/p/sub/sub".into()));
    assert!(code.remarks[0].contains("`NONE` is not set"), "{:?}", code.remarks);

    let cursor =
        r#"{"mcpServers": {"a": {"command": "s", "args": ["${workspaceFolder}", "${env:X}", "${X}"]}}}"#;
    let cursor = launch("/home/u/q/.cursor/mcp.json", cursor, &[("X", "1")]);
    assert_eq!(
        (cursor.command, cursor.cwd),
        (words(&["s", "/home/u/q", "1", "${X}"]), Some("/home/u/q".into()))
    );

    for zed in [
        r#"{"context_servers": {"a": {"command": "~/s", "args": ["x"], "env": {"A": "b"},},},}"#,
        r#"{"context_servers": {"a": {"source": "custom", "command": {"path": "~/s", "args": ["x"], "env": {"A": "b"}}}}}"#,
    ] {
        let zed = launch(".zed/settings.json", zed, &[]);
        assert_eq!((zed.command, zed.env["A"].as_str()), (words(&["/home/u/s", "x"]), "b"));
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn a_users_own_file_belongs_to_no_project() {
    let text = r#"{"mcpServers": {"a": {"command": "s", "args": ["${workspaceFolder}"]}}}"#;
    let launch = launch("/home/u/.cursor/mcp.json", text, &[]);
    assert_eq!((launch.command[1].as_str(), launch.cwd), ("/home/u/p", None));
}

#[test]
fn what_only_the_host_or_its_user_knows_is_asked_for() {
    let claude =
        |argument: &str| json!({"mcpServers": {"a": {"command": "s", "args": [argument]}}}).to_string();
    assert!(refused(".mcp.json", &claude("${KEY}")).contains("`KEY` is not set"));
    let code = |argument: &str| {
        json!({
            "servers": {"a": {"command": "s", "args": [argument]}},
            "inputs": [{"id": "my-key", "password": true, "description": "the key", "default": "x"}],
        })
        .to_string()
    };
    let message = refused(".vscode/mcp.json", &code("${input:my-key}"));
    assert!(message.contains("(the key)") && message.contains("`MCP_ERRCONF_INPUT_MY_KEY`"), "{message}");
    assert!(refused(".vscode/mcp.json", &code("${input:other}")).contains("not among the file's `inputs`"));
    assert!(refused(".vscode/mcp.json", &code("${command:pick}")).contains("only VS Code itself knows"));
    let given = [("MCP_ERRCONF_INPUT_MY_KEY", "Ab-1234567")];
    let launch = launch(".vscode/mcp.json", &code("--k=${input:my-key}"), &given);
    assert_eq!(launch.command[1], "--k=Ab-1234567");
    assert_eq!(launch.concealed.text("bad: Ab-1234567"), "bad: {concealed:input:my-key}");
}

#[test]
fn of_several_servers_one_is_chosen_and_the_list_holds_no_secret() {
    let text = r#"{"mcpServers": {
        "files": {"command": "npx", "args": ["--token", "Ab-1234567"]},
        "web": {"type": "http", "url": "https://u:p@example.com/mcp?key=Ab-1234567"}
    }}"#;
    let file = read(".mcp.json", text);
    let message = file.launch(None, &environment(&[])).expect_err("there are two").to_string();
    assert!(message.contains("has 2 servers") && message.contains("--server NAME"), "{message}");
    assert!(
        message
            .contains("  files  npx --token {concealed:option:token}\n  web    https://example.com (by URL"),
        "{message}"
    );
    let message = file.launch(Some("file"), &environment(&[])).expect_err("there is none").to_string();
    assert!(message.contains("no server `file` (did you mean `files`?)"), "{message}");
    assert_eq!(file.launch(Some("files"), &environment(&[])).expect("there is").command[0], "npx");
    let message = file.launch(Some("web"), &environment(&[])).expect_err("it has a URL").to_string();
    assert!(message.contains("not in this version") && !message.contains("Ab-"), "{message}");
}

#[test]
fn what_no_host_would_take_is_reported_with_its_place() {
    let strict = "{\"mcpServers\": {\n  // mine\n}}";
    assert_eq!(
        refused(".mcp.json", strict),
        ".mcp.json:2:3: Claude Code reads plain JSON, which has no comments: remove it"
    );
    assert_eq!(
        refused(".mcp.json", "{\"mcpServers\": {\"ä\": {\"args\": [1, ]}}}"),
        ".mcp.json:1:33: Claude Code reads plain JSON, which has no comma before a closing bracket: remove it"
    );
    assert!(refused(".mcp.json", "{\n  x}").starts_with(".mcp.json:2:3: not JSON"));
    assert!(refused(".mcp.json", "{\"mcpServers\": {\"a\" 1}}").contains(": not JSON"));
    assert!(refused(".mcp.json", "{}").contains("`mcpServers` (Claude, Cursor)"));
    assert!(refused(".mcp.json", r#"{"mcpServers": {}}"#).contains("has no server"));
    assert!(refused(".mcp.json", r#"{"mcpServers": {"a": {}}}"#).contains("no `command`"));
    let zed = r#"{"context_servers": {"a": {"settings": {}}}}"#;
    assert!(refused("settings.json", zed).contains("extension of Zed"));
}

#[test]
fn variables_of_a_file_are_read_and_those_of_the_entry_win() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::create_dir(folder.path().join(".vscode")).expect("the folder is ours");
    std::fs::write(folder.path().join(".env"), "# mine\nexport A='1 2'\nB=\"x\"\n\nC = y\n")
        .expect("it is ours");
    let text =
        r#"{"servers": {"a": {"command": "s", "envFile": "${workspaceFolder}/.env", "env": {"B": "z"}}}}"#;
    let path = folder.path().join(".vscode/mcp.json");
    let launch = launch(&path.to_string_lossy(), text, &[]);
    let env: Vec<_> = launch.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(env, ["A=1 2", "B=z", "C=y"]);
}
