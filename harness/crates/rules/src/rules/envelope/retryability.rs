//! `envelope/retryability`: an error contradicts its code on whether a retry can help.

use crate::contract::ReplyForm;
use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Context, Rule};

/// EE-03: `retryable` agrees with the code's class. TE-03 and A21: TRANSIENT is recoverable, INTERNAL is not;
/// for the other types both are allowed.
pub(crate) static RULE: Rule =
    Rule::of_reply("envelope/retryability", include_str!("retryability.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error.filter(|_| context.is_tool_error()) else { return Vec::new() };
    let ReplyForm::Json(form) = &context.contract.form else { return Vec::new() };
    let code = error.code().and_then(|name| context.contract.code(name));
    let (Some(code), Some(place), Some(said)) = (code, &form.retryable, error.retryable) else {
        return Vec::new();
    };
    let Some(right) = code.retryable.filter(|right| *right != said) else { return Vec::new() };
    let message =
        format!("`{place}` is {said} with the code `{}`, for which it is always {right}", code.name);
    let help = format!("Send {right} with `{}`: {}.", code.name, code.meaning.trim_end_matches('.'));
    vec![Diagnostic::new(message, help).evidence(Evidence::whole(error.text.as_str()))]
}
