//! `envelope/second-shape`: two tools of one server report errors in two shapes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::contract::{ErrorChannel, ErrorReply, JsonForm, ReplyForm};
use crate::exchange::{Exchange, Step};
use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Rule, RunContext};

/// PD-08: every tool of the server gives the same structure. EE-01: every error path gives this envelope.
pub(crate) static RULE: Rule =
    Rule::of_run("envelope/second-shape", include_str!("second_shape.toml"), check);

/// The place of an error's object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    Text,
    Structured,
    Both,
}

/// The errors of one tool.
struct Errors<'a> {
    tool: &'a str,
    /// The error replies, each with the exchange's index and the place of its object.
    replies: Vec<(usize, &'a ErrorReply, Stand)>,
}

fn check(run: &RunContext<'_>) -> Vec<(usize, Diagnostic)> {
    let ReplyForm::Json(form) = &run.contract.form else { return Vec::new() };
    if !run.declared {
        return Vec::new();
    }
    let tools = tools(run);
    let mut odd = by_place(&tools);
    if let Some(shape) = &form.shape {
        odd.extend(by_members(&tools, shape, form));
    }
    // Each tool is reported once, however much it differs.
    let reported = tools.iter().filter_map(|tool| {
        let of_tool: Vec<&Oddity<'_>> = odd.iter().filter(|oddity| oddity.tool == tool.tool).collect();
        let first = of_tool.iter().min_by_key(|oddity| oddity.exchange)?;
        let message: Vec<&str> = of_tool.iter().map(|oddity| oddity.message.as_str()).collect();
        let help = "Have a single place in the server that writes the errors of all tools.";
        let diagnostic =
            Diagnostic::new(message.join("; "), help).evidence(Evidence::whole(first.error.text.as_str()));
        Some((first.exchange, diagnostic))
    });
    reported.collect()
}

/// How a tool differs, and a reply that shows it.
struct Oddity<'a> {
    tool: &'a str,
    message: String,
    exchange: usize,
    error: &'a ErrorReply,
}

/// The tool whose shape most tools share, which counts as the server's; if there is none, the first tool.
fn model<'t, 'a>(
    tools: &[&'t Errors<'a>],
    differ: impl Fn(&Errors<'a>, &Errors<'a>) -> bool,
) -> Option<&'t Errors<'a>> {
    let is_usual =
        |one: &&&Errors<'a>| 2 * tools.iter().filter(|other| differ(one, other)).count() < tools.len();
    tools.iter().find(is_usual).or(tools.first()).copied()
}

/// The tools whose errors keep the contract, each taken by itself.
fn tools<'a>(run: &'a RunContext<'_>) -> Vec<Errors<'a>> {
    let schema = run.contract.schema();
    let mut tools: Vec<Errors<'a>> = Vec::new();
    for exchange in &run.transcript.exchanges {
        let error = run.errors[exchange.index].as_ref();
        let (Some(tool), Some(error)) = (exchange.tool(), error) else { continue };
        let is_sound = |data: &Value| schema.is_none_or(|schema| schema.faults(data).is_empty());
        let is_whole = error.data.as_ref().is_some_and(is_sound) && error.code().is_some();
        if error.channel != ErrorChannel::Tool || !is_whole || exchange.place.step == Step::Malformed {
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

/// The tools whose object is in another place than in most.
fn by_place<'a>(tools: &[Errors<'a>]) -> Vec<Oddity<'a>> {
    let all: Vec<&Errors<'a>> = tools.iter().collect();
    let Some(model) = model(&all, |one, other| other_place(one, other).is_some()) else { return Vec::new() };
    let odd = |other: &Errors<'a>| {
        let (here, there) = other_place(model, other)?;
        let message = format!(
            "the errors of `{}` are only in {here}, those of `{}` only in {there}",
            other.tool, model.tool
        );
        let (exchange, error, _) = other.replies[0];
        Some(Oddity { tool: other.tool, message, exchange, error })
    };
    tools.iter().filter_map(odd).collect()
}

/// The place of the other tool's object and that of the model's, if each is always the same and they differ.
fn other_place(model: &Errors<'_>, other: &Errors<'_>) -> Option<(&'static str, &'static str)> {
    let always =
        |errors: &Errors<'_>, place: Stand| errors.replies.iter().all(|(_, _, stand)| *stand == place);
    let parted = |one: Stand, two: Stand| always(model, one) && always(other, two);
    if parted(Stand::Text, Stand::Structured) {
        Some(("`structuredContent`", "the text"))
    } else if parted(Stand::Structured, Stand::Text) {
        Some(("the text", "`structuredContent`"))
    } else {
        None
    }
}

/// The tools whose errors have other members than those of most tools with the same code.
fn by_members<'a>(tools: &[Errors<'a>], shape: &str, form: &JsonForm) -> Vec<Oddity<'a>> {
    let members: BTreeMap<&str, _> =
        tools.iter().map(|tool| (tool.tool, members(tool, shape, form))).collect();
    let codes: BTreeSet<&String> = members.values().flat_map(BTreeMap::keys).collect();
    let mut odd = Vec::new();
    for code in codes {
        let of = |tool: &Errors<'a>| members[tool.tool].get(code);
        let senders: Vec<&Errors<'a>> = tools.iter().filter(|tool| of(tool).is_some()).collect();
        let unlike = |one: &Errors<'a>, other: &Errors<'a>| difference(of(one)?, of(other)?);
        let Some(model) = model(&senders, |one, other| unlike(one, other).is_some()) else { continue };
        for other in senders {
            let shows = |(_, error, _): &&(usize, &ErrorReply, Stand)| error.code() == Some(code);
            let shown = other.replies.iter().find(shows);
            let (Some(reported), Some((exchange, error, _))) = (unlike(model, other), shown) else {
                continue;
            };
            let message = format!(
                "with the code `{code}` the errors of `{}` {reported} in `{shape}`, unlike those of `{}`",
                other.tool, model.tool
            );
            odd.push(Oddity { tool: other.tool, message, exchange: *exchange, error });
        }
    }
    odd
}

/// The members that the other tool lacks or adds, for a sentence.
fn difference(
    (always, ever): &(Names, Names),
    (other_always, other_ever): &(Names, Names),
) -> Option<String> {
    let missing: Vec<_> = always.difference(other_ever).map(String::as_str).collect();
    let added: Vec<_> = other_always.difference(ever).map(String::as_str).collect();
    let reported =
        |names: &[&str], verb: &str| (!names.is_empty()).then(|| format!("{verb} `{}`", names.join("`, `")));
    let reported: Vec<_> =
        [reported(&missing, "do not have"), reported(&added, "have")].into_iter().flatten().collect();
    (!reported.is_empty()).then(|| reported.join(" and "))
}

type Names = BTreeSet<String>;

/// By code, the members that a tool always sends, and all that it sends at all; without members that depend on
/// the case.
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
