//! Known ways to get error replies wrong, each behind a name.
//!
//! The main type is [`Defect`]. A defect steps in at one of few places in a call's way; the tools themselves know
//! nothing of it. It breaks what it declares and stays a good citizen in everything else.

use crate::contract::Reply;
use crate::failure::Failure;
use crate::tools::{Call, Outcome, Session};

/// One way to get it wrong.
#[derive(Debug)]
pub struct Defect {
    /// The rule that it breaks, and a variant where there are several: `leak/runtime-error/go`.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The rules that it breaks and the cases in which it does.
    pub breaks: &'static [Breaks],
    pub(crate) fault: Fault,
}

/// A rule and the cases that show it broken.
#[derive(Debug)]
pub struct Breaks {
    /// The rule's id.
    pub rule: &'static str,
    /// Case ids.
    pub cases: &'static [&'static str],
}

/// Where a defect steps in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    /// Before the tool runs: it gets another call, or other bounds.
    Call(fn(Call, &mut Session) -> Call),
    /// Between the tool and the contract.
    Outcome(fn(&Call, Outcome, &Session) -> Outcome),
    /// After the contract: the failure, if there was one, and the reply it became.
    Reply(fn(&Call, Option<&Failure>, Reply) -> Reply),
    /// In place of the answer to an unknown tool.
    UnknownTool(fn(&str) -> Reply),
    /// On the way out.
    Line(fn(String) -> Sent),
}

/// What goes out in place of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Lines(Vec<String>),
    /// Nothing, now or ever.
    Crash,
}

/// All defects, in the order of their rules.
pub fn defects() -> &'static [Defect] {
    &[]
}

/// The defect of that name.
pub fn find_defect(name: &str) -> Option<&'static Defect> {
    defects().iter().find(|defect| defect.name == name)
}

impl Defect {
    pub(crate) fn before_call(&self, call: Call, session: &Session) -> (Call, Session) {
        let mut session = session.clone();
        let call = match self.fault {
            Fault::Call(change) => change(call, &mut session),
            _ => call,
        };
        (call, session)
    }

    pub(crate) fn after_call(&self, call: &Call, outcome: Outcome, session: &Session) -> Outcome {
        match self.fault {
            Fault::Outcome(change) => change(call, outcome, session),
            _ => outcome,
        }
    }

    pub(crate) fn after_rendering(&self, call: &Call, failure: Option<&Failure>, reply: Reply) -> Reply {
        match self.fault {
            Fault::Reply(change) => change(call, failure, reply),
            _ => reply,
        }
    }

    pub(crate) fn unknown_tool(&self, name: &str) -> Option<Reply> {
        match self.fault {
            Fault::UnknownTool(answer) => Some(answer(name)),
            _ => None,
        }
    }

    pub(crate) fn on_line(&self, line: String) -> Sent {
        match self.fault {
            Fault::Line(change) => change(line),
            _ => Sent::Lines(vec![line]),
        }
    }
}
