//! Known ways to get error replies wrong, each behind a name.
//!
//! The main type is [`Defect`]. A defect steps in at one of few places in a call's way; the tools themselves know
//! nothing of it. It breaks what it declares and stays a good citizen in everything else.

mod cases;
mod channel;
mod code;
mod edits;
mod effect;
mod envelope;
mod features;
mod inside;
mod leak;
mod liveness;
mod message;
mod panics;
mod problem;
mod shell;
mod snapshot;
mod stateless;
mod surplus;
mod upstream;
mod wire;

use std::sync::LazyLock;

use serde_json::Value;

use crate::contract::{Contract, Reply};
use crate::failure::{Code, Failure};
use crate::features::{About, FeatureError};
use crate::tools::{Call, Outcome, Session};

/// One way to get it wrong.
#[derive(Debug, Clone)]
pub struct Defect {
    /// The rule that it breaks, and a variant where there are several: `leak/runtime-error/go`.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The rules that it breaks, the cases and the contracts in which it does.
    pub breaks: &'static [Breaks],
    pub(crate) fault: Fault,
}

/// A rule and the cases that show it broken.
#[derive(Debug)]
pub struct Breaks {
    /// The contracts in which they do. A defect is meant for those that one of its rules names, and for no other.
    pub contracts: &'static [Contract],
    /// The rule's id.
    pub rule: &'static str,
    /// Selectors, each of which selects a case at least; none for what shows outside cases. Their form is told in `cases`.
    pub cases: &'static [&'static str],
}

/// Where a defect steps in. A change of a failure or of a reply to one is for failures of one kind, where a [`Code`] stands
/// before it; a change of a line is for lines with certain words, where these stand before it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    /// Before the tool runs: it gets other arguments or other bounds.
    Call(fn(&mut Call, &mut Session)),
    /// The tool is not run, where this gives a failure.
    Refuse(fn(&Call) -> Option<Failure>),
    /// Between the tool and the contract.
    Outcome(fn(&Call, Outcome, &Session) -> Outcome),
    /// Between the tool and the contract, on failures.
    Failure(fn(&mut Failure, &Call, &Session)),
    FailureOf(Code, fn(&mut Failure, &Call, &Session)),
    /// The failure has this hint in place of its own.
    Hint(Code, &'static str),
    /// The failure has a reason, if there is one, that is made from the value which it is about.
    Reason(Code, fn(&str, &Call, &Session) -> Option<String>),
    /// The failure has something more behind its reason.
    BehindReason(Code, fn(&Failure) -> String),
    /// The failure is taken for a success with this text.
    Accept(Code, fn(&Call) -> String),
    /// After the contract: the failure, if there was one, and the reply it became.
    Reply(fn(&Call, Option<&Failure>, Reply) -> Reply),
    ReplyTo(Code, fn(&Call, &Failure, Reply) -> Reply),
    /// In place of the answer to an unknown tool.
    UnknownTool(fn(&str, Contract) -> Reply),
    /// In place of the refusal of a request for a resource or a prompt: another one.
    Feature(About, fn(&mut FeatureError)),
    /// In place of such a refusal: a text as if nothing were wrong.
    FeatureText(About, fn(&FeatureError) -> String),
    /// Once the client has taken a request back: nothing is read any more.
    Cancelled,
    /// Once the client has taken a request back: these answers go out for it, beside its own.
    CancelledAnswers(fn(&Value) -> Vec<String>),
    /// When a call comes that gives a progress token.
    Progress(Progress),
    /// Where calls have come together, or with a cancellation, before one of them was answered.
    Together(Together),
    /// On the way out.
    Line(fn(String) -> Sent),
    LineWith(&'static str, fn(String) -> Sent),
    /// On the way out of error replies with these words.
    Refusal(&'static str, fn(String) -> Sent),
    /// On the way out to a client without a handshake.
    Stateless(&'static Fault),
    /// Before the tool runs, and on the way out of every line.
    CallAndLine(fn(&mut Call), fn(String) -> String),
}

/// What is wrong with the progress that is reported of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The second notification has less than the first.
    Backward,
    /// It comes after the reply, when the next request does.
    Late,
}

/// What becomes of calls that have come together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Together {
    /// None is ever answered.
    Deadlock,
    /// Each two get each other's replies.
    Swap,
    /// The last one alone is run, and the others fail.
    Fail(fn() -> Failure),
    /// All fail from the time on when one came together with its cancellation.
    FailOnceCancelled(fn() -> Failure),
}

/// What goes out in place of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Lines(Vec<String>),
    /// Nothing, and the server ends.
    Crash,
    /// Nothing, now or ever, and the server lives on.
    Hang,
}

impl From<String> for Sent {
    fn from(line: String) -> Self {
        Self::Lines(vec![line])
    }
}

static ALL: LazyLock<Vec<Defect>> = LazyLock::new(|| {
    [
        channel::DEFECTS,
        code::DEFECTS,
        message::DEFECTS,
        leak::DEFECTS,
        inside::DEFECTS,
        surplus::DEFECTS,
        edits::DEFECTS,
        problem::DEFECTS,
        envelope::DEFECTS,
        upstream::DEFECTS,
        effect::DEFECTS,
        shell::DEFECTS,
        wire::DEFECTS,
        stateless::DEFECTS,
        liveness::DEFECTS,
        features::DEFECTS,
        snapshot::DEFECTS,
    ]
    .concat()
});

/// All defects, in the order of their rules.
pub fn defects() -> &'static [Defect] {
    &ALL
}

/// The defect of that name.
pub fn find_defect(name: &str) -> Option<&'static Defect> {
    defects().iter().find(|defect| defect.name == name)
}

/// Whether the line is an error reply with these words.
fn is_refusal(line: &str, words: &str) -> bool {
    line.contains("\"isError\":true") && line.contains(words)
}

/// The line with its message changed; as it was, where the change finds nothing to do.
fn with_message(line: String, change: impl FnOnce(&mut Value) -> Option<()>) -> String {
    let Ok(mut message) = serde_json::from_str(&line) else { return line };
    match change(&mut message) {
        Some(()) => message.to_string(),
        None => line,
    }
}

/// In the default contract alone: one of several ways to break the rule.
const fn breaks(rule: &'static str, cases: &'static [&'static str]) -> Breaks {
    within(&[Contract::BracketCode], rule, cases)
}

/// In every contract, in the same cases.
const fn everywhere(rule: &'static str, cases: &'static [&'static str]) -> Breaks {
    within(Contract::ALL, rule, cases)
}

/// In these contracts.
const fn within(
    contracts: &'static [Contract],
    rule: &'static str,
    cases: &'static [&'static str],
) -> Breaks {
    Breaks { contracts, rule, cases }
}

impl Defect {
    /// What it breaks where the server keeps this contract; nothing where it is not meant for it.
    pub fn breaks_in(&self, contract: Contract) -> impl Iterator<Item = &'static Breaks> {
        self.breaks.iter().filter(move |breaks| breaks.contracts.contains(&contract))
    }

    /// Whether it shows only to a client without a handshake.
    pub fn is_stateless(&self) -> bool {
        matches!(self.fault, Fault::Stateless(_))
    }

    pub(crate) fn before_call(&self, call: &mut Call, session: &mut Session) -> Result<(), Failure> {
        match self.fault {
            Fault::Call(change) => change(call, session),
            Fault::CallAndLine(change, _) => change(call),
            Fault::Refuse(refuse) => return refuse(call).map_or(Ok(()), Err),
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn after_call(&self, call: &Call, outcome: Outcome, session: &Session) -> Outcome {
        let mut failure = match (self.fault, outcome) {
            (Fault::Outcome(change), outcome) => return change(call, outcome, session),
            (_, Ok(success)) => return Ok(success),
            (_, Err(failure)) => failure,
        };
        let kind = failure.code.kind();
        match self.fault {
            Fault::Failure(change) => change(&mut failure, call, session),
            Fault::FailureOf(code, change) if code == kind => change(&mut failure, call, session),
            Fault::Hint(code, hint) if code == kind => failure.hint = Some(hint.into()),
            Fault::Reason(code, reason) if code == kind => {
                if let Some(reason) = reason(&failure.about, call, session) {
                    failure.reason = Some(reason.into());
                }
            }
            Fault::BehindReason(code, more) if code == kind => {
                let more = more(&failure);
                failure.reason = Some(match failure.reason {
                    Some(reason) => format!("{reason}; {more}").into(),
                    None => more.into(),
                });
            }
            Fault::Accept(code, text) if code == kind => return Ok(text(call).into()),
            _ => {}
        }
        Err(failure)
    }

    pub(crate) fn after_rendering(&self, call: &Call, failure: Option<&Failure>, reply: Reply) -> Reply {
        match (self.fault, failure) {
            (Fault::Reply(change), _) => change(call, failure, reply),
            (Fault::ReplyTo(code, change), Some(failure)) if failure.code.kind() == code => {
                change(call, failure, reply)
            }
            _ => reply,
        }
    }

    pub(crate) fn unknown_tool(&self, name: &str, contract: Contract) -> Option<Reply> {
        match self.fault {
            Fault::UnknownTool(answer) => Some(answer(name, contract)),
            _ => None,
        }
    }

    pub(crate) fn on_feature(&self, mut error: FeatureError) -> Result<String, FeatureError> {
        match self.fault {
            Fault::Feature(about, change) if about == error.about => change(&mut error),
            Fault::FeatureText(about, text) if about == error.about => return Ok(text(&error)),
            _ => {}
        }
        Err(error)
    }

    pub(crate) fn stops_at_a_cancelled_request(&self) -> bool {
        matches!(self.fault, Fault::Cancelled)
    }

    /// What else is answered where this request was taken back.
    pub(crate) fn on_cancelled(&self, id: &Value) -> Vec<String> {
        match self.fault {
            Fault::CancelledAnswers(answers) => answers(id),
            _ => Vec::new(),
        }
    }

    /// What is wrong with the progress that is reported.
    pub(crate) fn on_progress(&self) -> Option<Progress> {
        match self.fault {
            Fault::Progress(progress) => Some(progress),
            _ => None,
        }
    }

    /// What becomes of calls that have come together.
    pub(crate) fn on_calls_together(&self) -> Option<Together> {
        match self.fault {
            Fault::Together(together) => Some(together),
            _ => None,
        }
    }

    pub(crate) fn on_line(&self, line: String) -> Sent {
        self.fault.on_line(line)
    }
}

impl Fault {
    fn on_line(&self, line: String) -> Sent {
        match self {
            Self::Line(change) => change(line),
            Self::LineWith(words, change) if line.contains(words) => change(line),
            Self::Refusal(words, change) if is_refusal(&line, words) => change(line),
            Self::Stateless(fault) => fault.on_line(line),
            Self::CallAndLine(_, change) => change(line).into(),
            _ => line.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_is_unique_and_begins_with_the_first_rule_that_it_breaks() {
        let mut names = HashSet::new();
        for defect in defects() {
            assert!(names.insert(defect.name), "{} twice", defect.name);
            let rule = defect.breaks.first().map_or("", |breaks| breaks.rule);
            let variant = defect.name.strip_prefix(rule);
            assert!(variant.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')), "{}", defect.name);
            assert_eq!(rule.split('/').count(), 2, "{rule}");
            let shows_in_cases = defect.breaks.iter().all(|breaks| !breaks.cases.is_empty());
            assert!(shows_in_cases || rule == "liveness/memory-growth", "{}", defect.name);
            assert!(defect.summary.ends_with('.'), "{}", defect.name);
        }
    }

    #[test]
    fn every_rule_has_in_each_contract_a_defect_that_breaks_it_alone() {
        for contract in Contract::ALL {
            let broken = |defect: &Defect| -> HashSet<_> {
                defect.breaks_in(*contract).map(|breaks| breaks.rule).collect()
            };
            let sets: Vec<_> = defects().iter().map(broken).collect();
            let alone: HashSet<_> = sets.iter().filter(|set| set.len() == 1).flatten().collect();
            for rule in sets.iter().flatten() {
                assert!(alone.contains(rule), "{rule} in {}", contract.id());
            }
        }
    }

    #[test]
    fn a_defect_is_found_by_its_whole_name_alone() {
        assert!(find_defect("leak/runtime-error/go").is_some());
        assert!(find_defect("leak/runtime-error").is_none());
    }
}
