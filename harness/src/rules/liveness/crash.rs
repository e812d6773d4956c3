//! `liveness/crash`: the server ended instead of answering.

use crate::exchange::{Bound, Exit, Outcome};
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Distinction;
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

/// JSON-RPC 2.0, 5: when a call is made, the server must reply; A30 says when a server counts as dead.
pub(crate) static RULE: Rule = Rule {
    id: "liveness/crash",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { distinction: Distinction::Exit, ..super::HANDLING },
    requirements: &["JSON-RPC 2.0"],
    summary: "the process ended, or closed its standard output, instead of answering",
    page: r#"When the process ends, every open file, task and session of the agent is lost.

**Counts:** a process that exits or is killed by a signal while a request is open, or closes its standard output; a
process that this program stopped because the server used more memory, or more processes, than allowed (`[limits]`).

**Does not count:** a process that ends after the harness has closed its standard input.

**How to fix it:** the finding shows the last lines of standard error. Turn the fault into an error reply; check limits
on memory and nesting depth before starting any work."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: "",
        expected: r#""anything""#,
        beside: r#"{"outcome": {"ended": {"signal": 6}}, "stderr": "memory allocation of 8000000000000 bytes failed"}"#,
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Outcome::Ended(exit) = context.exchange.outcome else { return Vec::new() };
    // A server may end at its start for want of a key.
    if matches!(context.exchange.place.expected, Expected::Without(_)) && context.exchange.tool().is_none() {
        return Vec::new();
    }
    let how = match exit {
        Exit::Status(status) => format!("ended with status {status}"),
        Exit::Signal(signal) => format!("was killed by signal {signal}{}", name(signal)),
        Exit::ClosedOutput => "closed its standard output".to_owned(),
        Exit::Beyond(bound) => return vec![beyond(context, bound)],
    };
    let message = format!("the server {how} instead of answering `{}`", context.called());
    let stderr = context.exchange.stderr.trim();
    let where_it_broke = if stderr.is_empty() {
        "there is nothing on standard error, so run this call by hand to see where it went wrong"
    } else {
        "the last lines of standard error say where it went wrong"
    };
    let help = format!(
        "Answer this call with an error: {where_it_broke}. Check limits on memory and nesting depth before \
         starting any work."
    );
    let mut diagnostic = Diagnostic::new(message, help);
    diagnostic.evidence = (!stderr.is_empty()).then(|| Evidence::whole(stderr));
    vec![diagnostic]
}

/// It did not break by itself: this program ended it, and so says why.
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

/// The names of the signals with which programs die, the same numbers on Linux and macOS.
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
    use crate::rules::Example;
    use crate::rules::fixture::Fixture;

    #[test]
    fn a_server_that_was_ended_for_what_it_held_is_not_said_to_have_broken() {
        for (bound, words) in [
            (r#"{"memory": {"limit": 4294967296}}"#, "used more than 4096 MiB of memory during `view`"),
            (r#"{"processes": {"limit": 256}}"#, "used more than 256 processes during `view`"),
        ] {
            let beside = format!(r#"{{"outcome": {{"ended": {{"beyond": {bound}}}}}}}"#);
            let beyond = Example { beside: beside.leak(), ..super::RULE.bad };
            let diagnostics = super::check(&Fixture::of(&beyond).context());
            assert!(diagnostics[0].message.contains(words), "{}", diagnostics[0].message);
            assert!(diagnostics[0].help.contains("[limits]"));
        }
    }

    #[test]
    fn nobody_is_sent_to_lines_that_were_not_written() {
        let silent = Example { beside: r#"{"outcome": {"ended": {"status": 1}}}"#, ..super::RULE.bad };
        let help = |example: &Example| super::check(&Fixture::of(example).context()).remove(0).help;
        assert!(help(&silent).contains("there is nothing on standard error"));
        assert!(help(&super::RULE.bad).contains("the last lines of standard error"));
    }
}
