//! Messages that contradict themselves, or what was sent.

use std::ops::Range;

use serde_json::Value;

use super::Wrong;
use super::beyond::stated_limits;
use crate::finding::{Diagnostic, Level};
use crate::json::texts;
use crate::json_schema::{is_of_type, types};
use crate::pattern;
use crate::rules::Context;
use crate::wording::limit::{Limit, limits};
use crate::wording::mention::stands_as_word;

/// Two bounds that no number keeps: "at least 480 and at most 15".
pub(super) fn bounds(context: &Context<'_>, text: &str) -> Option<Wrong> {
    let names: Vec<&str> = context.parameters().collect();
    let limits = limits(text, &names);
    let (one, other) = limits.windows(2).find_map(|pair| match pair {
        [one, other] if excludes(one, other) && joins(&text[one.span.end..other.span.start]) => {
            Some((one, other))
        }
        _ => None,
    })?;
    let (least, most) = (one.least.or(other.least)?, one.most.or(other.most)?);
    let message = format!("no number is at least {least} and at most {most}, as the message asks");
    Some(wrong(message, "Take both limits from the place that checks them.", one.span.start..other.span.end))
}

/// Whether of two limits on the same thing one is a minimum above the other's maximum.
fn excludes(one: &Limit<'_>, other: &Limit<'_>) -> bool {
    let unit = |limit: &Limit<'_>| {
        if ["and", "but", "or"].contains(&limit.unit) { "" } else { limit.unit }.to_owned()
    };
    let (units, is_alike) = ([unit(one), unit(other)], one.parameter == other.parameter);
    let are_exclusive =
        |least: Option<f64>, most: Option<f64>| least.zip(most).is_some_and(|(least, most)| least > most);
    let is_range = |limit: &Limit<'_>| limit.least.is_some() && limit.most.is_some();
    is_alike
        && (units[0] == units[1] || units.iter().any(String::is_empty))
        && !is_range(one)
        && !is_range(other)
        && (are_exclusive(one.least, other.most) || are_exclusive(other.least, one.most))
}

/// Whether what stands between two limits makes them limits on the same thing at once.
fn joins(between: &str) -> bool {
    between.split(|letter: char| !letter.is_alphabetic()).all(|word| ["", "and", "but"].contains(&word))
        && between.chars().all(|letter| letter.is_alphabetic() || " ,".contains(letter))
}

/// The number that the message says was sent, which is another one and within the limit that it states.
pub(super) fn reported_number(context: &Context<'_>, text: &str) -> Option<Wrong> {
    let was_sent = |number: f64| {
        let numbers = context.arguments().as_object()?.values().filter_map(Value::as_f64);
        numbers.into_iter().find(|sent| (sent - number).abs() < f64::EPSILON)
    };
    stated_limits(context, text).into_iter().find_map(|limit| {
        let name = limit.parameter?;
        let sent = context.arguments().get(name).filter(|sent| sent.is_number())?;
        let found = pattern!("bound/reported").captures(&text[limit.span.end..])?;
        let told = found["number"].parse::<f64>().ok()?;
        let is_wrong = limit.allows(told) && was_sent(told).is_none();
        let message =
            format!("the message says that `{name}` was {told}, which it allows, but {sent} was sent");
        let number = found.name("number")?.range();
        let span = number.start + limit.span.end..number.end + limit.span.end;
        is_wrong.then(|| wrong(message, "Print the value that was refused.", span))
    })
}

/// The type that the message asks for, which the schema does not allow, or which the value has.
pub(super) fn stated_type(context: &Context<'_>, text: &str) -> Option<Wrong> {
    let failure = context.refused_for()?;
    let name = *failure.value.as_ref()?.parameters().first()?;
    let schema = context.tool?.parameter(name)?;
    let sent = context.arguments().get(name)?;
    let others = || context.parameters().filter(|other| *other != name);
    pattern!("kind/must-be").captures_iter(text).find_map(|found| {
        let whole = found.get(0)?;
        let before = &text[..whole.start()];
        let clause = &before[before.rfind(['.', ';', '\n']).map_or(0, |at| at + 1)..];
        let is_of_a_part = pattern!("kind/of-a-part").is_match(clause);
        if is_of_a_part
            || !stands_as_word(clause, name)
            || others().any(|other| stands_as_word(clause, other))
        {
            return None;
        }
        let stated = match found["type"].to_ascii_lowercase().as_str() {
            "text" => "string".to_owned(),
            "list" => "array".to_owned(),
            other => other.to_owned(),
        };
        let allowed = types(schema);
        let is_scalar = |name: &&str| ["integer", "number", "boolean"].contains(name);
        let message = if !allowed.is_empty()
            && allowed.iter().all(is_scalar)
            && !allowed.iter().any(|name| are_alike(name, &stated))
        {
            format!(
                "the message says that `{name}` must be of type {stated}, but the schema of `{}` asks for {}",
                context.called(),
                allowed.join(" or ")
            )
        } else if found.name("end").is_some() && is_of_type(sent, &stated) {
            format!("the message asks for the type that was sent in `{name}` ({stated})")
        } else {
            return None;
        };
        Some(wrong(
            message,
            "Name the type that the parameter has in the `inputSchema`, or what else is wrong.",
            whole.range(),
        ))
    })
}

/// Whether a number of one type may be one of the other.
fn are_alike(one: &str, other: &str) -> bool {
    let is_number = |name: &str| ["integer", "number"].contains(&name);
    one == other || is_number(one) && is_number(other)
}

/// The value that the message says does not exist, and lists among those that do.
pub(super) fn listed(context: &Context<'_>, text: &str) -> Option<Wrong> {
    pattern!("failure/no-such-value").captures_iter(text).find_map(|found| {
        let absent = ["a", "b"].iter().find_map(|group| found.name(group))?;
        let whole = found.get(0)?;
        let rest = &text[whole.end()..];
        // "not found in 2024" does not deny that it exists.
        if !rest.trim_start().starts_with(['.', ';', ',', ':']) {
            return None;
        }
        let list = pattern!("value/several-behind-colon").captures(rest)?.name("a")?;
        let mut items =
            list.as_str().split([',', '|', '/']).map(|item| item.trim_matches([' ', '\'', '"', '`']));
        let is_sent = texts(context.arguments()).any(|sent| sent == absent.as_str());
        let message = format!(
            "the message says that `{}` does not exist, and lists it as one that does",
            absent.as_str()
        );
        (is_sent && items.any(|item| item == absent.as_str())).then(|| {
            wrong(message, "Look up the value and list the valid ones in the same place.", absent.range())
        })
    })
}

fn wrong(message: String, help: &str, span: Range<usize>) -> Wrong {
    Wrong { diagnostic: Diagnostic::new(message, help).level(Level::Should), span }
}
