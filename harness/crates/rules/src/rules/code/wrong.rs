//! `code/wrong`: an error reply has a different code from the one for its condition.

use crate::contract::CodeField;
use crate::exchange::Step;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Rule};

/// BC-04 to BC-18: each condition has its code.
pub(crate) static RULE: Rule = Rule::of_reply("code/wrong", include_str!("wrong.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (Some(error), Some(answer)) = (context.error.filter(|_| context.is_tool_error()), context.answer())
    else {
        return Vec::new();
    };
    let (Some(name), Some(expected)) = (error.code(), &answer.expected) else { return Vec::new() };
    let span = match &error.code {
        CodeField::Present { span, .. } => Some(span),
        CodeField::Absent | CodeField::Malformed { .. } => None,
    };
    // Of a proposal's words only those count that the contract has as codes too.
    let known = (context.declared && span.is_some()) || context.contract.code(name).is_some();
    // When to send a code of its own is the server's decision.
    let is_extra = context.contract.code(name).is_some_and(|code| code.is_extra);
    let is_among = |names: &[String]| names.iter().any(|other| other == name);
    if !known || is_extra || name == expected || is_among(&answer.accepted) {
        return Vec::new();
    }
    let condition = context.condition().unwrap_or_default().replace('-', " ");
    let evidence = || match span {
        Some(span) => Evidence::marked(error.text.as_str(), span.clone()),
        None => Evidence::whole(error.text.as_str()),
    };
    if is_among(&answer.noted) {
        // When the same call is sent again, `code/unstable` compares its code with the first one.
        if context.exchange.place.step != Step::Call {
            return Vec::new();
        }
        let message = format!(
            "`{name}` was sent, but the code for this condition ({condition}) is `{expected}`; `{name}` is \
             also accepted"
        );
        let help = format!("Nothing has to change, but `{expected}` tells an agent more.");
        let diagnostic = Diagnostic::new(message, help).evidence(evidence()).level(Level::Note);
        return vec![diagnostic.requirement(answer.requirement.as_str())];
    }
    let message = format!("`{name}` was sent, but the code for this condition ({condition}) is `{expected}`");
    let help = match context.contract.code(expected) {
        Some(code) => format!("Send `{expected}` here: {}.", code.meaning.trim_end_matches('.')),
        None => format!("Send `{expected}` here."),
    };
    vec![Diagnostic::new(message, help).evidence(evidence()).requirement(answer.requirement.as_str())]
}
