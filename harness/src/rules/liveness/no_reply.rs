//! `liveness/no-reply`: a request was not answered, though the server lives.

use crate::exchange::{Outcome, Step};
use crate::finding::{Breach, Evidence, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};

/// JSON-RPC 2.0, 5: when a call is made, the server must reply.
pub(crate) static RULE: Rule = Rule {
    id: "liveness/no-reply",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["JSON-RPC 2.0"],
    summary: "a request was not answered before the deadline, though the process lived",
    page: r#"A call without an answer blocks the agent until its own time-out, and it learns nothing then.

**Counts:** no reply within the deadline (`--timeout`) while the process lived.

A Note where the call was a complete one that was made from the tool's schema alone: it may rightly take long.

**Does not count:** a process that ended (`liveness/crash`); a reply that came late.

**To mend it:** bound everything that waits, and answer before the bound with what there is. A panic within a tool must
be caught and answered too."#,
    check: Check::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: "",
        expected: r#""anything""#,
        beside: r#"{"outcome": {"no_reply": {"waited_ms": 10000}}, "stderr": "task panicked"}"#,
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let Outcome::NoReply { waited_ms } = scene.exchange.outcome else { return Vec::new() };
    let seconds = waited_ms as f64 / 1000.0;
    let message =
        format!("`{}` was not answered within {seconds} s, though the process lived", scene.called());
    let help = "Bound everything that this call may wait for and answer before the bound; catch a panic within the tool and answer it as an error.";
    let mut breach = Breach::new(message, help);
    let stderr = scene.exchange.stderr.trim();
    breach.evidence = (!stderr.is_empty()).then(|| Evidence::whole(stderr));
    // A complete call that was composed from a schema alone may rightly take long: nobody knows what it asks for.
    let is_bound =
        scene.head.bindings.iter().any(|binding| Some(binding.tool.as_str()) == scene.exchange.tool());
    if scene.exchange.place.step == Step::Control && !is_bound {
        breach = breach.level(Level::Note);
    }
    vec![breach]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::{Expected, Outcome, Step};
    use crate::finding::Level;
    use crate::rules::stage::Stage;

    #[test]
    fn a_complete_call_made_from_the_schema_alone_may_take_long() {
        let mut stage = Stage::refusal("", &json!({}), Expected::Anything);
        stage.exchange.outcome = Outcome::NoReply { waited_ms: 10_000 };
        let level = |stage: &Stage| super::check(&stage.scene())[0].level;
        assert_eq!(level(&stage), None);
        stage.exchange.place.step = Step::Control;
        assert_eq!(level(&stage), Some(Level::Note));
    }
}
