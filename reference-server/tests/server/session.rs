//! Replies as they stand on the wire.

use std::fs;
use std::os::unix::fs::symlink;

use mcp_errconf_reference::{Options, ServeError, serve};
use serde_json::{Value, json};

use crate::raw::{RawClient, told};

async fn check(client: &mut RawClient, tool: &str, arguments: Value, code: &str, words: &[&str]) {
    let text = client.call(tool, arguments).await.expect_err(tool);
    let (head, message) = text.split_once("] ").expect("a code in brackets and a space");
    assert_eq!(head, format!("[{code}"), "{text}");
    for words in words {
        assert!(message.contains(words), "{text} has no {words}");
    }
    assert!(!text.contains("os error") && message.ends_with('.'), "{text}");
}

#[tokio::test]
async fn every_condition_has_its_code_its_value_and_its_hint() {
    let mut client = RawClient::open().await;
    fs::write(client.path().join("three.txt"), "a b\nb\nb c\n").unwrap();
    fs::create_dir(client.path().join("folder")).unwrap();
    symlink("/etc/hostname", client.path().join("link")).unwrap();
    let client = &mut client;
    check(client, "bash", json!({"command": ""}), "BASH_EMPTY_COMMAND", &["'command' is empty"]).await;
    check(client, "bash", json!({"command": " \n"}), "BASH_EMPTY_COMMAND", &["'command' is empty"]).await;
    check(client, "bash", json!({}), "INVALID_INPUT", &["'command'", "Call bash with {\"command\""]).await;
    check(client, "bash", json!({"command": "a\0b"}), "BASH_START_FAILED", &["NUL", "byte 1"]).await;
    let long = json!({"command": format!("echo {}", "x".repeat(140_000))});
    check(client, "bash", long, "BASH_START_FAILED", &["140005 bytes", "create_file"]).await;
    check(client, "task_output", json!({"task_id": "nope"}), "BASH_TASK_NOT_FOUND", &["'nope'"]).await;
    check(client, "view", json!({"path": "none"}), "PATH_NOT_FOUND", &["'none'", "glob"]).await;
    check(client, "view", json!({"path": "/etc/hostname"}), "ACCESS_DENIED", &["'/etc/hostname'"]).await;
    check(client, "view", json!({"path": "folder/../../x"}), "ACCESS_DENIED", &["'folder/../../x'"]).await;
    check(client, "view", json!({"path": "link"}), "ACCESS_DENIED", &["'link'", "inside"]).await;
    check(
        client,
        "create_file",
        json!({"path": "folder", "content": ""}),
        "IO_ERROR",
        &["Could not write 'folder': it is a directory"],
    )
    .await;
    let replace = |old: &str| json!({"path": "three.txt", "old_str": old, "new_str": "x"});
    check(client, "str_replace", replace("zzz"), "STR_REPLACE_NOT_FOUND", &["'zzz'", "view"]).await;
    check(client, "str_replace", replace("b"), "STR_REPLACE_AMBIGUOUS", &["3 times", "replace_all"]).await;
    check(client, "str_replace", replace(""), "INVALID_INPUT", &["'old_str' is empty"]).await;
    check(client, "grep", json!({"pattern": "[x"}), "GREP_INVALID_PATTERN", &["'[x'", "unclosed"]).await;
    check(
        client,
        "grep",
        json!({"pattern": "x", "output_mode": "xml"}),
        "GREP_INVALID_OUTPUT_MODE",
        &["'xml'", "content, files_with_matches, count"],
    )
    .await;
    check(client, "grep", json!({"pattern": "x", "type": "cobolt"}), "INVALID_INPUT", &["'cobolt'", "rust"])
        .await;
    check(client, "glob", json!({"pattern": "{a"}), "GLOB_INVALID_PATTERN", &["'{a'", "no '}'"]).await;
    check(
        client,
        "glob",
        json!({"pattern": "*", "type": "link"}),
        "GLOB_INVALID_TYPE",
        &["'link'", "file, directory"],
    )
    .await;
}

#[tokio::test]
async fn following_the_hints_succeeds() {
    let mut client = RawClient::open().await;
    fs::write(client.path().join("three.txt"), "a b\nb\nb c\n").unwrap();
    let all = json!({"path": "three.txt", "old_str": "b", "new_str": "x", "replace_all": true});
    assert_eq!(client.call("str_replace", all).await.unwrap(), "Replaced 3 occurrences in three.txt.");
    assert_eq!(fs::read_to_string(client.path().join("three.txt")).unwrap(), "a x\nx\nx c\n");
    for (mode, expected) in
        [("content", "three.txt:1:a x"), ("files_with_matches", "three.txt"), ("count", "three.txt:1")]
    {
        let found = client.call("grep", json!({"pattern": "a", "output_mode": mode})).await.unwrap();
        assert_eq!(found, expected);
    }
    for kind in ["file", "directory"] {
        client.call("glob", json!({"pattern": "*", "type": kind})).await.unwrap();
    }
}

#[tokio::test]
async fn a_command_that_fails_is_a_result_that_begins_with_its_exit_code() {
    let mut client = RawClient::open().await;
    for (command, begin) in [
        ("echo out; echo err >&2; exit 3", "exit code: 3\n\nstdout:\nout\n\nstderr:\nerr"),
        ("false", "exit code: 1"),
        ("(exit 2)", "exit code: 2"),
        ("sh -c 'exit 255'", "exit code: 255"),
        ("no-such-command", "exit code: 127\n\nstderr:\n"),
        ("kill -9 $$", "exit code: 137 (killed by signal 9)"),
        ("true", "exit code: 0"),
    ] {
        let text = client.call("bash", json!({"command": command})).await.unwrap();
        assert!(text.starts_with(begin), "{command}: {text}");
    }
    let slow = json!({"command": "echo begun; sleep 60", "timeout": 200});
    let text = client.call("bash", slow).await.unwrap();
    assert!(text.starts_with("exit code: 137 (killed by signal 9)\n"), "{text}");
    assert!(text.contains("timeout of 200 ms") && text.ends_with("stdout:\nbegun"), "{text}");
}

#[tokio::test]
async fn a_file_one_byte_over_the_limit_is_refused_and_one_of_the_limit_is_not() {
    let mut client = RawClient::open_with(Options { max_file_size: 100, ..Options::default() }).await;
    fs::write(client.path().join("fits"), "x".repeat(100)).unwrap();
    fs::write(client.path().join("over"), "x".repeat(101)).unwrap();
    client.call("view", json!({"path": "fits"})).await.unwrap();
    check(&mut client, "view", json!({"path": "over"}), "FILE_TOO_LARGE", &["'over'", "101", "100"]).await;
    let content = |size| json!({"path": "new", "content": "x".repeat(size)});
    client.call("create_file", content(100)).await.unwrap();
    check(&mut client, "create_file", content(101), "FILE_TOO_LARGE", &["'new'"]).await;
    assert_eq!(fs::read(client.path().join("new")).unwrap().len(), 100);
}

#[tokio::test]
async fn what_the_sdk_would_drop_or_word_itself_is_answered_under_its_id() {
    let mut client = RawClient::open().await;
    let deep = format!(r#"{{"path":{}{}}}"#, "[".repeat(400), "]".repeat(400));
    for (arguments, words) in [
        (r#"{"path":"\ud800"}"#, "'path' of view cannot be read"),
        (deep.as_str(), "'path' of view cannot be read"),
        ("[]", "must be a JSON object, but an array was sent"),
        (r#"{"path":1e999}"#, "a number that is too large"),
    ] {
        let params = format!(r#"{{"name":"view","arguments":{arguments}}}"#);
        client
            .send(&format!(r#"{{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{params}}}"#))
            .await;
        let reply = client.reply().await;
        assert_eq!(reply["id"], "x");
        let text = told(&reply).unwrap_err();
        assert!(text.starts_with("[INVALID_INPUT] ") && text.contains(words), "{text}");
    }
    client.send("{not json").await;
    assert_eq!(client.reply().await["error"]["code"], -32700);
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error_that_lists_the_known_ones() {
    let mut client = RawClient::open().await;
    let reply = client.request("tools/call", json!({"name": "rm", "arguments": {}})).await;
    assert_eq!(reply["error"]["code"], -32602);
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(message.contains("'rm'") && message.contains("str_replace"), "{message}");
}

#[tokio::test]
async fn every_version_with_a_handshake_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = RawClient::connect(Options::default());
        let reply = client.initialize(version).await;
        assert_eq!(reply["result"]["protocolVersion"], version);
    }
}

#[tokio::test]
async fn what_a_pattern_denies_is_neither_read_nor_listed_nor_found() {
    let deny = vec!["**/secret".to_owned()];
    let mut client = RawClient::open_with(Options { deny, ..Options::default() }).await;
    fs::create_dir(client.path().join("secret")).unwrap();
    fs::write(client.path().join("secret/key"), "canary").unwrap();
    fs::write(client.path().join("open"), "canary").unwrap();
    check(&mut client, "view", json!({"path": "secret/key"}), "ACCESS_DENIED", &["'secret/key'"]).await;
    assert_eq!(client.call("view", json!({"path": "."})).await.unwrap(), "open");
    assert_eq!(client.call("glob", json!({"pattern": "**"})).await.unwrap(), "open");
    assert_eq!(client.call("grep", json!({"pattern": "canary"})).await.unwrap(), "open:1:canary");
}

#[tokio::test]
async fn a_server_without_its_directory_does_not_start() {
    let options = Options { workdir: "/no/such/directory".into(), ..Options::default() };
    let error = serve(options, tokio::io::empty(), tokio::io::sink()).await.unwrap_err();
    assert!(matches!(error, ServeError::Directory { .. }), "{error}");
    let options = Options { deny: vec!["[".into()], ..Options::default() };
    let error = serve(options, tokio::io::empty(), tokio::io::sink()).await.unwrap_err();
    assert!(matches!(error, ServeError::Deny(_)), "{error}");
}
