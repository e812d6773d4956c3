//! What a confined server cannot do, and what the same one can that is not.
//!
//! The whole chain is tried: this program is started again as the shim, confines itself and becomes the server.

use std::collections::BTreeMap;
use std::path::Path;

use mcp_errconf::confinement::SecondSessionResult;
use mcp_errconf::server::{Command, ConfinementOptions, Confiner, Transport};
use tempfile::TempDir;

#[cfg(target_os = "linux")]
use crate::program::copy_program;
use crate::program::{PROGRAM, example, folder, in_one_line, stderr, stdout};

fn program() -> &'static Path {
    Path::new(PROGRAM)
}

/// As whom the attempts are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum User {
    /// Whoever runs the tests.
    Oneself,
    /// A user who owns nothing; root alone may become that one.
    Nobody,
}

/// What the server that tries to get out says, and what came of it: each line's value by its words.
#[cfg(target_os = "linux")]
fn tried(confinement: &str, user: User) -> BTreeMap<String, bool> {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    const NOBODY: u32 = 65534;
    let folder = TempDir::new().expect("a temporary folder can be made");
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).expect("it is ours");
    let copied = |program: &Path, name: &str| {
        let copy = folder.path().join(name);
        copy_program(program, &copy);
        copy
    };
    let (attempts, shim) = (copied(&example("attempts"), "attempts"), copied(program(), "shim"));
    let mut command = std::process::Command::new(attempts);
    command.arg("try").arg(shim).arg(confinement).current_dir(folder.path());
    command.env("TMPDIR", folder.path()).env("ATTEMPT_API_TOKEN", "abc");
    if user == User::Nobody {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().expect("it starts");
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("\nend\n"), "{confinement} {user:?}: {said}{complained}");
    let lines = said.lines().filter_map(|line| line.rsplit_once(' '));
    lines.map(|(what, said)| (what.to_owned(), said == "yes")).collect()
}

/// As whom they can be made here.
#[cfg(target_os = "linux")]
fn users() -> Vec<User> {
    let is_root = rustix::process::geteuid().is_root();
    [User::Oneself].into_iter().chain(is_root.then_some(User::Nobody)).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn an_unconfined_server_succeeds_in_every_attempt() {
    for user in users() {
        let tried = tried("free", user);
        let failed: Vec<_> =
            tried.iter().filter(|(what, done)| !**done && !what.starts_with("whole ")).collect();
        assert!(failed.is_empty(), "{user:?}: {failed:?}");
        assert!(!tried["whole victim"] && !tried["whole doomed"], "the attempts do what they say");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_confined_server_fails_in_every_attempt_and_stays_alive() {
    for user in users() {
        for (what, done) in tried("confined", user) {
            let expected = what.starts_with("allowed ") || what.starts_with("whole ");
            assert_eq!(done, expected, "{user:?}: {what}");
        }
    }
}

/// What SECURITY.md says is tried, line by line.
#[test]
#[cfg(target_os = "linux")]
fn every_promise_is_tried_and_every_attempt_is_promised() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/SECURITY.md");
    let page = std::fs::read_to_string(page).expect("it is there");
    let mut promised: Vec<&str> = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.contains('-') && !word.starts_with('-') && !word.contains(' '))
        .collect();
    let listed = std::process::Command::new(example("attempts")).arg("list").output().expect("it starts");
    let listed = String::from_utf8_lossy(&listed.stdout);
    let mut listed: Vec<&str> = listed.lines().filter(|word| word.contains('-')).collect();
    promised.sort_unstable();
    promised.dedup();
    listed.sort_unstable();
    assert_eq!(promised, listed);
}

fn confiner() -> Confiner {
    Confiner::try_out(program(), ConfinementOptions::default()).expect("this machine can confine")
}

/// This server, confined to a folder.
#[cfg(target_os = "linux")]
fn enclosed(confiner: &Confiner, scratch: &Path, words: &[&str]) -> Command {
    Command {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        run_confinement: Some(confiner.run_confinement(&[scratch], scratch)),
        ..Command::default()
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_confined_server_keeps_its_exit_status_and_one_that_is_not_there_is_reported_as_ever() {
    let scratch = TempDir::new().expect("a temporary folder can be made");
    let confiner = confiner();
    let enclosed = |words: &[&str]| enclosed(&confiner, scratch.path(), words);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut server = Transport::open(&enclosed(&["sh", "-c", "exit 7"])).expect("it starts");
        assert_eq!(server.next_line().await, None);
        assert_eq!(server.exit().await, mcp_errconf::exchange::Exit::Status(7));
        let mut server = Transport::open(&enclosed(&["sh", "-c", "kill -11 $$"])).expect("it starts");
        assert_eq!(server.next_line().await, None);
        assert_eq!(server.exit().await, mcp_errconf::exchange::Exit::Signal(11));
        let missing = Transport::open(&enclosed(&["./no-such-server"])).err().expect("it is not there");
        assert!(missing.to_string().contains("there is no such program"), "{missing}");
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_to_the_group_reaches_a_confined_server_and_its_standard_output_is_its_own() {
    let scratch = TempDir::new().expect("a temporary folder can be made");
    let script = "trap 'echo asked; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
    let command = enclosed(&confiner(), scratch.path(), &["sh", "-c", script]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut server = Transport::open(&command).expect("it starts");
        assert_eq!(server.next_line().await.expect("it says so").bytes, b"ready");
        let last = server.shutdown().await;
        assert_eq!(last.last_lines.into_iter().map(|line| line.bytes).collect::<Vec<_>>(), [b"asked"]);
        let closing =
            Command { words: ["sh", "-c", "exec 1>&-; sleep 60"].map(str::to_owned).into(), ..command };
        let mut server = Transport::open(&closing).expect("it starts");
        assert_eq!(server.next_line().await, None, "nobody else holds it open");
        server.kill().await;
    });
}

#[test]
fn where_a_program_cannot_confine_itself_the_reason_is_given() {
    let error = Confiner::try_out(Path::new("/no-such-program"), ConfinementOptions::default())
        .expect_err("it cannot");
    let is = |words: &str| error.why.contains(words) && error.fix.is_none();
    assert!(is("cannot start this program again") || is("only on Linux"), "{error}");
    let error =
        Confiner::try_out(Path::new("/bin/false"), ConfinementOptions::default()).expect_err("it cannot");
    let is = |words: &str| error.why.contains(words) && error.fix.is_none();
    assert!(is("exit status: 1") || is("only on Linux"), "{error}");
}

/// A server that tells on standard error what it has in its environment, and ends.
const TELLING: [&str; 3] = ["sh", "-c", "echo token=${MY_API_TOKEN-kept-back} plain=$MY_PLAIN >&2; exit 1"];

fn printed(options: &[&str]) -> String {
    let folder = folder();
    let mut program = folder.program();
    program.env("MY_API_TOKEN", "abc").env("MY_PLAIN", "def");
    let run = program.arg("run").args(options).arg("--").args(TELLING).assert().code(3);
    assert_eq!(folder.files(), Vec::<String>::new());
    format!("{}{}", stdout(&run), stderr(&run))
}

#[test]
#[cfg(target_os = "linux")]
fn variables_that_look_like_secrets_are_kept_back_from_a_confined_server_alone() {
    assert!(printed(&[]).contains("token=abc plain=def"), "unconfined everything is handed on");
    let confined = printed(&["--confine", "on", "-v"]);
    assert!(confined.contains("token=kept-back plain=def"), "{confined}");
    assert!(confined.contains("MY_API_TOKEN"), "the name is told: {confined}");
    assert!(!confined.contains("abc"), "the value is not: {confined}");
    assert!(printed(&["--confine", "on", "--env", "MY_API_TOKEN"]).contains("token=abc plain=def"));
}

#[test]
#[cfg(all(target_os = "linux", feature = "reference-server"))]
fn a_whole_run_is_confined_and_its_head_says_how() {
    use mcp_errconf::confinement::{Confinement, Network};

    let folder = folder();
    let run = "run --bundled -v --confine on --max-probes 20 --report human --report json=report.json";
    let run = folder.run_with(run, &[]).code(0);
    let report = folder.report("report.json");
    let Confinement::Confined(confined) = &report.server.confinement else {
        panic!("{:?}", report.server.confinement)
    };
    assert_eq!(confined.allow_write, Vec::<String>::new());
    let reached = match confined.network {
        Network::Namespace => "no network except loopback",
        Network::Ports => "UDP is not blocked",
    };
    let head = in_one_line(&stdout(&run));
    assert!(head.contains("sandbox it can write to the workspace and to a temporary folder"), "{head}");
    assert!(head.contains(reached), "{head}");
    assert_eq!(folder.files(), ["report.json"], "the temporary folder of the server is deleted too");
}

#[test]
fn a_container_is_not_confined_and_the_report_says_so() {
    let server = crate::config::SERVER;
    let folder = folder().with("server.sh", server).with("docker", "#!/bin/sh\nexec sh server.sh\n");
    let program = folder.path().join("docker");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("it is ours");
    let server = ["--", "./docker", "run", "-i", "image"];
    let why = "`docker run` starts the server in a container, which belongs to the container engine";
    let refused = folder.run(&[&["run", "--confine", "on"], &server[..]].concat()).code(2);
    assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    let second = folder.judged("", &server[1..]).server.second;
    let Some(SecondSessionResult::Missing(printed)) = &second else { panic!("{second:?}") };
    assert!(printed.contains(why), "{printed}");
}
