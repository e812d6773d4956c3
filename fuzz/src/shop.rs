//! A small server of a user's, with a fault: what the target `shop` finds.
//!
//! It sells tea. A voucher is `T`, a digit for the sort, a hyphen, and what it is worth; whoever wrote it has forgotten that
//! what follows the hyphen may be no number: then the words of Rust's parser stand in the reply.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value, json};
use tokio::io::DuplexStream;

/// Serves one client until it goes away.
pub async fn serve(stream: DuplexStream) {
    if let Ok(running) = Shop.serve(stream).await {
        // It ends when the client closes its side.
        let _ = running.waiting().await;
    }
}

struct Shop;

/// The price of some tea, or why there is none.
fn price(arguments: &Map<String, Value>) -> Result<String, String> {
    let grams = match arguments.get("grams").map(Value::as_u64) {
        Some(Some(grams @ 1..=1000)) => grams,
        _ => return Err("[INVALID_INPUT] 'grams' must be a whole number from 1 to 1000.".to_owned()),
    };
    let off = match arguments.get("voucher") {
        None => 0,
        Some(Value::String(voucher)) => match voucher.as_bytes() {
            // The fault: what is no number is told as `ParseIntError { kind: InvalidDigit }`.
            [b'T', b'0'..=b'9', b'-', ..] => voucher[3..].parse::<u64>().map_err(|error| {
                format!("[INVALID_INPUT] The voucher '{voucher}' is not valid: {error:?}. Leave it out.")
            })?,
            _ => return Err("[INVALID_INPUT] A 'voucher' is written as in 'T4-150'.".to_owned()),
        },
        Some(_) => return Err("[INVALID_INPUT] 'voucher' must be a text.".to_owned()),
    };
    Ok(format!("{} cents", (grams * 4).saturating_sub(off)))
}

impl ServerHandler for Shop {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("shop", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({
            "type": "object",
            "properties": {
                "grams": {"type": "integer", "minimum": 1, "maximum": 1000},
                "voucher": {"type": "string", "description": "A voucher, if there is one."},
            },
            "required": ["grams"],
        });
        let schema = schema.as_object().cloned().unwrap_or_default();
        let price = Tool::new("price", "Tells what some tea costs.", schema);
        Ok(ListToolsResult::with_all_items(vec![price]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != "price" {
            return Err(ErrorData::invalid_params("There is one tool: price.", None));
        }
        Ok(match price(&request.arguments.unwrap_or_default()) {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]).into(),
            Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]).into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use mcp_errconf::fuzzing::InProcess;

    use super::*;

    fn rules(voucher: &str) -> Vec<String> {
        let mut server = InProcess::serve(serve);
        let findings = server.call("price", &json!({"grams": 100, "voucher": voucher}));
        findings.into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn the_fault_of_the_shop_is_a_finding_and_what_is_sound_of_it_is_none() {
        assert_eq!(rules("T4-a"), ["leak/debug-format"]);
        assert_eq!(rules("T4-20"), [""; 0]);
        assert_eq!(rules("T4"), [""; 0]);
    }

    #[test]
    #[should_panic(expected = "leak/debug-format")]
    fn a_kept_input_shows_the_fault_of_the_shop() {
        let mut server = InProcess::serve(serve);
        crate::seeds::each("shop", |bytes| server.fuzz(bytes));
    }
}
