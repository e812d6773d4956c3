//! `message/rest-untold`: a truncated reply does not say how to get the rest.

use std::sync::LazyLock;

use crate::exchange::Step;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::pattern;
use crate::roles::Role;
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};
use crate::wording::mention;

/// A61: what a truncated reply must say.
pub(crate) static RULE: Rule = Rule {
    id: "message/rest-untold",
    tier: Tier::Ungated,
    level: Level::Note,
    handling: super::HANDLING,
    requirements: &["A61"],
    page: LazyLock::new(|| RulePage::read(include_str!("rest_untold.toml"))),
    check: RuleCheck::Exchange(check),
};

/// A longer line is not a truncation mark.
const LINE: usize = 160;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let is_asked = matches!(context.exchange.place.step, Step::Call | Step::Follow | Step::Again);
    let holds_others = [Role::Shell, Role::TaskOutput].into_iter().any(|role| context.plays(role));
    if !is_asked || context.exchange.tool().is_none() || holds_others {
        return Vec::new();
    }
    let texts = context.texts();
    let Some((text, line)) = texts.iter().find_map(|text| Some((*text, last_line(text)?))) else {
        return Vec::new();
    };
    // A file of the caller's may end like this.
    let names = || context.tool.into_iter().flat_map(|tool| tool.parameters().map(|(name, _)| name));
    let names_parameter = names().any(|name| mention::stands_as_word(line, name));
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
