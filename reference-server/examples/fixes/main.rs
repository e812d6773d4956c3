//! `fixes FIX faulty|fixed ROOT`: a server with one tool of one file, with the fault or with the lines that fix it. The book
//! shows these lines on the pages of the rules, and `.ci/fixes/run` judges both servers.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::{Value, json};

/// What a tool was called with, and the folder that it may read.
struct Call {
    arguments: JsonObject,
    root: PathBuf,
}

impl Call {
    /// A text among the arguments; empty where there is none.
    fn text(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

fn said(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn refusal(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

type Answer = Pin<Box<dyn Future<Output = CallToolResult> + Send>>;
type Tooling = fn(Call) -> Answer;

/// The modules by their names: each has `faulty` and `fixed`.
macro_rules! fixes {
    ($($name:ident),+ $(,)?) => {
        $(mod $name;)+

        fn find(name: &str, which: &str) -> Option<Tooling> {
            match (name, which) {
                $((stringify!($name), "faulty") => Some(|call| Box::pin($name::faulty(call))),
                (stringify!($name), "fixed") => Some(|call| Box::pin($name::fixed(call))),)+
                _ => None,
            }
        }
    };
}

fixes! {
    bound_the_text,
    check_first,
    flag_the_failure,
    log_to_standard_error,
    name_and_advise,
    one_place_for_codes,
    one_place_for_envelopes,
    resolve_then_compare,
    set_a_deadline,
    tell_the_exit_status,
    translate_the_exception,
    write_last,
}

// This one is about the server itself, and is one.
mod validate_yourself;

/// The tool that a fix is about, with its parameters.
fn tool(fix: &str) -> Tool {
    let (name, about, parameters): (_, _, &[&str]) = match fix {
        "check_first" | "write_last" => {
            ("str_replace", "Replaces a text in a file", &["path", "old_str", "new_str"])
        }
        "tell_the_exit_status" => ("bash", "Runs a shell command", &["command"]),
        _ => ("read_file", "Reads a note", &["path"]),
    };
    let properties: JsonObject =
        parameters.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let schema = json!({"type": "object", "properties": properties, "required": parameters});
    let schema = schema.as_object().cloned().unwrap_or_default();
    let tool = Tool::new(name, about, schema);
    if name == "read_file" { tool.with_annotations(ToolAnnotations::new().read_only(true)) } else { tool }
}

struct Server {
    tool: Tool,
    tooling: Tooling,
    root: PathBuf,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![self.tool.clone()]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = Call { arguments: request.arguments.unwrap_or_default(), root: self.root.clone() };
        Ok((self.tooling)(call).await.into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [fix, which, root] = arguments.as_slice() else {
        eprintln!("fixes FIX faulty|fixed ROOT");
        return ExitCode::FAILURE;
    };
    match (fix.as_str(), which.as_str()) {
        ("validate_yourself", "faulty") => serve(validate_yourself::faulty()).await,
        ("validate_yourself", "fixed") => serve(validate_yourself::fixed()).await,
        _ => match find(fix, which) {
            Some(tooling) => serve(Server { tool: tool(fix), tooling, root: root.into() }).await,
            None => {
                eprintln!("there is no {which} {fix}");
                ExitCode::FAILURE
            }
        },
    }
}

async fn serve(server: impl ServerHandler) -> ExitCode {
    match server.serve(rmcp::transport::stdio()).await {
        Ok(running) => {
            let _ = running.waiting().await;
            // Not a return: a thread may still wait for standard input.
            std::process::exit(0)
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
