//! Campaigns: what they find, that they go on, and that what they find can be sent again.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mcp_errconf::judge::Report;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::program::{Folder, PROGRAM, first_of, folder, stderr, stdout};

/// The requests of a campaign that call no tool: a method that does not exist, three of capabilities that the server does
/// not have, a list with an unknown cursor, and two lists of tools about one that is cancelled.
pub(crate) const BESIDE_TOOLS: usize = 7;

/// A server in a few lines of shell that notes what it reads. `{ANSWER}` is what becomes of a `tools/call`, with the line in
/// `$line` and its id in `$id`.
pub(crate) fn noting(answer: &str) -> String {
    let server = r#"while IFS= read -r line; do
        printf '%s\n' "$line" >> "$LOG"
        id=${line#*\"id\":}; id=${id%%,*}
        case $line in
            *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"noting","version":"1"}}}\n' "$id" ;;
            *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"get_item","inputSchema":{"type":"object","properties":{"number":{"type":"integer"},"name":{"type":"string"}},"required":["name"]}}]}}\n' "$id" ;;
            *'"method":"tools/call"'*'"name":"'*) {ANSWER} ;;
            *'"method":"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Missing name of the tool"}}\n' "$id" ;;
            *'"method":"ping"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
            *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id" ;;
        esac
    done"#;
    server.replace("{ANSWER}", answer)
}

pub(crate) const REFUSES: &str = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":"[INVALID_INPUT] `name` must be a known name. Give another one."}]}}\n' "$id""#;

/// A campaign on a server of shell; what it noted is in `log`.
pub(crate) fn fuzz(folder: &Folder, answer: &str, options: &[&str]) -> assert_cmd::assert::Assert {
    let fuzz = "fuzz -q --confine off --report json=report.json --findings findings";
    let mut program = folder.program_with(fuzz);
    program.args(options).env("LOG", folder.path().join("log"));
    program.args(["--", "sh", "-c", &noting(answer)]).assert()
}

/// How many processes a campaign has started once it tells that the first call is drawn, with this corpus.
fn started_before_the_first_draw(folder: &Folder) -> usize {
    let log = folder.path().join("starts");
    fs::write(&log, "").expect("it can be written");
    let server = r#"echo start >> "$LOG"; exec "$PROGRAM" serve --workdir "$1""#;
    let fuzz = "fuzz -q --confine off --allow-destructive --duration 1s --in-flight 1 --corpus corpus --report ndjson";
    let mut program = Command::new(PROGRAM);
    program.args(fuzz.split_whitespace()).args(["--", "sh", "-c", server, "server", "{workspace}"]);
    program.env("LOG", &log).env("PROGRAM", PROGRAM).env("TMPDIR", folder.path()).current_dir(folder.path());
    let mut running =
        program.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let told = BufReader::new(running.stdout.take().expect("it is piped"));
    let mut lines = told.lines().map(|line| line.expect("it is UTF-8"));
    assert!(lines.any(|line| line.starts_with(r#"{"event":"started""#)), "no call is drawn");
    let started = fs::read_to_string(&log).expect("it is there").lines().count();
    lines.for_each(drop);
    running.wait().expect("it ends");
    started
}

#[test]
fn two_processes_at_most_come_before_the_first_drawn_call_and_one_where_the_corpus_knows_the_calls() {
    let folder = folder();
    // The one that gets the first drawn call may have been started already.
    let first = started_before_the_first_draw(&folder);
    assert!((1..=3).contains(&first), "{first}");
    let again = started_before_the_first_draw(&folder);
    assert!((1..=2).contains(&again), "{again}");
}

pub(crate) fn files(folder: &Folder) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.path().join("findings")).expect("the folder was made");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let is_finding = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "json")
            && path.file_stem().is_some_and(|name| name != "report")
    };
    paths.filter(is_finding).collect()
}

/// The one finding about a server that crashes.
pub(crate) fn crash() -> (String, Option<String>) {
    ("liveness/crash".to_owned(), Some("get_item".to_owned()))
}

pub(crate) fn named(report: &Report) -> Vec<(String, Option<String>)> {
    report.findings.iter().map(|finding| (finding.rule.clone(), finding.tool.clone())).collect()
}

#[test]
fn the_same_seed_sends_the_same_requests_byte_for_byte() {
    let noted = |seed: &str, name: &str| {
        let folder = folder();
        let temporary = std::env::temp_dir().join(format!("mcp-errconf-test-{}-{name}", std::process::id()));
        fs::create_dir_all(&temporary).expect("the temporary folder can be written");
        let mut program = folder.program_with("fuzz -q --confine off --in-flight 1 --max-calls 300 --seed");
        program.arg(seed).env("LOG", folder.path().join("log")).env("TMPDIR", &temporary);
        program.args(["--", "sh", "-c", &noting(REFUSES)]);
        let code = program.assert().get_output().status.code();
        assert!(matches!(code, Some(0 | 1)), "{code:?}");
        let log = folder.read("log");
        fs::remove_dir_all(&temporary).expect("it is ours");
        log
    };
    let first = noted("7", "same");
    assert_eq!(first, noted("7", "same"));
    assert_ne!(first, noted("8", "same"));
    assert!(first.lines().filter(|line| line.contains("tools/call")).count() >= 300 - BESIDE_TOOLS);
}

#[test]
fn each_shard_has_its_own_seed_and_a_wrong_one_is_refused() {
    let seed = |shard: &str| {
        let folder = folder();
        fuzz(&folder, REFUSES, &["--max-calls", "60", "--seed", "7", "--shard", shard]).code(0);
        folder.report("report.json").seed
    };
    let seeds = ["1/1", "1/2", "2/2"].map(seed);
    assert_eq!(seeds[0], 7);
    assert!(seeds[1] != seeds[2] && !seeds[1..].contains(&7), "{seeds:?}");
    let folder = folder();
    let mut program = folder.program();
    program.args(["fuzz", "--bundled", "--shard", "auto"]).env("SLURM_ARRAY_TASK_ID", "3");
    let refused = program.assert().code(2);
    assert!(stderr(&refused).contains("`SLURM_ARRAY_TASK_MIN` is not set"), "{}", stderr(&refused));
}

#[test]
fn what_is_sent_is_counted_and_bounded() {
    let folder = folder();
    fuzz(&folder, REFUSES, &["--max-calls", "200", "--seed", "1"]).code(0);
    let report = folder.report("report.json");
    let log = folder.read("log");
    let sent = log.lines().filter(|line| line.contains("tools/call")).count();
    assert_eq!((report.summary.calls, sent + BESIDE_TOOLS), (200, 200));
    assert_eq!((report.summary.cases.total, report.cases.len(), report.seed), (0, 0, 1));
    assert!(report.summary.error_replies >= 186, "{:?}", report.summary);
}

/// The server ends at a name that stands there as a number.
pub(crate) const CRASHES: &str =
    r#"case $line in *'"name":null'*|*'"arguments":{}'*) echo gone >&2; exit 3 ;; *) {REFUSES} ;; esac"#;

#[test]
fn a_crash_is_found_once_shrunk_and_the_campaign_goes_on_after_it() {
    let folder = folder();
    let answer = CRASHES.replace("{REFUSES}", REFUSES);
    fuzz(&folder, &answer, &["--max-calls", "400", "--seed", "3", "--report", "human=report.txt"]).code(1);
    let report = folder.report("report.json");
    assert_eq!(named(&report), [crash()]);
    assert_eq!(report.findings[0].stable, Some(true));
    assert_eq!(report.findings[0].case, None);
    assert_eq!(report.findings[0].input.as_ref().expect("it has an input")["name"], "get_item");
    assert!(report.summary.calls >= 400, "it goes on: {:?}", report.summary);

    let file = files(&folder).pop().expect("a file for the finding");
    let written: Value = serde_json::from_slice(&fs::read(&file).expect("it is there")).expect("it is JSON");
    assert_eq!(written["rule"], "liveness/crash");
    assert_eq!(&written["input"], report.findings[0].input.as_ref().expect("it has an input"));
    assert_eq!(written["finding"]["rule"], "liveness/crash");
    replayed(&folder, &file, &answer, 1);
    replayed(&folder, &file, REFUSES, 0);
    by_hand(&written, &answer);

    let shown = folder.read("report.txt");
    assert!(shown.contains("--> found by fuzzing, tool get_item"), "{shown}");
    assert!(!shown.contains("flaky") && !shown.contains("not confirmed"), "{shown}");
    let command =
        shown.lines().find_map(|line| line.split_once("= replay")).expect("a command is shown").1.trim();
    assert!(command.starts_with("mcp-errconf replay findings/liveness-crash-get-item-"), "{command}");
    assert_eq!(report.findings[0].replay.as_deref(), Some(command));
    assert_eq!(shell(&folder, command), Some(1), "{command}");
}

/// The finding is sent again to a server with this answer.
pub(crate) fn replayed(folder: &Folder, file: &std::path::Path, answer: &str, code: i32) {
    let mut program = folder.program();
    program.args(["replay", "--confine", "off", "--timeout", "2"]).arg(file);
    program.env("LOG", folder.path().join("log"));
    program.args(["--", "sh", "-c", &noting(answer)]).assert().code(code);
}

/// The plain lines of a finding do it without this program.
fn by_hand(written: &Value, answer: &str) {
    let mut server = Command::new("sh")
        .args(["-c", &noting(answer)])
        .env("LOG", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("sh starts");
    let mut stdin = server.stdin.take().expect("it is piped");
    for line in written["lines"].as_array().expect("the lines are there") {
        // The last one ends the server, perhaps before all of it is written.
        let _ = writeln!(stdin, "{}", line.as_str().expect("a line is a text"));
    }
    assert_eq!(server.wait().expect("it ends").code(), Some(3));
}

/// A server that answers nothing more once a name is missing.
const HANGS: &str = r#"case $line in *'"arguments":{}'*|*'"name":null'*) sleep 60 ;; *) {REFUSES} ;; esac"#;

#[test]
fn a_hang_is_found_once_and_replayed() {
    let folder = folder();
    let answer = HANGS.replace("{REFUSES}", REFUSES);
    fuzz(&folder, &answer, &["--max-calls", "150", "--seed", "3", "--timeout", "1.5"]).code(1);
    let report = folder.report("report.json");
    assert_eq!(named(&report), [("liveness/no-reply".to_owned(), Some("get_item".to_owned()))]);
    let file = files(&folder).pop().expect("a file for the finding");
    replayed(&folder, &file, &answer, 1);
    replayed(&folder, &file, REFUSES, 0);
}

#[test]
fn a_silence_that_comes_of_a_file_left_by_an_earlier_call_is_not_called_stable() {
    let folder = folder();
    let answer = r#"case $line in
        *'"name":null'*) : > '{workspace}/left'; {REFUSES} ;;
        *'"arguments":{}'*) if [ -e '{workspace}/left' ]; then sleep 60; else {REFUSES}; fi ;;
        *) {REFUSES} ;; esac"#;
    let answer = answer.replace("{REFUSES}", REFUSES);
    fuzz(&folder, &answer, &["--max-calls", "300", "--seed", "3", "--timeout", "1.5"]).code(1);
    let report = folder.report("report.json");
    let stable: Vec<_> = report.findings.iter().map(|finding| (&*finding.rule, finding.stable)).collect();
    assert_eq!(stable, [("liveness/no-reply", Some(false))]);
}

#[test]
fn what_shows_only_after_another_call_is_found_as_a_sequence() {
    let folder = folder();
    // It remembers, in this process alone, that a name was null, and tells its insides at the next name that is a number.
    let leaks = r#"case $line in
        *'"name":null'*) seen=1; {REFUSES} ;;
        *'"name":'[0-9-]*) if [ -n "$seen" ]; then printf '{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":"[INVALID_INPUT] panicked at src/store.rs:41:18: index out of bounds"}]}}\n' "$id"; else {REFUSES}; fi ;;
        *) {REFUSES} ;; esac"#;
    let answer = leaks.replace("{REFUSES}", REFUSES);
    fuzz(&folder, &answer, &["--max-calls", "600", "--seed", "5"]).code(1);
    let report = folder.report("report.json");
    let panic = first_of(&report, "leak/panic");
    let input = panic.input.as_ref().and_then(Value::as_array).expect("a list of calls");
    assert_eq!(input.len(), 2, "{input:?}");
    assert_eq!(panic.stable, Some(true));
}

/// A tool that checks nothing and may send something, beside one that reads.
fn careless() -> String {
    let tools = r#"{"name":"get_item","inputSchema":{"type":"object","properties":{"number":{"type":"integer"},"name":{"type":"string"}},"required":["name"]}}"#;
    let send = r#"{"name":"send_mail","inputSchema":{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}}"#;
    let sends =
        r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"sent"}]}}\n' "$id""#;
    let answer = format!(r#"case $line in *'"name":"send_mail"'*) {sends} ;; *) {REFUSES} ;; esac"#);
    let server = noting(&answer);
    assert!(server.contains(tools));
    server.replace(tools, &format!("{send},{tools}"))
}

#[test]
fn without_confinement_a_tool_that_carries_a_call_out_gets_no_further_one() {
    let sent = |options: &[&str]| {
        let folder = folder();
        let mut program =
            folder.program_with("fuzz -q --confine off --max-calls 300 --report json=report.json");
        program.args(options).env("LOG", folder.path().join("log"));
        let code = program.args(["--", "sh", "-c", &careless()]).assert().get_output().status.code();
        assert!(matches!(code, Some(0 | 1)), "{code:?}");
        let log = folder.read("log");
        let calls = |tool: &str| log.lines().filter(|line| line.contains(tool)).count();
        (calls(r#""name":"send_mail""#), calls(r#""name":"get_item""#), folder.report("report.json"))
    };
    for options in [
        &["--in-flight", "1", "--seed", "1"][..],
        &["--in-flight", "8", "--jobs", "2", "--seed", "2"],
        &["--contract", "bracket-code", "--seed", "3"],
    ] {
        let (careless, other, report) = sent(options);
        assert_eq!(careless, 1, "{options:?}");
        assert!(other >= 200, "{options:?} {other}");
        let [withheld] = &report.withheld[..] else { panic!("{:?}", report.withheld) };
        assert!(withheld.why.contains("it carried out `send_mail {"), "{}", withheld.why);
        assert!(withheld.why.contains("`--allow-destructive`"), "{}", withheld.why);
    }
    assert!(sent(&["--allow-destructive", "--seed", "1"]).0 > 20);
}

#[test]
fn the_next_command_of_a_campaign_that_searched_no_calls_is_one_that_takes_its_options() {
    for options in [&["--in-flight", "2", "--max-calls", "60"][..], &["--tools", "nosuch*"]] {
        let folder = folder();
        let mut program = folder.program();
        program.args(["fuzz", "--confine", "off"]).args(options).env("LOG", folder.path().join("log"));
        let server = noting(REFUSES).replace("get_item", "delete_item");
        let printed = stdout(&program.args(["--", "sh", "-c", &server]).assert());
        let next = printed.lines().find_map(|line| line.trim_start().strip_prefix("next "));
        assert!(next.is_some_and(|next| next.trim_start().starts_with("mcp-errconf fuzz ")), "{printed}");
    }
}

#[test]
fn inputs_that_led_to_something_new_are_kept_for_the_next_campaign() {
    let folder = folder();
    let corpus = || fs::read_dir(folder.path().join("corpus")).map_or(0, Iterator::count);
    fuzz(&folder, REFUSES, &["--max-calls", "100", "--seed", "1", "--corpus", "corpus"]).code(0);
    let kept = corpus();
    assert!(kept > 0);
    fs::remove_file(folder.path().join("log")).expect("the server noted what it read");
    let again = ["--max-calls", "60", "--seed", "2", "--in-flight", "1", "--corpus", "corpus"];
    fuzz(&folder, REFUSES, &again).code(0);
    assert!(corpus() >= kept);
}

#[test]
fn a_server_without_an_error_reply_is_not_green() {
    let folder = folder();
    let succeeds =
        r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}\n' "$id""#;
    fuzz(&folder, succeeds, &["--max-calls", "50", "--seed", "1"]).code(4);
    fuzz(&folder, REFUSES, &["--max-calls", "50", "--seed", "1", "--tools", "other*"]).code(4);
}

#[test]
fn a_server_that_does_not_start_is_in_every_report() {
    let folder = folder();
    let failed = folder.run_with("fuzz --max-calls 5 --report json=report.json -- false", &[]).code(3);
    assert!(stderr(&failed).contains("did not start a session"), "{}", stderr(&failed));
    assert_eq!(folder.report("report.json").summary.calls, 0);
}

#[test]
fn a_campaign_that_is_interrupted_writes_what_it_found_and_leaves_nothing_behind() {
    for signal in [Signal::INT, Signal::TERM] {
        let folder = folder();
        let fuzz = "fuzz -q --confine off --duration 10m --seed 1 --corpus corpus --report json=report.json \
                    --findings findings -- sh -c";
        let mut program = Command::new(PROGRAM);
        program.args(fuzz.split_whitespace());
        program.arg(noting(REFUSES)).env("LOG", folder.path().join("log")).env("TMPDIR", folder.path());
        program.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let running = program.spawn().expect("the program starts");
        let begun = Instant::now();
        while fs::read_dir(folder.path().join("corpus")).map_or(0, Iterator::count) == 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "nothing is kept");
            std::thread::sleep(Duration::from_millis(10));
        }
        let pid = Pid::from_raw(i32::try_from(running.id()).expect("process ids are small"));
        kill_process(pid.expect("it is not 0"), signal).expect("it runs");
        let output = running.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130));
        assert!(folder.report("report.json").summary.calls > 0);
        assert_eq!(folder.files(), ["corpus", "findings", "log", "report.json"]);
    }
}

/// Runs a command that a report shows, with this program in the path; gives its exit code.
fn shell(folder: &Folder, command: &str) -> Option<i32> {
    let programs = Path::new(PROGRAM).parent().expect("a program lies in a folder");
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder.path()).env("PATH", with_path(programs));
    shell.env("LOG", "/dev/null").stdout(Stdio::null()).stderr(Stdio::null());
    shell.status().expect("sh starts").code()
}

fn with_path(first: &Path) -> std::ffi::OsString {
    let others = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(first.to_owned()).chain(std::env::split_paths(&others));
    std::env::join_paths(all).expect("no folder's name holds a colon")
}

/// A campaign whose findings are replayed without naming the server.
#[test]
fn a_finding_is_replayed_as_its_file_says_from_any_folder() {
    let folder = folder().with("server.sh", &noting(&CRASHES.replace("{REFUSES}", REFUSES)));
    let fuzz =
        "fuzz -q --confine off --timeout 2 --max-calls 400 --seed 3 --findings findings -- sh server.sh";
    folder.program_with(fuzz).env("LOG", "/dev/null").assert().code(1);
    let file = files(&folder).pop().expect("a file for the finding");
    let written: Value = serde_json::from_slice(&fs::read(&file).expect("it is there")).expect("it is JSON");
    let expected = json!({
        "command": ["sh", "server.sh"],
        "folder": "..",
        "options": ["--timeout", "2", "--confine", "off"],
        "env": [],
    });
    assert_eq!(written["server"], expected);
    let name = file.file_name().expect("it has a name");
    let replay = |folder: &Path, file: &Path, code: i32| {
        let mut replay = Command::new(PROGRAM);
        replay.arg("replay").arg(file).env("LOG", "/dev/null").current_dir(folder);
        let output = replay.output().expect("the program starts");
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{printed}");
        printed
    };
    let noted = replay(folder.path(), &Path::new("findings").join(name), 1);
    assert!(noted.contains("the server is started as in the campaign: sh server.sh"), "{noted}");
    replay(&folder.path().join("findings"), Path::new(name), 1);
    replay(Path::new("/"), &file, 1);
    replay(folder.path(), Path::new("findings"), 1);
    for report in ["report.html", "report.json"] {
        assert!(folder.path().join("findings").join(report).is_file(), "{report}");
    }
    // What the file says of the server is used, not what the configuration says.
    folder.write("mcp-errconf.toml", "[server]\ncommand = ['false']\n");
    replay(folder.path(), &file, 1);
    fs::remove_file(folder.path().join("mcp-errconf.toml")).expect("it is there");
    folder.write("server.sh", noting(REFUSES));
    replay(folder.path(), &file, 0);
    replay(folder.path(), Path::new("findings"), 0);

    let mut old = written;
    old.as_object_mut().expect("it is an object").remove("server");
    fs::write(&file, old.to_string()).expect("the folder is ours");
    let refused = replay(folder.path(), &file, 2);
    assert!(refused.contains("does not say how its server is started"), "{refused}");
    assert!(refused.contains(".json -- ./my-server") && refused.contains("--bundled"), "{refused}");
}

#[test]
fn without_a_folder_of_findings_the_report_says_how_to_get_a_command() {
    let folder = folder();
    let answer = CRASHES.replace("{REFUSES}", REFUSES);
    let fuzz = "fuzz -q --confine off --max-calls 400 --seed 3 --report human=report.txt -- sh -c";
    folder.program_with(fuzz).arg(noting(&answer)).env("LOG", "/dev/null").assert().code(1);
    let report = folder.read("report.txt");
    assert!(report.contains("to replay: use `--findings DIR` to get a file for each finding"), "{report}");
}

#[test]
fn what_there_was_no_time_to_confirm_is_reported_and_an_interruption_ends_the_confirming_at_once() {
    let folder = folder();
    // Once a call was answered, no fresh process begins a session for a long time. Of so few calls none is spent on looking
    // for one that succeeds.
    let leaks = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":"[INVALID_INPUT] panicked at src/store.rs:41:18: index out of bounds"}]}}\n' "$id"; : > "$LOG.called""#;
    let server = noting(leaks).replace(
        r#"*'"method":"initialize"'*)"#,
        r#"*'"method":"initialize"'*) [ -e "$LOG.called" ] && sleep 60;"#,
    );
    let mut program = Command::new(PROGRAM);
    let fuzz =
        "fuzz --confine off --max-calls 12 --seed 1 --findings findings --report json=report.json -- sh -c";
    program.args(fuzz.split_whitespace()).arg(&server);
    program.env("LOG", folder.path().join("log")).env("TMPDIR", folder.path()).env_remove("CI");
    program.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = program.spawn().expect("the program starts");
    let mut named = BufReader::new(running.stderr.take().expect("it is piped"));
    let mut line = String::new();
    while !line.contains("still to be confirmed") {
        line.clear();
        assert!(named.read_line(&mut line).expect("it can be read") > 0, "it ended and said nothing");
    }
    assert!(line.contains("Ctrl-C stops now"), "{line}");
    let begun = Instant::now();
    let pid = Pid::from_raw(i32::try_from(running.id()).expect("process ids are small"));
    kill_process(pid.expect("it is not 0"), Signal::INT).expect("it runs");
    assert_eq!(running.wait().expect("it ends").code(), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let report = folder.report("report.json");
    let panic = first_of(&report, "leak/panic");
    assert_eq!(panic.stable, Some(false));
    assert_eq!(panic.unconfirmed.as_deref(), Some("the campaign was interrupted first"));
    assert_eq!(files(&folder).len(), report.findings.len(), "everything is written");
}

#[test]
fn a_file_that_is_no_finding_is_refused_with_its_place() {
    let folder = folder().with("finding.json", "{\n  \"rule\": 7\n}");
    let refused = folder.run(&["replay", "finding.json", "--", "true"]).code(2);
    assert!(stderr(&refused).contains("finding.json:2"), "{}", stderr(&refused));
    let missing = folder.run(&["replay", "absent.json", "--", "true"]).code(2);
    assert!(stderr(&missing).contains("fuzz --findings DIR"), "{}", stderr(&missing));
}
