//! Manners at a terminal: what is printed keeps to its width, is coloured and drawn there alone, and ends with the next step.

use std::process::{Command, Stdio};
use std::sync::LazyLock;

use unicode_width::UnicodeWidthStr as _;

use crate::program::{Folder, PROGRAM, folder, in_one_line, stderr, stdout};

/// Runs the program at a pseudo terminal of this many columns, with Python's `pty`; what came on it, standard error with it. None
/// where there is no Python, which is said.
fn at_terminal(
    folder: &Folder,
    columns: u16,
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> Option<String> {
    const DRIVER: &str = "import fcntl, os, pty, struct, sys, termios\n\
        pid, terminal = pty.fork()\n\
        if pid == 0:\n    os.execv(sys.argv[2], sys.argv[2:])\n\
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 50, int(sys.argv[1]), 0, 0))\n\
        while True:\n    try:\n        said = os.read(terminal, 65536)\n    except OSError:\n        break\n    \
        if not said:\n        break\n    os.write(1, said)\n\
        os.waitpid(pid, 0)\n";
    let mut python = Command::new("python3");
    python.args(["-c", DRIVER, &columns.to_string()]).arg(PROGRAM).args(arguments);
    python.current_dir(folder.path()).stdin(Stdio::null()).env("TERM", "xterm-256color");
    for name in ["CI", "NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "COLUMNS"] {
        python.env_remove(name);
    }
    let Ok(output) = python.envs(variables.iter().copied()).output() else {
        eprintln!("python3 is not here: no terminal is tried");
        return None;
    };
    Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
}

/// The text without sequences that only colour, link, or draw.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => match letters.next() {
                Some('[') => while letters.next().is_some_and(|letter| !letter.is_ascii_alphabetic()) {},
                Some(']') => {
                    while letters.next().is_some_and(|letter| letter != '\\' && letter != '\u{7}') {}
                }
                _ => {}
            },
            '\r' => {
                let line = plain.rfind('\n').map_or(0, |at| at + 1);
                plain.truncate(line);
            }
            letter => plain.push(letter),
        }
    }
    plain
}

/// No line is wider. A word that is longer than the line without this margin, such as a path, is not broken; nor is a command
/// that is to be copied.
fn assert_within(columns: usize, margin: usize, printed: &str) {
    for line in printed.lines().filter(|line| !line.starts_with("next ") && !line.contains("= replay ")) {
        let longest = line.split_whitespace().map(str::len).max().unwrap_or_default();
        assert!(line.width() <= columns || longest + margin > columns, "{columns}: {line}");
    }
}

/// A folder with the recording of a server that has some findings, so that nothing has to be run again for each width.
fn recorded() -> Folder {
    static RECORDING: LazyLock<String> = LazyLock::new(|| {
        let folder = folder();
        let run = "run --contract tool-error --confine off --filter re* --transcript t.jsonl --";
        let served = "serve --contract bracket-code --workdir {workspace} --defect message/vague";
        folder.program_with(run).arg(PROGRAM).args(served.split(' ')).assert().code(1);
        folder.read("t.jsonl")
    });
    folder().with("t.jsonl", &RECORDING)
}

#[test]
fn a_report_keeps_to_the_width_of_its_terminal() {
    let folder = recorded();
    for columns in [60, 80, 120, 200] {
        let Some(printed) = at_terminal(&folder, columns, &[], &["judge", "t.jsonl"]) else { return };
        let printed = plain(&printed);
        assert!(printed.contains("not conformant") && printed.lines().count() > 20, "{printed}");
        assert_within(usize::from(columns), 16, &printed);
        assert!(columns < 120 || printed.lines().any(|line| line.width() > 85), "{columns}\n{printed}");
    }
}

#[test]
fn what_the_program_tells_of_itself_keeps_to_the_width_of_its_terminal() {
    for arguments in [&["explain", "leak/panic"][..], &["list", "rules"], &["run", "--help"], &["doctor"]] {
        let Some(printed) = at_terminal(&folder(), 60, &[], arguments) else { return };
        assert_within(60, 32, &plain(&printed));
    }
}

#[test]
fn a_table_a_campaign_and_json_keep_to_the_width_of_their_terminal() {
    let entry = |name: &str| {
        format!(
            "[[server]]\nname = '{name}'\ncommand = ['{PROGRAM}', 'serve', '--workdir', '{{workspace}}']\n"
        )
    };
    let servers =
        ["a", "one-whose-name-is-a-good-deal-longer-than-that-of-most-of-the-others"].map(entry).concat();
    let table = format!("options = ['--filter', 'read/*', '--confine', 'off']\n{servers}");
    let folder = folder().with("m.toml", &table);
    let fuzz = format!(
        "fuzz --max-calls 300 --confine off -- {PROGRAM} serve --workdir {{workspace}} --defect message/vague"
    );
    let fuzz: Vec<&str> = fuzz.split(' ').collect();
    for (arguments, said) in [
        (&["matrix", "m.toml"][..], "fixable"),
        (&["explain", "message/hint-missing"], "\"jsonrpc\""),
        (&["fuzz", "--", "./no-such-server"], "there is no such program"),
        (&fuzz, "--findings"),
    ] {
        let Some(printed) = at_terminal(&folder, 60, &[], arguments) else { return };
        let printed = plain(&printed);
        let words = in_one_line(&printed);
        assert!(words.contains(said), "{arguments:?}: {printed}");
        assert!(!words.contains("It was confined"), "{printed}");
        assert_within(60, 16, &printed);
    }
}

#[test]
fn colours_are_for_terminals_unless_somebody_says_otherwise() {
    let folder = recorded();
    let coloured = |variables: &[(&str, &str)]| {
        Some(at_terminal(&folder, 100, variables, &["judge", "t.jsonl"])?.contains("\u{1b}[1m"))
    };
    if let Some(is_coloured) = coloured(&[]) {
        assert!(is_coloured);
        assert_eq!(coloured(&[("NO_COLOR", "1")]), Some(false));
        assert_eq!(coloured(&[("TERM", "dumb")]), Some(false));
    }
    let piped = |variables: &[(&str, &str)]| {
        let run =
            folder.program().args(["judge", "t.jsonl"]).envs(variables.iter().copied()).assert().code(1);
        stdout(&run).contains('\u{1b}')
    };
    assert!(!piped(&[]));
    assert!(piped(&[("CLICOLOR_FORCE", "1")]));
    assert!(!piped(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn progress_is_drawn_at_a_terminal_alone_and_leaves_nothing_behind() {
    let folder = folder();
    let run = ["run", "--bundled", "--filter", "read/*", "--confine", "off"];
    let Some(printed) = at_terminal(&folder, 100, &[], &run) else { return };
    assert!(printed.contains("read/") && printed.contains("\u{1b}[2K"), "{printed:?}");
    let quiet = at_terminal(&folder, 100, &[], &[&run[..], &["--quiet"]].concat());
    assert!(quiet.is_some_and(|printed| !printed.contains("\u{1b}[2K")));
}

#[test]
fn the_first_fault_is_reported_while_the_run_goes_on() {
    let folder = folder();
    let run = format!(
        "run --confine off --filter read/* -- {PROGRAM} serve --workdir {{workspace}} --defect leak/runtime-error/rust-io"
    );
    let words: Vec<&str> = run.split(' ').collect();
    let Some(printed) = at_terminal(&folder, 100, &[], &words) else { return };
    let printed = plain(&printed);
    let seen = printed
        .find("note: first problem so far (the full verdict comes at the end): must[leak/runtime-error]");
    assert!(seen.is_some_and(|at| printed[at..].contains("not conformant: ")), "{printed}");
    // Nobody waits for it elsewhere, and a clean server has none.
    let run = folder.run(&words).code(1);
    assert!(!stderr(&run).contains("first problem so far"));
    let bundled = ["run", "--bundled", "--confine", "off", "--filter", "read/*"];
    let clean = at_terminal(&folder, 100, &[], &bundled);
    assert!(
        clean.is_some_and(
            |printed| !printed.contains("first problem so far") && printed.contains("conformant")
        )
    );
}

#[test]
fn the_summary_comes_last_with_the_reason_and_the_next_command() {
    let check = |line: &str, code: i32, wanted: [&str; 3]| {
        let run = folder().run_with(line, &[]).code(code);
        let printed = stdout(&run);
        let summary = printed.rsplit("\n\n").next().unwrap_or_default();
        let lines: Vec<&str> = summary.lines().collect();
        let [first, .., exit, next] = lines[..] else { panic!("{printed}") };
        for (line, wanted) in [first, exit, next].into_iter().zip(wanted) {
            assert!(line.starts_with(wanted), "{line:?} does not start with {wanted:?}\n{printed}");
        }
    };
    check(
        "run --bundled --filter read/missing-file",
        0,
        [
            "conformant: no findings",
            "exit      0: No finding fails the run.",
            "next      mcp-errconf run -- ",
        ],
    );
    check(
        &format!(
            "run --filter read/missing-file --confine off -- {PROGRAM} serve --workdir {{workspace}} --defect code/missing"
        ),
        1,
        [
            "not conformant: 1 finding (1 Must)",
            "exit      1: 1 Must finding.",
            "next      mcp-errconf explain code/missing",
        ],
    );
    check(
        "run -- ./nobody",
        3,
        [
            "no verdict: the server could not be exercised",
            "exit      3: ",
            "next      mcp-errconf doctor -- ./nobody",
        ],
    );
    check(
        "run --bundled --filter nothing/*",
        4,
        ["no verdict: nothing was selected", "exit      4: ", "next      mcp-errconf list cases"],
    );
}

#[test]
fn what_is_mistyped_is_answered_with_the_nearest() {
    for (arguments, wanted) in [
        (&["run", "--fliter", "x"][..], "'--filter'"),
        (&["rum"], "'run'"),
        (&["run", "--confine", "onn"], "'on'"),
        (&["run", "--report", "jsn"], "`json`"),
        (&["explain", "leak/panik"], "`leak/panic`"),
        (&["matrix", "x.toml", "--report", "htm"], "`html`"),
        (&["run", "--bundled", "--contract", "bracket-cod"], "`bracket-code`"),
        (&["run", "--bundled", "--filter", "read/missing-fil"], "`read/missing-file`"),
    ] {
        let run = folder().program().args(arguments).assert();
        let printed = format!("{}{}", stderr(&run), stdout(&run));
        let printed = in_one_line(&printed);
        assert!(printed.contains(wanted), "{arguments:?}: {printed}");
    }
}

#[test]
fn a_server_without_the_dashes_before_it_is_answered_with_them() {
    let check = |arguments: &[&str], wanted: &str| {
        let run = folder().run(arguments).code(2);
        let printed = stderr(&run);
        assert!(printed.contains(wanted), "{arguments:?}: {printed}");
    };
    check(&["run", "python", "server.py"], "put `--` before it: mcp-errconf run -- python server.py\n");
    check(
        &["fuzz", "--duration", "1m", "./server", "--root", "a b"],
        "mcp-errconf fuzz --duration 1m -- ./server --root 'a b'\n",
    );
    check(&["replay", "f.json", "./server"], "mcp-errconf replay f.json -- ./server\n");
    check(&["list", "rules", "extra"], "unexpected argument 'extra'");
    assert!(!stderr(&folder().run(&["list", "rules", "extra"])).contains("put `--`"));
    assert!(!stderr(&folder().run(&["run", "--fliter", "x"])).contains("put `--`"));
}

#[test]
fn a_server_that_does_not_start_is_explained_once_with_its_last_lines() {
    let script = "import sys\nprint('reading the configuration', file=sys.stderr)\nimport no_such_module\n";
    let run = folder().with("server.py", script).run(&["run", "--", "python3", "server.py"]).code(3);
    let printed = format!("{}{}", stdout(&run), stderr(&run));
    let times = |words: &str| printed.matches(words).count();
    assert_eq!(times("ModuleNotFoundError: No module named 'no_such_module'"), 1, "{printed}");
    assert_eq!(
        (times("reading the configuration"), times("\\n"), times("server/discover")),
        (1, 0, 0),
        "{printed}"
    );
    assert!(printed.contains("\n    reading the configuration\n"), "its lines stay lines: {printed}");
    assert!(printed.lines().count() < 20, "{printed}");
}

#[test]
fn a_server_that_serves_http_by_mistake_is_told_so_before_its_start_times_out() {
    for then in ["; read line", "; exec sleep 60", ">&2; exec sleep 60"] {
        let script = format!("echo 'Server listening on http://127.0.0.1:8766/mcp' {then}");
        let run = folder().run(&["run", "--", "sh", "-c", &script]).code(3);
        let words = in_one_line(&stdout(&run));
        let wanted = "It seems to serve HTTP: it printed \"Server listening on http://127.0.0.1:8766/mcp\"";
        assert!(words.contains(wanted), "{words}");
        assert!(!words.contains("within 30 s"), "{words}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn with_all_details_the_refusal_of_a_tools_valid_call_is_told_once() {
    let folder = folder();
    let mut program = folder.program();
    program.args(["run", "-v", "--contract", "plain", "--", "sh", "-c"]).env("LOG", "/dev/null");
    let run = program.arg(crate::fuzz::noting(crate::fuzz::REFUSES)).assert();
    let words = in_one_line(&stdout(&run));
    let times = |text: &str| words.matches(text).count();
    assert!(times("no valid call is known for `get_item`") > 1, "{words}");
    assert_eq!(times("it was refused: [INVALID_INPUT]"), 1, "{words}");
    assert_eq!((times("its control was refused"), times("withheld: ")), (0, 1), "{words}");
    assert_eq!(times("set `[tools.get_item] valid`"), 1, "{words}");
}
