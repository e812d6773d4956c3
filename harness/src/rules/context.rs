//! What most rules ask of a [`Context`].

use std::cell::OnceCell;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::catalog::Tool;
use crate::condition::{self, ConditionTrait};
use crate::contract::{self, ErrorChannel, ErrorReply, ExpectedCode};
use crate::exchange::{Exchange, Outcome, ShapeError, Step};
use crate::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use crate::expression::expression;
use crate::finding::Evidence;
use crate::roles::Role;
use crate::wording::hint::Asked;
use crate::wording::{self, DisguisedError, Echo, Variation, is_rationed};

use super::{Context, Control, leak};

impl<'a> Context<'a> {
    /// What must hold of the error, where the call must fail; nothing where there were too many calls before it, which is what
    /// the error is about then.
    pub fn expected_failure(&self) -> Option<&'a ExpectedFailure> {
        match &self.exchange.place.expected {
            Expected::Failure(failure) if !self.error.is_some_and(|error| is_rationed(&error.text)) => {
                Some(failure)
            }
            _ => None,
        }
    }

    /// The condition for which the call must fail.
    pub fn condition(&self) -> Option<&'a str> {
        self.expected_failure().map(|failure| failure.condition.0.as_str())
    }

    /// What the contract says of that condition.
    pub fn answer(&self) -> Option<&'a ExpectedCode> {
        let failure = self.expected_failure()?;
        let is_of_tools = failure.authority != Authority::Protocol;
        is_of_tools.then(|| self.contract.answer(&failure.condition)).flatten()
    }

    /// Whether the caller can fix the call.
    pub(super) fn mendable(&self) -> bool {
        self.expected_failure().is_some_and(|failure| self.contract.can_be_mended(failure))
    }

    /// Whether the call is a request that MCP knows: its arguments are an object. What is none, a server may refuse
    /// before it knows which tool was meant.
    pub(super) fn is_request(&self) -> bool {
        self.exchange.call.arguments.is_object()
    }

    /// The values of the tool's parameters, without the argument in which all of them may stand; what has not this form as
    /// it was sent.
    pub(super) fn arguments(&self) -> &'a Value {
        self.own(self.exchange)
    }

    /// The same of another call of the tool.
    pub(super) fn own<'b>(&self, exchange: &'b Exchange) -> &'b Value {
        let arguments = &exchange.call.arguments;
        self.tool.map_or(arguments, |tool| tool.unwrap(arguments))
    }

    /// What was asked, as far as a hint in the reply depends on it.
    pub(super) fn with_asked<T>(&self, read: impl FnOnce(&Asked<'_>) -> T) -> T {
        let parameters: Vec<&str> =
            self.tool.into_iter().flat_map(|tool| tool.parameters().map(|(name, _)| name)).collect();
        let mut required: Vec<&str> = self.tool.into_iter().flat_map(Tool::required).collect();
        let condition = self.condition().unwrap_or_default();
        let value = self.expected_failure().and_then(|failure| failure.value.as_ref());
        if condition == "missing-argument"
            && let Some(value) = value
        {
            required.extend(value.parameters());
        }
        let schemas: Vec<(&str, &Value)> = self.tool.into_iter().flat_map(Tool::parameters).collect();
        let wrong = value.map(ExpectedValue::parameters).unwrap_or_default();
        let tools: Vec<&str> = self.head.catalog.tools.iter().map(|tool| tool.name.as_str()).collect();
        read(&Asked {
            echo: self.values(),
            arguments: self.arguments(),
            tool: self.called(),
            parameters: &parameters,
            schemas: &schemas,
            wrong: &wrong,
            required: &required,
            tools: &tools,
            workspace: &self.head.folders.workspace,
            condition,
        })
    }

    /// The control's exchange, where it succeeded.
    pub(super) fn succeeded_control(&self) -> Option<&'a Exchange> {
        match self.control {
            Control::Succeeded(exchange) => Some(exchange),
            Control::Failed(_) | Control::None => None,
        }
    }

    /// Whether the reply is a result that is not flagged as an error. What no client can read is neither.
    pub(super) fn answered_without_error(&self) -> bool {
        let is_of_a_tool = self.exchange.tool().is_some();
        let is_read = || !is_of_a_tool || self.exchange.outcome.misshapen().is_none_or(ShapeError::is_clear);
        self.error.is_none() && self.exchange.outcome.result().is_some() && is_read()
    }

    /// Whether an unflagged reply says by itself that the call failed, be it that the control's says the same: then nothing was
    /// accepted, whatever the call was refused for.
    pub(super) fn denies_success(&self) -> bool {
        let found = wording::disguised_error(self.exchange, None, self.contract);
        found.is_some_and(|found| {
            matches!(found, DisguisedError::Member { .. }) || wording::begins_with_failure(&found)
        })
    }

    /// Whether the reply is a tool's result with `isError: true`, where the contract puts its codes.
    pub(super) fn is_tool_error(&self) -> bool {
        self.error.is_some_and(|error| error.channel == ErrorChannel::Tool)
    }

    /// What gives the reply away as an error in disguise, where the call must fail. The output of a command may hold
    /// anything: of a shell that was given one, no text is an error.
    pub(super) fn disguised_error(&self) -> Option<DisguisedError> {
        let failure = self.expected_failure()?;
        let Some(disguised_error) =
            wording::disguised_error(self.exchange, self.succeeded_control(), self.contract)
        else {
            return self.refusal();
        };
        let is_statement = matches!(disguised_error, DisguisedError::Statement { .. });
        // That what was named is not there may be the answer, and of who changed something it is not all that came of it.
        let answers =
            failure.or_success || self.shows_content(self.called()) || !self.exchange.changes.is_empty();
        if is_statement && answers || self.is_echoed(&disguised_error) {
            return None;
        }
        // Without a command nothing was run, and a task in the background has no output yet.
        let ran = self.plays(Role::Shell)
            && !self
                .condition()
                .is_some_and(|condition| condition::has(condition, ConditionTrait::NothingRun));
        (!(ran && matches!(disguised_error, DisguisedError::Opening { .. }))).then_some(disguised_error)
    }

    /// What gives the reply away though the call need not fail: a member or first words that say so of any call, and the
    /// reply to the call that succeeded has none. Of a tool whose replies hold files, commands or pages nothing is an error.
    fn unasked_error(&self) -> Option<DisguisedError> {
        let is_open = matches!(self.exchange.place.expected, Expected::Anything);
        if !is_open || self.exchange.place.step != Step::Call || self.shows_content(self.called()) {
            return None;
        }
        let found = wording::unasked(self.exchange, self.succeeded_control()?, self.contract)?;
        (!self.is_echoed(&found)).then_some(found)
    }

    /// What gives the reply away where the call must fail and none is known that succeeds: its first words say so of any call.
    fn opening_of_a_failure(&self) -> Option<DisguisedError> {
        if self.expected_failure()?.or_success || self.shows_content(self.exchange.tool()?) {
            return None;
        }
        self.disguised_error().filter(wording::begins_with_failure)
    }

    /// What a short reply begins with, where the call need not fail and none is known that succeeds: "Error: ..", of a tool
    /// that hands on nothing that others wrote.
    fn plain_error(&self) -> Option<DisguisedError> {
        let may_succeed = self.expected_failure().is_some_and(|failure| failure.or_success);
        let is_open = may_succeed || matches!(self.exchange.place.expected, Expected::Anything);
        let has_control = self.succeeded_control().is_some();
        if !is_open || has_control || self.exchange.place.step != Step::Call {
            return None;
        }
        if self.shows_content(self.exchange.tool()?) || self.plays(Role::Shell) {
            return None;
        }
        wording::begun(self.exchange).filter(|found| !self.is_echoed(found))
    }

    /// Words of another language, or of a heading, that say of a call that it failed, before what no author writes to a caller: the two together need nothing else
    /// to be known of the call.
    fn failure_with_a_raw_text(&self) -> Option<DisguisedError> {
        if self.exchange.place.step != Step::Call || self.shows_content(self.exchange.tool()?) {
            return None;
        }
        let found = wording::stated(self.exchange)?;
        let (DisguisedError::Opening { text, span } | DisguisedError::Statement { text, span }) = &found
        else {
            return None;
        };
        let is_raw = leak::is_raw(self, &text[span.end..]) && !self.is_echoed(&found);
        is_raw.then_some(found)
    }

    /// What a reply that is not flagged as an error says of the call's failure, whichever way it is known: the one notion of
    /// it that all rules share.
    pub(super) fn unflagged_failure(&self) -> Option<&DisguisedError> {
        let failure = self.unflagged_failure.get_or_init(|| {
            if !self.answered_without_error() {
                return None;
            }
            let controlled = self.disguised_error().filter(|_| self.succeeded_control().is_some());
            let declared = controlled.or_else(|| self.declared_failure());
            let unasked = declared.or_else(|| self.unasked_error());
            let begun = unasked.or_else(|| self.opening_of_a_failure()).or_else(|| self.plain_error());
            begun.or_else(|| self.failure_with_a_raw_text())
        });
        failure.as_ref()
    }

    /// The same exchange as one whose reply is this error.
    pub(crate) fn refused_with<'b>(&'b self, error: &'b ErrorReply) -> Context<'b> {
        Context {
            head: self.head,
            contract: self.contract,
            declared: self.declared,
            exchange: self.exchange,
            error: Some(error),
            tool: self.tool,
            control: self.control,
            follows: self.follows,
            twin: self.twin,
            values: self.values.clone(),
            echo: self.echo.clone(),
            cases: self.cases,
            recorded: self.recorded,
            shown: OnceCell::new(),
            unflagged_failure: OnceCell::new(),
        }
    }

    /// The error that an unflagged reply is by its own words, read by the contract as if it were flagged.
    pub(crate) fn unflagged_error(&self) -> Option<ErrorReply> {
        self.unflagged_failure().and_then(|_| contract::read_unflagged(self.contract, self.exchange))
    }

    /// Whether the replies of a tool hold what files, commands or pages hold.
    fn shows_content(&self, tool: &str) -> bool {
        let shows =
            |role: Role| !(role.writes() || matches!(role, Role::Reserve | Role::Release | Role::Absent));
        self.head.bindings.iter().any(|binding| binding.tool == tool && shows(binding.role))
    }

    /// What gives the reply away as an error whatever was asked for, of a tool whose replies hold nothing of files, commands
    /// or pages.
    fn declared_failure(&self) -> Option<DisguisedError> {
        if self.shows_content(self.exchange.tool()?) || self.succeeded_control().is_some() {
            return None;
        }
        wording::declared(self.exchange).filter(|disguised_error| !self.is_echoed(disguised_error))
    }

    /// Whether what gives a reply away is the caller's own word: it changes with what the twin sent.
    fn is_echoed(&self, disguised_error: &DisguisedError) -> bool {
        let Some((twin, variation)) = self.variation() else { return false };
        match disguised_error {
            DisguisedError::Opening { text, span } => {
                let texts = twin.outcome.texts();
                let spans = texts.first().map(|other| variation.spans(text, other)).unwrap_or_default();
                spans.iter().any(|echo| echo.start < span.end && span.start < echo.end)
            }
            DisguisedError::Member { name, .. } => {
                let member = name.split(':').next().unwrap_or_default();
                let other = wording::disguised_error(twin, None, self.contract);
                let stays =
                    matches!(other, Some(DisguisedError::Member { name: other, .. }) if other == *name);
                !stays && self.exchange.call.arguments.to_string().contains(member)
            }
            DisguisedError::Statement { .. } | DisguisedError::Refusal { .. } => false,
        }
    }

    /// The twin, and what differs between its call and this one.
    fn variation(&self) -> Option<(&'a Exchange, Variation)> {
        let twin = self.twin?;
        Some((twin, Variation::between(&self.exchange.call.arguments, &twin.call.arguments)))
    }

    /// What the reply made of the caller's words, as far as the twin's reply shows it.
    pub(super) fn altered_echoes(&self) -> Vec<String> {
        let Some((twin, variation)) = self.variation() else { return Vec::new() };
        let others = match contract::read(self.contract, twin) {
            Some(error) => std::iter::once(error.text).chain(error.more).collect(),
            None => twin.outcome.texts().into_iter().map(str::to_owned).collect::<Vec<_>>(),
        };
        std::iter::zip(self.texts(), others)
            .flat_map(|(text, other)| variation.echoes(text, &other))
            .collect()
    }

    /// A tool that changes files, changed none, and refuses in its words: that is no success, whatever the flag says.
    /// Nor is the answer of one that was asked for another background task and names the limit.
    fn refusal(&self) -> Option<DisguisedError> {
        let changers = [Role::Replace, Role::Write, Role::MultiEdit, Role::MultiEditFiles];
        let changes_files = changers.into_iter().any(|role| self.plays(role));
        let idle = self.exchange.changes.is_empty();
        let starts_task = self.condition() == Some("task-limit") && !self.says_started();
        (starts_task || (changes_files && idle))
            .then(|| wording::refusal(self.exchange, self.succeeded_control()?))
            .flatten()
    }

    /// Whether a short reply refuses in its words, the caller's own left out, and that of the control does not. What was
    /// sought and not found is an answer.
    pub(super) fn refuses_in_words(&self) -> bool {
        let is_refusal = |text: &str| wording::is_short_refusal(&self.echo().blank(text));
        let is_succeeded_alike = |control: &Exchange| control.outcome.texts().into_iter().any(is_refusal);
        self.texts().first().is_some_and(|text| is_refusal(text))
            && !self.succeeded_control().is_some_and(is_succeeded_alike)
    }

    /// Whether the reply says that something was started.
    fn says_started(&self) -> bool {
        static STARTED: LazyLock<Regex> = LazyLock::new(|| {
            expression(
                r"(?i)\b(no (?:\w+ ){1,3}|not (?:be |been )?|be )?(?:started|launched)\b|\btask_id\b|\bpid\b",
            )
        });
        let texts = self.exchange.outcome.texts();
        texts.iter().any(|text| STARTED.captures_iter(text).any(|found| found.get(1).is_none()))
    }

    /// Whether the call follows the hint of an earlier reply.
    pub(super) fn is_follow(&self) -> bool {
        self.exchange.place.step == Step::Follow || self.exchange.place.follows.is_some()
    }

    /// Whether the tool that was called plays this role.
    pub(super) fn plays(&self, role: Role) -> bool {
        let tool = self.exchange.tool();
        self.head.bindings.iter().any(|binding| binding.role == role && Some(binding.tool.as_str()) == tool)
    }

    /// What was called, for a sentence: the tool's name, or the method.
    pub(super) fn called(&self) -> &'a str {
        let exchange: &'a Exchange = self.exchange;
        exchange.tool().unwrap_or(&exchange.call.method)
    }

    /// The values that the caller sent, as they may come back; the folders that the harness named are none of them.
    pub(super) fn values(&self) -> &Echo {
        let folders = &self.head.folders;
        self.values.get_or_init(|| Echo::of_values(&self.exchange.call.arguments, folders))
    }

    /// What the caller sent, as it may come back.
    pub(super) fn echo(&self) -> &Echo {
        self.echo.get_or_init(|| {
            let echo = self.values().clone().and_folders(&self.head.folders);
            // A name that no tool has is a value like any other. Recorded pairs may not tell which tools there are.
            let is_listed = !self.head.catalog.tools.is_empty();
            let echo = match (self.tool, self.exchange.tool()) {
                (None, Some(name)) if is_listed => echo.and(name),
                _ => echo,
            };
            match self.twin {
                Some(_) => echo.and_altered(self.altered_echoes()),
                None => echo,
            }
        })
    }

    /// The caller's values, for whoever looks at the exchange afterwards; none if no rule asked for them.
    pub(crate) fn into_echo(self) -> Option<Echo> {
        self.echo.into_inner()
    }

    /// What of the server's inside shows in the reply.
    pub(super) fn leaks(&self) -> &[leak::Shown] {
        self.shown.get_or_init(|| leak::search(self))
    }

    /// Every text of the reply, the deciding one first.
    pub(super) fn texts(&self) -> Vec<&'a str> {
        if let Some(error) = self.error {
            return std::iter::once(error.text.as_str())
                .chain(error.more.iter().map(String::as_str))
                .collect();
        }
        self.exchange.outcome.texts()
    }

    /// The reply as evidence, nothing marked.
    pub(super) fn reply(&self) -> Option<Evidence> {
        if let Some(error) = self.error {
            return Some(Evidence::whole(error.text.as_str()));
        }
        match &self.exchange.outcome {
            Outcome::Result(result) => {
                let text = self.exchange.outcome.texts().first().map(|text| (*text).to_owned());
                Some(Evidence::whole(text.unwrap_or_else(|| result.to_string())))
            }
            Outcome::Malformed(malformed) => Some(Evidence::whole(malformed.line.as_str())),
            Outcome::InputRequired(result) => Some(Evidence::whole(result.to_string())),
            Outcome::Oversized(oversized) => Some(Evidence::whole(oversized.line.as_str())),
            Outcome::Error(_) | Outcome::NoReply { .. } | Outcome::Ended(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
