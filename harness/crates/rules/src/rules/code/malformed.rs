//! `code/malformed`: a code stands in an error reply in the wrong form or place.

use crate::contract::{CodeField, ReplyForm};
use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Context, Rule};

/// BC-01: UPPER_SNAKE_CASE in square brackets, then one space. BC-02: one split on `] ` yields code and message.
pub(crate) static RULE: Rule = Rule::of_reply("code/malformed", include_str!("malformed.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error.filter(|_| context.is_tool_error()) else { return Vec::new() };
    let CodeField::Malformed { span, why } = &error.code else { return Vec::new() };
    let written = &error.text[span.clone()];
    let documented = context.contract.spelled(written);
    if documented.is_none() && !context.declared {
        return Vec::new();
    }
    let message = format!("the code `{written}` is in the wrong format: {why}");
    let code = documented.map_or("CODE", |code| code.name.as_str());
    let help = match &context.contract.form {
        ReplyForm::Json(form) => {
            format!("Write it {}, in {}.", context.contract.form.place_of(code), form.spelling.in_words())
        }
        ReplyForm::Plain | ReplyForm::Bracket => format!(
            "Write `[{code}] ` at the beginning of the text, upper case, in brackets, followed by one space."
        ),
    };
    vec![Diagnostic::new(message, help).evidence(Evidence::marked(error.text.as_str(), span.clone()))]
}
