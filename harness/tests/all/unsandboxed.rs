//! A machine that cannot sandbox a server: a run says so first and judges the rest, and `doctor` foretells what it comes to.

use std::collections::BTreeMap;

use mcp_errconf::confinement::SecondSessionResult;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use crate::program::{Folder, folder, in_one_line, stdout};

/// A tool that reads, if `$1` is `both`, and one that writes. The words for arguments that do not fit are FastMCP's.
const SERVER: &str = r#"tools='{"name":"save_mark","description":"Saves a mark.","inputSchema":{"type":"object","properties":{"mark":{"type":"string"}},"required":["mark"]}}'
[ "$1" = both ] && tools="$tools"',{"name":"get_mark","description":"Gets a mark.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"mark":{"type":"string"}},"required":["mark"]}}'
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"marks","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":['"$tools"']}' ;;
    *'"save_mark"'*'"mark":"'*) result='{"content":[{"type":"text","text":"saved"}]}' ;;
    *'"save_mark"'*) result='{"content":[{"type":"text","text":"1 validation error for call[save_mark]\nmark\n  Missing required argument [type=missing_argument, input_value={}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.11/v/missing_argument"}],"isError":true}' ;;
    *'"mark":"'*) result='{"content":[{"type":"text","text":"here it is"}]}' ;;
    *) result='{"content":[{"type":"text","text":"mark is required: send a text"}],"isError":true}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// Does the work where no program can create a namespace, as in a container with the usual filter of system calls.
fn without_namespaces<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let denied = BTreeMap::from([(libc::SYS_unshare, Vec::new())]);
    let error = u32::try_from(libc::EPERM).expect("it is positive");
    let architecture = std::env::consts::ARCH.try_into().expect("it has filters");
    let filter = SeccompFilter::new(denied, SeccompAction::Allow, SeccompAction::Errno(error), architecture);
    let program: BpfProgram = filter.expect("it is right").try_into().expect("it is small");
    let filtered = || {
        // It holds for this thread, and for the programs that it starts.
        apply_filter(&program).expect("any program may restrict itself");
        work()
    };
    let done = std::thread::scope(|scope| scope.spawn(filtered).join());
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A folder with the server, and the configuration and baseline that `init` writes where it cannot be sandboxed.
fn configured(tools: &str) -> Folder {
    let folder = folder().with("server.sh", SERVER);
    let init = without_namespaces(|| folder.run(&["init", "--", "sh", "server.sh", tools]).code(0));
    let printed = stdout(&init);
    assert!(printed.contains("\nnot sandboxed: ") && printed.contains(FIX), "{printed}");
    folder
}

/// What starts a container whose filter allows namespaces.
const FIX: &str = "start the container with --security-opt seccomp=unconfined";

#[test]
fn a_run_without_a_sandbox_says_first_how_to_get_one_and_judges_the_rest() {
    let folder = configured("both");
    let forms = ["json=r.json", "human=r.txt", "markdown=r.md", "github=r.github", "html=r.html"];
    let forms: Vec<&str> = forms.iter().flat_map(|form| ["--report", form]).collect();
    without_namespaces(|| folder.run(&[&["run"][..], &forms].concat()).code(0));
    let report = folder.report("r.json");
    let judged = |name: &str| report.tools.iter().find(|tool| tool.name == name).map(|tool| tool.judged);
    assert!(judged("get_mark") > Some(0), "{:?}", report.tools);
    let Some(SecondSessionResult::Missing(why)) = &report.server.second else {
        panic!("{:?}", report.server.second)
    };
    assert!(why.contains("the server could not be sandboxed: user namespaces are not available"), "{why}");
    assert!(why.contains(FIX), "{why}");
    let shown = |name: &str| in_one_line(&folder.read(name));
    let human = shown("r.txt");
    let (top, rest) = human.split_once(" sandbox none: ").expect("it says so");
    assert!(top.starts_with("server ") && !top.contains("]: "), "it comes before the findings: {human}");
    assert!(rest.contains(FIX) && rest.contains(" conformant"), "{rest}");
    for (name, words) in [
        ("r.md", "**sandbox:** `none: "),
        (
            "r.github",
            "::warning file=mcp-errconf.toml,line=1,title=mcp-errconf::mcp-errconf: sandbox: none: ",
        ),
        ("r.html", "<strong>Sandbox: </strong>None: "),
    ] {
        let text = shown(name);
        assert!(text.contains(words) && text.contains(FIX), "{name}: {text}");
    }
}

#[test]
fn doctor_foretells_that_a_run_without_a_sandbox_judges_nothing() {
    let folder = configured("write-only");
    without_namespaces(|| folder.run(&["run"]).code(4));
    let printed = stdout(&without_namespaces(|| folder.run(&["doctor"]).code(4)));
    assert!(printed.contains("confine    not possible: user namespaces are not available"), "{printed}");
    assert!(printed.contains("  run      would exit with 4 without a sandbox: "), "{printed}");
    let (_, next) = printed.split_once("would exit with 4").expect("it says so");
    assert!(next.contains(FIX) && next.contains(r#"`class = "read"` under `[tools.NAME]`"#), "{next}");
    assert!(printed.contains("verdict    `mcp-errconf run` works, but judges nothing here"), "{printed}");
    assert!(printed.lines().count() <= 20, "{printed}");
}

#[test]
fn doctor_says_how_much_is_judged_without_a_sandbox() {
    let folder = configured("both");
    let printed = stdout(&without_namespaces(|| folder.run(&["doctor"]).code(0)));
    assert!(printed.contains("  run      judges 1 of 2 tools without a sandbox"), "{printed}");
    let printed = stdout(&folder.run(&["doctor"]).code(0));
    assert!(!printed.contains("without a sandbox"), "{printed}");
}
