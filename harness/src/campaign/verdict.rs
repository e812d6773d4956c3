//! What a reply is worth: a finding, something new, or nothing that was not seen before.
//!
//! The main type is [`CampaignJudge`]. Each reply is compared by its [`Shape`]; one of a new shape is judged by the real rules,
//! one of a known shape got its verdict already. It knows nothing of how calls are drawn or sent.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

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

/// At most this many shapes are known at a time; then it begins anew, and each is judged once more. The room for all
/// of them is taken at once: it would grow for as long as an hour, and by as much as it holds.
const SHAPES: usize = 50_000;
/// At most this many findings are held for them, each of some thousands of bytes; beyond it all begins anew, too.
const FOUND: usize = 4_000;
/// This many error replies show whether the contract's codes are used.
const SAMPLE: usize = 100;
/// What makes two findings one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    /// The rule's id.
    pub(super) rule: String,
    /// The tool; none if the finding stands for many.
    pub(super) tool: Option<String>,
    /// What tells it from others of the rule and the tool.
    pub(super) mark: String,
}

impl Key {
    /// Whether it is about lines that answer nothing: with several calls in flight nobody knows whose they are.
    pub(super) fn is_stray(&self) -> bool {
        handling(&self.rule).attribution == Attribution::Stray
    }
}

/// What a reply is worth.
pub(super) struct Verdict {
    /// What is wrong with it.
    pub(super) findings: Rc<Vec<(Key, Finding)>>,
    /// It is an error.
    pub(super) is_error: bool,
    /// The call was carried out: the reply is neither an error nor one in the guise of a success.
    pub(super) is_carried_out: bool,
    /// It is a refusal for the calls before it alone.
    pub(super) is_rationed: bool,
    /// It is unlike any reply before.
    pub(super) is_new: bool,
    /// It is a refusal in the tool's own words that could not be judged beside any call that succeeded.
    pub(super) is_unjudged: bool,
    /// Beside which call it was judged what its refusal must tell.
    pub(super) control_call: Option<ControlCall>,
}

impl Verdict {
    fn known(Known { findings, is_error, is_carried_out, is_rationed }: Known) -> Self {
        let (is_new, is_unjudged, control_call) = (false, false, None);
        Self { findings, is_error, is_carried_out, is_rationed, is_new, is_unjudged, control_call }
    }
}

/// A call that succeeded once, and beside which another one is judged.
#[derive(Debug, Clone)]
pub(super) struct ControlCall {
    pub(super) control: Input,
    /// The argument in which they differ; none if the same call was made a second time.
    pub(super) changed: Option<String>,
}

/// What a known shape was judged to be.
#[derive(Clone, Default)]
struct Known {
    findings: Rc<Vec<(Key, Finding)>>,
    is_error: bool,
    is_carried_out: bool,
    is_rationed: bool,
}

/// A call with its reply as it came.
#[derive(Clone, Copy)]
pub(super) struct AnsweredCall<'a> {
    pub(super) tool: &'a str,
    pub(super) input: &'a Input,
    pub(super) sent: &'a Sent,
    pub(super) id: i64,
    pub(super) line: &'a [u8],
    pub(super) length: usize,
}

/// An answered call with what its reply says: what a verdict is made from.
pub(super) struct ParsedReply<'a> {
    pub(super) seen: AnsweredCall<'a>,
    pub(super) value: &'a Value,
    pub(super) outcome: Outcome,
    pub(super) noise: Vec<String>,
    pub(super) strays: Vec<StrayMessage>,
}

/// Judges replies and remembers which were seen.
pub(super) struct CampaignJudge {
    contract: Contract,
    rules: &'static [&'static Rule],
    /// Its exchanges are those of the reply in hand: its control, where it has one, and itself.
    transcript: Transcript,
    known: HashMap<Shape, Known>,
    /// What was found, by its keys: thousands of shapes may show the same, and one reply of them stands for all.
    found: HashMap<Vec<Key>, Rc<Vec<(Key, Finding)>>>,
    novelties: SeenSignatures,
    /// Tools with the words of refusals that only calls met which the tool's schema forbids.
    forbidden: HashSet<(String, String)>,
    errors: Vec<Option<ErrorReply>>,
    /// An error came in a tool's own words, not in those of an SDK's validation.
    has_spoken: bool,
    /// The exchanges of these.
    sample: Vec<Exchange>,
    promise: Promise,
    controls: Controls,
    /// The tools' schemas, compiled when a call against one was judged.
    schemas: BTreeMap<String, Confirmer>,
    marks: Marks,
    /// How many names were made.
    names: usize,
}

impl CampaignJudge {
    pub(super) fn new(head: Head, contract: Contract) -> Self {
        let promise = if head.chosen == Chosen::Default { Promise::Undeclared } else { Promise::Declared };
        let transcript = Transcript {
            head,
            cases: Vec::new(),
            withheld: Vec::new(),
            exchanges: Vec::new(),
            memory: Vec::new(),
            interrupted: false,
            duration_ms: 0,
        };
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

    pub(super) fn head(&self) -> &Head {
        &self.transcript.head
    }

    /// Whether the server promises the contract, as far as is known by now.
    pub(super) fn promise(&self) -> Promise {
        self.promise
    }

    pub(super) fn signatures(&self) -> usize {
        self.novelties.len()
    }

    /// Whether an error came in a tool's own words.
    pub(super) fn has_spoken(&self) -> bool {
        self.has_spoken
    }

    /// The id of another contract, where most error replies have its vocabulary.
    pub(super) fn looks_like(&self) -> Option<String> {
        if adopted(&self.contract, &self.errors) {
            return None;
        }
        looks_like(&self.contract, &self.sample)
    }

    /// The call of a tool that is known to succeed.
    pub(super) fn control(&self, tool: &str) -> Option<&Input> {
        self.controls.first(tool).map(|control| &control.input)
    }

    /// The call of a tool beside which this one is judged; where it is judged beside none, the first that succeeded.
    pub(super) fn control_of(&mut self, tool: &str, input: &Input) -> Option<&Input> {
        let arguments = input.value().unwrap_or_default();
        let violated = self.violated(tool, &arguments);
        let control_call = self.controls.nearest(tool, &arguments, input.validity, &violated);
        control_call.map(|(control, _)| &control.input).or_else(|| self.control(tool))
    }

    /// Another call of a tool that succeeded: what differs from it in one argument can be judged beside it.
    pub(super) fn add_control(&mut self, tool: &str, exchange: &Exchange, input: &Input) {
        self.controls.add(tool, exchange, input);
    }

    /// A number that no name was given yet.
    pub(super) fn next_name(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    /// What a reply is worth that nothing came with, where its shape is known and it was compared to its end.
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

    /// What a reply is worth, by its shape where that is known.
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

    /// What was judged is judged again when it comes again.
    fn forget(&mut self) {
        self.known.clear();
        self.found.clear();
    }

    /// What the rules say of an exchange.
    pub(super) fn closely(&mut self, exchange: &Exchange, input: &Input) -> Verdict {
        let tool = exchange.tool().unwrap_or_default().to_owned();
        let mut exchange = exchange.clone();
        self.transcript.exchanges.clear();
        // What is no object at all never came to the tool: some SDKs read it as none.
        let is_object = exchange.call.arguments.is_object();
        if let (true, true, Some(control)) = (is_blamed(input), is_object, self.controls.first(&tool)) {
            self.transcript.exchanges.push(control.exchange.clone());
            exchange.index = 1;
            exchange.place.control = Some(0);
            let violated = self.violated(&tool, &exchange.call.arguments);
            exchange.place.expected = must_fail(input, &violated);
        }
        let control_call = self.beside_the_control(&tool, &mut exchange, input);
        self.transcript.exchanges.push(exchange);
        let Alone { error, mut findings, echo } =
            alone(&self.transcript, &self.contract, self.rules, self.promise);
        let Some(exchange) = self.transcript.exchanges.pop() else {
            return Verdict::known(Known::default());
        };
        if let Outcome::NoReply { liveness: LivenessCheck::Late { .. }, .. } = exchange.outcome {
            // Nobody knows how long a call may rightly take that was made from a schema.
            let unanswered = findings.iter_mut().filter(|finding| finding.rule == NO_REPLY.id);
            unanswered.for_each(|finding| finding.level = Level::Note);
        }
        if !is_object {
            // No client may send that: how it is refused is worth a word, and no more.
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
        let is_carried_out = !is_error && has_succeeded(&exchange, &self.contract);
        if is_error {
            self.learn_promise(error, &exchange);
        } else if is_carried_out
            && input.validity != Validity::Invalid
            && !self.controls.has(&tool)
            && self.transcript.head.catalog.tool(&tool).is_some()
        {
            self.controls.add(&tool, &exchange, input);
        }
        let is_new = self.novelties.add(&exchange, echo, &self.transcript.head.folders, is_error);
        let is_own = |text: String| !layer::is_sdk(&text) && !passes_by_itself(&text);
        let is_open = is_object && control_call.is_none() && self.refused(&exchange).is_some_and(is_own);
        let is_unjudged = is_open && self.is_to_be_compared(&tool, &exchange, input.validity, is_new);
        let findings = findings.into_iter().map(|finding| (self.key(&finding, &exchange), bare(finding)));
        let findings = Rc::new(findings.collect());
        Verdict { findings, is_error, is_carried_out, is_rationed, is_new, is_unjudged, control_call }
    }

    /// Whether a refusal is to be compared with a call that succeeds: one in new words, and where what the tool's schema
    /// forbids brought these about first, one of a call that it allows.
    fn is_to_be_compared(
        &mut self,
        tool: &str,
        exchange: &Exchange,
        validity: Validity,
        is_new: bool,
    ) -> bool {
        let Some(words) = self.refusal(exchange) else { return is_new };
        let key = (tool.to_owned(), words);
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

    /// Where the call differs from one that succeeded in one argument alone, what its refusal must tell is known. Gives that
    /// call: it must succeed still for that to be true.
    fn beside_the_control(
        &mut self,
        tool: &str,
        exchange: &mut Exchange,
        input: &Input,
    ) -> Option<ControlCall> {
        let text = self.refused(exchange)?;
        if input.has_no_value() || passes_by_itself(&text) {
            return None;
        }
        let violated = self.violated(tool, &exchange.call.arguments);
        let (control, fair) =
            self.controls.nearest(tool, &exchange.call.arguments, input.validity, &violated)?;
        let of_control = |name: &String| control.exchange.call.arguments.get(name);
        if fair.changed.as_ref().and_then(of_control).is_some_and(|given| names_the_holder(&text, given)) {
            return None;
        }
        self.transcript.exchanges = vec![control.exchange.clone()];
        exchange.index = 1;
        exchange.place.control = Some(0);
        exchange.place.expected = Expected::Failure(fair.failure);
        Some(ControlCall { control: control.input.clone(), changed: fair.changed })
    }

    /// In which words a tool refused a call; none if it did not.
    fn refused(&self, exchange: &Exchange) -> Option<String> {
        exchange.outcome.result()?;
        let is_refused = exchange.outcome.is_tool_error() || !has_succeeded(exchange, &self.contract);
        is_refused
            .then(|| exchange.outcome.texts().first().map(|text| (*text).to_owned()).unwrap_or_default())
    }

    /// The refusal's words with the values masked, so that two refusals can be compared.
    pub(super) fn refusal(&self, exchange: &Exchange) -> Option<String> {
        let text = self.refused(exchange)?;
        Some(signature(&text, exchange, &self.transcript.head.folders))
    }

    /// Whether a call that succeeded once does so still.
    pub(super) fn succeeds(&self, exchange: &Exchange) -> bool {
        has_succeeded(exchange, &self.contract)
    }

    /// The keywords of the tool's schema that arguments go against.
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
            // It was judged by the other one.
            self.forget();
        }
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
            // What stands for many tools is one by its words.
            _ if finding.tool.is_none() => finding.message.clone(),
            Distinction::Nothing => String::new(),
            Distinction::Words => {
                let text = finding.evidence.as_ref().map_or(&finding.message, |evidence| &evidence.text);
                let reply = (text.as_str(), finding.signature.as_str());
                let place = (finding.rule.as_str(), finding.tool.as_deref());
                self.marks.mark(place, reply, &exchange.call.arguments)
            }
        };
        // How a line is refused that no client may send hides nothing that others bring about.
        let is_apart = !exchange.call.arguments.is_object() && is_of_words(&finding.rule);
        let mark = if is_apart { format!("{mark} (arguments that are not an object)") } else { mark };
        Key { rule: finding.rule.clone(), tool: finding.tool.clone(), mark }
    }
}

/// Whether a rule needs a call that succeeds and differs in the fault alone.
pub(super) fn needs_control(rule: &str) -> bool {
    let is_it = |known: &&&Rule| known.id == rule && matches!(known.tier, Tier::Gated | Tier::Softened);
    rules::all().iter().any(|known| is_it(&known))
}

/// Whether a rule judges how an error is worded and sent.
fn is_of_words(rule: &str) -> bool {
    use Group::{Channel, Code, Envelope, Leak, Message};
    matches!(Group::of(rule), Some(Channel | Code | Envelope | Leak | Message))
}

/// Whether a rule speaks of the answer to a line that many parsers refuse as a whole: what they answer, if anything, is
/// no word of the tool's.
fn holds_of_unreadable(rule: &str, outcome: &Outcome) -> bool {
    let hangs = matches!(outcome, Outcome::NoReply { liveness: LivenessCheck::Silent, .. });
    Group::of(rule) == Some(Group::Leak) || rule == CRASH.id || rule == NO_REPLY.id && hangs
}

/// A finding without what is said of its share in a whole run.
fn bare(mut finding: Finding) -> Finding {
    if finding.layer == Some(Layer::Sdk) {
        let length = without_share(&finding.message).len();
        finding.message.truncate(length);
    }
    finding
}

#[cfg(test)]
mod tests;
