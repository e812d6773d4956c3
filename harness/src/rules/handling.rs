//! How the findings of a rule are dealt with by those who gather, count, compare and confirm them.
//!
//! The main type is [`Handling`]. Each group of rules has its own, and a rule that differs from its group says in what.
//! Nobody else needs to know which rule is which.

use crate::exchange::Step;

/// What is asked of a rule beyond its verdict.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Handling {
    /// What a finding is about, and so which findings one change to the server most likely fixes.
    pub(crate) subject: Subject,
    /// The requests of a run of which the rule speaks.
    pub(crate) steps: Steps,
    /// Ids of the rules that say nothing new of a reply of which this one speaks.
    pub(crate) silences: &'static [&'static str],
    /// A reply that breaks the rule does not tell its caller how to fix the call, whatever else stands in it.
    pub(crate) denies_hint: bool,
    /// When the call is worth sending once more with another value, since what is found may be the caller's own word.
    pub(crate) recheck: Recheck,
    /// What of a finding can be a value that an earlier call gave.
    pub(crate) retold: Retold,
    /// What tells two findings of the rule and one tool apart, where calls are drawn by the thousand.
    pub(crate) distinction: Distinction,
    /// Who brings a finding about, where several calls are in flight.
    pub(crate) attribution: Attribution,
    /// What must be known of a call that was drawn, beside the control, for a rule that needs one.
    pub(crate) premise: Premise,
    /// How a single reply shows that the fault is gone.
    pub(crate) fixed: FixCheck,
}

/// What the findings of a rule can have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// What the message tells the caller: the same wording, apart from the values, come from one place.
    Words,
    /// What is wrong, in whatever words: the same kind of leak, the same error for the same condition.
    Fault,
    /// What is wrong, as a number says it.
    Code,
    /// A fault of the server's own, told in a runtime's words. Those that arguments of a wrong type bring about are one,
    /// since checking the arguments ends them all; any other is where its words come from.
    Bug,
    /// How errors are reported at all: the server has one way, or each tool its own.
    Manner,
    /// What a tool does: each is a place of its own.
    Tool,
    /// A text that somebody has to read: each is one thing to do.
    Review,
}

/// The requests of which a rule speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Steps {
    /// The requests of the cases.
    Cases,
    /// The requests of the cases, and the calls that a reader made of a message.
    CasesAndMends,
    /// Every request that a client may send.
    Every,
    /// The lines that no client may send: no other rule applies to what follows them.
    Malformed,
}

/// When a call is sent once more with another value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recheck {
    /// Never: the caller's words are not what the rule goes by.
    Never,
    /// Whenever it fires.
    Always,
    /// Unless what is missing is the name of a parameter: no other value of it would bring that forth.
    UnlessName,
}

/// What of a finding can be a value that an earlier call gave, and that the server tells again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retold {
    /// Nothing.
    Nothing,
    /// A passage that is long enough to be no accident, or a whole value in quotation marks.
    Passage,
    /// Such a passage or value, or a word in quotation marks that campaigns send as a name, such as `undefined`.
    Name,
    /// A single character: campaigns send such ones all the time, and one that a server has of its own shows whenever its
    /// call is sent alone.
    Character,
}

/// What tells two findings of one rule and one tool apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Distinction {
    /// The words of the reply that are the server's own.
    Words,
    /// The condition under which the call must fail: which success came back says nothing of what was wrong with it.
    Condition,
    /// How the process ended.
    Exit,
    /// Nothing: of lines that answer nothing, and of no line at all, the words say nothing of the fault.
    Nothing,
}

/// Who brings a finding about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attribution {
    /// The call in whose reply it shows.
    Call,
    /// Unknown: the finding is about lines that answer no call.
    Stray,
    /// Whatever came before in the process: it may show in another way each time.
    Process,
}

/// What must be known of a call that was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Premise {
    /// Which value of it is wrong.
    Value,
    /// That it must fail.
    Failure,
    /// Nothing: what the reply says of itself is enough.
    Nothing,
}

/// How a single reply shows that the fault is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FixCheck {
    /// What is marked in its text is not there, whatever becomes of the rest.
    MarkGone,
    /// Its text is another one.
    TextChanged,
    /// It is an error.
    Refused,
    /// It does not: more than the text of one reply is looked at.
    None,
}

impl Handling {
    /// The default.
    pub(crate) const PLAIN: Self = Self {
        subject: Subject::Fault,
        steps: Steps::Cases,
        silences: &[],
        denies_hint: false,
        recheck: Recheck::Never,
        retold: Retold::Nothing,
        distinction: Distinction::Words,
        attribution: Attribution::Call,
        premise: Premise::Value,
        fixed: FixCheck::None,
    };
}

impl Steps {
    /// Whether requests at this step are among them.
    pub(crate) fn contain(self, step: Step) -> bool {
        match self {
            Self::Malformed => step == Step::Malformed,
            Self::Every => step != Step::Malformed,
            Self::Cases => step != Step::Malformed && !step.is_beside(),
            Self::CasesAndMends => step == Step::Mend || Self::Cases.contain(step),
        }
    }
}
