//! Arguments that do not fit: one sentence for each fault, or what serde says.

use std::fs;
use std::future::ready;

use rmcp::ServerHandler;
use rmcp::handler::server::common::FromContextPart as _;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::said;

#[derive(Deserialize)]
struct ReadFile {
    path: String,
}

#[derive(Deserialize)]
struct SearchNotes {
    query: String,
    limit: Option<u8>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Order {
    Title,
    Length,
}

#[derive(Deserialize)]
struct SortNotes {
    order: Order,
}

#[derive(Deserialize)]
struct DraftNote {
    note: Note,
}

#[derive(Deserialize)]
struct Note {
    title: String,
    tags: Option<Vec<String>>,
}

fn tool(name: &'static str, about: &'static str, properties: &Value, required: &str) -> Tool {
    let schema = json!({"type": "object", "properties": properties, "required": [required]});
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, about, schema).with_annotations(ToolAnnotations::new().read_only(true))
}

fn router<S: Send + Sync + 'static>() -> ToolRouter<S> {
    let text = json!({"type": "string"});
    let note = json!({
        "type": "object",
        "properties": {"title": text, "tags": {"type": "array", "items": text}},
        "required": ["title"],
    });
    let read = tool("read_file", "Reads a note", &json!({"path": text}), "path");
    let limit = json!({"type": "integer", "minimum": 1, "maximum": 50});
    let search =
        tool("search_notes", "Finds notes by a text", &json!({"query": text, "limit": limit}), "query");
    let order = json!({"type": "string", "enum": ["title", "length"]});
    let sort = tool("sort_notes", "Lists the titles in an order", &json!({"order": order}), "order");
    let draft = tool("draft_note", "Shows how a note would look", &json!({"note": note}), "note");
    ToolRouter::new()
        .with_route(route(read, |ReadFile { path }| fs::read_to_string(path).unwrap_or_default()))
        .with_route(route(search, |SearchNotes { query, limit }| {
            format!("{} notes with '{query}'", limit.unwrap_or(2).min(2))
        }))
        .with_route(route(sort, |SortNotes { order }| match order {
            Order::Title => "alpha, beta".to_owned(),
            Order::Length => "beta, alpha".to_owned(),
        }))
        .with_route(route(draft, |DraftNote { note }| {
            format!("# {}\nTags: {}", note.title, note.tags.unwrap_or_default().join(", "))
        }))
}

/// A tool with `Parameters<P>`, as rmcp's macros make it.
fn route<S, P>(tool: Tool, run: fn(P) -> String) -> ToolRoute<S>
where
    S: Send + Sync + 'static,
    P: DeserializeOwned + 'static,
{
    ToolRoute::new_dyn(tool, move |mut context| {
        let given = Parameters::<P>::from_context_part(&mut context);
        Box::pin(ready(given.map(|Parameters(given)| CallToolResponse::from(said(run(given))))))
    })
}

fn info() -> ServerConfig {
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
}

pub(super) struct Faulty {
    router: ToolRouter<Self>,
}

pub(super) struct Fixed {
    router: ToolRouter<Self>,
}

pub(super) fn faulty() -> Faulty {
    Faulty { router: router() }
}

pub(super) fn fixed() -> Fixed {
    Fixed { router: router() }
}

impl ServerHandler for Faulty {
    fn get_info(&self) -> ServerConfig {
        info()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.router.list_all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.router.call(ToolCallContext::new(self, request, context)).await
    }
}

impl ServerHandler for Fixed {
    fn get_info(&self) -> ServerConfig {
        info()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.router.list_all()))
    }

    // the fix:
    // In `impl ServerHandler`, for every tool of `self.router`; the tools keep their `Parameters<T>`. `jsonschema` is the crate.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let sentence = |fault: jsonschema::ValidationError<'_>| match fault
            .instance_path()
            .as_str()
            .trim_start_matches('/')
            .replace('/', ".")
            .as_str()
        {
            "" => format!("The arguments do not fit: {fault}. Correct them."),
            name => format!("Parameter '{name}': {fault}. Correct it."),
        };
        if let Some(tool) = self.router.get(&request.name) {
            let schema = Value::Object(tool.input_schema.as_ref().clone());
            let validator = jsonschema::validator_for(&schema)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
            let told: Vec<String> = validator.iter_errors(&arguments).map(sentence).collect();
            if !told.is_empty() {
                // The code, if yours have one.
                let text = format!("[INVALID_INPUT] {}", told.join(" "));
                return Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into());
            }
        }
        self.router.call(ToolCallContext::new(self, request, context)).await
    }
    // the end of the fix
}
