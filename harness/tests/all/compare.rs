//! Campaigns that compare: a refusal is judged beside a call that succeeds, also where that has to be looked for.

use mcp_errconf::finding::Finding;
use mcp_errconf::judge::Report;
use serde_json::Value;

use crate::fuzz::{files, named};
use crate::program::{Folder, folder};

/// A server of shell with notes that are kept in `$NOTES`: `{TOOLS}` is what it lists, `{NOTE}` what becomes of a call of
/// `get_note` with its title in `$value`.
const NOTES: &str = r#"
    ok() { printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$id" "$1"; }
    no() { printf '{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":"%s"}]}}\n' "$id" "$1"; }
    member() { case $line in *"\"$1\":\""*) value=${line#*\"$1\":\"}; value=${value%%\"*} ;; *"\"$1\":"*) value=odd ;; *) value=$2 ;; esac; }
    while IFS= read -r line; do
        id=${line#*\"id\":}; id=${id%%,*}
        case $line in
            *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}}\n' "$id" ;;
            *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{TOOLS}]}}\n' "$id" ;;
            *'"method":"ping"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
            *'"name":"get_list"'*) member order asc; case $value in asc|desc) ok 'nothing' ;; *) no "bad order" ;; esac ;;
            *'"name":"get_export"'*) member format json; case $value in json|csv) ok '[]' ;; *) ok 'Error: unsupported format' ;; esac ;;
            *'"name":"get_note"'*) member title ''; {NOTE} ;;
            *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Unknown method or tool."}}\n' "$id" ;;
        esac
    done"#;

const LIST: &str = r#"{"name":"get_list","inputSchema":{"type":"object","properties":{"order":{"type":"string","default":"asc"},"tag":{"type":"string"},"author":{"type":"string"},"limit":{"type":"integer"}},"required":["order","tag","author","limit"]}},{"name":"get_export","inputSchema":{"type":"object","properties":{"format":{"type":"string","default":"json"},"tag":{"type":"string"},"author":{"type":"string"},"limit":{"type":"integer"}},"required":["format","tag","author","limit"]}}"#;
const NOTE: &str = r#"{"name":"get_note","inputSchema":{"type":"object","properties":{"title":{"type":"string","minLength":3,"maxLength":40},"body":{"type":"string"},"author":{"type":"string"}},"required":["title","body","author"]}}"#;

/// A campaign on it with one call in flight; `note` is what becomes of a call of `get_note`, with its title in `$value`.
fn campaign(folder: &Folder, tools: &str, note: &str, options: &[&str]) -> Report {
    let server = NOTES.replace("{TOOLS}", tools).replace("{NOTE}", note);
    let fuzz = "fuzz -q --confine off --allow-destructive --in-flight 1 --findings findings --report json=report.json";
    let mut program = folder.program_with(fuzz);
    program.args(options).env("NOTES", folder.path().join("notes"));
    let code = program.args(["--", "sh", "-c", &server]).assert().get_output().status.code();
    assert!(matches!(code, Some(0 | 1)), "{code:?}");
    folder.report("report.json")
}

fn finding<'r>(report: &'r Report, rule: &str, tool: &str) -> &'r Finding {
    let is_it = |finding: &&Finding| finding.rule == rule && finding.tool.as_deref() == Some(tool);
    report.findings.iter().find(is_it).unwrap_or_else(|| panic!("{rule} of {tool}: {:?}", named(report)))
}

#[test]
fn what_a_tool_refuses_is_found_where_every_drawn_call_differs_in_several_arguments() {
    let folder = folder();
    let report = campaign(&folder, LIST, "", &["--max-calls", "250", "--seed", "1"]);
    for (rule, tool, words) in [
        ("message/hint-missing", "get_list", "bad order"),
        ("channel/disguised-error", "get_export", "Error: unsupported format"),
    ] {
        let found = finding(&report, rule, tool);
        assert_eq!(found.evidence.as_ref().map(|evidence| evidence.text.as_str()), Some(words));
        assert_eq!(found.stable, Some(true));
    }
}

/// Notes that are kept beyond the process, or within it alone.
const KEPT: &str = r#"case $value in ''|odd|*[!a-zA-Z0-9-]*) no '`title` must be letters and digits.' ;; *) if grep -qxF -e "$value" "$NOTES" 2>/dev/null; then no 'UNIQUE constraint failed: notes'; else printf '%s\n' "$value" >> "$NOTES"; ok 'added'; fi ;; esac"#;
const HELD: &str = r#"case $value in ''|odd|*[!a-zA-Z0-9-]*) no '`title` must be letters and digits.' ;; *) case " $held " in *" $value "*) no 'UNIQUE constraint failed: notes' ;; *) held="$held $value"; ok 'added' ;; esac ;; esac"#;

#[test]
fn a_name_that_is_taken_is_distinguished_by_one_that_is_not_and_can_be_replayed() {
    for note in [KEPT, HELD] {
        let folder = folder();
        let report = campaign(&folder, NOTE, note, &["--max-calls", "250", "--seed", "1"]);
        let found = finding(&report, "message/value-missing", "get_note");
        assert_eq!(
            found.evidence.as_ref().map(|evidence| evidence.text.as_str()),
            Some("UNIQUE constraint failed: notes")
        );
        assert_eq!(found.stable, Some(true), "{found:?}");
        let file = files(&folder).into_iter().find(|file| file.to_string_lossy().contains("value-missing"));
        let file = file.expect("it has a file");
        let written: Value =
            serde_json::from_slice(&std::fs::read(&file).expect("it is there")).expect("it is JSON");
        assert!(written["control"].is_object(), "{written}");
        std::fs::remove_file(folder.path().join("notes")).ok();
        for (note, code) in [(note, 1), ("ok 'added'", 0)] {
            let server = NOTES.replace("{TOOLS}", NOTE).replace("{NOTE}", note);
            let mut program = folder.program();
            program.args(["replay", "--confine", "off", "--timeout", "2"]).arg(&file);
            program.env("NOTES", folder.path().join("notes"));
            program.args(["--", "sh", "-c", &server]).assert().code(code);
        }
    }
}

#[test]
fn what_passes_by_itself_and_what_is_not_seen_again_is_no_fault_of_an_argument() {
    // It refuses the one call that is valid once when that is made again, and never after that.
    let once = |words: &str| {
        format!(
            r#"case $line in *'"arguments":{{"title":"alpha"}}'*) if [ -n "$seen" ] && [ ! -e "$NOTES" ]; then : > "$NOTES"; no '{words}'; else seen=1; ok 'added'; fi ;; *) no '`title` must be alpha.' ;; esac"#
        )
    };
    for words in ["The store is busy, locked by another writer.", "The store had other things to do."] {
        let folder = folder();
        let tool = NOTE.replace(r#""minLength":3,"maxLength":40"#, r#""enum":["alpha"]"#);
        let tool =
            tool.replace(r#""body":{"type":"string"},"author":{"type":"string"}"#, r#""body":{"const":1}"#);
        let tool = tool.replace(r#","body","author"]"#, "]");
        let report = campaign(&folder, &tool, &once(words), &["--max-calls", "200", "--seed", "1"]);
        assert!(folder.path().join("notes").exists(), "it was refused once");
        let about = |finding: &&Finding| {
            finding.evidence.as_ref().is_some_and(|evidence| evidence.text == words)
                && finding.rule.starts_with("message/")
        };
        let about: Vec<_> = report.findings.iter().filter(about).collect();
        assert!(about.is_empty(), "{words}: {about:?}");
    }
}

#[test]
fn what_is_compared_follows_from_the_seed() {
    let sent = || {
        let folder = folder();
        let report = campaign(&folder, LIST, "", &["--max-calls", "150", "--seed", "3"]);
        (report.summary.calls, named(&report))
    };
    let (calls, found) = sent();
    assert_eq!((calls, found), sent());
    assert!((150..600).contains(&calls), "a few more confirm and compare: {calls}");
}
