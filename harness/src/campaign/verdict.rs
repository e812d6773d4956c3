//! Judges replies: a finding, something new, or nothing that was not seen before.
//!
//! The main type is [`CampaignJudge`]. Replies are compared by their [`Shape`]: a new shape is judged by the
//! rules, a known one gets the same verdict again. It knows nothing of how calls are drawn or sent.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::{Contract, ErrorReply, adopted, looks_like};
use crate::exchange::{Exchange, LivenessCheck, Outcome, RawReply, StrayMessage};
use crate::expectation::Expected;
use crate::finding::{Finding, Layer, Level};
use crate::generate::{Confirmer, Input, Validity};
use crate::judge::{Alone, Promise, Sent, Shape, alone, has_succeeded, without_share};
use crate::rules::handling::{Attribution, Distinction};
use crate::rules::{self, CRASH, Group, NO_REPLY, Rule, Tier, handling};
use crate::signature::signature;
use crate::transcript::{Chosen, Head, Transcript};
use crate::wording::{is_rationed, layer};

use blame::{is_blamed, must_fail};
use control::Controls;
use fair::{names_the_holder, passes_by_itself};
use mark::Marks;
use novelty::SeenSignatures;

mod blame;
mod control;
mod fair;
mod mark;
mod novelty;

/// At most this many shapes are remembered; then all are forgotten and judged once more. The room for all of
/// them is allocated at once, because otherwise memory would grow for an hour, which looks like a leak.
const SHAPES: usize = 50_000;
/// At most this many findings are remembered for shapes, each of some thousands of bytes; then all are
/// forgotten.
const FOUND: usize = 4_000;
/// Whether the contract's codes are used is decided by this many error replies.
const SAMPLE: usize = 100;
/// What identifies a finding: two with the same key are one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Key {
    /// The rule's id.
    pub(super) rule: String,
    /// The tool; `None` if the finding stands for many.
    pub(super) tool: Option<String>,
    /// What tells it from other findings of the rule and tool.
    pub(super) mark: String,
}

impl Key {
    /// Whether it is about stray lines: with several calls in flight nobody knows to which one these belong.
    pub(super) fn is_stray(&self) -> bool {
        handling(&self.rule).attribution == Attribution::Stray
    }
}

/// The verdict on a reply.
pub(super) struct Verdict {
    /// What is wrong with the reply.
    pub(super) findings: Rc<Vec<(Key, Finding)>>,
    /// Whether the reply is an error.
    pub(super) is_error: bool,
    /// The call was carried out: the reply is neither an error nor one in the guise of a success.
    pub(super) is_carried_out: bool,
    /// It is a refusal for the calls before it alone.
    pub(super) is_rationed: bool,
    /// The fingerprint of its signature, if the reply is unlike any before.
    pub(super) new: Option<String>,
    /// Whether it is a refusal in the tool's own words that could not be judged for lack of a control.
    pub(super) is_unjudged: bool,
    /// The control by which it was judged what the refusal must tell.
    pub(super) control_call: Option<ControlCall>,
}

impl Verdict {
    fn known(Known { findings, is_error, is_carried_out, is_rationed }: Known) -> Self {
        let (new, is_unjudged, control_call) = (None, false, None);
        Self { findings, is_error, is_carried_out, is_rationed, new, is_unjudged, control_call }
    }
}

/// A call that succeeded and that another one is compared with.
#[derive(Debug, Clone)]
pub(super) struct ControlCall {
    pub(super) control: Input,
    /// The argument in which they differ; `None` if the same call was repeated.
    pub(super) changed: Option<String>,
}

/// The verdict on a known shape.
#[derive(Clone)]
struct Known {
    findings: Rc<Vec<(Key, Finding)>>,
    is_error: bool,
    is_carried_out: bool,
    is_rationed: bool,
}

/// A call with its raw reply.
#[derive(Clone, Copy)]
pub(super) struct AnsweredCall<'a> {
    pub(super) tool: &'a str,
    pub(super) input: &'a Input,
    pub(super) sent: &'a Sent,
    pub(super) id: i64,
    pub(super) line: &'a [u8],
    pub(super) length: usize,
}

/// An answered call with its parsed reply, from which a verdict is made.
pub(super) struct ParsedReply<'a> {
    pub(super) seen: AnsweredCall<'a>,
    pub(super) value: &'a Value,
    pub(super) outcome: Outcome,
    pub(super) noise: Vec<String>,
    pub(super) strays: Vec<StrayMessage>,
}

/// Judges replies and remembers which shapes were seen.
pub(super) struct CampaignJudge {
    contract: Contract,
    rules: &'static [&'static Rule],
    /// Its exchanges are those of the current reply: its control, if it has one, and itself.
    transcript: Transcript,
    known: HashMap<Shape, Known>,
    /// Findings by their keys: thousands of shapes may show the same findings, and those of one reply stand for
    /// all.
    found: HashMap<Vec<Key>, Rc<Vec<(Key, Finding)>>>,
    novelties: SeenSignatures,
    /// Tools with the words of refusals seen only for calls that the tool's schema forbids.
    forbidden: HashSet<(String, String)>,
    errors: Vec<Option<ErrorReply>>,
    /// Whether an error came in a tool's own words rather than those of an SDK's validation.
    pub(super) has_spoken: bool,
    /// The exchanges of the first such errors.
    sample: Vec<Exchange>,
    /// Whether the server promises the contract, as far as is known.
    pub(super) promise: Promise,
    controls: Controls,
    /// The compiled schemas of the tools, made on first use.
    schemas: BTreeMap<String, Confirmer>,
    marks: Marks,
    /// How many names have been made up.
    names: usize,
}

impl CampaignJudge {
    pub(super) fn new(head: Head, contract: Contract) -> Self {
        let promise = if head.chosen == Chosen::Default { Promise::Undeclared } else { Promise::Declared };
        let transcript = Transcript::of(head, Vec::new(), Vec::new());
        Self {
            contract,
            rules: rules::all(),
            transcript,
            known: HashMap::with_capacity(SHAPES),
            found: HashMap::new(),
            novelties: SeenSignatures::default(),
            forbidden: HashSet::new(),
            errors: Vec::new(),
            has_spoken: false,
            sample: Vec::new(),
            promise,
            controls: Controls::default(),
            schemas: BTreeMap::new(),
            marks: Marks::default(),
            names: 1,
        }
    }

    pub(super) fn signatures(&self) -> usize {
        self.novelties.len()
    }

    /// The id of another contract whose vocabulary most error replies have.
    pub(super) fn looks_like(&self) -> Option<String> {
        if adopted(&self.contract, &self.errors) {
            return None;
        }
        looks_like(&self.contract, &self.sample)
    }

    /// The successful call of a tool.
    pub(super) fn control(&self, tool: &str) -> Option<&Input> {
        self.controls.first(tool).map(|control| &control.input)
    }

    /// The control that this call is compared with; if there is none, the tool's first successful call.
    pub(super) fn control_of(&mut self, tool: &str, input: &Input) -> Option<&Input> {
        let arguments = input.value().unwrap_or_default();
        let violated = self.violated(tool, &arguments);
        let control_call = self.controls.nearest(tool, &arguments, input.validity, &violated);
        control_call.map(|(control, _)| &control.input).or_else(|| self.control(tool))
    }

    /// Adds another successful call of a tool, with which calls that differ in one argument can be compared.
    pub(super) fn add_control(&mut self, tool: &str, exchange: &Exchange, input: &Input) {
        self.controls.add(tool, exchange, input);
    }

    /// A number that was not used in a name yet.
    pub(super) fn next_name(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    /// The verdict on a plain reply, if its shape is known and was examined fully.
    pub(super) fn known(&self, seen: AnsweredCall<'_>) -> Option<Verdict> {
        let shape = Shape::sees_all(seen.length).then(|| self.shape(seen))?;
        self.known_by(shape)
    }

    fn shape(&self, seen: AnsweredCall<'_>) -> Shape {
        let AnsweredCall { tool, input, sent, id, line, length } = seen;
        let circumstances = (tool, input.validity, is_blamed(input), self.controls.has(tool));
        Shape::new(line, length, id, sent, &circumstances)
    }

    fn known_by(&self, shape: Shape) -> Option<Verdict> {
        self.known.get(&shape).cloned().map(Verdict::known)
    }

    /// The verdict on a reply, by its shape if that is known.
    pub(super) fn judge(&mut self, parsed: ParsedReply<'_>) -> (Verdict, Option<Exchange>) {
        let ParsedReply { seen, value, outcome, noise, strays } = parsed;
        let is_plain = noise.is_empty() && strays.is_empty();
        let shape = is_plain.then(|| self.shape(seen));
        if let Some(known) = shape.and_then(|shape| self.known_by(shape)) {
            return (known, None);
        }
        let reply = Some(RawReply::new(seen.line, seen.length));
        let alone = Exchange::alone(Some(seen.tool), value.clone(), outcome);
        let exchange = Exchange { reply, noise, strays, ..alone };
        let verdict = self.closely(&exchange, seen.input);
        if let Some(shape) = shape {
            if self.known.len() >= SHAPES || self.found.len() >= FOUND {
                self.forget();
            }
            let keys = verdict.findings.iter().map(|(key, _)| key.clone()).collect();
            let findings = self.found.entry(keys).or_insert_with(|| Rc::clone(&verdict.findings));
            let Verdict { is_error, is_carried_out, is_rationed, .. } = verdict;
            let known = Known { findings: Rc::clone(findings), is_error, is_carried_out, is_rationed };
            self.known.insert(shape, known);
        }
        (verdict, Some(exchange))
    }

    /// Forgets all verdicts, so that replies are judged anew.
    fn forget(&mut self) {
        self.known.clear();
        self.found.clear();
    }

    /// The verdict of the rules on an exchange.
    pub(super) fn closely(&mut self, exchange: &Exchange, input: &Input) -> Verdict {
        let tool = exchange.tool().unwrap_or_default().to_owned();
        let mut exchange = exchange.clone();
        self.transcript.exchanges.clear();
        // Arguments that are not an object may never reach the tool: some SDKs read them as missing.
        let is_object = exchange.call.arguments.is_object();
        if let (true, true, Some(control)) = (is_blamed(input), is_object, self.controls.first(&tool)) {
            self.transcript.exchanges.push(control.exchange.clone());
            exchange.index = 1;
            exchange.place.control = Some(0);
            let violated = self.violated(&tool, &exchange.call.arguments);
            exchange.place.expected = must_fail(input, &violated);
        }
        let refused = self.refused(&exchange);
        let control_call = refused
            .as_ref()
            .and_then(|refused| self.beside_the_control(&tool, &mut exchange, input, refused));
        self.transcript.exchanges.push(exchange);
        let Alone { error, mut findings, echo } =
            alone(&self.transcript, &self.contract, self.rules, self.promise);
        let exchange = self.transcript.exchanges.pop().expect("it was added just before");
        if let Outcome::NoReply { liveness: LivenessCheck::Late { .. }, .. } = exchange.outcome {
            // Nobody knows how long a call made from a schema may rightly take.
            let unanswered = findings.iter_mut().filter(|finding| finding.rule == NO_REPLY.id);
            unanswered.for_each(|finding| finding.level = Level::Note);
        }
        if !is_object {
            // No client may send such a line, so how it is refused is at most worth a note.
            let worded = findings.iter_mut().filter(|finding| is_of_words(&finding.rule));
            worded.for_each(|finding| finding.level = Level::Note);
        }
        if input.has_no_value() {
            findings.retain(|finding| holds_of_unreadable(&finding.rule, &exchange.outcome));
        }
        self.transcript.exchanges.clear();
        let is_error = error.is_some();
        self.has_spoken |= error.as_ref().is_some_and(|error| !layer::is_sdk(&error.text));
        let is_rationed = error.as_ref().is_some_and(|error| is_rationed(&error.text));
        let is_carried_out = !is_error && refused.is_none() && exchange.outcome.result().is_some();
        if is_error {
            self.learn_promise(error, &exchange);
        } else if is_carried_out
            && input.validity != Validity::Invalid
            && !self.controls.has(&tool)
            && self.transcript.head.catalog.tool(&tool).is_some()
        {
            self.controls.add(&tool, &exchange, input);
        }
        let new = self.novelties.add(&exchange, echo, &self.transcript.head.folders, is_error);
        let is_own = |text: &&String| !layer::is_sdk(text) && !passes_by_itself(text);
        let is_open = is_object && control_call.is_none();
        let is_unjudged = refused.as_ref().filter(is_own).filter(|_| is_open).is_some_and(|refused| {
            let words = signature(refused, &exchange, &self.transcript.head.folders);
            self.is_to_be_compared((tool, words), input.validity, new.is_some())
        });
        let findings = findings.into_iter().map(|finding| (self.key(&finding, &exchange), bare(finding)));
        let findings = Rc::new(findings.collect());
        Verdict { findings, is_error, is_carried_out, is_rationed, new, is_unjudged, control_call }
    }

    /// Whether a refusal is to be compared with a successful call: one in new words, or the first for a call
    /// that the schema allows after these words were seen only for calls that it forbids.
    fn is_to_be_compared(&mut self, key: (String, String), validity: Validity, is_new: bool) -> bool {
        match validity {
            Validity::Invalid => {
                if is_new && self.forbidden.len() < FOUND {
                    self.forbidden.insert(key);
                }
                is_new
            }
            Validity::Valid | Validity::Unknown => self.forbidden.remove(&key) || is_new,
        }
    }

    /// If the call differs from a successful one in only one argument, sets what its refusal must tell, and
    /// returns that control. This is true only as long as the control still succeeds.
    fn beside_the_control(
        &mut self,
        tool: &str,
        exchange: &mut Exchange,
        input: &Input,
        refused: &str,
    ) -> Option<ControlCall> {
        if input.has_no_value() || passes_by_itself(refused) {
            return None;
        }
        let violated = self.violated(tool, &exchange.call.arguments);
        let (control, fair) =
            self.controls.nearest(tool, &exchange.call.arguments, input.validity, &violated)?;
        let of_control = |name: &String| control.exchange.call.arguments.get(name);
        if fair.changed.as_ref().and_then(of_control).is_some_and(|given| names_the_holder(refused, given)) {
            return None;
        }
        self.transcript.exchanges = vec![control.exchange.clone()];
        exchange.index = 1;
        exchange.place.control = Some(0);
        exchange.place.expected = Expected::Failure(fair.failure);
        Some(ControlCall { control: control.input.clone(), changed: fair.changed })
    }

    /// The words in which a tool refused a call; `None` if it did not refuse it.
    fn refused(&self, exchange: &Exchange) -> Option<String> {
        exchange.outcome.result()?;
        let is_refused = exchange.outcome.is_tool_error() || !has_succeeded(exchange, &self.contract);
        is_refused
            .then(|| exchange.outcome.texts().first().map(|text| (*text).to_owned()).unwrap_or_default())
    }

    /// The refusal's words with values masked, so that two refusals can be compared.
    pub(super) fn refusal(&self, exchange: &Exchange) -> Option<String> {
        let text = self.refused(exchange)?;
        Some(signature(&text, exchange, &self.transcript.head.folders))
    }

    /// Whether the call of this exchange succeeded.
    pub(super) fn succeeds(&self, exchange: &Exchange) -> bool {
        has_succeeded(exchange, &self.contract)
    }

    /// The keywords of the tool's schema that the arguments violate.
    fn violated(&mut self, tool: &str, arguments: &Value) -> Vec<String> {
        if !self.schemas.contains_key(tool) {
            let schema =
                self.transcript.head.catalog.tool(tool).map(|tool| Confirmer::new(&tool.input_schema));
            self.schemas.insert(tool.to_owned(), schema.unwrap_or_else(|| Confirmer::new(&Value::Null)));
        }
        self.schemas.get(tool).map(|schema| schema.violated(arguments)).unwrap_or_default()
    }

    fn learn_promise(&mut self, error: Option<ErrorReply>, exchange: &Exchange) {
        if self.errors.len() >= SAMPLE {
            return;
        }
        self.errors.push(error);
        self.sample.push(exchange.clone());
        if self.transcript.head.chosen != Chosen::Default {
            return;
        }
        let promise =
            if adopted(&self.contract, &self.errors) { Promise::Declared } else { Promise::Undeclared };
        if promise != self.promise {
            self.promise = promise;
            // The earlier verdicts were by the other contract.
            self.forget();
        }
    }

    /// Takes over a finding of an earlier start of the campaign, so that the same words are taken for it again.
    pub(super) fn restore(&mut self, finding: &Finding, arguments: &Value) {
        let is_of_words = matches!(handling(&finding.rule).distinction, Distinction::Words);
        if is_of_words && finding.evidence.is_some() {
            self.mark(finding, arguments);
        }
    }

    fn mark(&mut self, finding: &Finding, arguments: &Value) -> String {
        let text = finding.evidence.as_ref().map_or(&finding.message, |evidence| &evidence.text);
        let reply = (text.as_str(), finding.signature.as_str());
        let place = (finding.rule.as_str(), finding.tool.as_deref(), finding.level == Level::Note);
        self.marks.mark(place, reply, arguments)
    }

    fn key(&mut self, finding: &Finding, exchange: &Exchange) -> Key {
        let mark = match handling(&finding.rule).distinction {
            Distinction::Condition => match &exchange.place.expected {
                Expected::Failure(failure) => failure.condition.0.clone(),
                _ => String::new(),
            },
            Distinction::Exit => match &exchange.outcome {
                Outcome::Ended(exit) => exit.to_string(),
                _ => String::new(),
            },
            _ if finding.layer == Some(Layer::Sdk) => "sdk".to_owned(),
            // A finding that stands for many tools is identified by its words.
            _ if finding.tool.is_none() => finding.message.clone(),
            Distinction::Nothing => String::new(),
            Distinction::Words => self.mark(finding, &exchange.call.arguments),
        };
        // The wording for a line that no client may send must not hide the same finding for ordinary calls.
        let is_apart = !exchange.call.arguments.is_object() && is_of_words(&finding.rule);
        let mark = if is_apart { format!("{mark} (arguments that are not an object)") } else { mark };
        Key { rule: finding.rule.clone(), tool: finding.tool.clone(), mark }
    }
}

/// Whether a rule needs a control that differs only in the fault.
pub(super) fn needs_control(rule: &str) -> bool {
    let is_it =
        |known: &&&Rule| known.id == rule && matches!(known.page().tier, Tier::Gated | Tier::Softened);
    rules::all().iter().any(|known| is_it(&known))
}

/// Whether a rule judges how an error is worded and sent.
fn is_of_words(rule: &str) -> bool {
    use Group::{Channel, Code, Envelope, Leak, Message};
    matches!(Group::of(rule), Some(Channel | Code | Envelope | Leak | Message))
}

/// Whether a rule holds for the answer to a line that many parsers refuse as a whole: such an answer, if any,
/// does not come from the tool.
fn holds_of_unreadable(rule: &str, outcome: &Outcome) -> bool {
    let hangs = matches!(outcome, Outcome::NoReply { liveness: LivenessCheck::Silent, .. });
    Group::of(rule) == Some(Group::Leak) || rule == CRASH.id || rule == NO_REPLY.id && hangs
}

/// A finding without what is said about its share in a whole run.
fn bare(mut finding: Finding) -> Finding {
    if finding.layer == Some(Layer::Sdk) {
        let length = without_share(&finding.message).len();
        finding.message.truncate(length);
    }
    finding
}

#[cfg(test)]
mod tests;
