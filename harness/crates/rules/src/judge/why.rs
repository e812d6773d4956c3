//! Why each rule says something of the replies in a case, or nothing: what was read in a reply, and every rule's verdict.
//!
//! The main function is [`why`]. It judges the run once more, as [`judge`](super::judge) does, and keeps what that drops.

use mcp_errconf_second_reader::Question;

use crate::contract::{Contract, adopted};
use crate::exchange::{Exchange, Step};
use crate::expectation::ExpectedValue;
use crate::finding::LevelSetting;
use crate::rules::{Context, Rule, RunRecord, Tier};
use crate::transcript::{Chosen, Transcript};
use crate::wording::echo::FILL;
use crate::wording::{self, hint, layer, mention, second_reader};

use super::twins::{Cleared, Twins};
use super::verdict::{Reason, Verdict, silencer};
use super::{
    Asked, ParallelJudge, RecordedSoFar, RuleHit, context, declared_bounds, errors, succeeded, verdicts_of,
};

/// How many passages are shown that decided what a model read.
const PASSAGES: usize = 3;

/// The exchanges of a case and what every rule says of them.
#[derive(Debug, Clone)]
pub struct Why {
    /// The exchanges, in their order; controls of the case are among them.
    pub exchanges: Vec<ExplainedExchange>,
}

/// An exchange with what was read in its reply.
#[derive(Debug, Clone)]
pub struct ExplainedExchange {
    /// Its number in the recording, from 0.
    pub index: usize,
    /// What it is for, such as `call` or `control`.
    pub step: String,
    /// The method or tool, and the arguments as JSON.
    pub request: String,
    /// The texts of the reply, or what came instead.
    pub reply: String,
    /// What must hold of the reply.
    pub expected: String,
    /// What was read in the reply.
    pub reading: Vec<TextMark>,
    /// Every rule that was asked or withheld, with its verdict.
    pub verdicts: Vec<(&'static str, Verdict)>,
}

/// One thing that was read in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMark {
    /// What it is: `leak pattern`, `hint sign`, `names`, `model`, ...
    pub kind: &'static str,
    /// The pattern, sign, parameter or question.
    pub id: String,
    /// The words, or the figure.
    pub words: String,
}

/// What every rule says of the exchanges of a case; `None` if the run has no such case.
pub fn why(transcript: &Transcript, contract: &Contract, rules: &[&'static Rule], case: &str) -> Option<Why> {
    let is_of_case = |exchange: &&Exchange| exchange.place.case.as_ref().is_some_and(|id| id.0 == case);
    let own: Vec<&Exchange> = transcript.exchanges.iter().filter(is_of_case).collect();
    if own.is_empty() {
        return None;
    }
    let errors = errors(&transcript.exchanges, contract);
    let declared = transcript.head.chosen != Chosen::Default || adopted(contract, &errors);
    let twins = Twins::new(&transcript.exchanges);
    let succeeded = succeeded(&transcript.exchanges, contract);
    let run_record = &RunRecord::new(&transcript.cases, &transcript.exchanges);
    let recorded = RecordedSoFar { head: &transcript.head, run_record, succeeded: Some(&succeeded) };
    // What the twins of other cases clear holds for this one, too.
    let parallel = ParallelJudge { recorded, contract, declared, errors: &errors, twins: &twins, rules };
    let cleared = parallel.all().cleared;
    let within = declared_bounds::within_bounds(&transcript.exchanges, &transcript.head.folders, contract);
    let explained = own.into_iter().map(|exchange| {
        let plain = context(recorded, contract, declared, exchange, &errors);
        let twin = twins.twin_of(exchange);
        let judged = Context { twin, ..context(recorded, contract, declared, exchange, &errors) };
        let passes = Passes {
            transcript,
            twins: &twins,
            cleared: &cleared,
            is_within: within.contains(&exchange.index),
        };
        ExplainedExchange {
            index: exchange.index,
            step: step_of(exchange).to_owned(),
            request: request_of(exchange),
            reply: reply_of(exchange),
            expected: serde_json::to_string(&exchange.place.expected).unwrap_or_default(),
            reading: reading_of(&plain),
            verdicts: passes.verdicts(&plain, &judged, rules),
        }
    });
    Some(Why { exchanges: explained.collect() })
}

/// What the passes after a rule need.
struct Passes<'a> {
    transcript: &'a Transcript,
    twins: &'a Twins<'a>,
    cleared: &'a Cleared,
    is_within: bool,
}

impl Passes<'_> {
    /// The verdict of each rule, after every pass.
    fn verdicts(
        &self,
        plain: &Context<'_>,
        judged: &Context<'_>,
        rules: &[&'static Rule],
    ) -> Vec<(&'static str, Verdict)> {
        let levels = &self.transcript.head.levels;
        let alone = verdicts_of(plain, rules);
        let with_twin = verdicts_of(judged, rules);
        let of_all: Vec<&RuleHit> =
            with_twin.iter().filter_map(|(_, asked)| asked.as_ref().ok()).flatten().collect();
        let silenced_by = |rule: &Rule| silencer(rule, of_all.iter().copied());
        let one = |((rule, asked), (_, before)): (&Asked, &Asked)| {
            let verdict = match asked {
                _ if levels.get(rule.id) == Some(&LevelSetting::Off) => Verdict::Withheld(Reason::NotAsked),
                Err(reason) => Verdict::Withheld(*reason),
                Ok(hits) if hits.is_empty() && before.as_ref().is_ok_and(|hits| !hits.is_empty()) => {
                    Verdict::Withheld(Reason::ClearedByTwin)
                }
                Ok(hits) => match hits.first() {
                    None => Verdict::Pass,
                    Some(hit) => self.after(hit, silenced_by(rule)),
                },
            };
            let level = levels.get(rule.id).and_then(|setting| setting.level());
            let verdict = match (verdict, level) {
                (Verdict::Finding { message, .. }, Some(level)) => Verdict::Finding { level, message },
                (verdict, _) => verdict,
            };
            (rule.id, verdict)
        };
        with_twin.iter().zip(&alone).map(one).collect()
    }

    /// A hit after the passes that look beyond the rule.
    fn after(&self, hit: &RuleHit, silenced_by: Option<&'static str>) -> Verdict {
        if let Some(rule) = silenced_by {
            return Verdict::Withheld(Reason::SilencedBy(rule));
        }
        if self.is_within && hit.rule.page().tier == Tier::Gated {
            return Verdict::Withheld(Reason::WithinDeclaredBounds);
        }
        let mut hits = vec![hit.clone()];
        self.cleared.withdraw(self.transcript, self.twins, &mut hits);
        match hits.pop() {
            None => Verdict::Withheld(Reason::ClearedByTwin),
            Some(hit) => Verdict::Finding { level: hit.level, message: hit.diagnostic.message },
        }
    }
}

fn step_of(exchange: &Exchange) -> &'static str {
    match exchange.place.step {
        Step::Call => "call",
        Step::Control => "control",
        Step::Twin => "twin",
        Step::Follow => "call that follows a hint",
        Step::Again => "same call once more",
        Step::Mend => "call that follows the message",
        Step::Lifecycle => "start of a session",
        Step::Prepare => "preparation",
        Step::Malformed => "malformed line",
        Step::Cleanup => "clean-up",
        Step::Disturb => "call that must not affect others",
    }
}

fn request_of(exchange: &Exchange) -> String {
    format!("{} {}", exchange.tool().unwrap_or(&exchange.call.method), exchange.call.arguments)
}

fn reply_of(exchange: &Exchange) -> String {
    let flag = if exchange.outcome.is_tool_error() { "isError: " } else { "" };
    let words = exchange.outcome.words();
    match words.is_empty() {
        true => format!("{:?}", exchange.outcome),
        false => format!("{flag}{}", words.join("\n")),
    }
}

/// What the readers find in a reply, each with the id of the pattern or list that it comes from.
fn reading_of(context: &Context<'_>) -> Vec<TextMark> {
    let mut marks = Vec::new();
    let mut mark = |kind, id: &str, words: &str| {
        marks.push(TextMark { kind, id: id.to_owned(), words: words.to_owned() });
    };
    let unflagged = context.unflagged_error();
    if let Some(failure) = context.unflagged_failure() {
        mark("failure without the flag", "", &format!("{failure:?}"));
    }
    for leak in context.leaks() {
        let (rule, pattern, words) = leak.found();
        mark("leak pattern", &format!("{rule}: {pattern}"), words);
    }
    let Some(error) = context.error.or(unflagged.as_ref()) else { return marks };
    mark("message", error.code().unwrap_or("no code"), error.message());
    if let Some(sdk) = layer::sdk(&error.text) {
        mark("written by an SDK", sdk.name(), "");
    }
    if wording::circumstance::is_of_circumstance(&error.text) {
        mark("about a circumstance", "circumstance", "");
    }
    let blank = context.echo().blank(&error.text).replace(char::from(FILL), "\u{2591}");
    if blank != error.text {
        mark("without the caller's words", "", &blank);
    }
    for sign in context.with_asked(|asked| hint::signs(error.message(), asked)) {
        mark("hint sign", sign, hint::sign_source(sign).unwrap_or_default());
    }
    let parameters = context.tool.into_iter().flat_map(|tool| tool.parameters().map(|(name, _)| name));
    for name in parameters.filter(|name| error.texts().any(|text| mention::names_parameter(text, name))) {
        mark("names the parameter", name, "");
    }
    let sent = context.exchange.call.arguments.as_object();
    for (name, value) in sent.into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let expected = ExpectedValue::Text(value.clone());
        if error.texts().any(|text| mention::mentions(text, &expected, &context.head.folders)) {
            mark("names the value of", name, &value);
        }
    }
    if wording::vague::is_vague(error.message(), context.exchange.tool()) {
        mark("says nothing specific", "words.toml", "");
    }
    let read =
        second_reader::read(error.message(), &context.exchange.call, context.tool, &context.head.folders);
    for question in Question::ALL {
        let passages = read.explain(question, PASSAGES);
        let shown = passages.iter().filter_map(|passage| {
            let words = error.message().get(passage.span.clone())?;
            Some(format!("{words:?} {:+.1}", passage.weight))
        });
        let shown = shown.collect::<Vec<_>>().join(", ");
        mark("model", question.name(), &format!("{:.2}: {shown}", read.probability(question)));
    }
    marks
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::condition::CaseId;
    use crate::sample;

    fn explained(text: &str, case: &str) -> Option<Why> {
        let mut exchange = sample::refusal(text, &json!({"path": "a.txt"}));
        exchange.place.case = Some(CaseId("read/missing".to_owned()));
        let transcript = Transcript::of(sample::head(), Vec::new(), vec![exchange]);
        why(&transcript, &sample::contract(), crate::rules::all(), case)
    }

    fn verdict(why: &Why, rule: &str) -> Verdict {
        let verdicts = &why.exchanges[0].verdicts;
        verdicts.iter().find(|(id, _)| *id == rule).expect("every rule has a verdict").1.clone()
    }

    #[test]
    fn every_rule_has_a_verdict_and_a_finding_leads_to_its_pattern() {
        let why =
            explained("[IO_ERROR] thread 'main' panicked at src/main.rs:4:5: boom", "read/missing").unwrap();
        assert_eq!(why.exchanges[0].verdicts.len(), crate::rules::all().len());
        assert!(matches!(verdict(&why, "leak/panic"), Verdict::Finding { .. }));
        assert_eq!(verdict(&why, "message/valid-values-missing"), Verdict::Withheld(Reason::NoControl));
        let patterns: Vec<_> =
            why.exchanges[0].reading.iter().filter(|mark| mark.kind == "leak pattern").collect();
        assert!(
            patterns[0].id.starts_with("leak/panic: ") && patterns[0].words.contains("panicked"),
            "{patterns:?}"
        );
    }

    #[test]
    fn a_case_that_the_run_has_not_is_none() {
        assert!(explained("[IO_ERROR] no", "read/other").is_none());
    }
}
