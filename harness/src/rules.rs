//! What may be wrong with a reply: one rule a file, each a pure function.
//!
//! The main type is [`Rule`]. A rule sees one exchange as a [`Scene`], or the whole run as a [`Panorama`]; it knows no
//! clock, no disk and no other rule.

use crate::catalog::Tool;
use crate::contract::Contract;
use crate::contract::ErrorReply;
use crate::exchange::{Exchange, Expected, ExpectedFailure};
use crate::finding::{Breach, Level};
use crate::transcript::{Head, Transcript};

/// A rule.
pub struct Rule {
    /// Its id: group and fault, as `leak/panic`. Also the file's path.
    pub id: &'static str,
    /// When it may be judged.
    pub tier: Tier,
    /// Its level where the check does not say another.
    pub level: Level,
    /// The requirements or specification sentences behind it; a finding names the first where the check names none.
    pub requirements: &'static [&'static str],
    /// One sentence: when it fires.
    pub summary: &'static str,
    /// Its page, in Markdown: why it matters, what counts, what does not.
    pub page: &'static str,
    /// The check.
    pub check: Check,
    /// A reply that breaks it.
    pub bad: Example,
    /// A reply to the same call that does not.
    pub good: Example,
}

/// When a rule may be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// On every reply.
    Ungated,
    /// Only where a control succeeded that differs in the fault alone.
    Gated,
    /// Where a control succeeded at its own level, elsewhere at Should.
    Softened,
    /// Over all exchanges of a run.
    Run,
}

/// A rule's check.
#[derive(Clone, Copy)]
pub enum Check {
    /// Over one exchange.
    Exchange(fn(&Scene<'_>) -> Vec<Breach>),
    /// Over the run; each breach with the index of the exchange that shows it.
    Run(fn(&Panorama<'_>) -> Vec<(usize, Breach)>),
}

/// An exchange that shows a rule, for its page and its test.
pub struct Example {
    /// What was called, as JSON: `{"tool", "arguments"}`; empty object for none.
    pub call: &'static str,
    /// The reply's line as it came, or empty where none came.
    pub reply: &'static str,
    /// What must hold, as JSON of [`Expected`]; `"anything"` where nothing is known.
    pub expected: &'static str,
}

/// One exchange with everything that a rule may read.
pub struct Scene<'a> {
    /// What is known of the run.
    pub head: &'a Head,
    /// The contract that is judged.
    pub contract: &'a Contract,
    /// The contract is promised by the server: by flag, by configuration, or because its codes are used.
    pub declared: bool,
    /// The exchange.
    pub exchange: &'a Exchange,
    /// The error in the reply, if it is one.
    pub error: Option<&'a ErrorReply>,
    /// The tool that was called, as the server lists it.
    pub tool: Option<&'a Tool>,
    /// The control, where there is one.
    pub control: Control<'a>,
    /// The exchange whose hint this one follows.
    pub follows: Option<&'a Exchange>,
}

/// What became of the control of an exchange.
#[derive(Debug, Clone, Copy)]
pub enum Control<'a> {
    /// It succeeded: a verdict on the fault is fair.
    Succeeded(&'a Exchange),
    /// It was refused or unanswered: what a fault would change cannot be known.
    Failed(&'a Exchange),
    /// There is none.
    None,
}

/// All exchanges of a run with everything that a rule may read.
pub struct Panorama<'a> {
    /// The run.
    pub transcript: &'a Transcript,
    /// The contract that is judged.
    pub contract: &'a Contract,
    /// See [`Scene::declared`].
    pub declared: bool,
    /// The error of each exchange, by index.
    pub errors: &'a [Option<ErrorReply>],
}

impl<'a> Scene<'a> {
    /// What must hold of the error, where the call must fail.
    pub fn expected_failure(&self) -> Option<&'a ExpectedFailure> {
        match &self.exchange.place.expected {
            Expected::Failure(failure) => Some(failure),
            _ => None,
        }
    }
}

/// Every rule, in the order in which they are listed.
pub fn all() -> &'static [&'static Rule] {
    &[]
}
