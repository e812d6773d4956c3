//! The server with eight planted faults: what is sound of it is found sound, and each fault is one finding.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use mcp_errconf::rules;
use mcp_errconf::transcript::Chosen;
use serde_json::{Value, json};

use crate::program::{example, folder, recorded};

fn server() -> PathBuf {
    example("eight_faults")
}

/// What the server prints, told these lines.
fn printed(arguments: &[&str], lines: &[Value]) -> Vec<String> {
    let mut server = Command::new(server())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let mut input = server.stdin.take().expect("its input is piped");
    for line in lines {
        writeln!(input, "{line}").expect("it reads");
    }
    drop(input);
    let output = server.wait_with_output().expect("it ends with its input");
    String::from_utf8(output.stdout).expect("it is UTF-8").lines().map(str::to_owned).collect()
}

/// `.ci/nightly` tries other seeds.
#[test]
fn what_is_sound_of_the_server_gives_no_finding() {
    for seed in ["0", "1"] {
        let (folder, server) = (folder(), server());
        let server = server.to_str().expect("the folder of cargo is UTF-8");
        let run = "run --contract bracket-code --strict --report json=report.json --";
        folder.run_with(run, &[server, "--seed", seed, "--sound"]).code(0);
        let report = folder.report("report.json");
        assert_eq!(report.findings, [], "seed {seed}");
        assert!(report.summary.error_replies > 20, "seed {seed}: {:?}", report.summary);
    }
}

#[test]
fn each_fault_that_shows_in_a_reply_breaks_one_rule() {
    let mut kinds = std::collections::BTreeSet::new();
    for seed in 0..12 {
        let seed = seed.to_string();
        for fault in printed(&["--seed", &seed, "--list"], &[]) {
            let shown: Vec<&str> = fault.split('\t').collect();
            let [kind, rule, tool, calls] = shown[..] else { panic!("four fields: {fault}") };
            if !rule.starts_with("leak/") {
                continue;
            }
            kinds.insert(kind.to_owned());
            let calls: Vec<Value> = serde_json::from_str(calls).expect("the calls are JSON");
            let request =
                |method: &str, params: &Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
            let mut requests = vec![request("initialize", &json!({})), request("tools/list", &json!({}))];
            requests.extend(calls.iter().map(|call| request("tools/call", call)));
            for (id, request) in requests.iter_mut().enumerate() {
                request["id"] = json!(id);
            }
            let replies = printed(&["--seed", &seed], &requests);
            assert_eq!(replies.len(), requests.len(), "{fault}");
            let pairs = requests.iter().zip(&replies).enumerate();
            let pairs = pairs.map(|(id, (request, reply))| {
                let reply: Value = serde_json::from_str(reply).expect("it answers in JSON");
                json!({"case": format!("call-{id}"), "request": request, "response": reply}).to_string()
                    + "\n"
            });
            let mut recording = recorded(&pairs.collect::<String>());
            // Codes are asked for where the contract is declared.
            recording.transcript.head.chosen = Chosen::Flag;
            let findings = recording.judge(rules::all()).0.findings;
            let rules: Vec<_> = findings.iter().map(|finding| &finding.rule).collect();
            assert_eq!(rules.len(), 1, "{fault}\n{rules:?}");
            assert!(findings[0].rule.starts_with(rule), "{fault}: {}", findings[0].rule);
            assert_eq!(findings[0].tool.as_deref(), Some(tool), "{fault}");
        }
    }
    assert_eq!(kinds.len(), 6, "{kinds:?}");
}
