//! `code/unstable`: the same fault, another code.

use crate::contract::Channel;
use crate::exchange::{Exchange, Expected, Step};
use crate::finding::{Breach, Evidence, Level};
use crate::rules::{Check, Example, Panorama, Rule, Tier};

/// BC-22: the same condition gives the same code on every call, in every order.
pub(crate) static RULE: Rule = Rule {
    id: "code/unstable",
    tier: Tier::Run,
    level: Level::Must,
    requirements: &["BC-22"],
    summary: "the same call fails for the same reason with another code",
    page: r#"A code that changes from call to call cannot be branched on, however well each of them is chosen.

**Counts:** of two calls of one case with the same tool and the same arguments, which fail for the same condition, the later
one has another code than the first; also with other calls between them.

**Does not count:** another wording with the same code; a reply without a code (`code/missing`); calls whose arguments differ.

**To mend it:** decide by the cause alone, not by what was called before.

The example is one call of a case in which the call before had the code `PATH_NOT_FOUND`."#,
    check: Check::Run(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/missing.txt: it does not exist."}],"isError":true}}"#,
        expected: r#"{"failure": {"condition": "path-leads-nowhere", "value": null, "hint": null, "valid_values_of": null}}"#,
        beside: BESIDE,
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] Nothing exists at /workspace/missing.txt. List the folder first."}],"isError":true}}"#,
        expected: r#"{"failure": {"condition": "path-leads-nowhere", "value": null, "hint": null, "valid_values_of": null}}"#,
        beside: BESIDE,
    },
};

/// The call before, with the code that the example's must have too.
const BESIDE: &str = r#"{"before": {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] Nothing exists at /workspace/missing.txt. List the folder first."}],"isError":true}}}"#;

fn check(panorama: &Panorama<'_>) -> Vec<(usize, Breach)> {
    let coded = |exchange: &Exchange| {
        let error = panorama.errors[exchange.index].as_ref()?;
        error.code().filter(|_| error.channel == Channel::Tool)
    };
    let exchanges: Vec<&Exchange> =
        panorama.transcript.exchanges.iter().filter(|exchange| is_of_interest(exchange)).collect();
    let mut breaches = Vec::new();
    for (position, later) in exchanges.iter().enumerate() {
        let Some(code) = coded(later) else { continue };
        let first =
            exchanges[..position].iter().find(|first| is_same_fault(first, later) && coded(first).is_some());
        let Some(before) = first.and_then(|first| coded(first)).filter(|before| *before != code) else {
            continue;
        };
        let tool = later.tool().unwrap_or_default();
        let message =
            format!("`{tool}` answers the same call with `{code}` that it answered with `{before}` before");
        let help = "Decide by the cause alone which code is sent: the same fault must have the same code on every call.";
        let mut breach = Breach::new(message, help);
        breach.evidence =
            panorama.errors[later.index].as_ref().map(|error| Evidence::whole(error.text.as_str()));
        breaches.push((later.index, breach));
    }
    breaches
}

fn is_of_interest(exchange: &Exchange) -> bool {
    matches!(exchange.place.step, Step::Call | Step::Again)
        && matches!(exchange.place.expected, Expected::Failure(_))
}

fn is_same_fault(first: &Exchange, later: &Exchange) -> bool {
    let condition = |exchange: &Exchange| match &exchange.place.expected {
        Expected::Failure(failure) => Some(failure.condition.clone()),
        Expected::Anything | Expected::Telling(_) | Expected::Success { .. } => None,
    };
    first.place.case == later.place.case
        && first.tool() == later.tool()
        && first.call.arguments == later.call.arguments
        && condition(first) == condition(later)
}
