//! What a server gets from its environment: what `init` records of it, what is replaced in it, and that no secret of it is shown.

use std::fs;

use mcp_errconf::finding::Level;
use serde_json::Value;

use crate::config::SERVER;
use crate::program::{Folder, first_of, folder, stderr, stdout};

/// What must stand nowhere.
const SECRET: &str = "Xq7-verysecret-93";

/// The server with these lines before it, in `server.sh`.
fn served(lines: &str) -> Folder {
    folder().with("server.sh", &format!("{lines}\n{SERVER}"))
}

const INIT: [&str; 4] = ["init", "--", "sh", "server.sh"];
const RUN: [&str; 5] = ["run", "--filter", "read/missing-file", "--report", "json=report.json"];

#[test]
fn init_records_the_variables_that_the_sources_mention_and_no_secret() {
    let folder = served(": \"$NOTES_KEY\" \"${NOTES_URL}\" \"$LEVEL_OF_NOTES\"");
    let program = || {
        let mut program = folder.program();
        program
            .env("NOTES_URL", "https://notes.example.com/v1")
            .env("LEVEL_OF_NOTES", "high")
            .env("OTHER_KEY", SECRET);
        program
    };
    program().env("NOTES_KEY", SECRET).args(INIT).assert().code(0);
    let configuration = folder.read("mcp-errconf.toml");
    for line in [
        "[server.env]",
        "NOTES_KEY = \"${NOTES_KEY}\"",
        "NOTES_URL = \"https://notes.example.com/v1\"",
        "# NOTES_URL = \"{upstream}\"",
        "LEVEL_OF_NOTES = \"high\"",
    ] {
        assert!(configuration.lines().any(|written| written == line), "{line}: {configuration}");
    }
    assert!(!configuration.contains(SECRET) && !configuration.contains("OTHER_KEY"), "{configuration}");

    program().env("NOTES_KEY", SECRET).args(RUN).assert().code(0);
    let place =
        configuration.lines().position(|line| line.starts_with("NOTES_KEY")).expect("it is there") + 1;
    let unset = stderr(&program().args(RUN).assert().code(2));
    let expected = format!("mcp-errconf.toml:{place}:13: the variable `NOTES_KEY` is not set");
    assert!(unset.contains(&expected), "{unset}");
}

#[test]
fn init_records_what_env_gives_to_the_server_and_the_keys_among_its_options() {
    let folder = served(": $*");
    let command =
        ["env", &format!("NOTES_TOKEN={SECRET}"), "NOTES_LEVEL=high", "sh", "server.sh", "--api-key", "abc"];
    let init = folder.run(&[&["init", "--"], &command[..]].concat()).code(0);
    let configuration = folder.read("mcp-errconf.toml");
    for line in [
        "command = [\"sh\", \"server.sh\", \"--api-key\", \"${API_KEY}\"]",
        "NOTES_TOKEN = \"${NOTES_TOKEN}\"",
        "NOTES_LEVEL = \"high\"",
    ] {
        assert!(configuration.lines().any(|written| written == line), "{line}: {configuration}");
    }
    assert!(!configuration.contains(SECRET), "{configuration}");
    assert!(
        stdout(&init).contains("set `API_KEY`, `NOTES_TOKEN` before `mcp-errconf run`"),
        "{}",
        stdout(&init)
    );
    folder.run(&RUN).code(2);
    folder.program().env("API_KEY", "abc").env("NOTES_TOKEN", SECRET).args(RUN).assert().code(0);
    assert_eq!(folder.report("report.json").server.command[3], "{concealed:option:api-key}");
}

#[test]
fn init_records_the_variable_that_a_server_says_it_lacks() {
    // The server lies elsewhere, so that its sources are not read.
    let elsewhere = served("[ -n \"$NOTES_KEY\" ] || TEXT='NOTES_KEY is not set'; export TEXT");
    let server = elsewhere.path().join("server.sh").display().to_string();
    let folder = folder();
    let text = "TEXT=[UNAUTHORIZED] NOTES_KEY was refused, LEVEL_OF_NOTES too";
    let mut program = folder.program();
    program.env("NOTES_KEY", SECRET).env("OTHER_KEY", SECRET);
    program.args(["init", "--", "env", text, "sh", &server]).assert().code(0);
    let configuration = folder.read("mcp-errconf.toml");
    assert!(configuration.contains("\nNOTES_KEY = \"${NOTES_KEY}\"\n"), "{configuration}");
    assert!(!configuration.contains("OTHER_KEY") && !configuration.contains(SECRET), "{configuration}");
}

/// A server that answers each call with the address that it was given.
const ADDRESS: &str = r#"TEXT="[IO_ERROR] $NOTES_URL and $NOTES_FOLDER/x"; export TEXT"#;

#[test]
fn the_tokens_in_inherited_variables_are_replaced_in_every_session() {
    for confine in ["off", "on"] {
        let folder = served(ADDRESS);
        let mut program = folder.program();
        program.env("NOTES_URL", "{upstream}/v1").env("NOTES_FOLDER", "{workspace}");
        let run = "run --filter read/missing-file --transcript t.jsonl --confine";
        let run = program.args(run.split(' ')).args([confine, "--", "sh", "server.sh"]).assert();
        if confine == "on" && stderr(&run).contains("cannot be confined") {
            eprintln!("no server can be confined here");
            continue;
        }
        let recorded = folder.read("t.jsonl");
        assert!(recorded.contains("[IO_ERROR] http://127.0.0.1:"), "{confine}: {recorded}");
        assert!(!recorded.contains("{upstream}/v1"), "{confine}: {recorded}");
    }
}

/// Every file below the folder, and what was printed.
fn everything(folder: &Folder, run: &assert_cmd::assert::Assert) -> String {
    let mut texts = vec![stdout(run), stderr(run)];
    for name in folder.files().iter().filter(|name| *name != "server.sh") {
        texts.extend(fs::read_to_string(folder.path().join(name)).ok());
    }
    texts.concat()
}

#[test]
fn a_secret_is_concealed_and_reported_wherever_it_comes_in() {
    // The server tells what it was started with.
    let tells = "TEXT=\"[UNAUTHORIZED] the key ${NOTES_KEY:-$2} is wrong\"; export TEXT; echo \"started with ${NOTES_KEY:-$2}\" >&2";
    let reports = ["--report", "human", "--report", "json=report.json", "--report", "html=report.html"];
    let run = ["run", "--filter", "read/missing-file", "-v", "--transcript", "t.jsonl"];
    let option = format!("--notes-token={SECRET}");
    let variable = format!("NOTES_KEY={SECRET}");
    let given = [
        (&["sh", "server.sh", "--api-key", SECRET][..], "{concealed:option:api-key}"),
        (&["sh", "server.sh", "", &option], "{concealed:option:notes-token}"),
        (&["env", &variable, "sh", "server.sh"], "{concealed:option:NOTES_KEY}"),
        (&["sh", "server.sh"], "{concealed:NOTES_KEY}"),
    ];
    for (server, name) in given {
        let folder = served(tells);
        let mut program = folder.program();
        program.args(run).args(reports);
        if server.len() == 2 {
            program.env("NOTES_KEY", SECRET).args(["--env", "NOTES_KEY"]);
        }
        let ended = program.arg("--").args(server).assert().code(1);
        let all = everything(&folder, &ended);
        assert!(!all.contains(SECRET), "{server:?}: {all}");
        let report = folder.report("report.json");
        let leak = first_of(&report, "leak/secret");
        assert_eq!(leak.level, Level::Must);
        let evidence = leak.evidence.as_ref().expect("there is a text");
        assert!(evidence.text.contains(name), "{name}: {}", evidence.text);
    }
}

#[test]
fn a_finding_holds_no_secret_of_the_command_line() {
    let folder = served("TEXT=\"[UNAUTHORIZED] the key $2 is wrong\"; export TEXT");
    let fuzz = ["fuzz", "-q", "--confine", "off", "--max-calls", "60", "--seed", "1", "--findings", "found"];
    folder.run(&[&fuzz[..], &["--", "sh", "server.sh", "--api-key", SECRET]].concat()).code(1);
    let file = fs::read_dir(folder.path().join("found"))
        .expect("it was made")
        .flatten()
        .next()
        .expect("a finding")
        .path();
    let text = fs::read_to_string(&file).expect("it is a text");
    assert!(!text.contains(SECRET), "{text}");
    let finding: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(finding["server"]["command"][3], "{concealed:option:api-key}");
    let file = file.to_string_lossy().into_owned();
    let refused = stderr(&folder.run(&["replay", &file]).code(2));
    assert!(refused.contains("lacks a secret") && refused.contains("-- ./my-server"), "{refused}");
    let pasted = stderr(
        &folder.run(&["run", "--", "sh", "server.sh", "--api-key", "{concealed:option:api-key}"]).code(2),
    );
    assert!(pasted.contains("write the secret itself"), "{pasted}");
}
