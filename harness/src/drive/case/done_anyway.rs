//! Whether a call that was refused was done all the same: a tool that lists is asked before and after it.

use serde_json::json;

use crate::catalog::Tool;
use crate::class::Class;
use crate::condition::CaseId;
use crate::contract::read;
use crate::exchange::Step;
use crate::expectation::{Authority, Expected};
use crate::generate::{are_about_the_same, deletes, makes};
use crate::judge::has_succeeded;
use crate::plan::{PlannedCall, ProbedTool};

use super::{Abort, Driver, Position};

impl Driver<'_> {
    /// What is listed of the things that this tool makes or deletes, if another one lists them. The last list is taken again if nothing
    /// was sent after it.
    pub(super) async fn listed_before(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        expected: &Expected,
    ) -> Result<Option<usize>, Abort> {
        // What a schema forbids is checked before anything is done, and what is called first may make things too.
        let is_of_schema =
            matches!(expected, Expected::Failure(failure) if failure.authority == Authority::Schema);
        if tool.class == Class::Read
            || !(makes(&tool.name) || deletes(&tool.name))
            || is_of_schema
            || self.has_firsts(tool)
            || self.draws.is_none()
        {
            return Ok(None);
        }
        let Some(lister) = self.teller(tool) else { return Ok(None) };
        let last = self.pool.exchanges.last();
        let index = match last.filter(|last| last.tool() == Some(lister.as_str())) {
            Some(last) => last.index,
            None => self.asked_for_list(&lister, case, Step::Prepare, Expected::Anything).await?,
        };
        Ok(has_succeeded(&self.pool.exchanges[index], self.contract).then_some(index))
    }

    /// The tool without parameters that tells what there is of the things that this one makes or deletes.
    fn teller(&self, maker: &ProbedTool) -> Option<String> {
        let mut others = self.head.catalog.tools.iter().filter(|other| other.name != maker.name);
        let lists = |other: &&Tool| {
            let setting = self.resources.tools.get(&other.name);
            let class = setting.and_then(|setting| setting.class).unwrap_or_else(|| Class::from_tool(other));
            class == Class::Read
                && !setting.is_some_and(|setting| setting.skip)
                && other.parameters().next().is_none()
                && are_about_the_same(&maker.name, &other.name)
        };
        others.find(lists).map(|other| other.name.clone())
    }

    async fn asked_for_list(
        &mut self,
        lister: &str,
        case: &CaseId,
        step: Step,
        expected: Expected,
    ) -> Result<usize, Abort> {
        let mut numbered = self.process().await?;
        let call = PlannedCall::plain(lister, json!({}), expected);
        let sent =
            self.send(&mut numbered, &call, Position { case, step, control: None, follows: None }).await;
        self.kept(numbered, sent).await
    }

    /// Lists again what was listed before a call, if that was refused.
    pub(super) async fn listed_after(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        call: usize,
        before: Option<usize>,
    ) -> Result<(), Abort> {
        let (Some(before), Some(lister)) = (before, self.teller(tool)) else { return Ok(()) };
        if read(self.contract, &self.pool.exchanges[call]).is_some() {
            let index = self.asked_for_list(&lister, case, Step::Again, Expected::Undone).await?;
            let place = &mut self.pool.exchanges[index].place;
            (place.control, place.follows) = (Some(before), Some(call));
        }
        Ok(())
    }
}
