//! Values from calls that succeeded: what one tool accepted for a parameter, another may accept for a parameter of the same
//! name; what a tool lists or reads may be what another one takes; and a part of a thing, such as a section of a document,
//! is asked for in the thing that has it.
//!
//! The main type is [`LearntValues`]. What could be executed is never taken over.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use crate::catalog::Tool;
use crate::class::Class;
use crate::condition::CaseId;
use crate::exchange::{Exchange, Outcome, Step};
use crate::generate::executable::{ExecutableKind, bound_executable_kind};
use crate::generate::{
    are_about_the_same, entries, is_an_end, is_harmless, items_of, key_of, names_one, plain_name,
    returned_for,
};
use crate::json::texts;
use crate::json_schema::flattened;
use crate::judge::has_succeeded;
use crate::names::returned::paths_in;
use crate::pattern;
use crate::plan::ProbedTool;
use crate::repair::{ArgumentSlot, put, slots};
use crate::wording::mention::stands_in;

use super::Driver;

/// At most this many replies are used for one tool.
const LISTS: usize = 4;
/// At most this many values of each reply.
const VALUES: usize = 3;
/// At most this many calls are made of them.
const CALLS: usize = 8;
/// At most this many bytes of a description say what a value is called.
const NAMING: usize = 80;

/// At most this many calls are tried for one tool.
const MOST: usize = 4;
/// At most this many parts of one thing are tried.
const PARTS: usize = 2;

/// Known values, by parameter name.
#[derive(Debug, Default)]
pub(super) struct LearntValues {
    /// By parameter name, the tool and value of the newest successful call of each tool, the newest last.
    of_all: BTreeMap<String, Vec<(String, Value)>>,
    /// By tool, the values that changed the reason of a refusal.
    of_tools: HashMap<String, Map<String, Value>>,
    /// The newest call of each tool that succeeded.
    calls: BTreeMap<String, LearntCall>,
}

/// A call that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LearntCall {
    /// By this id the tool's folder is called.
    pub(super) folder: CaseId,
    /// The values of the tool's own parameters.
    pub(super) arguments: Value,
    /// The result.
    pub(super) reply: Value,
}

impl LearntValues {
    /// Keeps a call that succeeded, and its values.
    pub(super) fn keep(&mut self, tool: &str, call: LearntCall) {
        for (name, value) in call.arguments.as_object().into_iter().flatten() {
            if value.is_string() || value.is_number() {
                let known = self.of_all.entry(name.clone()).or_default();
                known.retain(|(other, _)| other != tool);
                known.push((tool.to_owned(), value.clone()));
            }
        }
        self.calls.insert(tool.to_owned(), call);
    }

    /// By which id the folder of a tool is called whose calls were kept.
    pub(super) fn folder_of(&self, tool: &str) -> Option<&CaseId> {
        self.calls.get(tool).map(|call| &call.folder)
    }

    /// What the newest call of every other tool returned, with the tool's name.
    pub(super) fn replies_of_others(&self, tool: &str) -> impl Iterator<Item = (&str, &Value)> {
        let others = self.calls.iter().filter(move |(other, _)| *other != tool);
        others.map(|(other, call)| (other.as_str(), &call.reply))
    }

    /// The newest call of every other tool, those about the same thing first.
    pub(super) fn calls_of_others(&self, tool: &str) -> Vec<&LearntCall> {
        let mut calls: Vec<(bool, &LearntCall)> = self
            .calls
            .iter()
            .filter(|(other, _)| *other != tool)
            .map(|(other, call)| (!are_about_the_same(tool, other), call))
            .collect();
        // The sort is stable.
        calls.sort_by_key(|(is_far, _)| *is_far);
        calls.into_iter().map(|(_, call)| call).collect()
    }

    /// Records the arguments that differ between two refused calls, where the second was refused for another
    /// reason.
    pub(super) fn keep_progress(&mut self, tool: &str, before: &Value, after: &Value) {
        let known = self.of_tools.entry(tool.to_owned()).or_default();
        for (name, value) in after.as_object().into_iter().flatten() {
            if before.get(name) != Some(value) {
                known.insert(name.clone(), value.clone());
            }
        }
    }

    /// The arguments with values that other tools accepted under the same names; `None` if there are none.
    /// `moved` adapts a value of another tool for this one, or returns `None` if it cannot be used.
    pub(super) fn of_others(
        &self,
        tool: &str,
        arguments: &Value,
        moved: &dyn Fn(&str, &str, &Value) -> Option<Value>,
    ) -> Option<Value> {
        let mut members = arguments.as_object()?.clone();
        for (name, value) in &mut members {
            let known =
                || self.of_all.get(name).into_iter().flatten().rev().filter(|(other, _)| other != tool);
            // If several things have an `id`, the one that the tool's own name speaks of is meant.
            let near = known().find(|(other, _)| are_about_the_same(tool, other));
            let known = near.or_else(|| known().next());
            if let Some(known) = known.and_then(|(other, known)| moved(name, other, known)) {
                *value = known;
            }
        }
        let changed = Value::Object(members);
        (changed != *arguments).then_some(changed)
    }

    /// The arguments with the values that made a difference in earlier calls of this tool.
    pub(super) fn of_progress(&self, tool: &str, arguments: &Value) -> Value {
        let mut arguments = arguments.clone();
        if let (Some(known), Some(members)) = (self.of_tools.get(tool), arguments.as_object_mut()) {
            members.extend(known.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        arguments
    }
}

/// A reply that may name what another tool takes.
struct Listing<'r> {
    /// The tool's name.
    name: &'r str,
    reply: &'r Value,
    /// The refusal says that its tool is to be called.
    is_named: bool,
}

impl Driver<'_> {
    /// Keeps what calls of an earlier session that succeeded have taught, of each tool the newest.
    #[must_use]
    pub(in crate::drive) fn taught(mut self, earlier: &[Exchange]) -> Self {
        let mut newest: BTreeMap<&str, (&Exchange, CaseId)> = BTreeMap::new();
        for exchange in earlier.iter().filter(|exchange| exchange.place.step == Step::Control) {
            let case = exchange.place.case.as_ref();
            let folder = case.filter(|case| case.0.starts_with("probe/")).and_then(tool_folder);
            if let (Some(tool), Some(folder)) = (exchange.tool(), folder)
                && has_succeeded(exchange, self.contract)
            {
                newest.insert(tool, (exchange, folder));
            }
        }
        for (tool, (exchange, folder)) in newest {
            let (Some(listed), Outcome::Result(reply)) = (self.head.catalog.tool(tool), &exchange.outcome)
            else {
                continue;
            };
            let arguments = listed.unwrap(&exchange.call.arguments).clone();
            self.learn(tool, LearntCall { folder, arguments, reply: reply.clone() });
        }
        self
    }

    /// Keeps what a call that succeeded has taught.
    pub(super) fn learn(&mut self, tool: &str, call: LearntCall) {
        if let Some(draws) = &mut self.draws {
            draws.learn(tool, &call.arguments, &call.reply);
        }
        if !is_an_end(tool) {
            self.learnt.keep(tool, call);
        }
    }

    /// The refused call with what another tool has returned in the place of its values: one without parameters, or one that
    /// the refusal or a parameter's description names.
    pub(super) fn with_listed(&self, tool: &ProbedTool, refused: usize) -> Vec<Value> {
        let sent = self.own_arguments(&tool.name, refused);
        let Some(listed) = self.head.catalog.tool(&tool.name).filter(|_| sent.is_object()) else {
            return Vec::new();
        };
        if tool.class != Class::Read && self.draws.is_none() {
            return Vec::new();
        }
        let words = self.pool.exchanges[refused].outcome.words().join("\n");
        let slots = self.slots_for_listed(listed, tool.class, &sent);
        let mut calls: Vec<Value> = Vec::new();
        for Listing { name, reply, is_named } in self.listings(tool, &words, &slots) {
            let filled: Vec<(&ArgumentSlot, Vec<Value>)> = slots
                .iter()
                .map(|slot| {
                    let is_quoted = slot.sent_text().is_some_and(|text| words.contains(&text));
                    let is_meant = is_named && (slots.len() == 1 || is_quoted);
                    let is_meant = is_meant || is_described(slot, name);
                    (slot, values_for(reply, &names_of(slot, &words), &slot.schema, is_meant))
                })
                .collect();
            for call in in_turns(&sent, &filled, VALUES) {
                if call != sent && !calls.contains(&call) {
                    calls.push(call);
                }
            }
        }
        calls.truncate(CALLS);
        calls
    }

    /// The values of a call that may be replaced, at any depth. Paths are ours, but where a tool that only reads says which
    /// other tool lists them.
    fn slots_for_listed(&self, tool: &Tool, class: Class, sent: &Value) -> Vec<ArgumentSlot> {
        let others = || self.head.catalog.tools.iter().filter(|other| other.name != tool.name);
        let is_listed = |slot: &ArgumentSlot| {
            class == Class::Read && others().any(|other| is_described(slot, &other.name))
        };
        let is_plain = |slot: &ArgumentSlot| match &slot.sent {
            Some(Value::String(_) | Value::Number(_)) => true,
            Some(Value::Array(_)) => items_of(&slot.schema).is_some(),
            _ => false,
        };
        // A server that another tool lists is known by a name, and is no host to connect to.
        let is_named_server = |slot: &ArgumentSlot| {
            let kind = bound_executable_kind(tool, &self.head.bindings, &slot.name, &slot.schema);
            self.draws.is_some() && kind == Some(ExecutableKind::Host) && is_listed(slot)
        };
        let mut found = slots(&tool.own_document(), sent);
        found.retain(|slot| {
            let is_place = !slot.is_item() && !slot.schema.is_null() && is_plain(slot);
            let is_free = !slot.is_path() || is_listed(slot);
            let is_taken = self.takes_from_others(tool, &slot.name, &slot.schema) || is_named_server(slot);
            is_place && is_free && is_taken
        });
        found
    }

    /// The replies that may name what a tool takes: of the tools that its refusal or the description of one of its parameters
    /// names first, then of those about the same.
    fn listings<'a>(&'a self, tool: &ProbedTool, words: &str, slots: &[ArgumentSlot]) -> Vec<Listing<'a>> {
        let listing = |other: &'a Tool| {
            let (met, found) = self.valid_call(&other.name).filter(|(met, _)| met.class == Class::Read)?;
            let is_named = words.contains(&other.name) && stands_in(words, &other.name);
            let reply = self.pool.exchanges[found.control].outcome.result()?;
            let is_described = slots.iter().any(|slot| is_described(slot, &other.name));
            let rank = match are_about_the_same(&tool.name, &other.name) {
                _ if is_named || is_described => 0,
                true => 1,
                false => 2,
            };
            let is_usable = is_named || is_described || met.is_bare();
            is_usable.then_some((rank, Listing { name: &other.name, reply, is_named }))
        };
        let others = self.head.catalog.tools.iter().filter(|other| other.name != tool.name);
        let mut found: Vec<(usize, Listing<'_>)> = others.filter_map(listing).collect();
        found.sort_by_key(|(rank, _)| *rank);
        found.truncate(LISTS);
        found.into_iter().map(|(_, listing)| listing).collect()
    }

    /// The first call with nothing but what is required, and in it what another tool took or returned under the same name; for
    /// the path of a file one that another tool's reply names. An optional id is given too where the reply has one. What stands
    /// under the very name comes first.
    pub(super) fn with_returned(&self, tool: &ProbedTool, tries: &[Value]) -> Vec<Value> {
        let is_open = tool.class == Class::Read || self.draws.is_some();
        let (Some(first), Some(listed)) =
            (tries.first().filter(|_| is_open), self.head.catalog.tool(&tool.name))
        else {
            return Vec::new();
        };
        let required: Vec<&str> = listed.required().collect();
        let members = first.as_object().into_iter().flatten();
        let members = members.filter(|(name, _)| required.contains(&name.as_str()));
        let least: Value = members.map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut places = slots(&listed.own_document(), &least);
        places.retain(|slot| {
            let is_sent = matches!(slot.sent, Some(Value::String(_) | Value::Number(_)));
            let is_optional_id = slot.sent.is_none() && names_one(&plain_name(&slot.name));
            slot.place.len() == 1
                && (is_sent || is_optional_id)
                && self.takes_from_others(listed, &slot.name, &slot.schema)
        });
        let mut found: Vec<(bool, Vec<Value>)> = Vec::new();
        for other in self.learnt.calls_of_others(&tool.name) {
            let filled: Vec<(&ArgumentSlot, Vec<Value>)> =
                places.iter().map(|slot| (slot, self.returned_by(other, slot))).collect();
            let is_exact = filled.iter().any(|(slot, values)| {
                let key = values.first().and_then(|value| key_of(&other.reply, value));
                key.is_some_and(|key| key == plain_name(&slot.name))
            });
            found.push((is_exact, in_turns(&least, &filled, PARTS).collect()));
        }
        found.sort_by_key(|(is_exact, _)| !is_exact);
        let mut calls: Vec<Value> = self.of_others(tool, &least).into_iter().collect();
        for call in found.into_iter().flat_map(|(_, calls)| calls) {
            if calls.len() < MOST && call != least && !calls.contains(&call) && !tries.contains(&call) {
                calls.push(call);
            }
        }
        calls
    }

    /// What another tool's reply holds for a parameter. Of paths those in our own folders, unless the other tool got them.
    fn returned_by(&self, other: &LearntCall, slot: &ArgumentSlot) -> Vec<Value> {
        if !slot.is_path() {
            return values_for(&other.reply, &names_of(slot, ""), &slot.schema, false);
        }
        let ours = format!("{}/", self.head.folders.workspace);
        let is_new = |path: &String| {
            let is_ours = path.starts_with(&ours) || !path.starts_with(['/', '~', '\\']);
            is_ours && !path.contains("..") && texts(&other.arguments).all(|sent| sent != path)
        };
        paths_in(&other.reply).into_iter().filter(is_new).map(Value::from).collect()
    }

    /// The calls that take the same thing as another tool's call and a part that this one returned, in the tool's own folder.
    /// Only where calls are drawn: what a server returned may be anything.
    pub(super) fn upon_parts(&self, tool: &ProbedTool, tries: &[Value]) -> Vec<Value> {
        let (Some(first), true) = (tries.first(), self.draws.is_some()) else { return Vec::new() };
        let Some(listed) = self.head.catalog.tool(&tool.name) else { return Vec::new() };
        let document = listed.own_document();
        let properties = document.pointer("/properties").and_then(Value::as_object);
        let takes: Vec<(&str, Value)> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| (name.as_str(), flattened(schema, &document).into_owned()))
            .filter(|(name, schema)| self.takes_from_others(listed, name, schema))
            .collect();
        let mut calls: Vec<Value> = Vec::new();
        for other in self.learnt.calls_of_others(&tool.name) {
            for call in calls_upon_parts(first, &takes, other) {
                let call = self.in_the_folder_of(tool, &other.folder, &call);
                if calls.len() < MOST && !calls.contains(&call) && !tool.tries.contains(&call) {
                    calls.push(call);
                }
            }
        }
        calls
    }
}

/// The id by which the folder of a tool's probes is called, from the id of one of them.
fn tool_folder(probe: &CaseId) -> Option<CaseId> {
    let (group, rest) = probe.0.split_once('/')?;
    let (tool, _) = rest.split_once('/')?;
    Some(CaseId(format!("{group}/{tool}")))
}

/// Whether the description of a parameter names this tool: "from list_clusters". A tool that is called by one ordinary word
/// is not known by it.
fn is_described(slot: &ArgumentSlot, tool: &str) -> bool {
    let is_distinct = tool.contains(['_', '-', '.']) || tool.chars().skip(1).any(char::is_uppercase);
    is_distinct && stands_in(&slot.description(), &tool.to_lowercase())
}

/// What the value of a parameter may be called: as the parameter itself, as its description says ("ID or exact title" of a
/// `server`), and as a refusal says that what was sent is not ("'alpha' is not a run folder").
fn names_of(slot: &ArgumentSlot, words: &str) -> Vec<String> {
    let mut names = vec![slot.name.clone()];
    let description = slot.description();
    let beginning = &description[..description.floor_char_boundary(NAMING)];
    for found in pattern!("name/of-value").captures_iter(beginning) {
        let thing = ["of", "before"].iter().find_map(|group| found.name(group));
        names.push(format!("{}_{}", thing.map_or(&*slot.name, |thing| thing.as_str()), &found["kind"]));
    }
    let not_this = slot.sent_text().and_then(|sent| {
        let at = words.find(sent.as_str()).filter(|_| sent.len() > 2)?;
        pattern!("name/is-no").captures(&words[at + sent.len()..])
    });
    names.extend(not_this.iter().flat_map(|found| {
        let thing = found["thing"].to_owned();
        found.name("kind").map(|kind| format!("{thing}_{}", kind.as_str())).into_iter().chain([thing])
    }));
    names
}

/// The call with the first value for each of its places that has one, then with the second, and so on.
fn in_turns(
    call: &Value,
    filled: &[(&ArgumentSlot, Vec<Value>)],
    turns: usize,
) -> impl Iterator<Item = Value> {
    (0..turns).map(move |turn| {
        let mut call = call.clone();
        for (slot, values) in filled {
            if let Some(value) = values.get(turn) {
                put(&mut call, &slot.place, value.clone());
            }
        }
        call
    })
}

/// What a reply holds for a parameter of one of these names, the likeliest first. `is_meant` where the parameter is known to
/// take what is listed, whatever it is called.
fn values_for(reply: &Value, names: &[String], schema: &Value, is_meant: bool) -> Vec<Value> {
    let mut of_names = names.iter().map(|name| returned_for(reply, name, schema));
    let mut values = of_names.find(|values| !values.is_empty()).unwrap_or_default();
    if values.is_empty() && is_meant {
        values = entries(reply, schema);
    }
    values.retain(|value| texts(value).all(is_harmless));
    values.truncate(VALUES);
    values
}

/// The call with what the other one took under the same names, and for what it did not take with what it returned; a call for
/// each of the first parts. None if the two have nothing in common. `takes` are the parameters that may be given a value, with
/// their schemas.
fn calls_upon_parts(first: &Value, takes: &[(&str, Value)], other: &LearntCall) -> Vec<Value> {
    let (Some(members), Some(taken)) = (first.as_object(), other.arguments.as_object()) else {
        return Vec::new();
    };
    let is_named = |value: &Value| value.is_string() || value.is_number();
    let shared: Vec<(&str, &Value)> = takes
        .iter()
        .filter_map(|(name, _)| Some((*name, taken.get(*name).filter(|value| is_named(value))?)))
        .collect();
    if shared.is_empty() {
        return Vec::new();
    }
    let mut whole = members.clone();
    whole.extend(shared.iter().map(|(name, value)| ((*name).to_owned(), (*value).clone())));
    let parts: Vec<(&str, Vec<Value>)> = takes
        .iter()
        .filter(|(name, _)| !shared.iter().any(|(other, _)| other == name))
        .map(|(name, schema)| (*name, returned_for(&other.reply, name, schema)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    let of_turn = |turn: usize| {
        let mut call = whole.clone();
        for (name, values) in &parts {
            call.insert((*name).to_owned(), values[turn.min(values.len() - 1)].clone());
        }
        Value::Object(call)
    };
    let turns = parts.iter().map(|(_, values)| values.len()).max().unwrap_or(0).min(PARTS);
    (0..turns).map(of_turn).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::condition::CaseId;

    use super::*;

    #[test]
    fn what_one_tool_took_is_tried_with_another_and_progress_is_kept() {
        let mut learnt = LearntValues::default();
        let folder = CaseId("probe/read".to_owned());
        let arguments = json!({"path": "/w/read/data.csv", "query": "x", "deep": {"a": 1}});
        let call = LearntCall { folder: folder.clone(), arguments, reply: json!({}) };
        learnt.keep("read", call.clone());
        assert_eq!(learnt.folder_of("read"), Some(&folder));
        assert_eq!(learnt.calls_of_others("read"), [&call; 0]);
        assert_eq!(learnt.calls_of_others("sort"), [&call]);
        assert_eq!(tool_folder(&CaseId("probe/read/path/missing".to_owned())), Some(folder));
        let moved = |name: &str, _: &str, value: &Value| (name != "query").then(|| value.clone());
        let others = |tool: &str, arguments: &Value| learnt.of_others(tool, arguments, &moved);
        let known = json!({"path": "/w/read/data.csv", "query": "alpha"});
        assert_eq!(others("sort", &json!({"path": "notes.txt", "query": "alpha"})), Some(known));
        assert_eq!(others("read", &json!({"path": "notes.txt"})), None);
        assert_eq!(others("sort", &json!({"limit": 1})), None);

        learnt.keep_progress("sort", &json!({"path": "a", "by": "b"}), &json!({"path": "c", "by": "b"}));
        assert_eq!(
            learnt.of_progress("sort", &json!({"path": "x", "by": "y"})),
            json!({"path": "c", "by": "y"})
        );
        assert_eq!(learnt.of_progress("other", &json!({"path": "x"})), json!({"path": "x"}));
    }

    #[test]
    fn a_parameter_takes_what_is_listed_in_its_own_type() {
        let reply = json!({"content": [{"type": "text", "text": r#"[{"note_id": "n-17", "text": "a"}]"#}]});
        let (text, list) = (json!({"type": "string"}), json!({"type": "array", "items": {"type": "string"}}));
        let values_for = |reply: &Value, name: &str, schema: &Value, is_meant: bool| {
            values_for(reply, &[name.to_owned()], schema, is_meant)
        };
        assert_eq!(values_for(&reply, "note_id", &text, false), [json!("n-17")]);
        assert_eq!(values_for(&reply, "note_ids", &list, false), [json!(["n-17"])]);
        assert!(values_for(&reply, "colour", &text, false).is_empty());
        assert_eq!(values_for(&reply, "colour", &text, true), [json!("n-17")]);
        let harmful = json!({"content": [{"type": "text", "text": r#"["$(x)"]"#}]});
        assert!(values_for(&harmful, "note_id", &text, true).is_empty());
    }

    #[test]
    fn a_value_is_called_as_its_description_or_a_refusal_says() {
        for (name, description, words, expected) in [
            ("server", "ID or exact title", "", "server server_id server_title"),
            ("server", "The ID of the region.", "", "server region_id"),
            ("base", "The run id to compare with", "", "base run_id"),
            ("base", "", "'alpha' is not a run folder (it is empty)", "base run_folder run"),
            ("base", "", "'alpha' is not valid", "base"),
            ("colour", "The colour of the lines", "", "colour"),
        ] {
            let schema = json!({"properties": {name: {"type": "string", "description": description}}});
            let slots = slots(&schema, &json!({name: "alpha"}));
            assert_eq!(names_of(&slots[0], words).join(" "), expected, "{description} {words}");
        }
        let schema = json!({"properties": {"cluster": {"description": "See list_Clusters."}}});
        let slots = slots(&schema, &json!({"cluster": "alpha"}));
        assert!(is_described(&slots[0], "list_Clusters"));
        assert!(!is_described(&slots[0], "list_notes") && !is_described(&slots[0], "see"));
    }

    fn check(first: &Value, arguments: &Value, reply: &Value, expected: &[Value]) {
        let text = json!({"type": "string"});
        let takes = [("document", text.clone()), ("section_id", text)];
        let folder = CaseId("probe/list_sections".to_owned());
        let other = LearntCall { folder, arguments: arguments.clone(), reply: reply.clone() };
        assert_eq!(calls_upon_parts(first, &takes, &other), expected, "{first} {other:?}");
    }

    #[test]
    fn a_part_is_asked_for_in_the_thing_that_has_it() {
        let first = json!({"document": "/w/notes.txt", "section_id": "alpha", "level": 1});
        let reply = json!({"structuredContent": {"sections": [{"id": "s-1"}, {"id": "s-2"}, {"id": "s-3"}]}});
        let call = |id: &str| json!({"document": "/w/data.md", "section_id": id, "level": 1});
        check(&first, &json!({"document": "/w/data.md"}), &reply, &[call("s-1"), call("s-2")]);
        // What both take is no part.
        check(&first, &json!({"document": "/w/data.md", "section_id": "s-9"}), &reply, &[]);
        check(&first, &json!({"folder": "/w"}), &reply, &[]);
        check(&first, &json!({"document": "/w/data.md"}), &json!({"content": []}), &[]);
    }
}
