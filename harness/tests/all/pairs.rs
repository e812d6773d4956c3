//! `judge` on plain pairs of requests and responses.

use mcp_errconf::contract;
use mcp_errconf::finding::Layer;
use mcp_errconf::judge::{Report, Status};
use mcp_errconf::recording;
use mcp_errconf::rules;
use mcp_errconf::transcript::Chosen;

use crate::program::{case_of, folder, recorded, rules_of, stderr, stdout};

/// A server's listing, a call that succeeds, and one that fails with this text.
fn pairs(failing: &str) -> String {
    let initialize = r#"{"case":"initialize","request":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}},"response":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"shop","version":"3"}}}}"#;
    let list = r#"{"case":"tools/list","request":{"jsonrpc":"2.0","id":2,"method":"tools/list"},"response":{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"price","inputSchema":{"type":"object","properties":{"item":{"type":"string"}}}}]}}}"#;
    let good = r#"{"case":"known","request":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"price","arguments":{"item":"tea"}}},"response":{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"4.20"}]}}}"#;
    let notification =
        r#"{"server_notification":{"jsonrpc":"2.0","method":"notifications/message","params":{}}}"#;
    [initialize, list, good, notification, failing].join("\n") + "\n"
}

fn failing(result: &str, more: &str) -> String {
    format!(
        r#"{{"case":"unknown","request":{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"name":"price","arguments":{{"item":""}}}}}},"response":{{"jsonrpc":"2.0","id":4,"result":{result}}}{more}}}"#
    )
}

/// The report on these pairs, by a contract if one is asked for; the program would end with this exit code.
fn judged(text: &str, asked: Option<&str>, code: u8) -> Report {
    let mut recording = recorded(text);
    if let Some(id) = asked {
        let found = contract::builtin().iter().find(|contract| contract.id == id);
        recording.contract = found.expect("it is built in").clone();
        let head = &mut recording.transcript.head;
        (head.contract, head.chosen) = (id.to_owned(), Chosen::Flag);
    }
    let (report, conclusion) = recording.judge(rules::all());
    assert_eq!(conclusion.exit_code(), code, "{report:?}");
    report
}

#[test]
fn the_ungated_rules_judge_every_pair() {
    let text =
        pairs(&failing(r#"{"isError":true,"content":[{"type":"text","text":"[INVALID_INPUT] "}]}"#, ""));
    let report = judged(&text, None, 1);
    assert_eq!(
        (report.server.name.as_str(), report.server.protocol_version.as_str()),
        ("shop", "2025-06-18")
    );
    assert_eq!(rules_of(&report), ["message/empty"]);
    assert_eq!(report.findings[0].case.as_ref().map(|case| case.0.as_str()), Some("unknown"));
    assert_eq!(report.summary.calls, 2);
}

#[test]
fn why_leads_from_a_case_to_the_patterns_and_to_the_pass_that_withholds_a_verdict() {
    let result = r#"{"isError":true,"content":[{"type":"text","text":"thread 'main' panicked at src/main.rs:4:5: boom"}]}"#;
    let folder = folder().with("pairs.jsonl", &pairs(&failing(result, "")));
    let shown = stdout(&folder.run(&["judge", "pairs.jsonl", "--why", "unknown"]).code(0));
    for line in [
        "unknown: failed",
        "  request    price {\"item\":\"\"}",
        "leak/panic: must: ",
        "withheld: no call is known that succeeds and differs in the fault alone: channel/accepted-bad-input, ",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    let is_pattern = |line: &str| line.contains("leak pattern") && line.contains("leak/panic: ");
    assert!(shown.lines().any(is_pattern), "{shown}");
    let unknown = stderr(&folder.run(&["judge", "pairs.jsonl", "--why", "unknwn"]).code(2));
    assert!(
        unknown.contains("the recording has no case `unknwn`; it has ") && unknown.contains("`unknown`"),
        "{unknown}"
    );
}

#[test]
fn the_gated_rules_judge_where_a_control_is_named() {
    let accepted = r#"{"content":[{"type":"text","text":"0.00"}]}"#;
    let without = judged(&pairs(&failing(accepted, "")), Some("bracket-code"), 4);
    assert_eq!(without.findings, []);
    let named = failing(accepted, r#","control":"known","condition":"missing-argument""#);
    let report = judged(&pairs(&named), Some("bracket-code"), 1);
    assert_eq!(report.findings[0].rule, "channel/accepted-bad-input");
    assert_eq!(report.findings[0].places[0].condition.as_deref(), Some("missing-argument"));
}

#[test]
fn where_the_control_failed_nothing_gated_is_judged() {
    let named = failing(r#"{"content":[{"type":"text","text":"0.00"}]}"#, r#","control":"known""#);
    let text = pairs(&named).replace(r#""text":"4.20""#, r#""text":"closed"}],"isError":true,"x":[{"y":1"#);
    let report = judged(&text, Some("bracket-code"), 1);
    let case = case_of(&report, "unknown");
    assert_eq!(case.status, Status::NotJudged);
    assert!(case.reason.as_deref().is_some_and(|reason| reason.contains("`known`")), "{case:?}");
    assert!(report.findings.iter().all(|finding| finding.rule != "channel/accepted-bad-input"), "{report:?}");
}

#[test]
fn a_reply_that_is_no_message_is_reported_in_a_string() {
    let text = pairs(
        r#"{"case":"broken","request":{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"price"}},"response":"{\"jsonrpc\":\"2.0\",\"id\":4}"}"#,
    );
    let report = judged(&text, None, 1);
    assert_eq!(report.findings[0].rule, "wire/bad-message", "{report:?}");
}

#[test]
fn standard_input_is_read_too() {
    let text =
        pairs(&failing(r#"{"isError":true,"content":[{"type":"text","text":"[INVALID_INPUT] "}]}"#, ""));
    let judged = folder().program().args(["judge", "-"]).write_stdin(text).assert().code(1);
    assert!(
        stdout(&judged).starts_with("server    shop 3, MCP 2025-06-18, judged by bracket-code"),
        "{}",
        stdout(&judged)
    );
}

#[test]
fn a_configuration_that_is_named_says_levels_codes_and_contract() {
    let text = pairs(&failing(
        r#"{"isError":true,"content":[{"type":"text","text":"[LOST] There is no such item: name another one."}]}"#,
        "",
    ));
    let levels = |configuration: &str| {
        let folder = folder().with("pairs.jsonl", &text).with("c.toml", configuration);
        let arguments = ["judge", "pairs.jsonl", "--config", "c.toml", "--report", "json=report.json"];
        folder.run(&arguments);
        let report = folder.report("report.json");
        let level = report.findings.iter().find(|finding| finding.rule == "code/undocumented");
        (report.contract.id, level.map(|finding| finding.level.to_string().to_lowercase()))
    };
    let found = |level: &str| ("bracket-code".to_owned(), Some(level.to_owned()));
    let declared = "contract = 'bracket-code'\n";
    assert_eq!(levels(declared), found("should"));
    assert_eq!(levels(&format!("{declared}[levels]\n'code/undocumented' = 'note'\n")), found("note"));
    assert_eq!(levels(&format!("{declared}[codes]\nLOST = 'it is not there'\n")).1, None);
    assert_eq!(levels("contract = 'plain'\n"), ("plain".to_owned(), None));
    let folder = folder().with("pairs.jsonl", &text).with("c.toml", "contrct = 'plain'\n");
    let output = stderr(&folder.run(&["judge", "pairs.jsonl", "--config", "c.toml"]).code(2));
    assert!(output.contains("c.toml:1"), "{output}");
}

#[test]
fn a_pair_without_a_response_names_no_deadline() {
    for none in ["null", r#"{"_timeout":true}"#] {
        let text = pairs(&format!(
            r#"{{"case":"lost","request":{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"name":"price"}}}},"response":{none}}}"#,
        ));
        let report = judged(&text, None, 1);
        assert_eq!(rules_of(&report), ["liveness/no-reply"], "{none}");
        let words = "`price` has no reply in the recording, which does not say how long the client waited";
        assert_eq!(report.findings[0].message, words);
    }
}

/// These lines are refused with a line's number and these words.
fn refused(text: &str, words: &str) {
    let error = recording::read(text, &contract::builtin()[0]).expect_err("they are faulty");
    let output = format!("{}: {}", error.line, error.cause);
    assert!(output.starts_with(words), "{output}");
}

#[test]
fn a_mistake_is_reported_with_its_line() {
    let good = pairs(&failing(r#"{"content":[]}"#, ""));
    refused("", "1: there is no recording here");
    refused(&format!("{good}\nnonsense\n"), "7: expected ident (column 2)");
    refused(
        &format!("{good}{{\"case\":\"x\",\"respone\":1}}\n"),
        "6: unknown key `respone`: did you mean `response`?",
    );
    refused(
        &format!("{good}{{\"case\":\"x\",\"request\":{{}}}}\n"),
        "6: `request` is not a JSON-RPC request",
    );
    refused(
        &pairs(&failing(r#"{"content":[]}"#, r#","control":"knwon""#)),
        "5: `control` names the case `knwon`, but no other line has that name: did you mean `known`?",
    );
    refused("{\"response\":{}}\n", "1: no line has a request");
    refused("[1]\n", "1: each line must be a JSON object");
    refused("{\"head\":{\"schema_version\":7}}\n", "1: ");
}

#[test]
fn a_file_that_cannot_be_read_is_reported() {
    let folder = folder();
    assert!(stderr(&folder.run(&["judge", "absent.jsonl"]).code(2)).contains("cannot read absent.jsonl"));
    folder.write("bytes", b"{}\n\xff\n");
    assert!(stderr(&folder.run(&["judge", "bytes"]).code(2)).contains("bytes:2: this line is not UTF-8"));
    folder.write("list", "[1]\n");
    let output = stderr(&folder.run(&["judge", "list"]).code(2));
    assert!(output.contains("list:1: each line must be a JSON object"), "{output}");
}

#[test]
fn what_an_sdk_words_is_one_finding_for_the_whole_run_with_the_advice_for_this_sdk_alone() {
    let dump = |parameter: &str| {
        format!(
            r#"{{"isError":true,"content":[{{"type":"text","text":"1 validation error for call[price]\n{parameter}\n  Missing required argument [type=missing_argument, input_value={{}}, input_type=dict]"}}]}}"#
        )
    };
    let other = failing(&dump("shop"), "").replace("unknown", "elsewhere").replace(":4,", ":5,");
    let text = pairs(&[failing(&dump("item"), ""), other].join("\n"));
    let folder = folder().with("pairs.jsonl", &text);
    let judge = "judge pairs.jsonl --contract plain --report json=report.json --report human=report.txt";
    folder.run_with(judge, &[]).code(1);
    let report = folder.report("report.json");
    let output: Vec<_> = report
        .findings
        .iter()
        .map(|finding| (finding.rule.as_str(), finding.tool.as_deref(), finding.places.len()))
        .collect();
    assert_eq!(output, [("leak/validation-dump", None, 2)], "{:?}", report.findings);
    let finding = &report.findings[0];
    assert_eq!(finding.layer, Some(Layer::Sdk));

    let advice: Vec<_> = rules::fixes().iter().flat_map(|fix| &fix.sdk).collect();
    let (own, others): (Vec<_>, Vec<_>) = advice.into_iter().partition(|sdk| sdk.name == "FastMCP");
    let (says, page) = finding.help.split_once(" See ").expect("it names its page");
    assert_eq!(says, own[0].says);
    assert_eq!(page, "`mcp-errconf explain leak/validation-dump`.", "no page is published yet");
    let shown = folder.read("report.txt");
    for sdk in others {
        let name = sdk.name.trim_start_matches("the ").split(" (").next().unwrap_or_default();
        assert!(!shown.replace("fastmcp", "").contains(name), "{name}: {shown}");
    }
    let lines = shown.lines().skip_while(|line| !line.contains("= help ")).skip(1);
    assert!(lines.take_while(|line| line.starts_with("     ")).count() < 4, "{shown}");
}
