//! `liveness/no-reply`: a request was not answered, although the server is alive.

use crate::exchange::{LivenessCheck, Outcome, Step};
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Rule};
use crate::same_call;
use crate::stock::is_pipe;
use crate::wording::circumstance::is_panic;

/// JSON-RPC 2.0, 5: when a call is made, the server must reply.
pub static RULE: Rule = Rule::of_reply("liveness/no-reply", include_str!("no_reply.toml"), check);

/// The advice for a call that may be waiting in the place of its caller.
const NO_SLEEP: &str = "Never sleep through `Retry-After` within a call: answer at once, and say how long to wait, so that the \
    caller can do something else meanwhile.";

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let exchange = context.exchange;
    let Outcome::NoReply { waited_ms, liveness } = exchange.outcome else { return Vec::new() };
    // What a server reports about a missing key at its start is covered by another rule.
    if matches!(exchange.place.expected, Expected::Without(_)) && exchange.tool().is_none() {
        return Vec::new();
    }
    // Nobody waits for the reply to a call that was taken back.
    if exchange.place.step == Step::Disturb {
        return Vec::new();
    }
    let seconds = waited_ms as f64 / 1000.0;
    // Whether it was waited for to the end is decided by how much had been waited for before.
    let is_alive = matches!(liveness, LivenessCheck::Answers | LivenessCheck::Unasked);
    let tool = exchange.tool().filter(|_| is_alive);
    let is_slow_tool = tool.is_some_and(|tool| context.run_record.is_late(tool));
    let is_control_unanswered = tool.is_some_and(|tool| context.run_record.is_control_unanswered(tool));
    let then = match liveness {
        _ if is_slow_tool => "but another call of it was answered late: it is slow".to_owned(),
        _ if is_control_unanswered && exchange.place.step != Step::Control => {
            "nor was a call that should succeed: the tool is slow, or waits for something that is missing"
                .to_owned()
        }
        LivenessCheck::Unasked => "although the process was alive".to_owned(),
        LivenessCheck::Answers => {
            "while the server answers other requests: the call is lost or takes longer".to_owned()
        }
        LivenessCheck::Late { after_ms, blocks } => {
            let meanwhile = if blocks { ", and the server answered nothing else meanwhile" } else { "" };
            format!("and the reply came after {:.1} s: it is slow{meanwhile}", after_ms as f64 / 1000.0)
        }
        LivenessCheck::Silent => {
            "and the server no longer answers anything: it hangs, or is blocked for a long time".to_owned()
        }
        LivenessCheck::Ended(exit) => {
            format!("and the server ended when it was checked ({exit})")
        }
    };
    let message = match waited_ms {
        // For plain pairs it is unknown how long the client waited.
        0 => format!(
            "`{}` has no reply in the recording, which does not say how long the client waited",
            context.called()
        ),
        _ if is_panic(&exchange.stderr) => {
            format!(
                "`{}` panicked, and was not answered within {seconds} s of that, {then}",
                context.called()
            )
        }
        _ => format!("`{}` was not answered within {seconds} s, {then}", context.called()),
    };
    let help = advice(liveness, &exchange.stderr);
    let recovery = context.expected_failure().and_then(|failure| failure.recovery.as_deref());
    let wait = recovery.and_then(|recovery| recovery.wait.as_ref());
    let (message, help) = match (same_call::difference(exchange), wait) {
        (Some(difference), _) => (format!("{message}; {difference}"), help),
        (None, Some(wait)) => (format!("{message}; {wait}"), NO_SLEEP),
        (None, None) => (message, help),
    };
    let mut diagnostic = Diagnostic::new(message, help);
    let stderr = exchange.stderr.trim();
    diagnostic.evidence = (!stderr.is_empty()).then(|| Evidence::whole(stderr));
    // A complete call composed from a schema alone may rightly take long, because nobody knows what it does.
    let is_bound =
        context.head.bindings.iter().any(|binding| Some(binding.tool.as_str()) == context.exchange.tool());
    // What is too long depends on the machine: a reply that did come is slow, not missing.
    let is_slow = matches!(liveness, LivenessCheck::Late { .. });
    // A pipe may be filled some time, as a service may recover: other calls can be made meanwhile.
    if (wait.is_some() || names_a_pipe(context) || is_control_unanswered)
        && !matches!(liveness, LivenessCheck::Silent | LivenessCheck::Ended(_))
    {
        diagnostic = diagnostic.level(Level::Should);
    }
    let is_composed = context.exchange.place.step == Step::Control && !is_bound;
    if is_slow || is_slow_tool || is_composed && liveness != LivenessCheck::Silent {
        diagnostic = diagnostic.level(Level::Note);
    } else if is_composed && !context.run_record.is_answered_anew(exchange) {
        // Nothing shows that a server on this machine answers at all.
        diagnostic = diagnostic.level(Level::Should);
    }
    vec![diagnostic]
}

/// How the server could answer.
fn advice(liveness: LivenessCheck, stderr: &str) -> &'static str {
    match liveness {
        LivenessCheck::Unasked | LivenessCheck::Answers | LivenessCheck::Ended(_) if is_panic(stderr) => {
            "Catch panics in the tool and answer them with an error, or better, return an error where it panics."
        }
        LivenessCheck::Silent => {
            "Never let a call block the loop that reads requests: run it on its own thread or in its own \
             process, with a time limit, and answer when the limit is reached."
        }
        LivenessCheck::Late { blocks: true, .. } => {
            "Limit what the call may do, and run it beside the loop that reads requests, so that it does not \
             block all others; if it has to take this long, wait longer with `--timeout`."
        }
        LivenessCheck::Late { .. } => {
            "Limit what the call may do and answer with what there is; if it has to take this long, wait \
             longer with `--timeout`."
        }
        LivenessCheck::Unasked | LivenessCheck::Answers | LivenessCheck::Ended(_) => {
            "Put a time limit on everything that this call may wait for, and answer within the limit; catch \
             panics in the tool and answer them with an error."
        }
    }
}

/// Whether the call names the harness's own pipe, to which nobody writes.
fn names_a_pipe(context: &Context<'_>) -> bool {
    let members = context.arguments().as_object().into_iter().flatten();
    members.filter_map(|(_, value)| value.as_str()).any(is_pipe)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use crate::exchange::{Exit, LivenessCheck, Outcome, Step};
    use crate::expectation::Expected;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;
    use crate::rules::{Context, RunRecord};

    #[test]
    fn a_complete_call_made_from_the_schema_alone_may_take_long() {
        let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
        fixture.exchange.outcome = Outcome::NoReply { waited_ms: 10_000, liveness: LivenessCheck::Unasked };
        let level = |fixture: &Fixture| super::check(&fixture.context())[0].level;
        assert_eq!(level(&fixture), None);
        fixture.exchange.place.step = Step::Control;
        assert_eq!(level(&fixture), Some(Level::Note));
    }

    #[test]
    fn an_ordinary_call_that_hangs_the_server_is_no_note() {
        let level = |liveness, next_process: Option<usize>| {
            let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
            fixture.exchange.outcome = Outcome::NoReply { waited_ms: 10_000, liveness };
            fixture.exchange.place.step = Step::Control;
            let mut recorded = vec![fixture.exchange.clone()];
            if let Some(process) = next_process {
                let mut next = Fixture::refusal("", &json!({}), Expected::Anything).answered().exchange;
                next.process = fixture.exchange.process + process;
                recorded.push(next);
            }
            let run_record = RunRecord::new(&[], &recorded);
            let context = Context { run_record: &run_record, exchange: &recorded[0], ..fixture.context() };
            super::check(&context)[0].level
        };
        assert_eq!(level(LivenessCheck::Silent, None), Some(Level::Should));
        assert_eq!(level(LivenessCheck::Silent, Some(0)), Some(Level::Should));
        assert_eq!(level(LivenessCheck::Silent, Some(1)), None, "a new process answers");
        assert_eq!(level(LivenessCheck::Answers, Some(1)), Some(Level::Note));
        let late = LivenessCheck::Late { after_ms: 30_000, blocks: true };
        assert_eq!(level(late, Some(1)), Some(Level::Note));
    }

    #[test]
    fn a_tool_that_answers_another_call_late_is_slow() {
        let lost = |tool: &str, liveness| {
            let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
            fixture.exchange.call.tool = Some(tool.to_owned());
            fixture.exchange.outcome = Outcome::NoReply { waited_ms: 10_000, liveness };
            fixture.exchange
        };
        let level = |tool: &str, liveness| {
            let late = LivenessCheck::Late { after_ms: 30_000, blocks: false };
            let recorded = [lost(tool, late), lost("view", liveness)];
            let fixture = Fixture::refusal("", &json!({}), Expected::Anything);
            let run_record = RunRecord::new(&[], &recorded);
            let context = Context { run_record: &run_record, exchange: &recorded[1], ..fixture.context() };
            super::check(&context)[0].level
        };
        assert_eq!(level("view", LivenessCheck::Answers), Some(Level::Note));
        assert_eq!(level("another", LivenessCheck::Answers), None);
        assert_eq!(level("view", LivenessCheck::Silent), None, "a server that hangs is not slow");
    }

    #[test]
    fn a_call_is_no_must_if_the_control_was_not_answered_either() {
        let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
        fixture.exchange.outcome = Outcome::NoReply { waited_ms: 10_000, liveness: LivenessCheck::Answers };
        let mut control = fixture.exchange.clone();
        control.place.step = Step::Control;
        let recorded = [control, fixture.exchange.clone()];
        let run_record = RunRecord::new(&[], &recorded);
        let context = Context { run_record: &run_record, exchange: &recorded[1], ..fixture.context() };
        let found = super::check(&context);
        assert_eq!(found[0].level, Some(Level::Should));
        assert!(found[0].message.contains("nor was a call that should succeed"), "{}", found[0].message);
    }

    #[test]
    fn a_lost_call_a_late_reply_a_hang_and_an_end_have_words_of_their_own() {
        let pulses = [
            LivenessCheck::Answers,
            LivenessCheck::Late { after_ms: 6000, blocks: false },
            LivenessCheck::Late { after_ms: 6000, blocks: true },
            LivenessCheck::Silent,
            LivenessCheck::Ended(Exit::Signal(9)),
        ];
        let reported: BTreeSet<String> = pulses
            .into_iter()
            .map(|liveness| {
                let is_late = matches!(liveness, LivenessCheck::Late { .. });
                let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
                fixture.exchange.outcome = Outcome::NoReply { waited_ms: 5000, liveness };
                let fixture = fixture.answered();
                let diagnostics = super::check(&fixture.context());
                assert!(diagnostics[0].message.starts_with("`view` was not answered within 5 s, "));
                assert_eq!(diagnostics[0].level, is_late.then_some(Level::Note));
                diagnostics[0].message.clone()
            })
            .collect();
        assert_eq!(reported.len(), pulses.len());
    }
}
