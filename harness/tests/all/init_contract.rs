//! The contract that `init` writes is the one that the replies show, and the baseline is judged by it.

use crate::config::SERVER;
use crate::program::{Folder, folder, stdout};

/// What `init` with these options says of a server whose error replies have this text.
fn initialised(text: &str, options: &[&str]) -> (Folder, String) {
    let folder = folder().with("server.sh", SERVER);
    let text = format!("TEXT={text}");
    let output = folder.run(&[&["init"], options, &["--", "env", &text, "sh", "server.sh"]].concat());
    let output = stdout(&output.code(0));
    (folder, output)
}

#[test]
fn the_contract_of_the_replies_is_written_and_the_next_run_passes() {
    for (text, contract) in [
        ("[PATH_NOT_FOUND] There is no such file: send the path of one.", "bracket-code"),
        (
            r#"{\"type\":\"NOT_FOUND\",\"message\":\"There is no such file.\",\"recoverable\":true}"#,
            "tool-error",
        ),
        ("There is no such file: send the path of one.", "plain"),
    ] {
        let (folder, output) = initialised(text, &[]);
        let configuration = folder.read("mcp-errconf.toml");
        assert!(configuration.contains(&format!("\ncontract = \"{contract}\"\n")), "{configuration}");
        assert!(output.contains(&format!("\ncontract `{contract}`, because ")), "{output}");
        folder.run(&["run", "--report", "json=report.json"]).code(0);
        assert_eq!(folder.report("report.json").contract.id, contract);
    }
}

#[test]
fn without_codes_nothing_in_the_baseline_misses_one() {
    let (folder, output) = initialised("There is no such file.", &[]);
    assert!(output.contains("error replies has a code of a known contract"), "{output}");
    let baseline = folder.read("mcp-errconf-baseline.toml");
    assert!(!baseline.contains("code/") && baseline.contains("message/"), "{baseline}");
}

#[test]
fn a_contract_that_the_user_gives_stays() {
    let (folder, output) = initialised("There is no such file.", &["--contract", "bracket-code"]);
    assert!(output.contains("contract `bracket-code`, as given with `--contract`"), "{output}");
    assert!(folder.read("mcp-errconf.toml").contains("\ncontract = \"bracket-code\"\n"));
    assert!(folder.read("mcp-errconf-baseline.toml").contains("code/missing"));
    folder.run(&["run"]).code(0);
}
