//! What a confined server cannot do, and what the same one can that is not.
//!
//! The whole chain is tried: this program is started again as the shim, confines itself and becomes the server.

use std::net::TcpListener;
use std::path::Path;

use mcp_errconf::server::{Bounds, Command, Confiner, Openings, Process};
use tempfile::TempDir;

use crate::program::{folder, stderr, stdout};

/// Writes wherever it can, and connects out; says of each whether it could.
const GREEDY: &str = r#"
tries() { if (eval "$2") 2>/dev/null; then echo "$1 yes"; else echo "$1 no"; fi; }
tries home 'echo x > "$HOME/written"'
tries append 'echo x >> "$HOME/kept"'
tries delete 'rm "$HOME/doomed"'
tries rename 'mv "$HOME/named" "$HOME/renamed"'
tries read 'grep -q text "$HOME/kept"'
tries workspace 'mkdir -p "$WORKSPACE/a" && echo x > "$WORKSPACE/a/b" && mv "$WORKSPACE/a/b" "$WORKSPACE/c" && rm "$WORKSPACE/c"'
tries temporary 'echo x > "$(mktemp)"'
tries null 'echo x > /dev/null'
tries allowed 'echo x > "$ALLOWED/written"'
tries connect 'exec 3<>/dev/tcp/127.0.0.1/$PORT'
tries signal 'kill -0 $HARNESS'
tries own 'sleep 10 & kill $!'
echo end
"#;

/// The folders of one trial.
struct Ground {
    folder: TempDir,
    listener: TcpListener,
}

impl Ground {
    fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder can be made");
        for name in ["home", "workspace", "temporary", "allowed"] {
            std::fs::create_dir(folder.path().join(name)).expect("it is ours");
        }
        for name in ["kept", "doomed", "named"] {
            std::fs::write(folder.path().join("home").join(name), "text\n").expect("it is ours");
        }
        Self { folder, listener: TcpListener::bind("127.0.0.1:0").expect("a port is free") }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn port(&self) -> u16 {
        self.listener.local_addr().expect("it is bound").port()
    }

    fn command(&self) -> Command {
        let text = |path: &Path| path.to_str().expect("it is UTF-8").to_owned();
        let env = [
            ("HOME", text(&self.path("home"))),
            ("WORKSPACE", text(&self.path("workspace"))),
            ("ALLOWED", text(&self.path("allowed"))),
            ("PORT", self.port().to_string()),
            ("HARNESS", std::process::id().to_string()),
        ];
        Command {
            words: ["bash", "-c", GREEDY].map(str::to_owned).into(),
            cwd: None,
            env: env.map(|(name, value)| (name.to_owned(), value)).into(),
            streams: None,
            enclosure: None,
            bounds: Bounds::default(),
        }
    }
}

fn program() -> &'static Path {
    Path::new(assert_cmd::cargo::cargo_bin!("mcp-errconf"))
}

fn confiner(allow_write: &Path) -> Confiner {
    let openings = Openings { allow_write: vec![allow_write.to_owned()], env: Vec::new() };
    Confiner::try_out(program(), openings).expect("this machine can confine")
}

/// What the greedy server could do.
fn done(command: &Command) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut process = Process::spawn(command).expect("it starts");
        let mut lines = Vec::new();
        while let Some(line) = process.next_line().await {
            lines.push(String::from_utf8(line.bytes).expect("it is UTF-8"));
        }
        assert_eq!(lines.pop().as_deref(), Some("end"), "{lines:?} {}", process.take_stderr());
        lines.retain(|line| line.ends_with(" yes"));
        lines.iter().map(|line| line.trim_end_matches(" yes").to_owned()).collect()
    })
}

#[test]
fn unconfined_the_server_does_all_of_it() {
    let ground = Ground::new();
    let all = [
        "home",
        "append",
        "delete",
        "rename",
        "read",
        "workspace",
        "temporary",
        "null",
        "allowed",
        "connect",
        "signal",
        "own",
    ];
    assert_eq!(done(&ground.command()), all);
    assert!(ground.path("home/written").exists(), "the trial does what it says");
}

#[test]
#[cfg(target_os = "linux")]
fn confined_it_writes_in_the_workspace_alone_and_reaches_nobody() {
    let ground = Ground::new();
    let confiner = confiner(&ground.path("allowed"));
    let within = ["read", "workspace", "temporary", "null", "allowed", "own"];
    let enclosed = |confiner: &Confiner| {
        let enclosure = confiner.enclosure(&ground.path("workspace"), &ground.path("temporary"));
        Command { enclosure: Some(enclosure), ..ground.command() }
    };
    assert_eq!(done(&enclosed(&confiner)), within);
    let by_ports = |ports| confiner.clone().by_ports(ports).expect("this machine has port rules");
    assert_eq!(done(&enclosed(&by_ports(Vec::new()))), within, "by port rules");
    let opened = done(&enclosed(&by_ports(vec![ground.port()])));
    assert_eq!(opened, ["read", "workspace", "temporary", "null", "allowed", "connect", "own"]);
    let mut left: Vec<_> = std::fs::read_dir(ground.path("home")).expect("it is there").flatten().collect();
    left.sort_by_key(std::fs::DirEntry::file_name);
    let left: Vec<_> =
        left.iter().map(|entry| entry.file_name().into_string().expect("it is UTF-8")).collect();
    assert_eq!(left, ["doomed", "kept", "named"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_confined_server_keeps_its_exit_status_and_one_that_is_not_there_is_told_as_ever() {
    let ground = Ground::new();
    let confiner = confiner(&ground.path("allowed"));
    let enclosure = confiner.enclosure(&ground.path("workspace"), &ground.path("temporary"));
    let enclosed = |words: &[&str]| Command {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        enclosure: Some(enclosure.clone()),
        ..ground.command()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut process = Process::spawn(&enclosed(&["sh", "-c", "exit 7"])).expect("it starts");
        assert_eq!(process.next_line().await, None);
        assert_eq!(process.exit().await, mcp_errconf::exchange::Exit::Status(7));
        let mut process = Process::spawn(&enclosed(&["sh", "-c", "kill -11 $$"])).expect("it starts");
        assert_eq!(process.next_line().await, None);
        assert_eq!(process.exit().await, mcp_errconf::exchange::Exit::Signal(11));
        let missing = Process::spawn(&enclosed(&["./no-such-server"])).err().expect("it is not there");
        assert!(missing.to_string().contains("there is no such program"), "{missing}");
    });
}

#[test]
fn where_a_program_cannot_confine_itself_the_reason_is_given() {
    let error = Confiner::try_out(Path::new("/no-such-program"), Openings::default()).expect_err("it cannot");
    assert!(error.contains("could not be started again") || error.contains("on Linux alone"), "{error}");
    let error = Confiner::try_out(Path::new("/bin/false"), Openings::default()).expect_err("it cannot");
    assert!(error.contains("exit status: 1") || error.contains("on Linux alone"), "{error}");
}

/// A server that tells on standard error what it has in its environment, and ends.
const TELLING: [&str; 3] = ["sh", "-c", "echo token=${MY_API_TOKEN-kept-back} plain=$MY_PLAIN >&2; exit 1"];

fn told(options: &[&str]) -> String {
    let folder = folder();
    let mut program = folder.program();
    program
        .env("MY_API_TOKEN", "abc")
        .env("MY_PLAIN", "def")
        .args(["run"])
        .args(options)
        .arg("--")
        .args(TELLING);
    let run = program.assert().code(3);
    assert_eq!(folder.files(), Vec::<String>::new());
    format!("{}{}", stdout(&run), stderr(&run))
}

#[test]
#[cfg(target_os = "linux")]
fn variables_that_look_like_secrets_are_kept_back_from_a_confined_server_alone() {
    assert!(told(&[]).contains("token=abc plain=def"), "unconfined everything is handed on");
    let confined = told(&["--confine", "on", "-v"]);
    assert!(confined.contains("token=kept-back plain=def"), "{confined}");
    assert!(confined.contains("MY_API_TOKEN"), "the name is told: {confined}");
    assert!(!confined.contains("abc"), "the value is not: {confined}");
    assert!(told(&["--confine", "on", "--env", "MY_API_TOKEN"]).contains("token=abc plain=def"));
}

#[test]
#[cfg(all(target_os = "linux", feature = "reference-server"))]
fn a_whole_run_is_confined_and_its_head_says_how() {
    use mcp_errconf::confinement::{Confinement, Network};

    let folder = folder();
    let arguments =
        ["run", "--confine", "on", "--max-probes", "20", "--report", "human", "--report", "json=report.json"];
    let run = folder.run(&arguments).code(0);
    let report = folder.report("report.json");
    let Confinement::Confined(confined) = &report.server.confinement else {
        panic!("{:?}", report.server.confinement)
    };
    assert_eq!(confined.allow_write, Vec::<String>::new());
    let reached = match confined.network {
        Network::Namespace => "its own loopback",
        Network::Ports => "UDP is not stopped",
    };
    let head = stdout(&run).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(head.contains("confined it writes below the workspace and a temporary folder"), "{head}");
    assert!(head.contains(reached), "{head}");
    assert_eq!(folder.files(), ["report.json"], "the temporary folder of the server is deleted too");
}
