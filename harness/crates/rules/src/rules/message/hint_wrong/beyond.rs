//! Hints that state another limit than the server's own.
//!
//! A limit that is stricter than the schema may be right, because a schema need not say everything. If it is
//! wider, one of the two is wrong.

use std::cell::LazyCell;
use std::ops::Range;

use serde_json::Value;

use super::Wrong;
use crate::finding::{Diagnostic, Level};
use crate::pattern;
use crate::rules::Context;
use crate::wording::limit::{Limit, limits};
use crate::words;

/// From here on a bound is taken for the range of a type in the server's language.
const OF_A_TYPE: f64 = 2_147_483_647.0;

/// The quantity that a limit restricts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Value,
    Characters,
    Items,
}

/// The hint that a parameter may be more, or less, than the tool's schema allows.
pub(super) fn schema(context: &Context<'_>, text: &str) -> Option<Wrong> {
    stated_limits(context, text).into_iter().find_map(|limit| {
        let schema = context.tool?.parameter(limit.parameter?)?;
        let (least, most) = bounds(schema, measure(schema, limit.unit)?);
        let plain = |bound: &f64| bound.abs() < OF_A_TYPE;
        let over = || Some((limit.most.filter(plain)?, "most", most?)).filter(|(stated_limits, _, own)| stated_limits > own);
        let under =
            || Some((limit.least.filter(plain)?, "least", least?)).filter(|(stated_limits, _, own)| stated_limits < own);
        let (stated_limits, which, own) = over().or_else(under)?;
        let name = limit.parameter?;
        let message = format!(
            "the message says that `{name}` may be {stated_limits}, but the schema of `{}` allows at {which} {own}",
            context.called()
        );
        Some(wrong(
            message,
            "Take the limit in the message and the one in the `inputSchema` from the same place.",
            limit.span,
        ))
    })
}

/// The hint that states a limit which the refused value keeps.
pub(super) fn sent(context: &Context<'_>, text: &str) -> Option<Wrong> {
    const CONDITIONS: [&str; 2] = ["out-of-range", "refused-value"];
    let failure = context.refused_for().filter(|failure| CONDITIONS.contains(&&*failure.condition.0))?;
    let name = *failure.value.as_ref()?.parameters().first()?;
    let limits = stated_limits(context, text);
    let keeps = |limit: &Limit<'_>| {
        let schema = context.tool?.parameter(limit.parameter?)?;
        let sent = context.arguments().get(limit.parameter?)?;
        Some(limit.allows(size(sent, measure(schema, limit.unit)?)?))
    };
    let about = limits.iter().find(|limit| limit.parameter == Some(name))?;
    let beside = limits.iter().fold(text.to_owned(), |mut rest, limit| {
        rest.replace_range(limit.span.clone(), &" ".repeat(limit.span.len()));
        rest
    });
    if pattern!("bound/further").is_match(&beside) || !limits.iter().all(|limit| keeps(limit) == Some(true)) {
        return None;
    }
    let message = format!("the message states a limit for `{name}` that the refused value satisfies");
    Some(wrong(message, "State the limit that was exceeded.", about.span.clone()))
}

/// The hint that states a limit in bytes which is above the size of a file that was too large.
pub(super) fn file_size(context: &Context<'_>, text: &str) -> Option<Wrong> {
    let own = context.head.limits.max_file_size.filter(|_| context.condition() == Some("file-too-large"))?;
    let own = own as f64;
    let stated: Vec<_> = limits(text, &[])
        .into_iter()
        .filter(|limit| matches!(limit.unit, "bytes" | "byte" | "B"))
        .filter_map(|limit| Some((limit.most?, limit.span)))
        .collect();
    // Beside the right limit there may be one for something else.
    if stated.iter().any(|(most, _)| *most <= own) {
        return None;
    }
    let (most, span) = stated.into_iter().next()?;
    let message =
        format!("the message says that {most} bytes are allowed, but a file of {} was refused", own + 1.0);
    Some(wrong(message, "Take the limit in the message from the place that checks it.", span))
}

fn wrong(message: String, help: &str, span: Range<usize>) -> Wrong {
    Wrong { diagnostic: Diagnostic::new(message, help).level(Level::Should), span }
}

/// The limits of the called tool's parameters that the message states, not counting those in the echo.
pub(super) fn stated_limits<'t>(context: &Context<'t>, text: &'t str) -> Vec<Limit<'t>> {
    let called = context.called();
    // If a tool and its parameter have the same name, it is unknown which one the message means.
    let names: Vec<&str> = context.parameters().filter(|name| *name != called).collect();
    // Few messages get this far: only for these is the echo searched.
    let echo = LazyCell::new(|| context.echo().spans(text));
    let mut limits = limits(text, &names);
    limits.retain(|limit| {
        limit.parameter.is_some()
            && !echo.iter().any(|span| span.start <= limit.span.start && limit.span.end <= span.end)
    });
    limits
}

/// The quantity that a limit in this unit restricts for a value of this schema; `None` if unknown.
fn measure(schema: &Value, unit: &str) -> Option<Measure> {
    let unit = unit.to_ascii_lowercase();
    match schema.get("type")?.as_str()? {
        "integer" | "number" if !words!("messages/beyond-scaled").contains(&unit.as_str()) => {
            Some(Measure::Value)
        }
        "string" if ["characters", "character", "chars"].contains(&unit.as_str()) => {
            Some(Measure::Characters)
        }
        "array" if ["items", "item", "elements", "entries"].contains(&unit.as_str()) => Some(Measure::Items),
        _ => None,
    }
}

/// The least and the greatest value that a schema allows.
fn bounds(schema: &Value, measure: Measure) -> (Option<f64>, Option<f64>) {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    // For integers below 11 the greatest is 10.
    let step = if schema["type"] == "integer" { 1.0 } else { 0.0 };
    match measure {
        Measure::Value => (
            bound("minimum").or_else(|| bound("exclusiveMinimum").map(|bound| bound + step)),
            bound("maximum").or_else(|| bound("exclusiveMaximum").map(|bound| bound - step)),
        ),
        Measure::Characters => (bound("minLength"), bound("maxLength")),
        Measure::Items => (bound("minItems"), bound("maxItems")),
    }
}

fn size(sent: &Value, measure: Measure) -> Option<f64> {
    match (measure, sent) {
        (Measure::Value, Value::Number(number)) => number.as_f64(),
        (Measure::Characters, Value::String(text)) => Some(text.chars().count() as f64),
        (Measure::Items, Value::Array(items)) => Some(items.len() as f64),
        _ => None,
    }
}
