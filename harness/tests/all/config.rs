//! `mcp-errconf.toml` in use, with a server that is made of a shell script.

use crate::program::{Folder, first_of, folder, stderr};

/// A server that lists one tool that reads files, and answers every call with what its environment says.
pub(crate) const SERVER: &str = r#"while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -z "$id" ] && continue
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"read_file","description":"Reads a text file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},{"name":"peek","inputSchema":{"type":"object","properties":{"spot":{"type":"string"}},"required":["spot"]}}]}' ;;
    *present*|*list-folder*) result='{"content":[{"type":"text","text":"green apple"}]}' ;;
    *) result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$TEXT\"}]}" ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// A folder with that server and this configuration.
fn configured(configuration: &str) -> Folder {
    folder().with("server.sh", SERVER).with("mcp-errconf.toml", configuration)
}

const CONFIGURATION: &str = "contract = 'bracket-code'\n[server]\ncommand = ['sh', 'server.sh']\nenv = { TEXT = 'ENOENT: no such file or directory, open {workspace}/x' }\n";

const RUN: [&str; 5] = ["run", "--filter", "read/missing-file", "--report", "json=report.json"];

#[test]
fn the_server_its_environment_and_the_contract_come_from_the_file() {
    let folder = configured(CONFIGURATION);
    folder.run(&RUN).code(1);
    let report = folder.report("report.json");
    assert_eq!(report.server.command, ["sh", "server.sh"]);
    assert_eq!(serde_json::to_value(&report.contract).expect("it serializes")["chosen"], "config");
    let text = &report.findings[0].evidence.as_ref().expect("there is a reply").text;
    assert_eq!(
        text, "ENOENT: no such file or directory, open {workspace}/x",
        "the token is replaced in its values"
    );
}

#[test]
fn a_server_after_the_dashes_wins_over_the_files() {
    let folder = configured(CONFIGURATION);
    folder.run(&[&RUN[..], &["--", "./no-such-server"]].concat()).code(3);
    assert_eq!(folder.report("report.json").server.command, ["./no-such-server"]);
}

#[test]
fn a_rule_that_is_off_is_not_judged_and_one_that_is_a_note_fails_nothing() {
    let levels = |first: &str| {
        let rules = ["code/missing", "leak/runtime-error", "message/value-missing", "message/hint-missing"];
        let levels =
            rules.map(|rule| format!("'{rule}' = '{}'\n", if rule == rules[0] { first } else { "note" }));
        let folder = configured(&format!("{CONFIGURATION}[levels]\n{}", levels.concat()));
        (folder.run(&RUN).get_output().status.code(), folder.report("report.json"))
    };
    let (code, report) = levels("off");
    assert_eq!(code, Some(0), "{report:?}");
    assert!(report.findings.iter().all(|finding| finding.rule != "code/missing"), "{report:?}");
    let leak = first_of(&report, "leak/runtime-error");
    assert_eq!(leak.level, mcp_errconf::finding::Level::Note);
    let (code, report) = levels("must");
    assert_eq!(code, Some(1));
    assert!(report.findings.iter().any(|finding| finding.rule == "code/missing"), "{report:?}");
}

#[test]
fn a_documented_code_is_none_of_the_undocumented() {
    let coded = CONFIGURATION.replace("ENOENT: no such file or directory, open ", "[LOST] Check the path: ");
    let undocumented = |configuration: &str| {
        let folder = configured(configuration);
        folder.run(&RUN);
        folder.report("report.json").findings.iter().any(|finding| finding.rule == "code/undocumented")
    };
    assert!(undocumented(&coded));
    assert!(!undocumented(&format!("{coded}[codes]\nLOST = 'it is not there'\n")));
}

#[test]
fn a_role_by_hand_wins_and_says_why() {
    let folder = configured(&format!("{CONFIGURATION}[roles.read]\ntool = 'peek'\npath = 'spot'\n"));
    folder.run(&RUN).code(1);
    let report = folder.report("report.json");
    assert_eq!(report.bindings[0].tool, "peek");
    assert!(report.bindings[0].why.starts_with("the configuration says so"), "{:?}", report.bindings);
    assert_eq!(report.cases[0].tools, ["peek"]);
}

#[test]
fn a_tool_that_the_server_does_not_have_is_reported_with_the_nearest() {
    for (section, words) in [
        (
            "[roles.read]\ntool = 'read_fil'\n",
            "mcp-errconf.toml: `[roles.read]`: the server has no tool `read_fil`: did you mean `read_file`?",
        ),
        (
            "[tools.peeek]\nskip = true\n",
            "mcp-errconf.toml: `[tools.peeek]`: the server has no such tool: did you mean `peek`?",
        ),
    ] {
        let folder = configured(&format!("{CONFIGURATION}{section}"));
        let output = stderr(&folder.run(&RUN).code(2));
        assert!(output.contains(words), "{output}");
        assert_eq!(folder.files(), ["mcp-errconf.toml", "server.sh"], "no report is left");
    }
}

#[test]
fn a_status_for_a_code_that_nobody_has_is_reported_with_place_and_nearest_before_anything_starts() {
    let configuration = |contract: &str| {
        format!(
            "contract = '{contract}'\n[server]\ncommand = ['touch', 'started']\n[statuses]\npath-outside-rep = 400\n"
        )
    };
    let words = "mcp-errconf.toml:5:1: unknown code `path-outside-rep`: did you mean `path-outside-repo`?";
    for (contract, arguments) in [
        ("problem-details", &["run"][..]),
        ("auto", &["run"]),
        ("bracket-code", &["run", "--contract", "problem-details"]),
        ("problem-details", &["fuzz", "--max-calls", "1"]),
    ] {
        let folder = folder().with("mcp-errconf.toml", &configuration(contract));
        let output = stderr(&folder.run(arguments).code(2));
        assert!(output.contains(words), "{contract} {arguments:?}: {output}");
        assert_eq!(folder.files(), ["mcp-errconf.toml"], "{contract} {arguments:?}");
    }
    let folder = folder().with("mcp-errconf.toml", &configuration("bracket-code"));
    let output = stderr(&folder.run(&["run"]).code(2));
    assert!(
        output.contains(
            "mcp-errconf.toml:5:1: unknown code `path-outside-rep`: the known ones are \
        `"
        ),
        "{output}"
    );
}

#[test]
fn a_tool_that_is_skipped_is_never_called() {
    let folder = configured(&format!("{CONFIGURATION}[tools.read_file]\nskip = true\n"));
    folder.run(&RUN).code(4);
    let report = folder.report("report.json");
    assert_eq!(report.summary.calls, 0);
    assert_eq!(report.cases[0].reason.as_deref(), Some("no tool was found for the role `read`"));
}

#[test]
fn the_servers_folder_is_the_one_that_the_file_names() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("inner")).expect("the folder is ours");
    let folder = folder
        .with("inner/server.sh", SERVER)
        .with("mcp-errconf.toml", &CONFIGURATION.replace("[server]\n", "[server]\ncwd = 'inner'\n"));
    folder.run(&RUN).code(1);
    assert_eq!(folder.report("report.json").server.name, "script");
}
