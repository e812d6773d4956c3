//! A service behind the server that is passed on as it comes, and what an agent is misled by.

use std::sync::Arc;

use super::{Defect, Fault, breaks, cases, everywhere, within};
use crate::contract::Contract;
use crate::failure::{Code, Failure};
use crate::upstream::Refusal;

const DECISION: &str = "envelope/decision";

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "channel/false-error/released",
        summary: "What its holder has released stays taken.",
        breaks: &[breaks("channel/false-error", &["call.role=reserve !*"])],
        fault: Fault::Outcome(|call, outcome, session| {
            if call.tool.name == "release_files" && outcome.is_ok() {
                let sent = |name: &str| call.text(name).unwrap_or_default();
                // It was free a moment ago, so nobody else holds it.
                let _ = session.reservations.reserve(sent("agent"), sent("pattern"));
            }
            outcome
        }),
    },
    Defect {
        name: "envelope/decision/passing-fault",
        summary: "A service that is down is told as a mistake of the call, where the contract has no code for it.",
        breaks: &[within(&[Contract::BracketCode, Contract::ErrorEnvelope], DECISION, cases::PASSING)],
        fault: Fault::FailureOf(Code::UpstreamUnavailable, |failure, _, _| failure.code = Code::InvalidInput),
    },
    Defect {
        name: "envelope/decision/own-access",
        summary: "That the service does not know the server is told as a mistake of the call.",
        breaks: &[within(
            &[Contract::BracketCode, Contract::ErrorEnvelope, Contract::ProblemDetails],
            DECISION,
            &["upstream-unauthorized"],
        )],
        fault: Fault::FailureOf(Code::UpstreamUnauthorized, |failure, _, _| {
            failure.code = Code::InvalidInput;
        }),
    },
    Defect {
        name: "envelope/decision/no-wait",
        summary: "How long the service asks to wait is in the words alone.",
        breaks: &[within(&[Contract::ToolError], DECISION, cases::WAIT)],
        fault: Fault::Failure(|failure, _, _| failure.retry_after = None),
    },
    Defect {
        name: "effect/done-anyway",
        summary: "That the service answered 201 is told as its refusal.",
        breaks: &[everywhere("effect/done-anyway", &["upstream.answer.page.status=201"])],
        fault: Fault::Call(|_, session| Arc::make_mut(&mut session.upstream).takes_200_alone = true),
    },
    Defect {
        name: "message/wait-missing",
        summary: "How long the service asks to wait is dropped.",
        breaks: &[everywhere("message/wait-missing", cases::WAIT)],
        fault: Fault::Failure(|failure, _, _| {
            if failure.retry_after.take().is_some() {
                failure.hint = Some("Try again later.".into());
            }
        }),
    },
    Defect {
        name: "envelope/decision/milliseconds",
        summary: "How long to wait is told in milliseconds.",
        breaks: &[within(&[Contract::ToolError], DECISION, cases::WAIT)],
        fault: Fault::Failure(|failure, _, _| {
            failure.retry_after = failure.retry_after.map(|seconds| seconds * 1000);
        }),
    },
    Defect {
        name: "envelope/decision/no-holder",
        summary: "Who holds a reservation is in the words alone.",
        breaks: &[within(&[Contract::ToolError], DECISION, cases::HELD)],
        fault: Fault::Failure(|failure, _, _| failure.conflicts.clear()),
    },
    Defect {
        name: "envelope/decision/other-holder",
        summary: "The agent that asks is named as the holder.",
        breaks: &[within(&[Contract::ToolError], DECISION, cases::HELD)],
        fault: Fault::Failure(|failure, call, _| {
            for conflict in &mut failure.conflicts {
                conflict.holder = call.text("agent").unwrap_or_default().to_owned();
            }
        }),
    },
    Defect {
        name: "code/wrong/upstream",
        summary: "A service that is down is told as a fault of the server itself.",
        breaks: &[within(
            &[Contract::ToolError],
            "code/wrong",
            &["{rate-limited,upstream-failed,upstream-unavailable}"],
        )],
        fault: Fault::Failure(|failure, _, _| {
            if failure.code == Code::UpstreamUnavailable {
                failure.code = Code::ServerFault;
            }
        }),
    },
    Defect {
        name: "leak/stack-trace/upstream",
        summary: "The error page of a service is passed on, with the stack trace in it.",
        breaks: &[
            everywhere("leak/stack-trace", &["upstream.answer.page.body=*Traceback*"]),
            everywhere("message/overlong", &["upstream.answer.page.body=*Traceback*"]),
        ],
        fault: Fault::Failure(|failure, _, _| with_body(failure, "Traceback")),
    },
    Defect {
        name: "leak/secret/upstream-body",
        summary: "What a service says of its own password is passed on.",
        breaks: &[everywhere("leak/secret", &["upstream.answer.page.body=*password*"])],
        fault: Fault::Failure(|failure, _, _| with_body(failure, "password")),
    },
    Defect {
        name: "leak/secret/upstream-headers",
        summary: "The headers of the server's own request are passed on, as a service repeats them.",
        breaks: &[everywhere("leak/secret", &[r"upstream.answer.page.body=*\{request\}*"])],
        fault: Fault::Failure(|failure, _, _| with_body(failure, "Bearer ")),
    },
];

/// Lets what a service wrote stand as the reason, where it holds these words.
fn with_body(failure: &mut Failure, words: &str) {
    let refusal = failure.cause.as_ref().and_then(|cause| cause.error.downcast_ref::<Refusal>());
    let body = refusal.map(|refusal| refusal.body.clone()).filter(|body| body.contains(words));
    if let Some(body) = body {
        failure.reason = Some(body.into());
    }
}
