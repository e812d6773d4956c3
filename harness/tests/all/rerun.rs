//! `run --failed`, which runs again what failed, and `run --max-time`, which ends a run by itself.

use mcp_errconf::judge::Status;

use crate::program::{Folder, folder, in_one_line, stdout};

/// A server with one tool that reads files. How a missing file is refused is in `refusal.txt`; after `$1` calls it is silent.
const SERVER: &str = r#"while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -z "$id" ] && continue
  schema='"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}'
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}' ;;
    *'"tools/list"'*) result="{\"tools\":[{\"name\":\"read_file\",\"description\":\"Reads a file.\",$schema}]}" ;;
    *)
      calls=$((calls + 1)); [ "$calls" -gt "$1" ] && sleep 60
      path=$(printf '%s' "$line" | sed -n 's/.*"path":"\([^"]*\)".*/\1/p')
      if [ -f "$path" ]; then result='{"content":[{"type":"text","text":"green apple"}]}'
      else
        text=$(sed "s|@|$path|" refusal.txt)
        result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$text\"},{\"type\":\"text\",\"text\":\"see the log\"}]}"
      fi ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

const GOOD: &str = "path '@' does not exist: list its folder first";
const BAD: &str = "ENOENT: no such file or directory, open '@'";

fn server(refusal: &str) -> Folder {
    folder().with("server.sh", SERVER).with("refusal.txt", refusal)
}

/// Runs cases without a sandbox; the server answers so many calls.
fn run(folder: &Folder, options: &str, calls: &str, code: i32) -> String {
    let run = "run --contract plain --confine off --max-probes 0 --report human --report json=report.json";
    stdout(&folder.run_with(&format!("{run} {options} -- sh server.sh {calls}"), &[]).code(code))
}

fn ids(folder: &Folder, status: Status) -> Vec<String> {
    let cases = folder.report("report.json").cases;
    cases.into_iter().filter(|case| case.status == status).map(|case| case.id.0).collect()
}

#[test]
fn only_what_failed_is_run_again_until_it_passes() {
    let folder = server(BAD);
    run(&folder, "--filter read/{missing-file,missing-argument,dangling-link}", "9999", 1);
    let failed = ids(&folder, Status::Failed);
    assert!(failed.contains(&"read/missing-file".to_owned()) && failed.len() < 4, "{failed:?}");
    run(&folder, "--failed", "9999", 1);
    assert_eq!(ids(&folder, Status::Failed), failed, "the same cases and no other");
    assert_eq!(folder.report("report.json").cases.len(), failed.len());

    folder.write("refusal.txt", GOOD);
    run(&folder, "--failed", "9999", 0);
    assert_eq!(ids(&folder, Status::Passed), failed);
    let printed = run(&folder, "--failed", "9999", 4);
    assert!(printed.contains("no case of this server failed in the last run in this folder"), "{printed}");
    assert_eq!(folder.files(), ["refusal.txt", "report.json", "server.sh"], "it is kept elsewhere");
}

#[test]
fn a_run_ends_at_its_time_limit_and_says_what_it_left_out() {
    let folder = server(GOOD);
    let limit =
        "--filter read/* --timeout 60 --max-time 8s --baseline b.toml --accept-new --transcript t.jsonl";
    let printed = run(&folder, limit, "9", 0);
    let words = in_one_line(&printed);
    assert_eq!(words.matches("stopped after 8.0 s, the time limit (`--max-time`)").count(), 2, "{printed}");
    assert!(words.contains("conformant as far as it was tested"), "{printed}");
    let report = folder.report("report.json");
    assert_eq!(report.stopped_after_ms, Some(8_000));
    let left = report.cases.iter().filter(|case| {
        case.reason.as_deref().is_some_and(|why| why.starts_with("the time limit of the run was reached"))
    });
    let left: Vec<_> = left.collect();
    assert!(left.len() > 5 && left.iter().all(|case| case.status != Status::Passed), "{left:?}");
    assert!(report.summary.calls > 0 && report.summary.duration_ms < 30_000, "{:?}", report.summary);
    assert!(!folder.path().join("b.toml").exists(), "a baseline is not made of half a run");
    assert_eq!(folder.rejudged().stopped_after_ms, Some(8_000), "its recording says so too");
}

#[test]
fn each_content_block_of_a_reply_is_shown() {
    let folder = server(BAD);
    let printed = run(&folder, "--filter read/missing-file", "9999", 1);
    assert!(printed.contains("|        (another block) see the log\n"), "{printed}");
    let finding = &folder.report("report.json").findings[0];
    assert_eq!(
        finding.evidence.as_ref().map(|evidence| evidence.more.clone()),
        Some(vec!["see the log".to_owned()])
    );
}
