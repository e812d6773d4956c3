//! Defects from outside: each breaks what it says, and stays a good citizen otherwise.

use std::fs;

use mcp_errconf_reference::{Contract, Defect, ServeError, defects};
use serde_json::json;

use crate::raw::RawClient;

#[tokio::test]
async fn every_defect_leaves_calls_that_succeed_alone() {
    for defect in defects() {
        let mut client = RawClient::open_with_defect(defect.name).await;
        fs::write(client.path().join("a.txt"), "one\n").unwrap();
        let name = defect.name;
        assert_eq!(client.call("bash", json!({"command": "true"})).await.unwrap(), "exit code: 0", "{name}");
        assert_eq!(client.call("view", json!({"path": "a.txt"})).await.unwrap(), "     1\tone\n", "{name}");
        assert_eq!(client.call("grep", json!({"pattern": "n"})).await.unwrap(), "a.txt:1:one", "{name}");
        let replace = json!({"path": "a.txt", "old_str": "one", "new_str": "two"});
        client.call("str_replace", replace).await.unwrap();
        client.close().await.unwrap();
    }
}

/// A file over the limit, without a byte on the disk.
fn make_big(folder: &std::path::Path) {
    fs::File::create(folder.join("big")).unwrap().set_len(11 << 20).unwrap();
}

#[tokio::test]
async fn a_leak_keeps_the_code_the_value_and_the_hint() {
    // Others show with a service or a repository behind the server, beside its tools, or in another contract, alone.
    let is_elsewhere = |selector: &str| {
        ["git-", "upstream.", "unknown-prompt"].iter().any(|kind| selector.starts_with(kind))
    };
    let shows_here = |defect: &&Defect| {
        let mut breaks = defect.breaks_in(Contract::BracketCode);
        breaks.any(|breaks| breaks.cases.iter().any(|selector| !is_elsewhere(selector)))
    };
    let leaks = defects().iter().filter(|defect| defect.name.starts_with("leak/"));
    for defect in leaks.filter(shows_here) {
        let mut client = RawClient::open_with_defect(defect.name).await;
        fs::write(client.path().join("a.txt"), "one\n").unwrap();
        fs::create_dir(client.path().join("dir")).unwrap();
        make_big(client.path());
        let mut changed = 0;
        for (tool, arguments, code, value, hint) in [
            ("bash", json!({}), "INVALID_INPUT", "command", "Call bash with"),
            ("view", json!({"path": "gone"}), "PATH_NOT_FOUND", "gone", "Call glob"),
            ("view", json!({"path": "/etc/no"}), "ACCESS_DENIED", "/etc/no", "Use a path inside"),
            ("create_file", json!({"path": "dir", "content": ""}), "IO_ERROR", "dir", "path of a file"),
            (
                "str_replace",
                json!({"path": "a.txt", "old_str": "zz"}),
                "STR_REPLACE_NOT_FOUND",
                "zz",
                "Call view",
            ),
            ("grep", json!({"pattern": "[x"}), "GREP_INVALID_PATTERN", "[x", "backslash"),
            ("task_output", json!({"task_id": "t"}), "BASH_TASK_NOT_FOUND", "'t'", "bash"),
            ("view", json!({"path": "big"}), "FILE_TOO_LARGE", "'big'", "with bash"),
            ("glob", json!({"pattern": "[x"}), "GLOB_INVALID_PATTERN", "[x", "']'"),
        ] {
            let text = client.call(tool, arguments.clone()).await.unwrap_err();
            assert!(text.starts_with(&format!("[{code}] ")), "{}: {text}", defect.name);
            assert!(text.contains(value) && text.contains(hint), "{}: {text}", defect.name);
            let mut clean = RawClient::open().await;
            fs::write(clean.path().join("a.txt"), "one\n").unwrap();
            fs::create_dir(clean.path().join("dir")).unwrap();
            make_big(clean.path());
            let here =
                |client: &RawClient, text: &str| text.replace(&client.path().display().to_string(), "");
            let expected = clean.call(tool, arguments).await.unwrap_err();
            let is_changed = here(&clean, &expected) != here(&client, &text);
            changed += usize::from(is_changed) + client.notifications.drain(..).count();
        }
        assert_eq!(changed, 1, "{}", defect.name);
    }
}

#[tokio::test]
async fn a_question_that_is_never_answered_leaves_the_server_alive() {
    let mut client = RawClient::open_with_defect("liveness/no-reply").await;
    client.send_call("task_output", json!({"task_id": "nope"})).await;
    client.request("ping", json!({})).await;
}

#[tokio::test]
async fn a_crash_ends_the_connection_without_an_answer() {
    let mut client = RawClient::open_with_defect("liveness/crash").await;
    client.send_call("grep", json!({"pattern": "["})).await;
    assert_eq!(client.line().await, None);
    assert!(matches!(client.close().await, Err(ServeError::Crashed)));
}

#[tokio::test]
async fn noise_stands_before_the_reply_that_it_is_about() {
    let mut client = RawClient::open_with_defect("wire/stdout-noise").await;
    client.send_call("grep", json!({"pattern": "["})).await;
    let noise = client.line().await.unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&noise).is_err(), "{noise}");
    assert_eq!(client.reply().await["result"]["isError"], true);
}
