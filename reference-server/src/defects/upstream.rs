//! A service behind the server that is passed on as it comes, and what an agent is misled by.

use std::sync::Arc;

use super::Fault;
use crate::failure::{Code, Failure};
use crate::upstream::Refusal;

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "channel/false-error/released",
        Fault::Outcome(|call, outcome, session| {
            if call.tool.name == "release_files" && outcome.is_ok() {
                let sent = |name: &str| call.text(name).unwrap_or_default();
                // It was free a moment ago, so nobody else holds it.
                let _ = session.reservations.reserve(sent("agent"), sent("pattern"));
            }
            outcome
        }),
    ),
    ("envelope/decision/no-wait", Fault::Failure(|failure, _, _| failure.retry_after = None)),
    (
        "effect/done-anyway",
        Fault::Call(|_, session| Arc::make_mut(&mut session.upstream).takes_200_alone = true),
    ),
    (
        "message/wait-missing",
        Fault::Failure(|failure, _, _| {
            if failure.retry_after.take().is_some() {
                failure.hint = Some("Try again later.".into());
            }
        }),
    ),
    (
        "envelope/decision/milliseconds",
        Fault::Failure(|failure, _, _| {
            failure.retry_after = failure.retry_after.map(|seconds| seconds * 1000);
        }),
    ),
    ("envelope/decision/no-holder", Fault::Failure(|failure, _, _| failure.conflicts.clear())),
    (
        "envelope/decision/other-holder",
        Fault::Failure(|failure, call, _| {
            for conflict in &mut failure.conflicts {
                conflict.holder = call.text("agent").unwrap_or_default().to_owned();
            }
        }),
    ),
    (
        "code/wrong/upstream",
        Fault::Failure(|failure, _, _| {
            if failure.code == Code::UpstreamUnavailable {
                failure.code = Code::ServerFault;
            }
        }),
    ),
    ("leak/stack-trace/upstream", Fault::Failure(|failure, _, _| with_body(failure, "Traceback"))),
    ("leak/secret/upstream-body", Fault::Failure(|failure, _, _| with_body(failure, "password"))),
    ("leak/secret/upstream-headers", Fault::Failure(|failure, _, _| with_body(failure, "Bearer "))),
];

/// Lets what a service wrote stand as the reason, where it holds these words.
fn with_body(failure: &mut Failure, words: &str) {
    let refusal = failure.cause.as_ref().and_then(|cause| cause.error.downcast_ref::<Refusal>());
    let body = refusal.map(|refusal| refusal.body.clone()).filter(|body| body.contains(words));
    if let Some(body) = body {
        failure.reason = Some(body.into());
    }
}
