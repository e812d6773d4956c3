//! Defects from outside: each breaks what it says, and stays a good citizen otherwise.

use std::fs;

use mcp_errconf_reference::{ServeError, defects};
use serde_json::json;

use crate::raw::RawClient;

#[tokio::test]
async fn every_defect_leaves_calls_that_succeed_alone() {
    for defect in defects() {
        let mut client = RawClient::open_with_defect(&defect.name).await;
        fs::write(client.path().join("a.txt"), "one\n").unwrap();
        let name = &defect.name;
        assert_eq!(client.call("bash", json!({"command": "true"})).await.unwrap(), "exit code: 0", "{name}");
        assert_eq!(client.call("view", json!({"path": "a.txt"})).await.unwrap(), "     1\tone\n", "{name}");
        assert_eq!(client.call("grep", json!({"pattern": "n"})).await.unwrap(), "a.txt:1:one", "{name}");
        let replace = json!({"path": "a.txt", "old_str": "one", "new_str": "two"});
        client.call("str_replace", replace).await.unwrap();
        client.close().await.unwrap();
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
