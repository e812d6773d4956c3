//! `message/rest-untold`: a truncated reply does not say how to get the rest, or not even that it was truncated.

use crate::exchange::{Exchange, Step};
use crate::finding::{Diagnostic, Evidence, Level};
use crate::pattern;
use crate::roles::Role;
use crate::rules::{Context, Rule};
use crate::stock::tool_files::ToolFiles;
use crate::stock::{is_long_line, text_at};
use crate::wording::mention;

/// A61: what a truncated reply must say.
pub(crate) static RULE: Rule = Rule::of_reply("message/rest-untold", include_str!("rest_untold.toml"), check);

/// A longer line is not a truncation mark.
const LINE: usize = 160;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let is_asked = matches!(context.exchange.place.step, Step::Call | Step::Follow | Step::Again);
    let holds_others = [Role::Shell, Role::TaskOutput].into_iter().any(|role| context.plays(role));
    if !is_asked || context.exchange.tool().is_none() || holds_others {
        return Vec::new();
    }
    if let Some(diagnostic) = silently_cut(context) {
        return vec![diagnostic];
    }
    let texts = context.texts();
    let Some((text, line)) = texts.iter().find_map(|text| Some((*text, last_line(text)?))) else {
        return Vec::new();
    };
    let names_parameter = context.parameters().any(|name| mention::stands_as_word(line, name));
    if names_parameter
        || texts.iter().any(|text| tells_way(&context.echo().blank(text)))
        || is_callers(context, line)
    {
        return Vec::new();
    }
    let message = format!(
        "the reply of `{}` says that it was truncated, but not how to get the rest",
        context.called()
    );
    let help = "Say in the same line how to go on: the parameter and its next value, what to narrow, or where the rest \
        is.";
    let start = text.rfind(line).unwrap_or_default();
    vec![Diagnostic::new(message, help).evidence(Evidence::marked(text, start..start + line.len()))]
}

/// A reply with the beginning of the harness's long line and not with its end, of a tool that returns a short file whole.
fn silently_cut(context: &Context<'_>) -> Option<Diagnostic> {
    let control = context.succeeded_control()?;
    if !context.answered_without_error() || !names(context.exchange, is_long_line) {
        return None;
    }
    let says = |exchange: &Exchange, wanted: &str| {
        exchange.outcome.words().into_iter().any(|text| text.contains(wanted))
    };
    let shows_all =
        |path: &str| text_at(path).is_some_and(|text| text.lines().all(|line| says(control, line)));
    let is_announced = |text: &str| pattern!("state/cut").is_match(text);
    let description = context.tool.map_or("", |tool| tool.description.as_str());
    let is_told = |text: &str| is_announced(&text.replace(ToolFiles::LINE_BEGINS, ""));
    if !names(control, shows_all)
        || !says(context.exchange, ToolFiles::LINE_BEGINS)
        || says(context.exchange, ToolFiles::LINE_ENDS)
        || is_announced(description)
        || context.exchange.outcome.words().into_iter().any(is_told)
    {
        return None;
    }
    let message =
        format!("the reply of `{}` lacks the end of a long line and does not say so", context.called());
    let help = "Return the whole line, or say where it was cut, how long it is, and how to get the rest.";
    Some(context.diagnostic(message, help).level(Level::Should))
}

/// Whether a call has an argument of this kind.
fn names(exchange: &Exchange, is_it: impl Fn(&str) -> bool) -> bool {
    let members = exchange.call.arguments.as_object().into_iter().flatten();
    members.filter_map(|(_, value)| value.as_str()).any(is_it)
}

/// The last line of a text, if it says that something was truncated.
fn last_line(text: &str) -> Option<&str> {
    let line = text.trim_end().lines().next_back()?.trim();
    (line.len() <= LINE && pattern!("order/cut-off").is_match(line)).then_some(line)
}

/// Whether the first or last lines of a text say how to get the rest.
fn tells_way(text: &str) -> bool {
    let lines: Vec<&str> = text.trim().lines().collect();
    let ends = lines.iter().take(2).chain(lines.iter().rev().take(3));
    ends.into_iter().any(|line| line.len() <= LINE && pattern!("order/way-to-rest").is_match(line))
}

/// Whether a line comes from what the caller sent, or from the files laid out for the case.
fn is_callers(context: &Context<'_>, line: &str) -> bool {
    let files = context.run_record.case_of(context.exchange).into_iter().flat_map(|driven| &driven.files);
    files.into_iter().any(|file| file.contains(line))
        || context.exchange.call.arguments.to_string().contains(line)
}
