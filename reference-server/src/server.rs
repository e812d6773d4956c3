//! The server as MCP sees it: lists the tools, takes a call, answers it.
//!
//! The main type is [`Server`]. It is the one place that knows the order of things in a call, and so the one where a
//! defect steps in.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Role, ServerCapabilities, ServerConfig, Tool as McpTool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::contract::{Channel, Contract, Reply};
use crate::defects::{Defect, Together};
use crate::failure::Quoted;
use crate::features;
use crate::limits::Limits;
use crate::log::Logger;
use crate::options::Options;
use crate::parameter;
use crate::shell::Shell;
use crate::tools::{self, Call, Effect, Session, TOOLS, Tool};
use crate::transport::{self, CameTogether, Unusable};

/// Answers the calls of one connection.
#[derive(Debug)]
pub(crate) struct Server {
    session: Session,
    contract: Contract,
    defect: Option<&'static Defect>,
    log: Logger,
}

impl Server {
    pub(crate) fn new(options: &Options, limits: Limits) -> Self {
        Self {
            session: Session::new(limits, options.upstream()),
            contract: options.contract,
            defect: options.defect,
            log: options.log.open(),
        }
    }

    pub(crate) fn shell(&self) -> Arc<Shell> {
        Arc::clone(&self.session.shell)
    }

    async fn answer(
        &self,
        mut call: Call,
        unusable: Option<Unusable>,
        came_together: Option<CameTogether>,
    ) -> Reply {
        let mut session = self.session.clone();
        let mut prepared = self.defect.map_or(Ok(()), |defect| defect.before_call(&mut call, &mut session));
        if let (Some(_), Some(Together::Fail(failure) | Together::FailOnceCancelled(failure))) =
            (came_together, self.defect.and_then(Defect::on_calls_together))
        {
            prepared = Err(failure());
        }
        let mut outcome = match (prepared, unusable) {
            (Err(failure), _) => Err(failure),
            (Ok(()), Some(unusable)) => Err(unusable.failure(call.tool)),
            (Ok(()), None) => session.run(call.clone()).await,
        };
        if let Some(defect) = self.defect {
            outcome = defect.after_call(&call, outcome, &session);
        }
        let reply = match &outcome {
            Ok(success) => self.contract.tell(&call, success),
            Err(failure) => {
                self.log.failure(call.tool.name, self.contract.entry(failure), failure);
                self.contract.render(&call, failure)
            }
        };
        match self.defect {
            Some(defect) => defect.after_rendering(&call, outcome.as_ref().err(), reply),
            None => reply,
        }
    }

    fn listed(&self, tool: &'static Tool) -> McpTool {
        let annotations = ToolAnnotations::with_title(tool.title);
        let annotations = match tool.effect {
            Effect::Reads => annotations.read_only(true).open_world(false),
            Effect::Writes => annotations.read_only(false).destructive(true).open_world(false),
            Effect::Registers => annotations.read_only(false).destructive(false).open_world(false),
            Effect::Executes => annotations.read_only(false).destructive(true).open_world(true),
        };
        let listed = McpTool::new(tool.name, tool.description, parameter::schema(&tool.parameters))
            .with_annotations(annotations);
        match self.contract.output_schema(tool) {
            Some(schema) => listed.with_raw_output_schema(Arc::new(schema)),
            None => listed,
        }
    }

    fn unknown_tool(&self, name: &str) -> Reply {
        if let Some(reply) = self.defect.and_then(|defect| defect.unknown_tool(name, self.contract)) {
            return reply;
        }
        self.log.unknown_tool(name);
        let known: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
        Reply::protocol_error(format!("Unknown tool {}. This server has {}.", Quoted(name), known.join(", ")))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let workdir = self.session.limits.scope.workdir().display();
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions();
        ServerConfig::new(capabilities.build())
            .with_server_info(Implementation::new("mcp-errconf-reference", env!("CARGO_PKG_VERSION")))
            .with_instructions(format!("Working directory: {workdir}. {}", self.contract.instructions()))
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if let Some(cursor) = page.and_then(|page| page.cursor) {
            let message = format!(
                "There is no page behind the cursor {}: the list is whole without one.",
                Quoted(&cursor)
            );
            return Err(ErrorData::invalid_params(message, None));
        }
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(|tool| self.listed(tool)).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let reply = match tools::find(&request.name) {
            None => self.unknown_tool(&request.name),
            Some(tool) => {
                let has_arguments = request.arguments.is_some();
                let arguments = request.arguments.unwrap_or_default();
                let call = Call { tool, arguments, has_arguments };
                let unusable = context.extensions.get::<Unusable>().cloned();
                let came_together = context.extensions.get::<CameTogether>().cloned();
                tokio::select! {
                    reply = self.answer(call, unusable, came_together) => reply,
                    // A cancelled request gets no answer; this one is dropped on its way.
                    () = context.ct.cancelled() => Reply::protocol_error("The request was cancelled."),
                }
            }
        };
        let structured = self.contract.structured(&reply.text);
        let content = |text| vec![ContentBlock::text(text)];
        let beside = |mut result: CallToolResult| {
            result.structured_content = structured;
            Ok(result.into())
        };
        match reply.channel {
            Channel::Success => beside(CallToolResult::success(content(reply.text))),
            Channel::ToolError => beside(CallToolResult::error(content(reply.text))),
            Channel::ProtocolError => Err(ErrorData::invalid_params(reply.text, None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(features::resources())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(features::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = features::read(&request.uri, self.contract);
        let read = read.or_else(|error| match self.defect {
            Some(defect) => defect.on_feature(error).map(|text| match text.as_str() {
                "" => ReadResourceResult::new(Vec::new()),
                text => features::page(text, &request.uri),
            }),
            None => Err(error),
        });
        Ok(read?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(features::prompts())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let got = features::get(&request.name, request.arguments.as_ref());
        let got = got.or_else(|error| match self.defect {
            Some(defect) => defect
                .on_feature(error)
                .map(|text| GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])),
            None => Err(error),
        });
        Ok(got?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let completed = features::complete(&request.r#ref, &request.argument);
        let completed = completed.or_else(|error| match self.defect {
            Some(defect) => defect.on_feature(error).map(|_| features::completions(Vec::new())),
            None => Err(error),
        });
        Ok(completed?)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = Quoted(&request.method);
        if transport::is_mcp_method(&request.method) {
            return Err(ErrorData::invalid_params(
                format!("The params of {method} do not have the form that MCP gives them."),
                None,
            ));
        }
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            format!(
                "Unknown method {method}. This server answers ping and the methods of tools, resources, prompts and completions."
            ),
            None,
        ))
    }
}
