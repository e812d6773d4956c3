//! Known ways to get error replies wrong, each behind a name.
//!
//! The main type is [`Defect`]. A defect steps in at one of few places in a call's way; the tools themselves know
//! nothing of it. It breaks what it declares and stays a good citizen in everything else.

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

use serde::Deserialize;
use serde_json::Value;

use crate::contract::{Contract, Reply};
use crate::failure::{Code, Failure};
use crate::features::{About, FeatureError};
use crate::tools::{Call, Outcome, Session};

/// One way to get it wrong.
#[derive(Debug)]
pub struct Defect {
    /// The rule that it breaks, and a variant where there are several: `leak/runtime-error/go`.
    pub name: String,
    /// What it does, in one sentence.
    pub summary: String,
    /// The rules that it breaks, the cases and the contracts in which it does.
    pub breaks: Vec<Breaks>,
    pub(crate) fault: Fault,
}

/// A rule and the cases that show it broken.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breaks {
    /// The contracts in which they do; all if the file leaves `contracts` out. A defect is meant for those that one of its rules
    /// names, and for no other.
    #[serde(default = "all_contracts")]
    pub contracts: Vec<Contract>,
    /// The rule's id.
    pub rule: String,
    /// Selectors, each of which selects a case at least; none for what shows outside cases.
    ///
    /// A selector tells the cases by what such a case says of itself, so that one more case needs no word here. It is a text
    /// of words with a blank between them, all of which hold of each case that it selects:
    /// - a word with `=` is a key of the case's file and what stands there, `call.role=read`. What stands in a list stands
    ///   at the list's own key;
    /// - a word with `/` is the case's id, `probe/<tool>/<parameter>/<change>` for those that a harness makes from the
    ///   tools' own schemas;
    /// - any other word is the condition that the case brings about, `path-not-found`, and behind `!` one that it does not.
    ///   A case that must succeed brings about none, so `*` stands for every case of a tool that must fail, and `!*` for
    ///   the cases that need not.
    ///
    /// Ids, conditions and what stands in files are globs; in an id `*` stops at `/`. A selector behind `^` selects the
    /// first case of a run alone: one that stands for all replies that were compared. A list selects what any of its
    /// selectors does.
    pub cases: Vec<String>,
}

fn all_contracts() -> Vec<Contract> {
    Contract::ALL.to_vec()
}

/// A file of defects, `defects/GROUP.toml`: what each is called, does and breaks. Where it steps in stands in `GROUP.rs`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declarations {
    defect: Vec<Declaration>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declaration {
    name: String,
    summary: String,
    breaks: Vec<Breaks>,
    fault: Option<Given>,
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
    /// Wherever it says.
    Given(&'static Given),
    /// Before the tool runs, and on the way out of every line.
    CallAndLine(fn(&mut Call), fn(String) -> String),
}

/// A fault that is words, a code or a value alone, and stands beside its declaration.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Given {
    /// The failure has this hint in place of its own.
    Hint { of: Code, text: String },
    /// The failure has this behind its reason.
    BehindReason { of: Code, text: String },
    /// The failure has this code.
    Code { of: Code, code: Code },
    /// The member of the problem has this value.
    Member { of: Code, name: String, value: Value },
    /// The refusal of a request for a resource or a prompt says this.
    Message { about: About, text: String },
    /// In refusals with these words something else stands in place of some text.
    Replaced { refusal: String, from: String, to: String },
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

/// The groups: their declarations, and where each of their defects steps in.
const GROUPS: &[(&str, &[(&str, Fault)])] = &[
    (include_str!("defects/channel.toml"), channel::FAULTS),
    (include_str!("defects/code.toml"), code::FAULTS),
    (include_str!("defects/message.toml"), message::FAULTS),
    (include_str!("defects/leak.toml"), leak::FAULTS),
    (include_str!("defects/inside.toml"), inside::FAULTS),
    (include_str!("defects/surplus.toml"), surplus::FAULTS),
    (include_str!("defects/edits.toml"), edits::FAULTS),
    (include_str!("defects/problem.toml"), problem::FAULTS),
    (include_str!("defects/envelope.toml"), envelope::FAULTS),
    (include_str!("defects/upstream.toml"), upstream::FAULTS),
    (include_str!("defects/effect.toml"), effect::FAULTS),
    (include_str!("defects/shell.toml"), shell::FAULTS),
    (include_str!("defects/wire.toml"), wire::FAULTS),
    (include_str!("defects/stateless.toml"), stateless::FAULTS),
    (include_str!("defects/liveness.toml"), liveness::FAULTS),
    (include_str!("defects/features.toml"), features::FAULTS),
    (include_str!("defects/snapshot.toml"), snapshot::FAULTS),
];

static ALL: LazyLock<Vec<Defect>> = LazyLock::new(|| {
    let of_group = |(text, faults): &(&str, &[(&str, Fault)])| {
        let declared: Declarations = toml::from_str(text).expect("what is embedded was tested");
        let defect = |Declaration { name, summary, breaks, fault }| {
            let of_code = faults.iter().find(|(of, _)| *of == name).map(|(_, fault)| *fault);
            let given = fault.map(|given| Fault::Given(Box::leak(Box::new(given))));
            let fault = given.or(of_code).expect("what is declared was tested");
            Defect { name, summary, breaks, fault }
        };
        declared.defect.into_iter().map(defect).collect::<Vec<_>>()
    };
    GROUPS.iter().flat_map(of_group).collect()
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

impl Defect {
    /// What it breaks where the server keeps this contract; nothing where it is not meant for it.
    pub fn breaks_in(&self, contract: Contract) -> impl Iterator<Item = &Breaks> {
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
            Fault::Given(Given::Hint { of, text }) if *of == kind => {
                failure.hint = Some(text.as_str().into());
            }
            Fault::Given(Given::Code { of, code }) if *of == kind => failure.code = *code,
            Fault::Given(Given::BehindReason { of, text }) if *of == kind => failure.add_reason(text),
            Fault::Reason(code, reason) if code == kind => {
                if let Some(reason) = reason(&failure.about, call, session) {
                    failure.reason = Some(reason.into());
                }
            }
            Fault::BehindReason(code, more) if code == kind => failure.add_reason(&more(&failure)),
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
            (Fault::Given(Given::Member { of, name, value }), Some(failure))
                if failure.code.kind() == *of =>
            {
                problem::with(reply, name, value.clone())
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
            Fault::Given(Given::Message { about, text }) if *about == error.about => {
                error.message.clone_from(text);
            }
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
            Self::Given(Given::Replaced { refusal, from, to }) if is_refusal(&line, refusal) => {
                line.replacen(from, to, 1).into()
            }
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
            let Defect { name, summary, breaks, .. } = defect;
            assert!(names.insert(name), "{name} twice");
            let rule = breaks.first().map_or("", |breaks| &breaks.rule);
            let variant = name.strip_prefix(rule);
            assert!(variant.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')), "{name}");
            assert_eq!(rule.split('/').count(), 2, "{rule}");
            let shows_in_cases = breaks.iter().all(|breaks| !breaks.cases.is_empty());
            assert!(shows_in_cases || rule == "liveness/memory-growth", "{name}");
            assert!(summary.ends_with('.'), "{name}");
        }
        let in_code = GROUPS.iter().flat_map(|(_, faults)| faults.iter().map(|(name, _)| *name));
        let declared = defects().iter().filter(|defect| !matches!(defect.fault, Fault::Given(_)));
        assert!(in_code.eq(declared.map(|defect| &defect.name)));
    }

    #[test]
    fn every_rule_has_in_each_contract_a_defect_that_breaks_it_alone() {
        for contract in Contract::ALL {
            let broken = |defect: &'static Defect| -> HashSet<_> {
                defect.breaks_in(*contract).map(|breaks| &breaks.rule).collect()
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
