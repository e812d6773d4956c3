//! Merges hits into findings: one for each rule, tool and signature, with all its places.

use serde_json::{Value, json};

use crate::condition::{self, ConditionTrait};
use crate::exchange::{Exchange, Step};
use crate::expectation::Expected;
use crate::finding::{Finding, FindingPlace, Layer, Level, State};
use crate::rules::Rule;
use crate::signature::signature;
use crate::transcript::Transcript;

use super::RuleHit;
use crate::placeholder::Collapser;

/// How much of a text is kept as evidence, in bytes: a server may answer with megabytes.
const EVIDENCE: usize = 16 * 1024;
/// How many pending texts a finding keeps: each may be as long as the evidence.
const TEXTS: usize = 20;

/// Merges hits into findings: Must first, then in the order of the plan, then in the order of the rules.
pub(super) fn findings(transcript: &Transcript, rules: &[&'static Rule], hits: &[RuleHit]) -> Vec<Finding> {
    let collapser = Collapser::new(&transcript.head.folders);
    let mut folded: Vec<(&RuleHit, Finding)> = Vec::new();
    let mut hits: Vec<&RuleHit> = hits.iter().collect();
    let order = |rule: &Rule| rules.iter().position(|other| other.id == rule.id);
    hits.sort_by_key(|hit| (hit.exchange, order(hit.rule)));
    for hit in hits {
        let exchange = &transcript.exchanges[hit.exchange];
        let finding = finding(transcript, &collapser, hit, exchange);
        let same = folded.iter_mut().find(|(first, other)| is_same(hit, first, &finding, other));
        match same {
            Some((_, same)) => merge(same, finding),
            None => folded.push((hit, finding)),
        }
    }
    for (_, finding) in &mut folded {
        if finding.layer == Some(Layer::Sdk) {
            let share = sdk_share(transcript, finding.count);
            finding.message = format!("{} ({share})", finding.message);
        }
    }
    folded.sort_by_key(|(first, finding)| (std::cmp::Reverse(finding.level), first.exchange));
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
pub(crate) fn without_share(message: &str) -> &str {
    let shared = message.strip_suffix(')').and_then(|rest| rest.strip_suffix(OF_ARGUMENTS));
    shared.and_then(|rest| rest.rsplit_once(" (")).map_or(message, |(before, _)| before)
}

/// Whether two hits belong to one finding. A finding that by decision stands for many tools is identified by
/// its words.
fn is_same(hit: &RuleHit, first: &RuleHit, finding: &Finding, other: &Finding) -> bool {
    let alike = match (hit.diagnostic.folded, first.diagnostic.folded) {
        // An SDK's words differ by parameter, but a single fix covers them.
        (true, true) => other.layer == Some(Layer::Sdk) || other.message == finding.message,
        (false, false) => other.tool == finding.tool && other.signature == finding.signature,
        _ => false,
    };
    // A Note is no more than that, whatever else is said in the same words.
    let are_both_notes = (other.level == Level::Note) == (finding.level == Level::Note);
    alike && are_both_notes && other.rule == finding.rule && other.layer == finding.layer
}

/// Adds a finding to one that is the same. What is worse is shown: it is the reason for the level.
fn merge(into: &mut Finding, mut finding: Finding) {
    if finding.level > into.level {
        std::mem::swap(into, &mut finding);
    }
    into.count += finding.count;
    let room = TEXTS.saturating_sub(into.texts.len());
    into.texts.extend(finding.texts.into_iter().take(room));
    for place in finding.places {
        // A place shown in the first session is not counted again for the second one.
        let is_same = |known: &FindingPlace| {
            (&known.case, &known.tool, &known.condition) == (&place.case, &place.tool, &place.condition)
        };
        if !into.places.iter().any(is_same) {
            into.places.push(place);
        }
    }
}

fn finding(
    transcript: &Transcript,
    collapser: &Collapser<'_>,
    hit: &RuleHit,
    exchange: &Exchange,
) -> Finding {
    let diagnostic = &hit.diagnostic;
    let tool = exchange.tool().map(str::to_owned);
    let case = exchange.place.case.clone();
    let condition = transcript.cases.iter().find(|driven| Some(&driven.id) == case.as_ref());
    let text =
        diagnostic.evidence.as_ref().map_or(diagnostic.message.as_str(), |evidence| evidence.text.as_str());
    let requirement = diagnostic.requirement.as_deref().or(hit.rule.requirements.first().copied());
    Finding {
        rule: hit.rule.id.to_owned(),
        level: hit.level,
        case: case.clone(),
        tool: tool.clone().filter(|_| !diagnostic.folded || diagnostic.of_one_tool),
        message: match diagnostic.folded {
            // What is said of every error alike does not hang on what was so at the time.
            true => collapser.text(&diagnostic.message),
            false => with_circumstance(collapser.text(&diagnostic.message), exchange),
        },
        evidence: diagnostic
            .evidence
            .as_ref()
            .map(|evidence| collapser.evidence(&evidence.bounded(EVIDENCE))),
        sent: collapser.value(&sent(transcript, exchange)),
        requirement: requirement.unwrap_or_default().to_owned(),
        help: collapser.text(&diagnostic.help),
        count: 1,
        signature: signature(text, exchange, &transcript.head.folders),
        layer: diagnostic.layer,
        places: vec![FindingPlace {
            case,
            tool,
            condition: condition.and_then(|driven| driven.condition.clone()),
            state: State::New,
            session: transcript.session_of(exchange),
            wording: 0,
        }],
        cause: None,
        wordings: Vec::new(),
        state: State::New,
        input: None,
        stable: None,
        unconfirmed: None,
        replay: None,
        texts: diagnostic.text.iter().cloned().collect(),
    }
}

/// The condition that a call alone does not bring about: what was so at the time has to be told.
const CIRCUMSTANCE: &str = "storage-failure";

/// What was so at the time, as the end of a message.
fn circumstance() -> String {
    format!(", while {}", condition::says(CIRCUMSTANCE).unwrap_or_default())
}

/// A message with what was so at the time, if the call alone does not bring the reply about.
fn with_circumstance(message: String, exchange: &Exchange) -> String {
    match &exchange.place.expected {
        Expected::Failure(failure) if failure.condition.0 == CIRCUMSTANCE => message + &circumstance(),
        _ => message,
    }
}

/// A message without what was so at the time: the fault itself.
pub(crate) fn without_circumstance(message: &str) -> &str {
    message.strip_suffix(circumstance().as_str()).unwrap_or(message)
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
        Some(tool) => json!({"name": tool, "arguments": call.arguments}),
        None => json!({"method": call.method, "params": call.arguments}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::condition::CaseId;
    use crate::finding::Level;

    fn found(level: Level, sent: &str, case: &str) -> Finding {
        let place = json!({"case": case, "tool": "view", "condition": null, "state": "new"});
        serde_json::from_value(json!({
            "rule": "message/value-missing", "level": level, "case": CaseId(case.to_owned()), "tool": null,
            "message": "m", "evidence": null, "sent": sent, "requirement": "", "help": "", "count": 1,
            "signature": "", "layer": "sdk", "places": [place], "state": "new",
        }))
        .expect("a finding")
    }

    #[test]
    fn what_is_shown_of_several_is_the_first_of_the_worst() {
        let mut into = found(Level::Note, "first", "a");
        for (level, sent) in
            [(Level::Note, "b"), (Level::Should, "c"), (Level::Should, "d"), (Level::Note, "e")]
        {
            merge(&mut into, found(level, sent, sent));
        }
        assert_eq!((into.level, into.count, into.sent), (Level::Should, 5, json!("c")));
        let places: Vec<_> =
            into.places.iter().filter_map(|place| Some(place.case.as_ref()?.0.as_str())).collect();
        assert_eq!(places, ["c", "a", "b", "d", "e"]);
    }
}
