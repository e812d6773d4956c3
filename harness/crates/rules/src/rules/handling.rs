//! How the findings of a rule are gathered, counted, compared and confirmed.
//!
//! The main type is [`Handling`]. `handling.toml` has a default for each group of rules, and the page of a rule gives only
//! what differs. No other code needs to tell rules apart.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::exchange::Step;

/// What the rules of a group have in common, by the name of the group.
pub(super) static GROUPS: LazyLock<BTreeMap<String, toml::Table>> =
    LazyLock::new(|| toml::from_str(include_str!("handling.toml")).expect("a test reads every group"));

/// How the findings of a rule are handled.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Handling {
    /// What the fault does to those who rely on the server.
    pub harm: Harm,
    /// What the finding is about, which decides what findings one change to the server most likely fixes.
    pub subject: Subject,
    /// The requests that the rule judges.
    pub steps: Steps,
    /// Ids of rules whose findings on the same reply are redundant.
    pub silences: Vec<String>,
    /// Whether a reply that breaks the rule counts as not telling how to fix the call, whatever else it says.
    pub(crate) denies_hint: bool,
    /// Whether the server passes on a text that its runtime wrote: one change gives all such texts what they lack.
    pub(crate) of_runtime: bool,
    /// When the call is sent again with another value, because the finding may be the caller's own word.
    pub(crate) recheck: Recheck,
    /// Which part of a finding may be a value from an earlier call.
    pub retold: Retold,
    /// What distinguishes two findings of the rule and tool in a campaign.
    pub distinction: Distinction,
    /// What causes a finding if several calls are in flight.
    pub attribution: Attribution,
    /// What must be known about a drawn call, besides its control, for a rule that needs one.
    pub(crate) premise: Premise,
    /// How a single reply shows that the fault is fixed.
    pub fixed: FixCheck,
}

/// What a fault does to those who rely on the server, the worst first. Findings are reported in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Harm {
    /// A call reads or writes outside the folder within which the server must stay.
    Escape,
    /// A reply contains a secret.
    Secret,
    /// A refused call changed or destroyed files.
    DataLoss,
    /// The server ends, hangs, or no longer answers.
    Outage,
    /// A failure is reported as a success, or a wrong call is carried out.
    FalseSuccess,
    /// A program reads a wrong code, or a form that breaks the protocol or the contract.
    WrongForm,
    /// The reply shows internals of the server.
    Leak,
    /// The words do not help whoever reads them.
    Wording,
    /// The server does not do what it has not promised either.
    Unpromised,
    /// A text waits to be accepted.
    Review,
    /// There is nothing that must be changed.
    Remark,
}

/// What the findings of a rule may have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// The message: the same words apart from values come from one place.
    Words,
    /// The message as a whole: what a tool says in ever other words, or several tools in the same, comes from one place.
    Text,
    /// The fault, in whatever words: the same kind of leak, or the same error for the same condition.
    Fault,
    /// The numeric error code.
    Code,
    /// A bug of the server, reported in a runtime's words. Bugs caused by arguments of a wrong type count as
    /// one, because checking arguments fixes them all; any other is located by its words.
    Bug,
    /// How errors are reported in general: the server has one way, or each tool its own.
    Manner,
    /// What a tool does: each tool is a place of its own.
    Tool,
    /// A text that somebody must review: each is a task of its own.
    Review,
}

/// The requests that a rule judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steps {
    /// The requests of the cases.
    Cases,
    /// The requests of the cases, and the calls that a reader made from a message.
    CasesAndRepairs,
    /// Every request that a client may send.
    Every,
    /// The lines that no client may send; no other rule applies to what follows them.
    Malformed,
}

/// When a call is sent again with another value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Recheck {
    /// Never: the rule does not depend on the caller's words.
    Never,
    /// Whenever the rule fires.
    Always,
    /// Unless the missing value is the name of a parameter, which no other value would bring up.
    UnlessName,
}

/// Which part of a finding may be a value from an earlier call that the server repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Retold {
    /// Nothing.
    Nothing,
    /// A passage too long to be a coincidence, or a whole quoted value.
    Passage,
    /// Such a passage or value, or a quoted word that campaigns send as a name, such as `undefined`.
    Name,
    /// A single character: campaigns send such characters all the time, and one of the server's own shows
    /// whenever its call is sent alone.
    Character,
}

/// What distinguishes two findings of one rule and one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distinction {
    /// The server's own words in the reply.
    Words,
    /// The condition under which the call must fail: the text of a success says nothing about the fault.
    Condition,
    /// How the process ended.
    Exit,
    /// Nothing: the words of stray lines, or a missing reply, say nothing about the fault.
    Nothing,
}

/// What causes a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attribution {
    /// The call whose reply shows it.
    Call,
    /// Unknown: the finding is about lines that answer no call.
    Stray,
    /// Anything earlier in the process: it may show differently each time.
    Process,
}

/// What must be known about a drawn call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Premise {
    /// Which of its values is wrong.
    Value,
    /// That it must fail.
    Failure,
    /// Nothing: the reply alone is enough.
    Nothing,
}

/// How a single reply shows that the fault is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FixCheck {
    /// The marked part is missing from its text, whatever else changed.
    MarkGone,
    /// Its text is different.
    TextChanged,
    /// It is an error.
    Refused,
    /// It cannot: the finding depends on more than one reply's text.
    None,
}

impl Handling {
    /// The default, also for unknown rules.
    pub(super) const PLAIN: Self = Self {
        harm: Harm::Wording,
        subject: Subject::Fault,
        steps: Steps::Cases,
        silences: Vec::new(),
        denies_hint: false,
        of_runtime: false,
        recheck: Recheck::Never,
        retold: Retold::Nothing,
        distinction: Distinction::Words,
        attribution: Attribution::Call,
        premise: Premise::Value,
        fixed: FixCheck::None,
    };

    /// The handling of a rule of this group, with the keys that its page sets.
    pub(super) fn of(group: &str, own: toml::Table) -> Result<Self, toml::de::Error> {
        let mut all = GROUPS.get(group).cloned().unwrap_or_default();
        all.extend(own);
        all.try_into()
    }
}

impl Default for Handling {
    fn default() -> Self {
        Self::PLAIN
    }
}

impl Steps {
    /// Whether requests at this step are among them.
    pub fn contain(self, step: Step) -> bool {
        match self {
            Self::Malformed => step == Step::Malformed,
            Self::Every => step != Step::Malformed,
            Self::Cases => step != Step::Malformed && !step.is_beside(),
            Self::CasesAndRepairs => step == Step::Mend || Self::Cases.contain(step),
        }
    }
}
