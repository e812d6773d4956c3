//! `message/value-missing`: the value that was wrong is not in the message.

use regex::Regex;

use crate::catalog::Tool;
use crate::class::Class;
use crate::contract::{self, ErrorReply};
use crate::exchange::Outcome;
use crate::expectation::ExpectedValue;
use crate::finding::{Diagnostic, Level};
use crate::json::as_text;
use crate::names::name_words;
use crate::pattern;
use crate::rules::context::Change;
use crate::rules::message::hint_missing::gives_advice;
use crate::rules::should_read::sentence;
use crate::rules::{Context, Rule};
use crate::wording::escape::readings;
use crate::wording::{self, hint, mention, vague};

/// BC-19: every message includes the relevant value; A7, A8 say which one and in which form.
pub(crate) static RULE: Rule =
    Rule::of_reply("message/value-missing", include_str!("value_missing.toml"), check);

/// The requirements that explicitly ask for the value.
const NAME_THE_VALUE: [&str; 6] = ["BC-05", "BC-06", "BC-08", "BC-12", "BC-14", "PD-10"];
/// Those of them that ask for the wrong number: naming the parameter is not enough.
const NAME_THE_NUMBER: [&str; 1] = ["PD-10"];

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if let Some((blamed, changed)) = context.error.and_then(|error| blamed_wrongly(context, error)) {
        let message = format!(
            "the message says that the value of `{blamed}` does not exist, but a call with it succeeded that differs only in \
             `{changed}`"
        );
        let help = format!("Say what is wrong with the value of `{changed}`.");
        return vec![context.diagnostic(message, help).level(Level::Should)];
    }
    if let Some((blamed, changed)) = context.error.and_then(|error| lists_for_another(context, error)) {
        let message = format!(
            "the message lists the valid values of `{blamed}`, which is right: a call that succeeded differs only in `{changed}`"
        );
        let help = format!("Say what is wrong with the value of `{changed}`.");
        return vec![context.diagnostic(message, help).level(Level::Should)];
    }
    let (Some(error), Some(failure)) = (context.error, context.refused_for()) else { return Vec::new() };
    let Some(value) = &failure.value else { return Vec::new() };
    let promised = context.answer().map(|answer| answer.requirement.as_str());
    // If the server may also accept the value, nothing is promised about a refusal.
    let by_number = promised.is_some_and(|id| NAME_THE_NUMBER.contains(&id)) && !failure.or_success;
    let numbers = by_number.then(|| numbers_of(value)).flatten();
    let value = numbers.as_ref().unwrap_or(value);
    let parameter = is_parameter(value);
    // The SDK refuses the whole call, whatever its arguments: "method not found" is about none of them.
    if parameter && error.text.starts_with("MCP error -32601") {
        return Vec::new();
    }
    if context.succeeded_control().is_none() && !parameter {
        return Vec::new();
    }
    // A value that could also have been accepted is sometimes refused because of another argument.
    let may_be_another = parameter || failure.or_success;
    if may_be_another && (is_of_another(context, error, value) || is_of_state(context, error)) {
        return Vec::new();
    }
    let is_inferred = context.inferred_failure().is_some();
    let is_told =
        is_named(context, error, value) || is_in_data(context) || names_the_fault(context, error, value);
    let is_told = is_told || lists_its_values(context, error, value);
    if is_told
        || (!parameter && !context.altered_echoes().is_empty())
        || (is_inferred && is_covered(context, error, value))
    {
        return Vec::new();
    }
    let what = in_words(value);
    let message = match value {
        ExpectedValue::Parameter(name) if holds_the_name(context, error, name) => {
            format!(
                "the message says the same where another parameter is wrong: it does not single out {what}"
            )
        }
        _ => format!("the message does not name {what}"),
    };
    let help = match value {
        ExpectedValue::Parameter(name) if context.arguments().get(name).is_some() => {
            format!("Name the parameter `{name}` in the message, and say what is wrong with its value.")
        }
        ExpectedValue::Parameter(name) => {
            format!("Name the parameter `{name}` in the message, and what to send in it.")
        }
        _ if parameter => format!("Name the parameter in the message: {what}."),
        _ => format!("Put {what} in the message, in quotation marks."),
    };
    let mut diagnostic = context.diagnostic(message, format!("{help}{}", sentence(context)));
    diagnostic.requirement =
        promised.filter(|requirement| NAME_THE_VALUE.contains(requirement)).map(str::to_owned);
    let gives_back = parameter && gives_the_value_back(context, error, value);
    let is_foreign =
        (parameter || is_inferred) && context.with_asked(|asked| hint::is_foreign(error.message(), asked));
    if (gives_back || is_inferred) && is_foreign {
        // A reader who does not know the language cannot tell how it names the parameter.
        return Vec::new();
    }
    // The message may name the parameter in its own language; and the caller knows which argument had a value that comes back.
    if is_foreign || gives_back {
        diagnostic = diagnostic.level(Level::Note);
    } else if parameter || !context.declared || !context.contract.messages.name_values {
        diagnostic = diagnostic.level(Level::Should);
    }
    vec![diagnostic]
}

/// Whether the message leaves no doubt about which argument it means, of which nothing promised that its value is refused:
/// by the noun of an id that leads to nothing, by the name in other words, or by what a value must look like.
fn is_covered(context: &Context<'_>, error: &ErrorReply, value: &ExpectedValue) -> bool {
    /// A shorter name may be part of any word.
    const TELLING: usize = 6;
    let names = value.parameters();
    let is_missed = |text: &str| names.iter().any(|name| vague::misses_the_thing_of(text, name));
    let flat = |text: &str| text.to_lowercase().replace([' ', '_', '-'], "");
    let holds_it =
        |text: &str| names.iter().any(|name| name.len() >= TELLING && flat(text).contains(&flat(name)));
    let sent = || context.arguments().as_object().into_iter().flat_map(|sent| sent.keys());
    let others: Vec<String> =
        sent().filter(|name| !names.contains(&name.as_str())).flat_map(|name| name_words(name)).collect();
    let own = names.iter().flat_map(|name| name_words(name)).filter(|word| !others.contains(word));
    let own: Vec<String> = own.flat_map(|word| [format!("{word}s"), word]).collect();
    let holds_a_word = |text: &str| {
        let text = text.to_lowercase();
        own.iter().any(|word| mention::stands_as_word(&text, word))
    };
    error.texts().any(|text| is_missed(text) || holds_it(text))
        || (sent().count() == 1 || error.texts().any(holds_a_word)) && gives_advice(context, error)
}

/// The numbers in a value, if it also contains other things that a message may name instead.
fn numbers_of(value: &ExpectedValue) -> Option<ExpectedValue> {
    let ExpectedValue::AnyOf(values) = value else { return None };
    let is_number = |value: &&ExpectedValue| match value {
        ExpectedValue::Count(_) => true,
        ExpectedValue::Text(text) => text.parse::<i64>().is_ok(),
        _ => false,
    };
    let numbers: Vec<ExpectedValue> = values.iter().filter(is_number).cloned().collect();
    (!numbers.is_empty()).then_some(ExpectedValue::AnyOf(numbers))
}

/// Whether the message names the value, and not by chance: what the reply to another value names too is the
/// server's own word.
fn is_named(context: &Context<'_>, error: &ErrorReply, value: &ExpectedValue) -> bool {
    if let ExpectedValue::AnyOf(values) = value {
        return values.iter().any(|value| is_named(context, error, value));
    }
    let names =
        |error: &ErrorReply| error.texts().any(|text| mention::mentions(text, value, &context.head.folders));
    let sent = match value {
        ExpectedValue::Parameter(name) => {
            let holds_it =
                || holds_the_name(context, error, name) || holds_noun_and_value(context, error, name);
            let names_an_item = || names_an_item(context, error, name);
            let holds_it = || holds_it() || holds_it_beside_the_value(context, error, name);
            return names(error) || names_an_item() || holds_it() && !is_said_of_others(context, error, name);
        }
        ExpectedValue::Count(count) => return counts(context, error, *count),
        ExpectedValue::Path(sent) | ExpectedValue::Text(sent) => Some(sent),
        _ => None,
    };
    if let ExpectedValue::Text(word) = value
        && is_own_word(context, word)
        && !error.texts().any(|text| mention::is_marked(text, word))
    {
        return false;
    }
    let by_chance = || {
        sent.zip(context.twin).is_some_and(|(sent, twin)| {
            let sent_again = mention::stands_in(&twin.call.arguments.to_string(), sent);
            !sent_again && contract::read(context.contract, twin).is_some_and(|other| names(&other))
        })
    };
    names(error) && !by_chance()
}

/// The argument that the message calls absent although a call with the same value succeeded, and the one in which the two calls
/// differ. Only of a tool that reads: another may have deleted the thing.
fn blamed_wrongly<'a>(context: &Context<'a>, error: &ErrorReply) -> Option<(&'a str, &'a str)> {
    /// A shorter value may be any word.
    const TELLING: usize = 4;
    let control = context.succeeded_control().filter(|control| control.tool() == context.exchange.tool())?;
    context.tool.filter(|tool| Class::from_tool(tool) == Class::Read)?;
    let change = Change::between(context.own(control), context.arguments())?;
    let changed = *change.names.first()?;
    let absent = pattern!("failure/absent").find(error.message())?.as_str();
    let own = context.arguments().get(changed).map(as_text).unwrap_or_default();
    let blamed = context.arguments().as_object()?.iter().find(|(name, value)| {
        let names_it =
            || name_words(name).iter().any(|word| mention::stands_as_word(&absent.to_lowercase(), word));
        let is_quoted = |text: &str| text.len() >= TELLING && mention::is_marked(absent, text);
        *name != changed && value.as_str().is_some_and(is_quoted) && names_it()
    })?;
    let said = error.message().to_lowercase();
    let speaks_of_it = name_words(changed).iter().any(|word| mention::stands_as_word(&said, word));
    let is_told = speaks_of_it || !own.is_empty() && error.message().contains(&own);
    (!is_told).then_some((blamed.0.as_str(), changed))
}

/// The argument whose valid values the message lists although it has one of them, or is left out as in the call that succeeded,
/// and the one in which the two calls differ, of which the message says nothing.
fn lists_for_another<'a>(context: &Context<'a>, error: &ErrorReply) -> Option<(&'a str, &'a str)> {
    let control = context.succeeded_control().filter(|control| control.tool() == context.exchange.tool())?;
    let change = Change::between(context.own(control), context.arguments())?;
    let (tool, changed) = (context.tool?, *change.names.first()?);
    let is_free = |name: &str| tool.parameter(name).is_some_and(|schema| schema.get("enum").is_none());
    let sent =
        context.arguments().get(changed).filter(|sent| sent.is_string() && is_free(changed))?.as_str()?;
    let speaks_of_it = |text: &str| {
        mention::stands_as_word(text, changed)
            || mention::names_parameter(text, changed)
            || sent.trim().is_empty()
            || mention::mentions(text, &ExpectedValue::Text(sent.to_owned()), &context.head.folders)
    };
    if error.texts().any(speaks_of_it) {
        return None;
    }
    let lists = |name: &str, schema: &serde_json::Value| {
        let members = schema.get("enum").and_then(serde_json::Value::as_array)?;
        let own = context.arguments().get(name);
        let texts = || members.iter().filter_map(serde_json::Value::as_str);
        let is_listed = |text: &str| {
            texts().count() > 1
                && texts().all(|member| mention::stands_in(text, member))
                && mention::stands_as_word(text, name)
        };
        (own.is_none_or(|own| members.contains(own)) && error.texts().any(is_listed)).then_some(())
    };
    let blamed =
        tool.parameters().find(|(name, schema)| *name != changed && lists(name, schema).is_some())?;
    Some((blamed.0, changed))
}

/// Whether the message lists the valid values of the parameter, which no other parameter of the tool has.
fn lists_its_values(context: &Context<'_>, error: &ErrorReply, value: &ExpectedValue) -> bool {
    let members = |schema: &serde_json::Value| -> Vec<String> {
        let members = schema.get("enum").and_then(serde_json::Value::as_array).into_iter().flatten();
        members.filter_map(|member| member.as_str().map(str::to_owned)).collect()
    };
    let lists = |schema: &serde_json::Value| {
        let members = members(schema);
        members.len() > 1
            && error.texts().any(|text| members.iter().all(|member| mention::is_marked(text, member)))
    };
    let listed: Vec<&str> = context
        .tool
        .into_iter()
        .flat_map(Tool::parameters)
        .filter(|(_, schema)| lists(schema))
        .map(|(name, _)| name)
        .collect();
    matches!(listed[..], [name] if value.parameters().contains(&name))
}

/// Whether the error of a request that is no tool's call has the value where MCP puts it: a resource's address in `data.uri`.
fn is_in_data(context: &Context<'_>) -> bool {
    let Outcome::Error(error) = &context.exchange.outcome else { return false };
    let told = error.data.as_ref().and_then(|data| data.get("uri")?.as_str());
    let sent = context.exchange.call.arguments.get("uri").and_then(serde_json::Value::as_str);
    context.exchange.tool().is_none() && told.is_some() && told == sent
}

/// Whether the message means one item of a list by the name of the list in the singular: `path` of `paths`.
fn names_an_item(context: &Context<'_>, error: &ErrorReply, name: &str) -> bool {
    let is_list = context.arguments().get(name).is_some_and(serde_json::Value::is_array);
    let singular = name.strip_suffix('s').filter(|_| is_list);
    singular.is_some_and(|one| error.texts().any(|text| mention::names_parameter(text, one)))
}

/// Whether a parameter's name occurs in the message as a whole word, outside the caller's texts and the tool's
/// name, which may contain it by chance.
fn holds_the_name(context: &Context<'_>, error: &ErrorReply, name: &str) -> bool {
    let sent = context.arguments().as_object().into_iter().flat_map(|arguments| arguments.values());
    let texts = sent.filter_map(serde_json::Value::as_str).chain([context.called()]);
    let by_chance: Vec<&str> = texts.filter(|text| text.len() > name.len() && text.contains(name)).collect();
    let is_the_tool = context.called().eq_ignore_ascii_case(name);
    error.texts().any(|reported| {
        let rest = by_chance.iter().fold(reported.to_owned(), |rest, text| rest.replace(text, "''"));
        let rest = if is_the_tool { without_the_tool(&rest, name) } else { rest };
        mention::stands_as_word(&rest, name)
    })
}

/// A message without its tool's name where that leads it, stands beside a word for a tool, or is what failed: `translate: ..`,
/// "error calling tool translate", "failed to translate". What is left of the name is that of a parameter.
fn without_the_tool(text: &str, name: &str) -> String {
    let name = regex::escape(name);
    let of_tool = format!(
        r"(?im)^\W*{name}\b|\b(?:tool|function|command|calling|executing|running|in|to) \W?{name}\b|\b{name}\W? (?:tool|function|call|command|failed|error)\b"
    );
    Regex::new(&of_tool).map_or_else(|_| text.to_owned(), |tool| tool.replace_all(text, "''").into_owned())
}

/// Whether a parameter's name that is a word of any message stands beside what was sent in it.
fn holds_it_beside_the_value(context: &Context<'_>, error: &ErrorReply, name: &str) -> bool {
    let sent = match context.arguments().get(name) {
        Some(serde_json::Value::String(text)) if text.trim().is_empty() => {
            ["empty", "blank", "nothing"].map(str::to_owned).to_vec()
        }
        Some(serde_json::Value::String(text)) => vec![text.clone()],
        Some(serde_json::Value::Null) => vec!["null".to_owned(), "none".to_owned()],
        Some(value) => vec![value.to_string()],
        None => {
            let words = [
                "nothing",
                "undefined",
                "none",
                "null",
                "missing",
                "blank",
                "empty",
                "absent",
                "forgot",
                "left out",
            ];
            words.map(str::to_owned).to_vec()
        }
    };
    error.texts().any(|reported| sent.iter().any(|sent| mention::stands_beside(reported, name, sent)))
}

/// Whether the tool says the same where another parameter is wrong: then the words mean none of them.
fn is_said_of_others(context: &Context<'_>, error: &ErrorReply, name: &str) -> bool {
    context.run_record.refused_alike(context.exchange, &error.text, &[name]).is_some()
}

/// Whether the message names what is wrong with a value: that it contains a NUL, or that it is a zero divisor.
fn names_the_fault(context: &Context<'_>, error: &ErrorReply, value: &ExpectedValue) -> bool {
    let contains_nul = |name: &&str| {
        context
            .arguments()
            .get(*name)
            .and_then(serde_json::Value::as_str)
            .is_some_and(|sent| sent.contains('\0'))
    };
    let names_nul = || error.texts().any(|text| pattern!("text/nul").is_match(text));
    value.parameters().iter().any(contains_nul) && names_nul() || names_zero_divisor(context, error, value)
}

/// Whether the message says that the value, which is zero, divides.
pub(super) fn names_zero_divisor(context: &Context<'_>, error: &ErrorReply, value: &ExpectedValue) -> bool {
    let is_zero = |name: &&str| context.arguments().get(*name).is_some_and(|sent| sent.as_f64() == Some(0.0));
    value.parameters().iter().any(is_zero)
        && error.texts().any(|text| pattern!("text/division-by-zero").is_match(text))
}

/// Whether the message contains the value sent for the parameter, and it cannot be anything else: no other
/// argument and no word about the fault is similar.
fn gives_the_value_back(context: &Context<'_>, error: &ErrorReply, value: &ExpectedValue) -> bool {
    /// A shorter value, or a number of fewer digits, may occur by chance.
    const TELLING: usize = 3;
    let arguments = context.arguments();
    let is_given_back = |name: &&str| {
        let sent = match arguments.get(*name) {
            Some(serde_json::Value::Array(items)) if items.len() == 1 => &items[0],
            Some(sent) => sent,
            None => return false,
        };
        let plain = sent.as_str().map_or_else(|| sent.to_string(), |text| text.trim().to_owned());
        // "20 is not of type 'string'": what is spoken of stands first, or behind its type.
        let is_spoken_of = || {
            let forms = [
                format!("{plain} is not of type "),
                format!("{plain} is less than the minimum of "),
                format!("{plain} is greater than the maximum of "),
                format!("Received type number ({plain})"),
                format!(": integer `{plain}`"),
                format!(": floating point `{plain}`"),
            ];
            error.texts().any(|text| forms.iter().any(|form| text.contains(form.as_str())))
        };
        if sent.is_null() {
            let forms = ["None is not of type ", "null is not of type ", "invalid type: null,"];
            let is_told = |text: &str| forms.iter().any(|form| text.contains(form));
            let nulls = arguments.as_object().into_iter().flatten().filter(|(_, other)| other.is_null());
            return nulls.count() == 1 && error.texts().any(is_told);
        }
        let is_telling = plain.chars().count() >= TELLING
            || sent.is_number() && (is_spoken_of() || changes_with_it(context, name, &plain));
        let others = arguments.as_object().into_iter().flatten().filter(|(other, _)| other != name);
        let is_alone =
            || !others.into_iter().any(|(_, other)| mention::stands_in(&other.to_string(), &plain));
        let text = ExpectedValue::Text(plain.clone());
        (sent.is_string() || sent.is_number())
            && is_telling
            && is_alone()
            && !is_own_word(context, &plain)
            && error.texts().any(|reported| mention::mentions(reported, &text, &context.head.folders))
    };
    value.parameters().iter().any(is_given_back)
}

/// Whether the reply to the same call with another value in a parameter holds that one in the place of this.
fn changes_with_it(context: &Context<'_>, name: &str, sent: &str) -> bool {
    let Some((twin, reply)) =
        context.twin.and_then(|twin| Some((twin, contract::read(context.contract, twin)?)))
    else {
        return false;
    };
    let other = twin.call.arguments.get(name).map(serde_json::Value::to_string).unwrap_or_default();
    let holds = |plain: &str| reply.texts().any(|text| mention::stands_in(text, plain));
    !other.is_empty() && holds(&other) && !holds(sent)
}

/// Whether the message holds the noun of a parameter, as "item" of `item_id`, and the value that was sent in it, or for
/// nothing what a program writes there, or a word such as "empty". The noun of a plain `id` or `name` is the tool's: "chunk" of `get_chunk`.
fn holds_noun_and_value(context: &Context<'_>, error: &ErrorReply, name: &str) -> bool {
    let sent = match context.arguments().get(name) {
        Some(serde_json::Value::String(text)) => vec![text.trim().to_owned()],
        Some(serde_json::Value::Null) => ["null", "None", "nil", "undefined"].map(str::to_owned).to_vec(),
        Some(value) => vec![value.to_string()],
        // As in "Unknown workflow: undefined".
        None => ["undefined", "None", "null", "nil"].map(str::to_owned).to_vec(),
    };
    let holds_it =
        |reported: &str| sent.iter().any(|sent| !sent.is_empty() && mention::stands_in(reported, sent));
    let of_tool: Vec<String> = name_words(context.called()).into_iter().skip(1).collect();
    let is_nothing = match context.arguments().get(name) {
        None | Some(serde_json::Value::Null) => true,
        Some(serde_json::Value::String(text)) => text.trim().is_empty(),
        Some(serde_json::Value::Array(items)) => items.is_empty(),
        Some(_) => false,
    };
    let says_so = |reported: &str| is_nothing && pattern!("name/empty-or-missing").is_match(reported);
    error.texts().any(|reported| {
        (holds_it(reported) || says_so(reported)) && mention::holds_noun(reported, name, &of_tool)
            || sent.iter().any(|sent| mention::introduces(reported, name, sent))
    })
}

/// Whether the call was refused for a reason that no argument could change: too many calls, an unavailable
/// service, a missing earlier step, or something that the call which succeeded has made.
pub(super) fn is_of_state(context: &Context<'_>, error: &ErrorReply) -> bool {
    let names_a_tool = |reported: &str| {
        let tools = context.head.catalog.tools.iter().map(|tool| tool.name.as_str());
        let mut others = tools.filter(|name| *name != context.called() && name.contains(['_', '-']));
        pattern!("order/before").is_match(reported) && others.any(|name| mention::stands_in(reported, name))
    };
    // What is called taken may be the wrong argument: then the message names it, or the fault is that.
    let names_the_wrong = |reported: &str| {
        context.refused_for().is_some_and(|failure| {
            let mut wrong = failure.value.iter().flat_map(ExpectedValue::parameters);
            failure.condition.0 == "already-exists"
                || wrong.any(|name| mention::stands_as_word(reported, name))
        })
    };
    let is_taken = |reported: &str| {
        let is_made = context.succeeded_control().is_some() && pattern!("state/exists").is_match(reported);
        is_made && !names_the_wrong(reported)
    };
    let is_of_state = |reported: &str| pattern!("cause/state").is_match(reported) || is_taken(reported);
    error.texts().any(|reported| is_of_state(reported) || names_a_tool(reported))
}

/// Whether the message names the value of another argument and not that of this one: then the other one was
/// refused.
pub(super) fn is_of_another(context: &Context<'_>, error: &ErrorReply, value: &ExpectedValue) -> bool {
    let [name] = value.parameters()[..] else { return false };
    let others = context.arguments().as_object().into_iter().flatten().filter(|(other, _)| *other != name);
    let mut texts = others.filter_map(|(other, value)| Some((other, value.as_str()?)));
    let Some(own) = context.arguments().get(name).map(serde_json::Value::to_string) else {
        // A missing argument has no value to tell it by, so the other one must be named as well and must not be
        // known to be right.
        if context.succeeded_control().is_some() {
            return false;
        }
        let names = |told: &str, (other, text): (&String, &str)| {
            !text.is_empty() && mention::names_parameter(told, other) && mention::is_marked(told, text)
        };
        return texts.any(|sent| error.texts().any(|told| names(told, sent)));
    };
    // A message that shows the whole call says nothing about one argument.
    texts.filter(|(_, text)| text.len() >= 4).any(|(_, text)| {
        error.texts().any(|reported| {
            mention::stands_in(reported, text) && !mention::stands_in(reported, own.trim_matches('"'))
        })
    })
}

/// Whether the message names the count: a number that does not also occur, between the same words, in a reply
/// that has nothing to count.
fn counts(context: &Context<'_>, error: &ErrorReply, count: u64) -> bool {
    let others = context.succeeded_control().into_iter().chain(context.twin);
    let uncounted = others.filter(|other| contract::read(context.contract, other).is_none());
    let held: Vec<_> = uncounted
        .flat_map(|other| other.outcome.texts())
        .flat_map(|text| mention::settings(text, count))
        .collect();
    let reported = error.texts().flat_map(readings);
    reported.flat_map(|text| mention::settings(&text, count)).any(|setting| !held.contains(&setting))
}

/// Whether a value is a word that a message about this fault may contain anyway: from the condition, the code,
/// or the names of the tool and its parameters.
fn is_own_word(context: &Context<'_>, value: &str) -> bool {
    let code = context.answer().and_then(|answer| answer.expected.as_deref());
    let phrases =
        context.condition().into_iter().chain(code).chain([context.called()]).chain(context.parameters());
    let mut words = phrases.flat_map(|phrase| phrase.split(|c: char| !c.is_alphanumeric()));
    words.any(|word| word.eq_ignore_ascii_case(value))
}

/// Whether a message must name a parameter and nothing else.
fn is_parameter(value: &ExpectedValue) -> bool {
    match value {
        ExpectedValue::Parameter(_) => true,
        ExpectedValue::AnyOf(values) => values.iter().all(is_parameter),
        ExpectedValue::Path(_)
        | ExpectedValue::Count(_)
        | ExpectedValue::Text(_)
        | ExpectedValue::Argument(_)
        | ExpectedValue::Limit(_) => false,
    }
}

/// What a message must name, as part of a sentence.
fn in_words(value: &ExpectedValue) -> String {
    match value {
        ExpectedValue::Path(path) => format!("the path `{}`", wording::excerpt(path)),
        ExpectedValue::Count(count) => format!("the count {count}"),
        ExpectedValue::Text(text) => format!("the value `{}`", wording::excerpt(text)),
        ExpectedValue::Parameter(name) => format!("the parameter `{name}`"),
        ExpectedValue::Argument(name) => format!("what was sent in `{name}`"),
        ExpectedValue::Limit(_) => "the limit".to_owned(),
        ExpectedValue::AnyOf(values) => {
            // A text that may be a path is named in either way.
            let is_a_path = |value: &&ExpectedValue| matches!(value, ExpectedValue::Text(text) if values.contains(&ExpectedValue::Path(text.clone())));
            let words: Vec<String> = values.iter().filter(|value| !is_a_path(value)).map(in_words).collect();
            words.join(" or ")
        }
    }
}

#[cfg(test)]
mod tests;
