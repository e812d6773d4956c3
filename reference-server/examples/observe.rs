//! What the client of the Rust SDK does with each recorded reply: `observe REPLIES COMMAND...`, where the server is started
//! as `COMMAND REPLIES ID`. Writes one line of JSON for each reply to standard output. `.ci/clients/run` starts it, beside
//! the clients of other SDKs.

use std::error::Error;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, GetPromptRequestParams, ReadResourceRequestParams};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceError, ServiceExt};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::time::timeout;

const WAIT: Duration = Duration::from_secs(6);
const BEFORE_CANCELLING: Duration = Duration::from_millis(300);
const AT_ONCE: usize = 8;

type Client = RunningService<RoleClient, ()>;

fn reply<T: Serialize>(reply: Result<T, ServiceError>) -> Value {
    match reply {
        Ok(result) => json!({"did": "passes", "result": result}),
        Err(ServiceError::McpError(error)) => json!({
            "did": "throws", "type": "McpError", "words": error.message, "code": error.code.0, "data": error.data,
        }),
        Err(error) => {
            let kind = format!("{error:?}");
            let kind: String = kind.chars().take_while(char::is_ascii_alphanumeric).collect();
            json!({"did": "throws", "type": kind, "words": error.to_string()})
        }
    }
}

async fn ask(client: &Client, entry: &Value) -> Value {
    let wait = entry["wait"].as_u64().map_or(WAIT, Duration::from_secs);
    let call = || client.call_tool(CallToolRequestParams::new("play"));
    let asked = async {
        match entry["ask"].as_str().unwrap_or_default() {
            "resource" => {
                reply(client.read_resource(ReadResourceRequestParams::new("city://atlantis")).await)
            }
            "prompt" => reply(client.get_prompt(GetPromptRequestParams::new("play")).await),
            // A call that is dropped is cancelled.
            "cancelled" => match timeout(BEFORE_CANCELLING, call()).await {
                Ok(result) => reply(result),
                Err(_) => json!({"did": "gives up"}),
            },
            _ => reply(call().await),
        }
    };
    timeout(wait, asked).await.unwrap_or_else(|_| json!({"did": "waits"}))
}

/// Whether a call after the recorded reply is answered.
async fn next(client: &Client) -> Value {
    match timeout(WAIT, client.call_tool(CallToolRequestParams::new("next"))).await {
        Ok(Ok(result)) => {
            json!(result.content.first().and_then(|block| block.as_text()).map(|text| &text.text))
        }
        _ => json!("fails"),
    }
}

async fn observe(entry: &Value, replies: &str, command: &[String]) -> Result<Value, Box<dyn Error>> {
    let id = entry["id"].as_str().ok_or("an entry has no id")?;
    let mut server = Command::new(&command[0])
        .args(&command[1..])
        .args([replies, id])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let (Some(output), Some(input)) = (server.stdout.take(), server.stdin.take()) else {
        return Err("the server has no pipes".into());
    };
    let client = ().serve((output, input)).await?;
    let mut seen = match client.list_all_tools().await {
        Ok(_) => ask(&client, entry).await,
        Err(error) => {
            let mut seen = reply::<()>(Err(error));
            seen["did"] = json!("refuses the list");
            seen
        }
    };
    seen["id"] = json!(id);
    // What the library drops it writes to its log alone.
    seen["told"] = json!([]);
    seen["next"] = next(&client).await;
    Ok(seen)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [replies, command @ ..] = arguments.as_slice() else {
        return Err("usage: observe REPLIES COMMAND...".into());
    };
    if command.is_empty() {
        return Err("usage: observe REPLIES COMMAND...".into());
    }
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut observed = Vec::new();
    for line in std::fs::read_to_string(replies)?.lines() {
        let entry: Value = serde_json::from_str(line)?;
        let (replies, command, turns) = (replies.clone(), command.to_vec(), Arc::clone(&turns));
        observed.push(tokio::spawn(async move {
            let _turn = turns.acquire().await.map_err(|error| error.to_string())?;
            observe(&entry, &replies, &command).await.map_err(|error| format!("{}: {error}", entry["id"]))
        }));
    }
    for observed in observed {
        println!("{}", observed.await??);
    }
    Ok(())
}
