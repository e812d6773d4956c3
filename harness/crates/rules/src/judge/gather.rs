//! Gathers the findings that one change to the server most likely fixes into one finding for each cause.
//!
//! The main function is [`gathered`]. Gathered findings have the same rule, the one that is shown has the highest
//! level, and every place is kept with its own wording.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::finding::{Cause, Evidence, Finding, FindingPlace, Level, Shared, State, Wording};
use crate::rules::handling;
use crate::signature::fingerprint;

use super::cause::{CauseKeys, Peers, nouns};
use super::fold::{add, keep_each_place_once, without_circumstance};

/// How many bytes of a reply with another wording are kept.
const EVIDENCE: usize = 2 * 1024;

/// Findings of one rule, tool and signature each, gathered by their causes, in the order of the first of each.
/// If a baseline lists some of them, a new one is reported before the known ones.
pub fn gathered(findings: Vec<Finding>, peers: Peers<'_>) -> Vec<Finding> {
    let ways = servers_ways(&findings, peers);
    let raw = raw_texts(&findings);
    let nouns = nouns(peers.catalog);
    let mut causes = Causes::default();
    for (index, finding) in findings.iter().enumerate() {
        let key = (finding.rule.as_str(), finding.level == Level::Note);
        let is_raw = raw.contains(&text_of(finding));
        let is_servers_way = ways.contains(finding.rule.as_str());
        causes.add(index, key, CauseKeys::new(finding, is_servers_way, is_raw, &nouns));
    }
    let named: Vec<(usize, Cause)> = causes.named();
    drop((causes, raw));
    let mut groups: Vec<(Cause, Vec<Finding>)> = Vec::new();
    let mut positions: HashMap<usize, usize> = HashMap::new();
    for (finding, (first, cause)) in findings.into_iter().zip(named) {
        let next = groups.len();
        match *positions.entry(first).or_insert(next) {
            position if position < next => groups[position].1.push(finding),
            _ => groups.push((cause, vec![finding])),
        }
    }
    groups.into_iter().map(|(cause, group)| one(group, cause, peers)).collect()
}

/// The rules that most tools break.
fn servers_ways<'f>(findings: &'f [Finding], peers: Peers<'_>) -> BTreeSet<&'f str> {
    let mut doing: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for finding in findings.iter().filter(|finding| CauseKeys::depend_on_peers(&finding.rule)) {
        let tools = finding.places.iter().filter_map(|place| place.tool.as_deref());
        let tools = tools.chain(finding.tool.as_deref());
        doing.entry(&finding.rule).or_default().extend(tools);
    }
    doing.into_iter().filter(|(_, tools)| peers.is_servers_way(tools)).map(|(rule, _)| rule).collect()
}

/// The texts that a runtime wrote, by tool and signature.
fn raw_texts(findings: &[Finding]) -> HashSet<(Option<&str>, &str)> {
    findings.iter().filter(|finding| handling(&finding.rule).of_runtime).map(text_of).collect()
}

/// The tool and the signature of the text that a finding is about.
fn text_of(finding: &Finding) -> (Option<&str>, &str) {
    (finding.tool.as_deref(), &finding.signature)
}

/// Groups of findings that share a key, directly or through others.
#[derive(Default)]
struct Causes<'f> {
    /// For each finding, the index of an earlier one with the same cause, or its own.
    before: Vec<usize>,
    ties: Vec<(Key<'f>, CauseKeys)>,
    known: HashMap<(Key<'f>, Shared, String), usize>,
}

/// The rule, and whether it is a Note: that is no more than a remark, whatever else has the same cause.
type Key<'f> = (&'f str, bool);

impl<'f> Causes<'f> {
    fn add(&mut self, index: usize, key: Key<'f>, ties: CauseKeys) {
        self.before.push(index);
        for (shared, tie) in &ties.0 {
            let first = *self.known.entry((key, *shared, tie.clone())).or_insert(index);
            let (one, other) = (self.first(first), self.first(index));
            self.before[one.max(other)] = one.min(other);
        }
        self.ties.push((key, ties));
    }

    fn first(&self, mut index: usize) -> usize {
        while self.before[index] != index {
            index = self.before[index];
        }
        index
    }

    /// For each finding the first one with its cause, and the cause. The cause is named by the least of the
    /// keys that connect its findings, so that the name does not depend on their order.
    fn named(&self) -> Vec<(usize, Cause)> {
        let mut least: HashMap<usize, (Shared, &str)> = HashMap::new();
        for (index, (_, ties)) in self.ties.iter().enumerate() {
            let Some((shared, tie)) = ties.0.first() else { continue };
            let least = least.entry(self.first(index)).or_insert((*shared, tie));
            if tie.as_str() < least.1 {
                *least = (*shared, tie);
            }
        }
        let name = |index: usize| {
            let first = self.first(index);
            let ((rule, is_note), _) = &self.ties[index];
            let (shared, tie) = least.get(&first).copied().unwrap_or((Shared::Fault, ""));
            let id = fingerprint(&[rule, &is_note.to_string(), &format!("{shared:?}"), tie]);
            (first, Cause { id, shared })
        };
        (0..self.ties.len()).map(name).collect()
    }
}

/// Gathers several findings with one cause into one.
fn one(mut group: Vec<Finding>, cause: Cause, peers: Peers<'_>) -> Finding {
    let is_listed = |finding: &Finding| match finding.places.first().and_then(|place| place.tool.as_deref()) {
        Some(tool) => peers.catalog.tool(tool).is_some(),
        None => true,
    };
    // A tool's reply shows more than a reply about a tool that does not exist, one to an ordinary call more than one while
    // nothing can be written or opened, and what shows each time more than what does not.
    let order = |finding: &Finding| {
        let is_hindered = without_circumstance(&finding.message) != finding.message;
        let is_known = finding.state == State::Known;
        (is_known, Reverse(finding.level), !is_listed(finding), is_hindered, finding.stable == Some(false))
    };
    let shown = (0..group.len()).min_by_key(|index| (order(&group[*index]), *index)).unwrap_or_default();
    let mut into = group.remove(shown);
    into.cause = Some(cause);
    let mut known = HashMap::from([(words(&into.message, into.evidence.as_ref()), 0)]);
    for (index, wording) in into.wordings.iter().enumerate() {
        known.entry(words(&wording.message, wording.evidence.as_ref())).or_insert(index + 1);
    }
    for finding in group {
        into.tool = into.tool.filter(|tool| finding.tool.as_ref() == Some(tool));
        let wording = wording_of(&mut into, &finding, &mut known);
        let level = (finding.level != into.level).then_some(finding.level);
        let places = finding.places.into_iter().map(|place| FindingPlace { wording, level, ..place });
        add(&mut into, finding.count, finding.texts, places);
    }
    keep_each_place_once(&mut into);
    into.state = match into.places.iter().all(|place| place.state == State::Known) && !into.places.is_empty()
    {
        true => State::Known,
        false => State::New,
    };
    into
}

/// What a finding says, and of which text.
type Words = (String, Option<String>);

fn words(message: &str, evidence: Option<&Evidence>) -> Words {
    (message.to_owned(), evidence.map(|evidence| evidence.text.clone()))
}

/// The number of a finding's wording, which is added if it is a new one. `known` are the numbers so far.
fn wording_of(into: &mut Finding, finding: &Finding, known: &mut HashMap<Words, usize>) -> usize {
    let evidence = finding.evidence.as_ref().map(|evidence| evidence.bounded(EVIDENCE));
    let next = into.wordings.len() + 1;
    let number = *known.entry(words(&finding.message, evidence.as_ref())).or_insert(next);
    if number < next && finding.input.is_none() {
        return number;
    }
    into.wordings.push(Wording {
        message: finding.message.clone(),
        evidence,
        sent: finding.sent.clone(),
        help: finding.help.clone(),
        input: finding.input.clone(),
        stable: finding.stable,
        unconfirmed: finding.unconfirmed.clone(),
        replay: finding.replay.clone(),
    });
    into.wordings.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::catalog::Catalog;
    use crate::finding::{Layer, Level};

    use super::*;

    /// A finding of a rule on a call of a tool: message, text and condition.
    fn found(rule: &str, tool: &str, (message, text, condition): (&str, &str, &str)) -> Finding {
        let case = format!("probe/{tool}/{condition}");
        let place = json!({"case": case, "tool": tool, "condition": condition, "state": "new"});
        serde_json::from_value(json!({
            "rule": rule, "level": "should", "case": case, "tool": tool, "message": message,
            "evidence": Evidence::whole(text), "sent": {"name": tool, "arguments": {}}, "requirement": "", "help": "",
            "count": 1, "signature": text.replace(tool, "<value>"), "layer": null, "places": [place], "state": "new",
        }))
        .expect("a finding")
    }

    fn gather(findings: &[Finding], listed: &[&str], speaking: &[&str]) -> Vec<Finding> {
        let mut catalog = Catalog::default();
        let tools: Vec<_> = listed.iter().map(|name| json!({ "name": name })).collect();
        catalog.add_page(&json!({ "tools": tools }));
        let speaking = speaking.iter().copied().collect();
        gathered(findings.to_vec(), Peers { catalog: &catalog, speaking: &speaking })
    }

    /// Findings (rule, tool, message, text, condition) of a server with these tools, of which some speak, and the number of
    /// places of each cause with what these share.
    #[derive(serde::Deserialize)]
    struct Case {
        why: String,
        findings: Vec<[String; 5]>,
        listed: Vec<String>,
        speaking: Vec<String>,
        shape: Vec<(usize, Shared)>,
    }

    #[test]
    fn findings_are_gathered_as_their_line_says() {
        for line in include_str!("gather/cases.jsonl").lines() {
            let case: Case = serde_json::from_str(line).expect("a line is a case");
            let findings: Vec<Finding> =
                case.findings.iter().map(|of| found(&of[0], &of[1], (&of[2], &of[3], &of[4]))).collect();
            let listed: Vec<&str> = case.listed.iter().map(String::as_str).collect();
            let speaking: Vec<&str> = case.speaking.iter().map(String::as_str).collect();
            assert_eq!(shape(&gather(&findings, &listed, &speaking)), case.shape, "{}", case.why);
        }
    }

    /// The number of places of each finding, and what these share.
    fn shape(findings: &[Finding]) -> Vec<(usize, Shared)> {
        let shape = |finding: &Finding| Some((finding.places.len(), finding.cause.as_ref()?.shared));
        findings.iter().filter_map(shape).collect()
    }

    #[test]
    fn one_fault_is_one_cause_whether_or_not_the_disk_is_full() {
        let trace = |tool: &str, circumstance: &str, condition: &str| {
            let message = format!("the error reply shows the server's call stack{circumstance}");
            found("leak/stack-trace", tool, (&message, "stack backtrace:", condition))
        };
        let full = ", while nothing can be written to the disk";
        let findings = [trace("one", "", "absent"), trace("two", full, "storage-failure")];
        let gathered = gather(&findings, &["one", "two"], &[]);
        assert_eq!(shape(&gathered), [(2, Shared::Fault)]);
        assert_eq!(gathered[0].message, findings[0].message);
        // Where that alone shows it, it is told.
        let alone = gather(&findings[1..], &["one", "two"], &[]);
        assert_eq!(alone[0].message, findings[1].message);
    }

    #[test]
    fn a_tool_that_is_listed_stands_for_the_servers_way() {
        let unflagged = |tool: &str| {
            let message = format!("the reply of `{tool}` begins like an error");
            found("channel/disguised-error", tool, (&message, &format!("Error: {tool} is off"), "empty"))
        };
        let all = ["a1", "b1", "c1", "d1", "e1"];
        let gathered = gather(&["nope", "a1", "b1", "c1"].map(unflagged), &all, &all);
        assert_eq!(shape(&gathered), [(4, Shared::Server)]);
        assert_eq!((gathered[0].tool.as_deref(), gathered[0].places[0].tool.as_deref()), (None, Some("a1")));
    }

    #[test]
    fn one_text_is_one_cause_over_tools_and_values_and_two_texts_are_two() {
        let lacks = |tool: &str, text: &str, condition: &str| {
            let message = format!("nothing in the message says how to fix the call ({condition})");
            found("message/hint-missing", tool, (&message, text, condition))
        };
        let findings = [
            lacks("a1", "Project \"undefined\" not found", "missing-argument"),
            lacks("b1", "Project \"null\" not found", "null-argument"),
            lacks("b1", "Project \"<value>\" not found", "invalid-type"),
            lacks("b1", "Chunk \"<value>\" not found", "invalid-type"),
        ];
        let gathered = gather(&findings, &["a1", "b1"], &[]);
        assert_eq!(shape(&gathered), [(3, Shared::Words), (1, Shared::Words)]);
        assert_eq!(gathered[0].count, 3);
        let second = gathered[0].shown_in(&gathered[0].places[1]);
        assert_eq!(second.message, findings[1].message);
        assert_eq!(second.evidence, findings[1].evidence);
        assert_eq!(gathered[0].shown_in(&gathered[0].places[0]).evidence, findings[0].evidence);
    }

    #[test]
    fn the_highest_level_is_shown_and_notes_and_the_layer_of_an_sdk_stay_apart() {
        let leak = |level: Level, layer: Option<Layer>| Finding {
            level,
            layer,
            ..found("leak/runtime-error", "a1", ("the same kind", "ENOENT", &level.to_string()))
        };
        let findings = [
            leak(Level::Should, None),
            leak(Level::Must, None),
            leak(Level::Should, Some(Layer::Sdk)),
            leak(Level::Note, None),
        ];
        let gathered = gather(&findings, &[], &[]);
        let levels: Vec<Level> = gathered.iter().map(|finding| finding.level).collect();
        assert_eq!(levels, [Level::Must, Level::Should, Level::Note]);
        let places: Vec<Option<Level>> = gathered[0].places.iter().map(|place| place.level).collect();
        assert_eq!(places, [None, Some(Level::Should)]);
        let ids: BTreeSet<&str> =
            gathered.iter().filter_map(|of| Some(of.cause.as_ref()?.id.as_str())).collect();
        assert_eq!(ids.len(), 3, "each cause has a name of its own");
    }

    #[test]
    fn a_cause_keeps_its_name_whichever_of_its_places_shows() {
        let leak =
            |tool: &str, text: &str| found("leak/runtime-error", tool, ("the same kind", text, "empty"));
        let (first, second) = (leak("a1", "ENOENT"), leak("b1", "EISDIR"));
        let id = |findings: &[Finding]| gather(findings, &[], &[])[0].cause.clone();
        assert_eq!(id(&[first.clone(), second.clone()]), id(std::slice::from_ref(&second)));
        assert_eq!(id(std::slice::from_ref(&first)), id(&[second, first.clone()]));
    }

    #[test]
    fn a_finding_is_known_when_all_its_places_are_and_tells_of_a_new_one_first() {
        let mut known = found("leak/runtime-error", "a1", ("the same kind", "ENOENT", "empty"));
        known.state = State::Known;
        known.places[0].state = State::Known;
        let new = found("leak/runtime-error", "b1", ("the same kind", "EISDIR", "empty"));
        let both = gather(&[known.clone(), new.clone()], &[], &[]);
        assert_eq!((both.len(), both[0].state), (1, State::New));
        assert_eq!(both[0].evidence, new.evidence);
        assert!(both[0].is_new_in(new.case.as_ref()) && !both[0].is_new_in(known.case.as_ref()));
        assert_eq!(gather(&[known], &[], &[])[0].state, State::Known);
    }
}
