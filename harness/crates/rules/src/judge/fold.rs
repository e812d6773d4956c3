//! Merges hits into findings: one for each rule, tool and signature, with all its places.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use crate::condition::{self, CaseId, ConditionTrait};
use crate::exchange::{Call, Exchange, Step};
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Finding, FindingPlace, Layer, Level, PendingText, State};
use crate::rules::Rule;
use crate::signature::Mask;
use crate::transcript::Transcript;

use super::RuleHit;
use crate::placeholder::{Collapser, Folders};

/// How much of a text is kept as evidence, in bytes: a server may answer with megabytes.
const EVIDENCE: usize = 16 * 1024;
/// How many pending texts a finding keeps: each may be as long as the evidence.
const TEXTS: usize = 20;

/// Merges hits into findings: Must first, then what is certain, then in the order of the plan and of the rules. Of findings
/// with one cause, the first of these is the one that is shown.
pub(super) fn findings(transcript: &Transcript, rules: &[&'static Rule], hits: &[RuleHit]) -> Vec<Finding> {
    let collapser = Collapser::new(&transcript.head.folders);
    let conditions = conditions(transcript);
    let mut folded: Vec<(&RuleHit, Finding)> = Vec::new();
    let mut known: HashMap<Identity, usize> = HashMap::new();
    let mut hits: Vec<&RuleHit> = hits.iter().collect();
    let order: HashMap<&str, usize> =
        rules.iter().enumerate().map(|(position, rule)| (rule.id, position)).collect();
    hits.sort_by_key(|hit| (hit.exchange, order.get(hit.rule.id)));
    for hits in hits.chunk_by(|one, next| one.exchange == next.exchange) {
        let exchange = &transcript.exchanges[hits[0].exchange];
        let mut signatures = Signatures::new(exchange, &transcript.head.folders);
        for &hit in hits {
            let place = place(transcript, &conditions, exchange);
            let identity = Identity::new(&collapser, hit, exchange, &mut signatures);
            let mut finding = |place| {
                let signature = signatures.of(text(&hit.diagnostic));
                finding(transcript, &collapser, (hit, signature), exchange, place)
            };
            match known.entry(identity) {
                Entry::Occupied(same) => {
                    merge(&mut folded[*same.get()], hit, place, &mut finding);
                }
                Entry::Vacant(new) => {
                    new.insert(folded.len());
                    folded.push((hit, finding(place)));
                }
            }
        }
    }
    for (_, finding) in &mut folded {
        keep_each_place_once(finding);
        if finding.layer == Some(Layer::Sdk) {
            let share = sdk_share(transcript, finding.count);
            finding.message = format!("{} ({share})", finding.message);
        }
    }
    folded.sort_by_key(|(first, _)| (Reverse(first.level), !first.is_certain, first.exchange));
    folded.into_iter().map(|(_, finding)| finding).collect()
}

/// The end of the share that is added to the message of a finding about an SDK.
const OF_ARGUMENTS: &str = "bad arguments";

/// The share of calls with bad arguments that an SDK answered, in words.
fn sdk_share(transcript: &Transcript, answered: usize) -> String {
    let of = transcript.exchanges.iter().filter(|exchange| match &exchange.place.expected {
        Expected::Failure(failure) => condition::has(&failure.condition.0, ConditionTrait::Argument),
        _ => false,
    });
    format!("{answered} of {} {OF_ARGUMENTS}", of.count().max(answered))
}

/// A message without the share that was added to it.
pub fn without_share(message: &str) -> &str {
    let shared = message.strip_suffix(')').and_then(|rest| rest.strip_suffix(OF_ARGUMENTS));
    shared.and_then(|rest| rest.rsplit_once(" (")).map_or(message, |(before, _)| before)
}

/// What hits that belong to one finding have in common.
#[derive(PartialEq, Eq, Hash)]
struct Identity {
    rule: &'static str,
    layer: Option<Layer>,
    /// A Note is no more than that, whatever else is said in the same words.
    is_note: bool,
    words: IdentityWords,
}

/// The words by which a finding is identified.
#[derive(PartialEq, Eq, Hash)]
enum IdentityWords {
    /// An SDK's words differ by parameter, but a single fix covers them.
    OfSdk,
    /// Our own words, if the finding by decision stands for many tools.
    Message(String),
    /// The tool's.
    Reply { tool: Option<String>, signature: String },
}

impl Identity {
    fn new<'t>(
        collapser: &Collapser<'_>,
        hit: &'t RuleHit,
        exchange: &Exchange,
        signatures: &mut Signatures<'t>,
    ) -> Self {
        let diagnostic = &hit.diagnostic;
        let words = match diagnostic.folded {
            true if diagnostic.layer == Some(Layer::Sdk) => IdentityWords::OfSdk,
            true => IdentityWords::Message(collapser.text(&diagnostic.message)),
            false => IdentityWords::Reply {
                tool: exchange.tool().map(str::to_owned),
                signature: signatures.of(text(diagnostic)),
            },
        };
        Self { rule: hit.rule.id, layer: diagnostic.layer, is_note: hit.level == Level::Note, words }
    }
}

/// The signatures of the texts of one reply: what they share is prepared once, and several rules may judge one text.
struct Signatures<'t> {
    exchange: &'t Exchange,
    folders: &'t Folders,
    mask: Option<Mask>,
    known: Vec<(&'t str, String)>,
}

impl<'t> Signatures<'t> {
    fn new(exchange: &'t Exchange, folders: &'t Folders) -> Self {
        Self { exchange, folders, mask: None, known: Vec::new() }
    }

    fn of(&mut self, text: &'t str) -> String {
        if let Some((_, signature)) = self.known.iter().find(|(known, _)| *known == text) {
            return signature.clone();
        }
        let mask = self.mask.get_or_insert_with(|| Mask::of(self.exchange, self.folders));
        let signature = mask.signature(text);
        self.known.push((text, signature.clone()));
        signature
    }
}

/// The text that a diagnostic is about.
pub(super) fn text(diagnostic: &Diagnostic) -> &str {
    diagnostic.evidence.as_ref().map_or(&diagnostic.message, |evidence| &evidence.text)
}

/// Which of several hits a finding shows: the worst, because it is the reason for the level; of what is equally bad, a
/// certain one, so that message and help fit the call that is shown.
fn rank(hit: &RuleHit) -> (Level, bool) {
    (hit.level, hit.is_certain)
}

/// Adds a hit to the finding that it belongs to; `finding` makes one of it if that is to be shown instead.
fn merge<'h>(
    same: &mut (&'h RuleHit, Finding),
    hit: &'h RuleHit,
    place: FindingPlace,
    finding: impl FnOnce(FindingPlace) -> Finding,
) {
    let (shown, into) = same;
    if rank(hit) > rank(shown) {
        *shown = hit;
        let before = std::mem::replace(into, finding(place));
        add(into, before.count, before.texts, before.places);
    } else {
        add(into, 1, hit.diagnostic.text.clone(), vec![place]);
    }
}

/// Adds more hits to a finding.
pub(super) fn add(
    into: &mut Finding,
    count: usize,
    texts: impl IntoIterator<Item = PendingText>,
    places: impl IntoIterator<Item = FindingPlace>,
) {
    into.count += count;
    let room = TEXTS.saturating_sub(into.texts.len());
    into.texts.extend(texts.into_iter().take(room));
    into.places.extend(places);
}

/// Drops places that are listed before: one shown in the first session is not counted again for the second one.
pub(super) fn keep_each_place_once(finding: &mut Finding) {
    let mut known = HashSet::new();
    let is_new: Vec<bool> = finding
        .places
        .iter()
        .map(|place| known.insert((&place.case, &place.tool, &place.condition, place.wording)))
        .collect();
    let mut is_new = is_new.into_iter();
    finding.places.retain(|_| is_new.next() == Some(true));
}

/// The condition of each case.
fn conditions(transcript: &Transcript) -> HashMap<&CaseId, &str> {
    let cases = transcript.cases.iter().rev();
    cases.filter_map(|driven| Some((&driven.id, driven.condition.as_deref()?))).collect()
}

/// The place that an exchange is.
fn place(transcript: &Transcript, conditions: &HashMap<&CaseId, &str>, exchange: &Exchange) -> FindingPlace {
    let case = exchange.place.case.clone();
    FindingPlace {
        condition: case
            .as_ref()
            .and_then(|case| conditions.get(case))
            .map(|condition| (*condition).to_owned()),
        case,
        tool: exchange.tool().map(str::to_owned),
        state: State::New,
        session: transcript.session_of(exchange),
        wording: 0,
        level: None,
    }
}

fn finding(
    transcript: &Transcript,
    collapser: &Collapser<'_>,
    (hit, signature): (&RuleHit, String),
    exchange: &Exchange,
    place: FindingPlace,
) -> Finding {
    let diagnostic = &hit.diagnostic;
    let requirement =
        diagnostic.requirement.as_deref().or(hit.rule.page().requirements.first().map(String::as_str));
    Finding {
        rule: hit.rule.id.to_owned(),
        level: hit.level,
        case: place.case.clone(),
        tool: place.tool.clone().filter(|_| !diagnostic.folded || diagnostic.of_one_tool),
        message: match diagnostic.folded {
            // What is said of every error alike does not hang on what was so at the time.
            true => collapser.text(&diagnostic.message),
            false => with_circumstance(collapser.text(&diagnostic.message), exchange),
        },
        evidence: diagnostic
            .evidence
            .as_ref()
            .map(|evidence| evidence.clone().among(&exchange.outcome.texts()))
            .map(|evidence| collapser.evidence(&evidence.bounded(EVIDENCE))),
        sent: collapser.value(&sent(transcript, exchange)),
        requirement: requirement.unwrap_or_default().to_owned(),
        help: collapser.text(&diagnostic.help),
        count: 1,
        signature,
        layer: diagnostic.layer,
        places: vec![place],
        cause: None,
        wordings: Vec::new(),
        state: State::New,
        input: None,
        examples: Vec::new(),
        stable: None,
        unconfirmed: None,
        replay: None,
        texts: diagnostic.text.iter().cloned().collect(),
    }
}

/// What was so at the time, as the end of a message.
fn circumstance(condition: &str) -> String {
    format!(", while {}", condition::says(condition).unwrap_or_default())
}

/// A message with what was so at the time, if the call alone does not bring the reply about.
fn with_circumstance(message: String, exchange: &Exchange) -> String {
    match &exchange.place.expected {
        Expected::Failure(failure) if condition::has(&failure.condition.0, ConditionTrait::Obstacle) => {
            message + &circumstance(&failure.condition.0)
        }
        _ => message,
    }
}

/// A message without what was so at the time: the fault itself.
pub(crate) fn without_circumstance(message: &str) -> &str {
    let mut ends = condition::all_with(ConditionTrait::Obstacle).map(circumstance);
    ends.find_map(|end| message.strip_suffix(end.as_str())).unwrap_or(message)
}

/// The call as it is reported, together with the call whose reply led to it, if a reader followed that reply.
fn sent(transcript: &Transcript, exchange: &Exchange) -> Value {
    let call = &exchange.call;
    let is_led = matches!(exchange.place.step, Step::Mend | Step::Control);
    if let Some(earlier) = exchange.place.follows.filter(|_| is_led) {
        let earlier = &transcript.exchanges[earlier].call;
        return json!([
            {"name": earlier.tool, "arguments": earlier.arguments},
            {"name": call.tool, "arguments": call.arguments},
        ]);
    }
    if exchange.place.step == Step::Malformed {
        return Value::String(call.line.clone());
    }
    match &call.tool {
        Some(tool) if leaves_arguments_out(call) => json!({"method": call.method, "params": {"name": tool}}),
        Some(tool) => json!({"name": tool, "arguments": call.arguments}),
        None => json!({"method": call.method, "params": call.arguments}),
    }
}

/// Whether a tool was called without `arguments`, and not with an empty object.
fn leaves_arguments_out(call: &Call) -> bool {
    let line = || serde_json::from_str::<Value>(&call.line).ok();
    let is_empty = call.arguments.as_object().is_some_and(serde_json::Map::is_empty);
    is_empty
        && line().is_some_and(|line| {
            line.pointer("/params/name").is_some() && line.pointer("/params/arguments").is_none()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::condition::CaseId;
    use crate::finding::{Diagnostic, Level};

    fn found(level: Level, sent: &str, case: &str) -> Finding {
        let place = json!({"case": case, "tool": "view", "condition": null, "state": "new"});
        serde_json::from_value(json!({
            "rule": "message/value-missing", "level": level, "case": CaseId(case.to_owned()), "tool": null,
            "message": "m", "evidence": null, "sent": sent, "requirement": "", "help": "", "count": 1,
            "signature": "", "layer": "sdk", "places": [place], "state": "new",
        }))
        .expect("a finding")
    }

    fn hit(level: Level, is_certain: bool) -> RuleHit {
        let rule = crate::rules::find("message/value-missing").expect("there is such a rule");
        RuleHit { rule, level, exchange: 0, is_certain, diagnostic: Diagnostic::new("m", "") }
    }

    #[test]
    fn a_call_without_arguments_is_told_from_one_with_an_empty_object() {
        let call = |params: Value| {
            let mut call = Call::of("tools/call", Some("list"), json!({}));
            call.line = json!({"id": 1, "method": "tools/call", "params": params}).to_string();
            leaves_arguments_out(&call)
        };
        assert!(call(json!({"name": "list"})) && !call(json!({"name": "list", "arguments": {}})));
    }

    #[test]
    fn what_is_shown_of_several_is_the_first_of_the_worst_and_most_certain() {
        let hits = [
            ("a", hit(Level::Note, true)),
            ("b", hit(Level::Note, true)),
            ("c", hit(Level::Should, false)),
            ("d", hit(Level::Should, true)),
            ("e", hit(Level::Should, true)),
            ("f", hit(Level::Note, true)),
        ];
        let [(sent, first), others @ ..] = &hits;
        let mut shown = (first, found(first.level, sent, sent));
        for (sent, hit) in others {
            let mut finding = found(hit.level, sent, sent);
            let place = finding.places.remove(0);
            merge(&mut shown, hit, place, |place| Finding { places: vec![place], ..finding });
        }
        let into = shown.1;
        assert_eq!((into.level, into.count, into.sent), (Level::Should, 6, json!("d")));
        let places: Vec<_> =
            into.places.iter().filter_map(|place| Some(place.case.as_ref()?.0.as_str())).collect();
        assert_eq!(places, ["d", "c", "a", "b", "e", "f"]);
    }
}
