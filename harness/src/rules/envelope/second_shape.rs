//! `envelope/second-shape`: two tools of one server report errors in two shapes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::contract::{Channel, ErrorReply, Form, JsonForm};
use crate::exchange::{Exchange, Step};
use crate::finding::{Breach, Evidence, Level};
use crate::rules::{Check, Example, Panorama, Rule, Tier};

/// PD-08: every tool of the server gives the same structure. EE-01: every error path gives this envelope.
pub(crate) static RULE: Rule = Rule {
    id: "envelope/second-shape",
    tier: Tier::Run,
    level: Level::Must,
    requirements: &["PD-08", "EE-01"],
    summary: "two tools of one server report errors in two shapes",
    page: r#"A client has one function that reads an error. A tool that puts it elsewhere, or fills it with other members, needs a second one.

**Counts**, between two tools whose errors each keep the contract's schema:

- the object of the one always stands in the text alone, that of the other one in `structuredContent` alone;
- where the contract says that all tools send the same members (the problem of `problem-details`): of two errors with one code, a member
  that the one tool always sends and the other one never does.

**Does not count:** members that the contract leaves to the case, such as the path or what is shown of a file; members that a contract
allows beside its own; the fields of a tool's own result; an object in both places, of which one is where the other tool has it; an
object that breaks the schema by itself (`envelope/schema`).

**To mend it:** let one place of the server write the error of every tool.

In the example the tool before sent its error as a text."#,
    check: Check::Run(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Nothing exists at /workspace/missing.txt. List the folder first."}],"structuredContent":{"type": "NOT_FOUND", "message": "Nothing exists at /workspace/missing.txt. List the folder first.", "recoverable": true},"isError":true}}"#,
        expected: r#""anything""#,
        beside: BESIDE,
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"type\": \"NOT_FOUND\", \"message\": \"Nothing exists at /workspace/missing.txt. List the folder first.\", \"recoverable\": true}"}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: BESIDE,
    },
};

/// An error of another tool, as a text.
const BESIDE: &str = r#"{"contract": "tool-error", "before_tool": "grep", "before": {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"type\": \"NOT_FOUND\", \"message\": \"Nothing exists at /workspace/missing.txt. List the folder first.\", \"recoverable\": true}"}],"isError":true}}}"#;

/// Where the object of an error stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    Text,
    Structured,
    Both,
}

/// One tool's errors.
struct Errors<'a> {
    tool: &'a str,
    /// Each with the exchange's index.
    replies: Vec<(usize, &'a ErrorReply, Stand)>,
}

fn check(panorama: &Panorama<'_>) -> Vec<(usize, Breach)> {
    let Form::Json(form) = &panorama.contract.form else { return Vec::new() };
    if !panorama.declared {
        return Vec::new();
    }
    let tools = tools(panorama);
    let Some((first, others)) = tools.split_first() else { return Vec::new() };
    // The shape that most tools have is the server's: where there is none, the first tool's.
    let mut breaches = Vec::new();
    let elsewhere = |one: &Errors<'_>, other: &Errors<'_>| other_place(one, other).is_some();
    let model = tools
        .iter()
        .find(|one| 2 * tools.iter().filter(|other| elsewhere(one, other)).count() < tools.len())
        .unwrap_or(first);
    for other in tools.iter().filter(|other| other.tool != model.tool) {
        breaches.extend(other_place(model, other));
    }
    if let Some(shape) = &form.shape {
        // Each tool is compared with the first one that sends the same code.
        for (position, other) in others.iter().enumerate() {
            let before = tools.iter().take(position + 1);
            breaches.extend(before.into_iter().find_map(|one| other_members(one, other, shape, form)));
        }
    }
    breaches
}

/// The tools with their errors that keep the contract, each by itself.
fn tools<'a>(panorama: &'a Panorama<'_>) -> Vec<Errors<'a>> {
    let schema = panorama.contract.schema();
    let mut tools: Vec<Errors<'a>> = Vec::new();
    for exchange in &panorama.transcript.exchanges {
        let error = panorama.errors[exchange.index].as_ref();
        let (Some(tool), Some(error)) = (exchange.tool(), error) else { continue };
        let is_sound = |data: &Value| schema.is_none_or(|schema| schema.faults(data).is_empty());
        let is_whole = error.data.as_ref().is_some_and(is_sound) && error.code().is_some();
        if error.channel != Channel::Tool || !is_whole || exchange.place.step == Step::Malformed {
            continue;
        }
        let reply = (exchange.index, error, stand(exchange, error));
        match tools.iter_mut().find(|known| known.tool == tool) {
            Some(known) => known.replies.push(reply),
            None => tools.push(Errors { tool, replies: vec![reply] }),
        }
    }
    tools
}

fn stand(exchange: &Exchange, error: &ErrorReply) -> Stand {
    let structured = exchange.outcome.result().and_then(|result| result.get("structuredContent"));
    let in_text = exchange.outcome.texts().contains(&error.text.as_str());
    let has_code = structured.is_some_and(|structured| {
        let code = error.code().unwrap_or_default();
        structured.is_object() && structured.to_string().contains(&format!("\"{code}\""))
    });
    match (in_text, has_code) {
        (true, true) => Stand::Both,
        (false, _) => Stand::Structured,
        (true, false) => Stand::Text,
    }
}

/// The breach of a tool whose object always stands where the other tool's never does.
fn other_place(model: &Errors<'_>, other: &Errors<'_>) -> Option<(usize, Breach)> {
    let always =
        |errors: &Errors<'_>, place: Stand| errors.replies.iter().all(|(_, _, stand)| *stand == place);
    let parted = |one: Stand, two: Stand| always(model, one) && always(other, two);
    let (here, there) = if parted(Stand::Text, Stand::Structured) {
        ("`structuredContent`", "the text")
    } else if parted(Stand::Structured, Stand::Text) {
        ("the text", "`structuredContent`")
    } else {
        return None;
    };
    let message = format!(
        "the errors of `{}` stand in {here} alone, those of `{}` in {there} alone",
        other.tool, model.tool
    );
    Some(breach(other, message))
}

/// The breach of a tool whose errors have other members than another tool's with the same code.
fn other_members(
    one: &Errors<'_>,
    other: &Errors<'_>,
    shape: &str,
    form: &JsonForm,
) -> Option<(usize, Breach)> {
    let (ours, theirs) = (members(one, shape, form), members(other, shape, form));
    ours.iter().find_map(|(code, (always, ever))| {
        let (other_always, other_ever) = theirs.get(code)?;
        let missing: Vec<_> = always.difference(other_ever).cloned().collect();
        let added: Vec<_> = other_always.difference(ever).cloned().collect();
        if missing.is_empty() && added.is_empty() {
            return None;
        }
        let told = |names: &[String], verb: &str| {
            (!names.is_empty()).then(|| format!("{verb} `{}`", names.join("`, `")))
        };
        let told: Vec<_> =
            [told(&missing, "do not have"), told(&added, "have")].into_iter().flatten().collect();
        let message = format!(
            "with the code `{code}` the errors of `{}` {} in `{shape}`, unlike those of `{}`",
            other.tool,
            told.join(" and "),
            one.tool
        );
        Some(breach(other, message))
    })
}

type Names = BTreeSet<String>;

/// For each code the members that a tool always sends, and those that it sends at all; without what depends on the case.
fn members(errors: &Errors<'_>, shape: &str, form: &JsonForm) -> BTreeMap<String, (Names, Names)> {
    let mut found: BTreeMap<String, (Names, Names)> = BTreeMap::new();
    for (_, error, _) in &errors.replies {
        let object = error.data.as_ref().and_then(|data| data.pointer(shape)).and_then(Value::as_object);
        let (Some(object), Some(code)) = (object, error.code()) else { continue };
        let is_free = |name: &str| form.values.contains(&format!("{shape}/{name}"));
        let names: Names = object.keys().filter(|name| !is_free(name)).cloned().collect();
        match found.get_mut(code) {
            Some((always, ever)) => {
                always.retain(|name| names.contains(name));
                ever.extend(names);
            }
            None => {
                found.insert(code.to_owned(), (names.clone(), names));
            }
        }
    }
    found
}

fn breach(errors: &Errors<'_>, message: String) -> (usize, Breach) {
    let (index, error, _) = errors.replies[0];
    let help = "Let one place of the server write the error of every tool.";
    (index, Breach::new(message, help).evidence(Evidence::whole(error.text.as_str())))
}
