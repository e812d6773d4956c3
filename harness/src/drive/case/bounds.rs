//! What a server says about its own bounds, asked before a call reaches out of the workspace.

use serde_json::json;

use crate::catalog::Tool;
use crate::class::Class;
use crate::condition::CaseId;
use crate::exchange::{Exchange, Step};
use crate::expectation::Expected;
use crate::judge::lists_bounds;
use crate::plan::PlannedCall;

use super::{Abort, Driver, Hold, NumberedSession, Position};

impl Driver<'_> {
    /// Calls the tool that lists the folders the server may touch, if there is one; once, and only for a case
    /// that reaches out of the workspace. The tool must be of class read and have no required parameter: one
    /// that sets bounds is not called.
    pub(super) async fn ask_for_bounds(
        &mut self,
        numbered: &mut NumberedSession,
        case: &CaseId,
        hold: &Hold<'_>,
    ) -> Result<(), Abort> {
        let tools = &self.head.catalog.tools;
        let setting = |tool: &Tool| self.resources.tools.get(&tool.name);
        let only_lists = |tool: &&Tool| {
            let class =
                setting(tool).and_then(|setting| setting.class).unwrap_or_else(|| Class::from_tool(tool));
            lists_bounds(&tool.name)
                && class == Class::Read
                && !setting(tool).is_some_and(|setting| setting.skip)
                && tool.required().next().is_none()
        };
        let lister = tools.iter().find(only_lists);
        let Some(lister) = lister.filter(|_| matches!(hold, Hold::Alone(_))) else { return Ok(()) };
        let is_asked = |exchange: &Exchange| exchange.tool() == Some(lister.name.as_str());
        if !self.pool.exchanges.iter().any(is_asked) {
            let call = PlannedCall::plain(&lister.name, json!({}), Expected::Anything);
            let at = Position { case, step: Step::Prepare, control: None, follows: None };
            self.send(numbered, &call, at).await?;
        }
        Ok(())
    }
}
