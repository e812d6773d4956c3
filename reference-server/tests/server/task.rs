//! Background tasks, and what becomes of commands when nobody waits for them.

use std::fs;
use std::path::Path;

use mcp_errconf_reference::Options;
use serde_json::{Value, json};

use crate::raw::{RawClient, until};

/// A task that runs as long as its flag is there, and tells its process id.
fn flagged(client: &RawClient, name: &str) -> Value {
    fs::write(client.path().join(name), "").unwrap();
    let command =
        format!("echo $$ > {name}.pid; while [ -e {name} ]; do sleep 0.02; done; echo over; exit 4");
    json!({"command": command, "run_in_background": true})
}

/// A process that has ended and that nobody has waited for yet is not alive.
fn is_alive(pid_file: &Path) -> bool {
    let pid = fs::read_to_string(pid_file).unwrap();
    let status = fs::read_to_string(Path::new("/proc").join(pid.trim()).join("status"));
    status.is_ok_and(|status| !status.lines().any(|line| line.starts_with("State:\tZ")))
}

fn id(reply: &str) -> String {
    reply.lines().next().and_then(|line| line.strip_prefix("task_id: ")).unwrap().to_owned()
}

#[tokio::test]
async fn the_limit_counts_running_tasks_and_a_finished_one_makes_room() {
    let mut client = RawClient::open_with(Options { task_limit: 2, ..Options::default() }).await;
    let (first, second, third) = (flagged(&client, "a"), flagged(&client, "b"), flagged(&client, "c"));
    let first = id(&client.call("bash", first).await.unwrap());
    client.call("bash", second).await.unwrap();
    let refused = client.call("bash", third.clone()).await.unwrap_err();
    assert!(refused.starts_with("[BASH_TASK_LIMIT] The limit of 2 "), "{refused}");
    assert!(refused.contains("task_output") && refused.contains(&first), "{refused}");

    fs::remove_file(client.path().join("a")).unwrap();
    let report = loop {
        let report = client.call("task_output", json!({"task_id": first})).await.unwrap();
        if !report.starts_with("status: running") {
            break report;
        }
    };
    assert_eq!(report, "status: finished\nexit code: 4\n\nstdout:\nover");
    client.call("bash", third).await.unwrap();
}

#[tokio::test]
async fn background_tasks_end_with_the_connection() {
    let mut client = RawClient::open().await;
    let task = flagged(&client, "a");
    client.call("bash", task).await.unwrap();
    let pid_file = client.path().join("a.pid");
    until("the task runs", || fs::read_to_string(&pid_file).is_ok_and(|pid| pid.ends_with('\n'))).await;
    let kept = tempfile::tempdir().unwrap();
    let copy = kept.path().join("pid");
    fs::copy(&pid_file, &copy).unwrap();
    assert!(is_alive(&copy));
    client.close().await.unwrap();
    until("the task has ended", || !is_alive(&copy)).await;
}

#[tokio::test]
async fn a_cancelled_call_ends_its_command() {
    let mut client = RawClient::open().await;
    let call = client.send_call("bash", json!({"command": "echo $$ > pid; sleep 60"})).await;
    let pid_file = client.path().join("pid");
    until("the command runs", || fs::read_to_string(&pid_file).is_ok_and(|pid| pid.ends_with('\n'))).await;
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call}});
    client.send(&cancel.to_string()).await;
    until("the command has ended", || !is_alive(&pid_file)).await;
}

#[tokio::test]
async fn what_a_command_leaves_behind_ends_with_it() {
    let mut client = RawClient::open().await;
    let command = "sleep 60 & echo $! > pid; echo done";
    let text = client.call("bash", json!({"command": command})).await.unwrap();
    assert_eq!(text, "exit code: 0\n\nstdout:\ndone");
    let pid_file = client.path().join("pid");
    until("the child has ended", || !is_alive(&pid_file)).await;
}
