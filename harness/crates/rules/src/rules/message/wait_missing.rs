//! `message/wait-missing`: the service behind the server says how long to wait, and the reply does not.

use crate::contract::ReplyForm;
use crate::exchange::Outcome;
use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Rule};
use crate::wording::{is_rationed, tells_wait};

/// RFC 9110, 10.2.3: `Retry-After` says how long to wait before the next request. A43: how exact it must be.
pub(crate) static RULE: Rule =
    Rule::of_reply("message/wait-missing", include_str!("wait_missing.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let recovery = context.expected_failure().and_then(|failure| failure.recovery.as_deref());
    let (Some(error), Some(wait)) = (context.error, recovery.and_then(|recovery| recovery.wait.as_ref()))
    else {
        return Vec::new();
    };
    // A wrong time in the contract's place for it is `envelope/decision`. Without a call that succeeds the refusal may be about
    // something else.
    if error.retry_after.is_some() || context.succeeded_control().is_none() && !is_rationed(&error.text) {
        return Vec::new();
    }
    let reply = match &context.exchange.outcome {
        Outcome::Result(result) => result.to_string(),
        Outcome::Error(error) => format!("{} {}", error.message, error.data.as_ref().unwrap_or_default()),
        _ => return Vec::new(),
    };
    if tells_wait(&reply, wait) {
        return Vec::new();
    }
    // Servers usually call services in one place, so one fix covers every tool.
    let message = "the reply does not say how long to wait, although the service behind the server does";
    let seconds = wait.seconds;
    let help = format!("Hand on what `Retry-After` says, in seconds: \"Try again in {seconds} seconds\".");
    let mut diagnostic = context.diagnostic(message, help).folded();
    if matches!(&context.contract.form, ReplyForm::Json(form) if form.retry_after.is_some()) {
        diagnostic = diagnostic.level(Level::Must);
    }
    vec![diagnostic]
}
