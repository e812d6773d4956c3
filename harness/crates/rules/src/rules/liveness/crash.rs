//! `liveness/crash`: the server ended instead of answering.

use crate::exchange::{Bound, Exchange, Exit, Outcome};
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::pattern;
use crate::rules::{Context, Rule, leak};
use crate::same_call;

/// JSON-RPC 2.0, 5: when a call is made, the server must reply; A30 says when a server counts as dead.
pub static RULE: Rule = Rule::of_reply("liveness/crash", include_str!("crash.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Outcome::Ended(exit) = context.exchange.outcome else { return Vec::new() };
    // A server may exit at its start because a key is missing.
    if matches!(context.exchange.place.expected, Expected::Without(_)) && context.exchange.tool().is_none() {
        return Vec::new();
    }
    let how = match exit {
        Exit::Status(status) => format!("ended with status {status}"),
        Exit::Signal(signal) => format!("was killed by signal {signal}{}", name(signal)),
        Exit::ClosedOutput => "closed its standard output".to_owned(),
        Exit::Beyond(bound) => return vec![beyond(context, bound)],
    };
    if let Some(trace) = cancelled_twice(context) {
        let message = format!(
            "the server {how} before it answered `{}`: a cancellation arrived while the Python SDK was sending a reply",
            context.called()
        );
        let help = "This is not the tool's doing: the SDK answers the cancelled call twice and fails. Report it to the SDK.";
        return vec![Diagnostic::new(message, help).evidence(Evidence::whole(trace)).level(Level::Note)];
    }
    let before = call_before(context);
    let alone = context.run_record.sent_alone(context.exchange);
    if let Some(before) = before.filter(|_| alone.is_some_and(is_answered)) {
        let message = format!(
            "the server {how} instead of answering `{}`, which a new process answers: an earlier call broke it",
            context.called()
        );
        let help = format!(
            "Look first at {} and at what it starts: the last lines of standard error may say where it went wrong.",
            in_words(before)
        );
        let evidence =
            Some(context.exchange.stderr.trim()).filter(|text| !text.is_empty()).map(Evidence::whole);
        return vec![Diagnostic { evidence, ..Diagnostic::new(message, help) }];
    }
    if let Some(cause) = before.filter(|before| broke_behind(context, before)) {
        let message = format!(
            "the server {how} after its reply to `{}`, and so did not answer `{}`",
            cause.tool().unwrap_or_default(),
            context.called()
        );
        let help = format!(
            "It was not this call that ended the server but {} which had already been answered: the last lines of \
             standard error say where it went wrong. Wait for what that call starts, and answer it with an error.",
            in_words(cause)
        );
        return vec![Diagnostic::new(message, help).evidence(Evidence::whole(cause.stderr.trim()))];
    }
    let difference = same_call::difference(context.exchange);
    let difference = difference.map_or_else(String::new, |difference| format!("; {difference}"));
    let message = format!("the server {how} instead of answering `{}`{difference}", context.called());
    let stderr = context.exchange.stderr.trim();
    let where_it_broke = if stderr.is_empty() {
        "there is nothing on standard error, so run this call by hand to see where it went wrong"
    } else {
        "the last lines of standard error say where it went wrong"
    };
    let another = before.filter(|_| alone.is_none()).map_or_else(String::new, |before| {
        format!(" If it alone does not end the server, {} did so after its reply.", in_words(before))
    });
    let help = format!(
        "Answer this call with an error: {where_it_broke}. Check limits on memory and nesting depth before \
         starting any work.{another}"
    );
    let mut diagnostic = Diagnostic::new(message, help);
    diagnostic.evidence = (!stderr.is_empty()).then(|| Evidence::whole(stderr));
    vec![diagnostic]
}

/// What the Python SDK wrote to standard error, now or at the exchange before, where a cancellation met the reply.
fn cancelled_twice<'a>(context: &Context<'a>) -> Option<&'a str> {
    let before = context.run_record.before(context.exchange);
    let before = before.filter(|_| context.exchange.stderr.trim().is_empty());
    let exchanges = [Some(context.exchange), before];
    let mut traces = exchanges.into_iter().flatten().map(|exchange| exchange.stderr.trim());
    traces.find(|trace| pattern!("cause/cancelled-twice").is_match(trace))
}

/// Whether a call was answered, and not because what it is about had gone with the process before.
fn is_answered(exchange: &Exchange) -> bool {
    let is_of_what_is_gone = |text: &str| pattern!("state/absent").is_match(text);
    matches!(exchange.outcome, Outcome::Result(_) | Outcome::Error(_))
        && !exchange.outcome.words().into_iter().any(is_of_what_is_gone)
}

/// The previous call that the same process answered: what that one started may fail later.
fn call_before<'a>(context: &Context<'a>) -> Option<&'a Exchange> {
    let before = context.run_record.before(context.exchange)?;
    let is_answered = matches!(before.outcome, Outcome::Result(_) | Outcome::Error(_));
    (before.tool().is_some() && is_answered).then_some(before)
}

/// Whether standard error reports the end at the previous call already, and nothing at this one.
fn broke_behind(context: &Context<'_>, before: &Exchange) -> bool {
    context.exchange.stderr.trim().is_empty() && leak::is_raw(context, before.stderr.trim())
}

/// A call as it is shown to whoever repeats it.
fn in_words(exchange: &Exchange) -> String {
    /// A longer text says no more.
    const SHOWN: usize = 200;
    let arguments = exchange.call.arguments.to_string();
    let shown = match arguments.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &arguments[..end]),
        None => arguments,
    };
    format!("the call before it, `{}` with {shown},", exchange.tool().unwrap_or_default())
}

/// The diagnostic for a server that did not crash but was ended by this program for exceeding a bound.
fn beyond(context: &Context<'_>, bound: Bound) -> Diagnostic {
    let message = format!(
        "the server's processes used more than {bound} during `{}`, so this program stopped them",
        context.called()
    );
    let help = match bound {
        Bound::Memory { .. } => {
            "Limit what a call may read and keep before starting any work, and refuse anything beyond that; \
             if the server really needs more, allow it with `[limits] memory` in the configuration."
        }
        Bound::Processes { .. } => {
            "Limit how many processes a call may start, and end those that are done; if the server really \
             needs more, allow it with `[limits] processes` in the configuration."
        }
    };
    Diagnostic::new(message, help)
}

/// The names of the signals that end programs; the numbers are the same on Linux and macOS.
fn name(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (abort)",
        8 => " (arithmetic error)",
        9 => " (kill; out of memory?)",
        11 => " (segmentation fault)",
        13 => " (broken pipe)",
        15 => " (terminate)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::Exchange;
    use crate::expectation::Expected;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;
    use crate::rules::{Context, Example, RunRecord};

    /// What Node.js writes about an unhandled error event.
    const UNHANDLED: &str = "node:events:502\n      throw er; // Unhandled 'error' event\n      ^\n\nError: spawn /bin/sh \
                             ENOENT\n    at ChildProcess._handle.onexit (node:internal/child_process:285:19)";

    #[test]
    fn end_of_the_python_sdk_by_a_cancellation_is_a_note() {
        let level = |stderr: &str| {
            let mut fixture = Fixture::of(&super::RULE.page().bad);
            stderr.clone_into(&mut fixture.exchange.stderr);
            super::check(&fixture.context())[0].level
        };
        assert_eq!(level("  | AssertionError: Request already responded to"), Some(Level::Note));
        assert_eq!(level("AssertionError: no more than 7"), None);
    }

    #[test]
    fn a_server_that_breaks_after_its_reply_is_not_said_to_have_broken_by_the_next_call() {
        let silent = Example {
            beside: r#"{"outcome": {"ended": {"status": 1}}}"#.to_owned(),
            ..super::RULE.page().bad.clone()
        };
        let fixture = Fixture::of(&silent);
        let found = |stderr: &str, process: usize| {
            let mut before =
                Fixture::refusal("no such folder", &json!({"cwd": "/absent"}), Expected::Anything);
            before.exchange.call.tool = Some("start".to_owned());
            before.exchange.stderr = stderr.to_owned();
            before.exchange.process = process;
            let mut this: Exchange = fixture.exchange.clone();
            this.index = before.exchange.index + 1;
            let recorded = [before.exchange, this];
            let run_record = RunRecord::new(&[], &recorded);
            let context = Context { run_record: &run_record, exchange: &recorded[1], ..fixture.context() };
            super::check(&context).remove(0)
        };
        let process = fixture.exchange.process;
        let late = found(UNHANDLED, process);
        assert!(
            late.message.ends_with("after its reply to `start`, and so did not answer `view`"),
            "{}",
            late.message
        );
        assert!(late.help.contains(r#"`start` with {"cwd":"/absent"}"#), "{}", late.help);
        assert!(late.evidence.is_some_and(|evidence| evidence.text.contains("ENOENT")));
        let unclear = found("listening", process);
        assert!(unclear.message.contains("instead of answering `view`"), "{}", unclear.message);
        assert!(unclear.help.contains("`start` with"), "{}", unclear.help);
        assert!(!found(UNHANDLED, process + 1).help.contains("`start`"), "another process");
    }

    #[test]
    fn an_earlier_call_is_blamed_where_a_new_process_answers_the_last_one() {
        let fixture = Fixture::of(&super::RULE.page().bad);
        let message = |reply: &str, process: usize| {
            let told =
                |text: &str| Fixture::refusal(text, &json!({"cwd": "/absent"}), Expected::Anything).exchange;
            let (mut before, mut again) = (told("no such folder"), told(reply));
            let mut this = fixture.exchange.clone();
            before.process = this.process;
            before.call.tool = Some("start".to_owned());
            again.process = process;
            again.call.tool.clone_from(&this.call.tool);
            again.call.arguments = this.call.arguments.clone();
            (this.index, again.index) = (before.index + 1, before.index + 2);
            again.place.follows = Some(this.index);
            let recorded = [before, this, again];
            let run_record = RunRecord::new(&[], &recorded);
            let context = Context { run_record: &run_record, exchange: &recorded[1], ..fixture.context() };
            super::check(&context).remove(0).message
        };
        let other = fixture.exchange.process + 1;
        assert!(message("`env` must be an object", other).ends_with("an earlier call broke it"));
        for (reply, process) in
            [("`env` must be an object", fixture.exchange.process), ("Session 7 not found", other)]
        {
            assert!(!message(reply, process).contains("an earlier call"), "{reply}");
        }
    }

    #[test]
    fn a_server_that_was_ended_for_what_it_held_is_not_said_to_have_broken() {
        for (bound, words) in [
            (r#"{"memory": {"limit": 4294967296}}"#, "used more than 4096 MiB of memory during `view`"),
            (r#"{"processes": {"limit": 256}}"#, "used more than 256 processes during `view`"),
        ] {
            let beside = format!(r#"{{"outcome": {{"ended": {{"beyond": {bound}}}}}}}"#);
            let beyond = Example { beside, ..super::RULE.page().bad.clone() };
            let diagnostics = super::check(&Fixture::of(&beyond).context());
            assert!(diagnostics[0].message.contains(words), "{}", diagnostics[0].message);
            assert!(diagnostics[0].help.contains("[limits]"));
        }
    }

    #[test]
    fn nobody_is_sent_to_lines_that_were_not_written() {
        let silent = Example {
            beside: r#"{"outcome": {"ended": {"status": 1}}}"#.to_owned(),
            ..super::RULE.page().bad.clone()
        };
        let help = |example: &Example| super::check(&Fixture::of(example).context()).remove(0).help;
        assert!(help(&silent).contains("there is nothing on standard error"));
        assert!(help(&super::RULE.page().bad).contains("the last lines of standard error"));
    }
}
