//! What a rule says of an exchange: the passes that every finding goes through, each with the reason for which it withholds one.
//!
//! The main types are [`Verdict`] and [`Reason`], the one list of reasons also for cases that are not judged. First come the passes that need nothing but the exchange ([`may_speak`]), then the
//! rule itself, then the passes that compare what several rules, a twin or the whole run say ([`silencer`], `twins`,
//! `declared_bounds`, the levels of the configuration).

use std::fmt;

use crate::exchange::{EnvironmentEffect, Exchange, Outcome, Step};
use crate::finding::Level;
use crate::rules::handling::Steps;
use crate::rules::{Context, Control, Group, REVISION, Rule, Tier};

use super::RuleHit;

/// What a rule says of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The reply breaks the rule.
    Finding {
        /// The level, after every pass.
        level: Level,
        /// The message of the finding.
        message: String,
    },
    /// The rule was asked and has nothing to say.
    Pass,
    /// Nothing is said, whether or not the reply breaks the rule.
    Withheld(Reason),
}

/// Why nothing is said of a reply, or no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The rule does not judge calls of this kind.
    OtherStep,
    /// The rule judges whole runs, or is switched off by the configuration.
    NotAsked,
    /// The confinement, the lack of storage or the service behind the server explains the reply.
    Environment,
    /// The server's SDK answered before the tool's code ran.
    SdksAnswer,
    /// No call is known that succeeds and differs in the fault alone.
    NoControl,
    /// The control is refused in the same words: they are not about the fault of this call.
    RefusedLikeControl,
    /// A finding of this rule on the same reply says it already.
    SilencedBy(&'static str),
    /// The same call with another value shows that the words are the caller's own.
    ClearedByTwin,
    /// The server lists the folder that was meant to be outside as one of its own.
    WithinDeclaredBounds,
    /// The message is in a language that is not read, and has no hint that is recognised in any.
    Unread,
    /// The control succeeded for the driver, but its reply tells of a failure.
    ControlFailed,
    /// With these words a rule finds fault in another case of the tool and argument.
    SaidElsewhere,
    /// The call was accepted, and nothing promises that it is refused.
    AcceptedAsAllowed,
    /// The reply tells of a command's start, not of its end.
    StartedOnly,
    /// An unknown tool was answered with a tool's error result, for which the contract has no code.
    UnknownToolAnswered,
    /// A call that names no tool was answered with a tool's error result.
    NamelessCallAnswered,
    /// The success denies the same as the control's, in the same words.
    DeniedLikeControl,
    /// Such a request is answered by the SDK itself.
    AnsweredBySdk,
    /// The server's limit on calls was reached.
    RateLimit,
}

impl Reason {
    /// Whether the reason lies in a reply and what is known about its call, and not in the rule.
    pub(super) fn is_of_the_reply(self) -> bool {
        !matches!(self, Self::OtherStep | Self::NotAsked)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finding { level, message } => write!(formatter, "{level}: {message}"),
            Self::Pass => formatter.write_str("nothing found"),
            Self::Withheld(reason) => write!(formatter, "withheld: {reason}"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OtherStep => "the rule does not judge calls of this kind",
            Self::NotAsked => "the rule judges whole runs, or is switched off",
            Self::Environment => {
                "the confinement, the storage or the service behind the server explains the reply"
            }
            Self::SdksAnswer => "the SDK answered before the tool's code ran",
            Self::NoControl => "no call is known that succeeds and differs in the fault alone",
            Self::RefusedLikeControl => "the control is refused in the same words",
            Self::SilencedBy(rule) => return write!(formatter, "`{rule}` says it already"),
            Self::ClearedByTwin => "with another value the reply shows that the words are the caller's",
            Self::WithinDeclaredBounds => {
                "a tool of the server lists the folders that it may touch, and the path is in one of them: it is not outside"
            }
            Self::Unread => {
                "the message is not in English and contains no hint that can be recognised in any language; whether it says \
                how to fix the call was not judged"
            }
            Self::ControlFailed => {
                "the control call also reported a failure, so the error cannot be attributed to this fault"
            }
            Self::SaidElsewhere => {
                "the reply is that of another case, where it is a finding: what it lacks there it may lack here"
            }
            Self::AcceptedAsAllowed => {
                "the call was accepted, which is allowed because the server does not promise to refuse it"
            }
            Self::StartedOnly => "the reply says that the command was started, but not how it ended",
            Self::UnknownToolAnswered => {
                "the unknown tool was answered with a tool's error result, where MCP asks for the JSON-RPC error -32602; the \
                contract has no code for it"
            }
            Self::NamelessCallAnswered => {
                "the call that names no tool was answered with a tool's error result, where MCP asks for the JSON-RPC error \
                -32602"
            }
            Self::DeniedLikeControl => {
                "the reply to the control call denies the same in the same words, so it may have been refused as well"
            }
            Self::AnsweredBySdk => {
                "the server's SDK answers such a request itself; its words and its code are not the server's"
            }
            Self::RateLimit => {
                "the server's rate limit was reached, so the refusal is not about this call"
            }
        })
    }
}

/// The passes before a rule is asked: the highest level that its findings may have.
pub(super) fn may_speak(rule: &Rule, context: &Context<'_>) -> Result<Level, Reason> {
    let controlled = matches!(context.control, Control::Succeeded(_));
    let is_led = context.exchange.place.step == Step::Control && context.follows.is_some();
    if !rule.page().handling.steps.contain(context.exchange.place.step) {
        return Err(Reason::OtherStep);
    }
    if !is_of_the_server(rule, context.exchange) {
        return Err(Reason::Environment);
    }
    if context.is_sdks_answer() && !matches!(rule.group(), Group::Wire | Group::Liveness) {
        return Err(Reason::SdksAnswer);
    }
    // That it has no code, or shows what is inside, is so whatever the refusal is about.
    let is_of_any_error = matches!(rule.group(), Group::Wire | Group::Liveness | Group::Leak | Group::Code);
    if context.is_rationed() && !is_of_any_error {
        return Err(Reason::RateLimit);
    }
    match rule.page().tier {
        // That a message leads wrong the two calls show, whether or not one is known that succeeds.
        Tier::Gated if is_led && rule.page().handling.steps == Steps::CasesAndRepairs => Ok(Level::Must),
        Tier::Gated if !controlled => Err(Reason::NoControl),
        Tier::Softened if !controlled => Ok(Level::Should),
        Tier::Gated | Tier::Softened | Tier::Ungated if is_of_words_alone(rule, context) => Ok(Level::Should),
        // Nothing promised that the call would be refused.
        Tier::Gated | Tier::Softened | Tier::Ungated
            if rule.group() == Group::Message && context.inferred_failure().is_some() =>
        {
            Ok(Level::Should)
        }
        Tier::Ungated | Tier::Gated | Tier::Softened | Tier::Run => Ok(Level::Must),
    }
}

/// Whether a rule judges the wording of a reply, or how an error is reported, to a request that is not a tool
/// call: no contract promises anything about them, and MCP itself does from one version on.
fn is_of_words_alone(rule: &Rule, context: &Context<'_>) -> bool {
    let is_promised = context.head.protocol_version.as_str() >= REVISION;
    let is_one = match rule.group() {
        Group::Message => true,
        Group::Channel => !(is_promised && context.expected_failure().is_some()),
        _ => false,
    };
    context.exchange.tool().is_none() && is_one
}

/// Whether a rule may judge an exchange. A failure caused by the confinement is not the server's wording, but
/// the server must still be alive and keep to the protocol. If the service behind the server failed, the server
/// may also wait and retry.
fn is_of_the_server(rule: &Rule, exchange: &Exchange) -> bool {
    let (is_of_wire, is_of_life) = (rule.group() == Group::Wire, rule.group() == Group::Liveness);
    match &exchange.environment {
        EnvironmentEffect::None | EnvironmentEffect::Confined => true,
        EnvironmentEffect::Denied(_) => is_of_wire || is_of_life,
        EnvironmentEffect::Storage(_) => is_of_wire,
        EnvironmentEffect::Service(_) => {
            is_of_wire || is_of_life && matches!(exchange.outcome, Outcome::Ended(_))
        }
    }
}

/// The rule whose finding on the same exchange says already what another one would. Overlapping leaks were already reduced to
/// one by the search.
pub(super) fn silencer<'h>(
    loser: &Rule,
    hits: impl IntoIterator<Item = &'h RuleHit>,
) -> Option<&'static str> {
    hits.into_iter().find(|winner| winner.rule.silences(loser)).map(|winner| winner.rule.id)
}
