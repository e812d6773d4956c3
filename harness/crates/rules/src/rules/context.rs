//! Questions about a [`Context`] that several rules ask.

use std::cell::OnceCell;
use std::ops::Range;

use serde_json::Value;

use crate::catalog::Tool;
use crate::condition::{self, ConditionTrait};
use crate::contract::{self, ErrorChannel, ErrorReply, ExpectedCode};
use crate::exchange::{Exchange, Outcome, ShapeError, Step};
use crate::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use crate::finding::{Diagnostic, Evidence};
use crate::pattern;
use crate::roles::Role;
use crate::wording::hint::Asked;
use crate::wording::{self, DisguisedError, Echo, Variation, is_rationed};

use super::{Context, Control, leak, run_record};

mod refusal;

pub(super) use refusal::Change;

impl<'a> Context<'a> {
    /// What must hold of the error, where the call must fail; nothing where there were too many calls before it, which is what
    /// the error is about then.
    pub fn expected_failure(&self) -> Option<&'a ExpectedFailure> {
        let Expected::Failure(failure) = &self.exchange.place.expected else { return None };
        (!self.is_rationed()).then_some(failure)
    }

    /// Whether the server refuses the call because there were too many before it, and for nothing that was done to this one.
    pub(crate) fn is_rationed(&self) -> bool {
        self.exchange.place.expected.may_be_hidden_by_a_limit()
            && self.error.is_some_and(|error| is_rationed(&error.text))
    }

    /// The condition for which the call must fail.
    pub fn condition(&self) -> Option<&'a str> {
        self.expected_failure().map(|failure| failure.condition.0.as_str())
    }

    /// Whether the service behind the server was made to fail during the call.
    pub(super) fn is_failure_of_service(&self) -> bool {
        self.condition().is_some_and(run_record::is_of_service)
    }

    /// Whether the reply contains the status with which the service behind the server answered.
    pub(super) fn tells_status(&self) -> bool {
        let is_told = || {
            self.texts().iter().any(|text| pattern!("state/http-status").is_match(&self.echo().blank(text)))
        };
        self.is_failure_of_service() && is_told()
    }

    /// Whether an SDK itself answers the request, so that the server has no hand in the words and the code.
    pub fn is_sdks_answer(&self) -> bool {
        let Outcome::Error(error) = &self.exchange.outcome else { return false };
        let method = &self.exchange.call.method;
        wording::layer::answers_itself(self.condition().unwrap_or_default(), method, &error.message)
    }

    /// The contract's entry for that condition.
    pub fn answer(&self) -> Option<&'a ExpectedCode> {
        let failure = self.expected_failure()?;
        let is_of_tools = failure.authority != Authority::Protocol;
        is_of_tools.then(|| self.contract.answer(&failure.condition)).flatten()
    }

    /// Whether the caller can fix the call.
    pub(super) fn is_repairable(&self) -> bool {
        self.refused_for().is_some_and(|failure| self.contract.can_be_repaired(failure))
    }

    /// Whether the call is a valid MCP request: its arguments are an object. A server may refuse anything else
    /// before it knows which tool was meant.
    pub(super) fn is_request(&self) -> bool {
        self.exchange.call.arguments.is_object()
    }

    /// The values of the tool's parameters, taken out of the wrapper argument if there is one; arguments of
    /// another form are returned as they were sent.
    pub(super) fn arguments(&self) -> &'a Value {
        self.own(self.exchange)
    }

    /// The same of another call of the tool.
    pub(super) fn own<'b>(&self, exchange: &'b Exchange) -> &'b Value {
        let arguments = &exchange.call.arguments;
        self.tool.map_or(arguments, |tool| tool.unwrap(arguments))
    }

    /// The names of the tool's parameters.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.tool.into_iter().flat_map(Tool::parameters).map(|(name, _)| name)
    }

    /// Calls `read` with the parts of the call on which a hint in the reply may depend.
    pub(crate) fn with_asked<T>(&self, read: impl FnOnce(&Asked<'_>) -> T) -> T {
        let parameters: Vec<&str> = self.parameters().collect();
        let mut required: Vec<&str> = self.tool.into_iter().flat_map(Tool::required).collect();
        let failure = self.refused_for();
        let condition = failure.map(|failure| failure.condition.0.as_str()).unwrap_or_default();
        let value = failure.and_then(|failure| failure.value.as_ref());
        if condition == "missing-argument"
            && let Some(value) = value
        {
            required.extend(value.parameters());
        }
        let schemas: Vec<(&str, &Value)> = self.tool.into_iter().flat_map(Tool::parameters).collect();
        let wrong = value.map(ExpectedValue::parameters).unwrap_or_default();
        let tools: Vec<&str> = self.head.catalog.tools.iter().map(|tool| tool.name.as_str()).collect();
        let changed = self.changed_values();
        read(&Asked {
            echo: changed.as_ref().unwrap_or_else(|| self.values()),
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

    /// The control's exchange, if it succeeded.
    pub(super) fn succeeded_control(&self) -> Option<&'a Exchange> {
        match self.control {
            Control::Succeeded(exchange) => Some(exchange),
            Control::Failed(_) | Control::None => None,
        }
    }

    /// Whether the reply is a result without the error flag. A reply that no client can read is not.
    pub(super) fn answered_without_error(&self) -> bool {
        let is_of_a_tool = self.exchange.tool().is_some();
        let is_read = || !is_of_a_tool || self.exchange.outcome.misshapen().is_none_or(ShapeError::is_clear);
        self.error.is_none() && self.exchange.outcome.result().is_some() && is_read()
    }

    /// Whether an unflagged reply itself says that the call failed, even if the control's reply says so too:
    /// then nothing was accepted, whatever the reason.
    pub(super) fn denies_success(&self) -> bool {
        let found = wording::disguised_error(self.exchange, None, self.contract);
        found.is_some_and(|found| {
            matches!(found, DisguisedError::Member { .. }) || wording::begins_with_failure(&found)
        })
    }

    /// Whether the reply is a tool's result with `isError: true`, which is where the contract puts its codes.
    pub(super) fn is_tool_error(&self) -> bool {
        self.error.is_some_and(|error| error.channel == ErrorChannel::Tool)
    }

    /// The sign that the reply is a disguised error, if the call must fail. The output of a shell command may
    /// contain anything, so for shells no text counts.
    pub(super) fn disguised_error(&self) -> Option<DisguisedError> {
        let failure = self.expected_failure()?;
        let Some(disguised_error) =
            wording::disguised_error(self.exchange, self.succeeded_control(), self.contract)
        else {
            return self.refusal();
        };
        let is_statement = matches!(disguised_error, DisguisedError::Statement { .. });
        // A report that a named thing does not exist may be the requested answer, but not that of a tool which
        // changes something.
        let answers =
            failure.or_success || self.shows_content(self.called()) || !self.exchange.changes.is_empty();
        if is_statement && answers || self.is_echoed(&disguised_error) {
            return None;
        }
        // Without a command nothing was run, and a background task has no output yet.
        let ran = self.plays(Role::Shell)
            && !self
                .condition()
                .is_some_and(|condition| condition::has(condition, ConditionTrait::NothingRun));
        (!(ran && matches!(disguised_error, DisguisedError::Opening { .. }))).then_some(disguised_error)
    }

    /// The sign that the reply is a disguised error although the call need not fail: a member, or first words,
    /// that always mean failure and are missing in the reply to the successful call. For tools that read or
    /// search files, an error object and nothing else; not for tools whose replies contain command output or
    /// pages.
    fn unasked_error(&self) -> Option<DisguisedError> {
        let is_open = matches!(self.exchange.place.expected, Expected::Anything);
        if !is_open || self.exchange.place.step != Step::Call {
            return None;
        }
        let control = self.succeeded_control()?;
        let is_alone = || self.reads_files() && wording::is_error_alone(self.exchange, control);
        if self.shows_content(self.called()) && !is_alone() {
            let found = wording::begun_about_the_call(self.exchange).filter(|_| !self.plays(Role::Shell))?;
            let is_alike = wording::begun_about_the_call(control).is_some();
            return (!is_alike && !self.is_echoed(&found)).then_some(found);
        }
        wording::unasked(self.exchange, control, self.contract).filter(|found| !self.is_echoed(found))
    }

    /// Whether the reply is an error object, and that to the successful call has another shape.
    pub(super) fn is_certain_failure(&self) -> bool {
        self.succeeded_control().is_some_and(|control| wording::is_certain(self.exchange, control))
    }

    /// The sign that the reply is a disguised error if the call must fail and no successful call is known:
    /// first words that always mean failure.
    fn opening_of_a_failure(&self) -> Option<DisguisedError> {
        if self.expected_failure()?.or_success || self.shows_content(self.exchange.tool()?) {
            return None;
        }
        self.disguised_error().filter(wording::begins_with_failure)
    }

    /// Whether the call is made to see what it does: the call of a case, or one before it that should succeed.
    fn is_sent_for_its_own_sake(&self) -> bool {
        matches!(self.exchange.place.step, Step::Call | Step::Control | Step::Prepare)
    }

    /// The sign that a short reply is a disguised error if the call need not fail and no successful call is
    /// known: it begins with "Error: ..", and the tool does not pass on what others wrote. That holds for a call with which a
    /// valid one is looked for, or made possible, as well.
    fn plain_error(&self) -> Option<DisguisedError> {
        let may_succeed = self.expected_failure().is_some_and(|failure| failure.or_success);
        let is_open = may_succeed || matches!(self.exchange.place.expected, Expected::Anything);
        let has_control = self.succeeded_control().is_some();
        if !is_open
            || has_control
            || !self.is_sent_for_its_own_sake()
            || self.shows_content(self.exchange.tool()?)
        {
            return None;
        }
        wording::begun(self.exchange)
    }

    /// Words or a heading in another language that mean failure, followed by a raw error text that nobody
    /// writes for a caller: the two together need no further knowledge of the call.
    fn failure_with_a_raw_text(&self) -> Option<DisguisedError> {
        if !self.is_sent_for_its_own_sake() || self.shows_content(self.exchange.tool()?) {
            return None;
        }
        let found = wording::stated(self.exchange)?;
        let (DisguisedError::Opening { text, span } | DisguisedError::Statement { text, span }) = &found
        else {
            return None;
        };
        leak::is_raw(self, &text[span.end..]).then_some(found)
    }

    /// The failure that only the model reads in a reply.
    fn failure_as_read(&self) -> Option<DisguisedError> {
        let is_open = matches!(self.exchange.place.expected, Expected::Anything | Expected::Failure(_));
        if !is_open || self.exchange.place.step != Step::Call || self.shows_content(self.exchange.tool()?) {
            return None;
        }
        wording::as_read(self.exchange, self.succeeded_control()?, self.tool, &self.head.folders)
    }

    /// The failure that an unflagged reply reports, in whichever way it is detected. All rules share this
    /// notion.
    pub(crate) fn unflagged_failure(&self) -> Option<&DisguisedError> {
        let failure = self.unflagged_failure.get_or_init(|| {
            if !self.answered_without_error() {
                return None;
            }
            let controlled = self.disguised_error().filter(|_| self.succeeded_control().is_some());
            let declared = controlled.or_else(|| self.declared_failure());
            let unasked = declared.or_else(|| self.unasked_error());
            let begun = unasked.or_else(|| self.opening_of_a_failure()).or_else(|| self.plain_error());
            begun.or_else(|| self.failure_with_a_raw_text()).or_else(|| self.failure_as_read())
        });
        failure.as_ref()
    }

    /// The same exchange with this error as its reply.
    pub fn refused_with<'b>(&'b self, error: &'b ErrorReply) -> Context<'b> {
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
            run_record: self.run_record,
            shown: OnceCell::new(),
            unflagged_failure: OnceCell::new(),
            inferred_failure: OnceCell::new(),
        }
    }

    /// The error that an unflagged reply reports in its own words, read by the contract as if it were flagged.
    pub(crate) fn unflagged_error(&self) -> Option<ErrorReply> {
        self.unflagged_failure()?;
        contract::read_unflagged(self.contract, self.exchange)
    }

    /// Whether a tool's replies contain the contents of files, command output or pages.
    fn shows_content(&self, tool: &str) -> bool {
        let shows =
            |role: Role| !(role.writes() || matches!(role, Role::Reserve | Role::Release | Role::Absent));
        self.head.bindings.iter().any(|binding| binding.tool == tool && shows(binding.role))
    }

    /// Whether the tool reads or searches files, and does nothing else.
    fn reads_files(&self) -> bool {
        let reads =
            |role: Role| matches!(role, Role::Read | Role::Grep | Role::Glob | Role::Blame | Role::History);
        let mut own = self.head.bindings.iter().filter(|binding| binding.tool == self.called());
        own.all(|binding| reads(binding.role))
    }

    /// The sign that the reply is an error, whatever was requested, for tools whose replies contain no files,
    /// command output or pages.
    fn declared_failure(&self) -> Option<DisguisedError> {
        if self.shows_content(self.exchange.tool()?) || self.succeeded_control().is_some() {
            return None;
        }
        wording::declared(self.exchange)
    }

    /// Whether that sign is the caller's own word: it changes with what the twin sent.
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
            DisguisedError::Statement { .. }
            | DisguisedError::Refusal { .. }
            | DisguisedError::Reading { .. } => false,
        }
    }

    /// The twin, and how its call differs from this one.
    fn variation(&self) -> Option<(&'a Exchange, Variation)> {
        let twin = self.twin?;
        Some((twin, Variation::between(&self.exchange.call.arguments, &twin.call.arguments)))
    }

    /// Altered forms of the caller's words in the reply, as a comparison with the twin's reply shows.
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

    /// The words of a refusal from a tool that changes files and changed none: that is not a success, whatever
    /// the flag says. The same goes for a tool that was asked for one more background task and answers with the
    /// limit, and for a call that the tool's own schema forbids.
    fn refusal(&self) -> Option<DisguisedError> {
        let changes_files = self.changes_files();
        let idle = self.exchange.changes.is_empty();
        let starts_task = self.condition() == Some("task-limit") && !self.says_started();
        if starts_task || (changes_files && idle) {
            return wording::refusal(self.exchange, self.succeeded_control()?);
        }
        let failure = self.expected_failure()?;
        let is_forbidden = failure.authority == Authority::Schema && !failure.or_success && idle;
        self.succeeded_control().filter(|_| is_forbidden && !self.shows_content(self.called()))?;
        let text = (*self.texts().first()?).to_owned();
        let span = self.words_of_refusal()?;
        // What is said of the argument refuses it; without that the words may be the answer.
        let parameters = failure.value.as_ref().map(ExpectedValue::parameters).unwrap_or_default();
        let names_it = || parameters.iter().any(|name| wording::mention::names_parameter(&text, name));
        let is_about_it = self.echo().blank(&text) != text || names_it();
        is_about_it.then_some(DisguisedError::Refusal { text, span })
    }

    /// Whether the tool plays a role that changes files.
    pub(super) fn changes_files(&self) -> bool {
        let changers = [Role::Replace, Role::Write, Role::MultiEdit, Role::MultiEditFiles];
        changers.into_iter().any(|role| self.plays(role))
    }

    /// Whether a short reply refuses in its own words, not counting the caller's, while the reply to the
    /// control does not. "Nothing found" is an answer.
    pub(super) fn refuses_in_words(&self) -> bool {
        self.words_of_refusal().is_some()
    }

    /// The words in which a short reply refuses, if it does.
    fn words_of_refusal(&self) -> Option<Range<usize>> {
        let refusal = |text: &str| wording::short_refusal(&self.echo().blank(text));
        let refuses = |text: &str| refusal(text).is_some();
        let is_succeeded_alike = |control: &Exchange| control.outcome.texts().into_iter().any(refuses);
        let found = self.texts().first().and_then(|text| refusal(text))?;
        (!self.succeeded_control().is_some_and(is_succeeded_alike)).then_some(found)
    }

    /// Whether the reply says that something was started.
    fn says_started(&self) -> bool {
        let texts = self.exchange.outcome.texts();
        texts
            .iter()
            .any(|text| pattern!("state/started").captures_iter(text).any(|found| found.get(1).is_none()))
    }

    /// Whether the call follows a hint in an earlier reply.
    pub(super) fn is_follow(&self) -> bool {
        let place = &self.exchange.place;
        place.step == Step::Follow || place.follows.is_some() && place.expected != Expected::Undone
    }

    /// Whether the called tool has this role.
    pub(super) fn plays(&self, role: Role) -> bool {
        let tool = self.exchange.tool();
        self.head.bindings.iter().any(|binding| binding.role == role && Some(binding.tool.as_str()) == tool)
    }

    /// What was called, for a sentence: the name of the tool, or the method.
    pub(super) fn called(&self) -> &'a str {
        let exchange: &'a Exchange = self.exchange;
        exchange.tool().unwrap_or(&exchange.call.method)
    }

    /// The values that the caller sent, in the forms in which they may be echoed, except the folders chosen by
    /// the harness.
    pub(super) fn values(&self) -> &Echo {
        let folders = &self.head.folders;
        self.values.get_or_init(|| Echo::of_values(&self.exchange.call.arguments, folders))
    }

    /// The sent values, without those that the control also sent and that the message lists in brackets: these are valid
    /// values. `None` if it lists none of them.
    fn changed_values(&self) -> Option<Echo> {
        let before = self.succeeded_control()?.call.arguments.as_object()?;
        let mut sent = self.exchange.call.arguments.as_object()?.clone();
        let count = sent.len();
        let lists = self.error?.text.split('[').skip(1).filter_map(|rest| Some(rest.split_once(']')?.0));
        let listed: Vec<&str> =
            lists.flat_map(|list| list.split(',')).map(|item| item.trim_matches([' ', '\'', '"'])).collect();
        let is_listed =
            |value: &Value| value.as_str().is_some_and(|word| !word.is_empty() && listed.contains(&word));
        sent.retain(|name, value| before.get(name) != Some(value) || !is_listed(value));
        (sent.len() < count).then(|| Echo::of_values(&Value::Object(sent), &self.head.folders))
    }

    /// Everything that the caller sent, in the forms in which it may be echoed.
    pub(crate) fn echo(&self) -> &Echo {
        self.echo.get_or_init(|| {
            let echo = self.values().clone().and_folders(&self.head.folders);
            // The name of an unknown tool is a value like any other. Recorded pairs may not say which tools
            // there are.
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

    /// The echo of the caller's values for later use; `None` if no rule needed it.
    pub(crate) fn into_echo(self) -> Option<Echo> {
        self.echo.into_inner()
    }

    /// The internals of the server that the reply shows.
    pub(crate) fn leaks(&self) -> &[leak::Shown] {
        self.shown.get_or_init(|| leak::search(self))
    }

    /// Every text of the reply, the one that decides first.
    pub(super) fn texts(&self) -> Vec<&'a str> {
        if let Some(error) = self.error {
            return std::iter::once(error.text.as_str())
                .chain(error.more.iter().map(String::as_str))
                .collect();
        }
        self.exchange.outcome.texts()
    }

    /// A diagnostic that has the whole reply for its evidence.
    pub(super) fn diagnostic(&self, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        Diagnostic { evidence: self.reply(), ..Diagnostic::new(message, help) }
    }

    /// The reply as evidence, with nothing marked.
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
