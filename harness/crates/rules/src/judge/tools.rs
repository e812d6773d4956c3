//! How much of each tool was judged, and why not more.
//!
//! The main function is [`tools`].

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::catalog::Tool;
use crate::class::Class;
use crate::condition::{self, CaseId, ConditionTrait};
use crate::contract::{Contract, ErrorReply};
use crate::exchange::{Exchange, Step};
use crate::finding::Finding;
use crate::names::affinity::makes;
use crate::names::returned::returned_for;
use crate::stock::led_to;
use crate::transcript::{CaseKind, Transcript};
use crate::wording::layer;

use super::follow::has_succeeded;
use super::mended::{Measured, figures};
use super::remedy::{self, UnjudgedTool, ValidCallKnown};
use super::report::{CaseVerdict, Status};
use super::tool_verdict::ToolVerdict;
use crate::placeholder::Collapser;
use crate::rules::DISGUISED_ERROR;

/// At most this many of the newest exchanges that created something are searched.
const MAKINGS: usize = 100;

/// The verdict on each listed tool, in the order of the list. `errors` belong to the transcript's exchanges,
/// `cases` are the verdicts on its cases, both in their order.
pub(super) fn tools(
    transcript: &Transcript,
    contract: &Contract,
    errors: &[Option<ErrorReply>],
    cases: &[CaseVerdict],
    findings: &[Finding],
    measured: &Measured,
) -> Vec<ToolVerdict> {
    let head = &transcript.head;
    let collapser = Collapser::new(&head.folders);
    let mut spoken = in_own_words(transcript, errors);
    // An unflagged error is in the tool's own words too.
    let unflagged = findings.iter().filter(|finding| finding.rule == DISGUISED_ERROR.id);
    spoken.extend(
        unflagged
            .flat_map(|finding| &finding.places)
            .filter_map(|place| Some((place.case.as_ref()?, place.tool.as_deref()?))),
    );
    let is_passing = |condition: &String| condition::has(condition, ConditionTrait::Made);
    let passing = transcript.cases.iter().filter(|case| case.condition.as_ref().is_some_and(is_passing));
    let passing: HashSet<&CaseId> = passing.map(|case| &case.id).collect();
    let makings = makings(transcript, contract);
    let verdict = |tool: &Tool| {
        let name = tool.name.as_str();
        let withheld = transcript.withheld.iter().find(|left| left.tool == name);
        let calls = |case: &&CaseVerdict| case.tools.iter().any(|tool| tool == name);
        let all: Vec<&CaseVerdict> = cases.iter().filter(calls).collect();
        let judged = || all.iter().filter(|case| is_judged(case));
        // A skipped probe is counted among the withheld ones.
        let sent = all.iter().filter(|case| !is_skipped_probe(case)).count();
        let left = transcript.withheld.iter().filter(|left| left.tool == name).map(|left| left.probes);
        let planned = sent + left.sum::<usize>();
        let is_control = |exchange: &&Exchange| {
            // A thing created for a single case does not exist any more.
            let is_lasting = exchange.place.case.as_ref().is_none_or(|case| !passing.contains(case));
            exchange.tool() == Some(name) && exchange.place.step == Step::Control && is_lasting
        };
        let mut controls = transcript.exchanges.iter().rev().filter(is_control);
        let valid = controls.find(|exchange| has_succeeded(exchange, contract));
        let is_open = judged().count() < planned;
        let refused = || transcript.exchanges.iter().filter(is_control);
        let key = if is_open && valid.is_none() { refused().find_map(asked_for) } else { None };
        let why = match key {
            Some(key) => Some(format!("it needs a key: its reply names {key}")),
            None => why(&all, withheld.map(|left| left.why.as_str())),
        };
        let why = why.filter(|_| is_open).map(|why| remedy::in_short(why, tool));
        let valid_call = if valid.is_some() { ValidCallKnown::Known } else { ValidCallKnown::Unknown };
        let is_elsewhere = all.iter().filter_map(|case| case.reason.as_deref()).any(remedy::is_elsewhere);
        let is_of_made = remedy::is_of_made(tool, &head.catalog.tools);
        let open = UnjudgedTool { why: why.as_deref(), withheld, key, valid_call, is_elsewhere, is_of_made };
        ToolVerdict {
            name: name.to_owned(),
            class: withheld.map_or_else(|| Class::from_tool(tool).to_string(), |left| left.class.clone()),
            planned,
            judged: judged().count(),
            own: judged().filter(|case| spoken.contains(&(&case.id, name))).count(),
            valid: valid.map(|exchange| collapser.value(&exchange.call.arguments)),
            laid: valid.map_or_else(Vec::new, |exchange| {
                led_to(&exchange.call.arguments, &transcript.head.folders.workspace)
            }),
            words: valid.and_then(|exchange| led_by(transcript, exchange)).map(|words| collapser.text(words)),
            rests_on: valid.and_then(|exchange| maker_of(tool, exchange, &makings)),
            mended: figures(measured.of_tool(name)),
            replies: measured.of_tool(name).to_vec(),
            conditions: conditions(transcript, name),
            next: remedy::next(tool, open).filter(|_| is_open),
            why,
        }
    };
    head.catalog.tools.iter().map(verdict).collect()
}

/// The text of the refusal that led to the arguments of a call.
fn led_by<'t>(transcript: &'t Transcript, valid: &Exchange) -> Option<&'t str> {
    let same = |exchange: &&Exchange| {
        exchange.call.tool == valid.call.tool && exchange.call.arguments == valid.call.arguments
    };
    transcript.exchanges.iter().filter(same).find_map(|exchange| exchange.place.words.as_deref())
}

/// The exchanges in which a tool created something.
fn makings<'t>(transcript: &'t Transcript, contract: &Contract) -> Vec<&'t Exchange> {
    let may_make = |tool: &&Tool| makes(&tool.name) && Class::from_tool(tool) != Class::Read;
    let makers: HashSet<&str> =
        transcript.head.catalog.tools.iter().filter(may_make).map(|tool| tool.name.as_str()).collect();
    let made = |exchange: &&Exchange| {
        exchange.tool().is_some_and(|tool| makers.contains(tool)) && has_succeeded(exchange, contract)
    };
    transcript.exchanges.iter().filter(made).collect()
}

/// The tool whose reply a value of the call comes from, if that tool creates things: the value will be
/// different next time.
fn maker_of(tool: &Tool, valid: &Exchange, makings: &[&Exchange]) -> Option<String> {
    let sent = tool.unwrap(&valid.call.arguments).as_object()?;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let made = |exchange: &&&Exchange| {
        let Some(reply) = exchange.outcome.result() else { return false };
        // A value that was sent to it will be returned again.
        let chosen = exchange.call.arguments.to_string();
        sent.iter().any(|(parameter, value)| {
            let value = text(value);
            let returned = || returned_for(reply, parameter, &Value::Null);
            // A word without a digit is more likely a name than a generated id.
            let is_made_up = value.bytes().any(|letter| letter.is_ascii_digit());
            is_made_up
                && !chosen.contains(&value)
                && returned().iter().any(|returned| text(returned) == value)
        })
    };
    let earlier = makings.iter().filter(|exchange| exchange.index < valid.index);
    let mut others = earlier.filter(|exchange| exchange.tool() != valid.tool()).rev().take(MAKINGS);
    others.find(made).and_then(|exchange| exchange.call.tool.clone())
}

/// The conditions tested by calls of a tool, each once.
fn conditions(transcript: &Transcript, name: &str) -> Vec<String> {
    let mut conditions: Vec<String> = Vec::new();
    for case in transcript.cases.iter().filter(|case| case.tools.iter().any(|tool| tool == name)) {
        if let Some(condition) = case.condition.as_ref().filter(|condition| !conditions.contains(condition)) {
            conditions.push(condition.clone());
        }
    }
    conditions
}

/// The cases in which a tool answered with an error in its own words, not with an SDK's validation and not
/// because of the confinement.
fn in_own_words<'t>(
    transcript: &'t Transcript,
    errors: &[Option<ErrorReply>],
) -> HashSet<(&'t CaseId, &'t str)> {
    let is_own = |exchange: &&Exchange| {
        let is_asked = matches!(exchange.place.step, Step::Call | Step::Follow | Step::Again);
        let error = errors.get(exchange.index).and_then(Option::as_ref);
        is_asked && error.is_some_and(|error| !layer::is_sdk(&error.text))
    };
    let own = transcript.exchanges.iter().filter(is_own);
    own.filter_map(|exchange| Some((exchange.place.case.as_ref()?, exchange.tool()?))).collect()
}

/// The key that a control's refusal asks for.
fn asked_for(exchange: &Exchange) -> Option<&str> {
    if exchange.environment.cause().is_some() {
        return None;
    }
    remedy::key(exchange.outcome.words().first()?, &exchange.call.arguments)
}

fn is_judged(case: &CaseVerdict) -> bool {
    matches!(case.status, Status::Passed | Status::Failed)
}

fn is_skipped_probe(case: &CaseVerdict) -> bool {
    case.kind == CaseKind::Probe && case.status == Status::Skipped
}

/// Why a tool was not judged further: the reason shared by most of its probes, or that of a scenario, or why
/// the rest was not sent.
fn why(own: &[&CaseVerdict], withheld: Option<&str>) -> Option<String> {
    let reasons = |kind: CaseKind| {
        let open = own.iter().filter(move |case| case.kind == kind && !is_judged(case));
        let reasons: Vec<&str> = open.filter_map(|case| case.reason.as_deref()).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for reason in &reasons {
            *counts.entry(*reason).or_default() += 1;
        }
        // Of equally frequent reasons the first one is taken.
        reasons.iter().rev().max_by_key(|reason| counts.get(**reason)).map(|reason| (*reason).to_owned())
    };
    let by_probes = reasons(CaseKind::Probe);
    by_probes.or_else(|| withheld.map(str::to_owned)).or_else(|| reasons(CaseKind::Scenario))
}
