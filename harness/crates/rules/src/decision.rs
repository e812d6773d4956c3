//! What an agent does that has only an error reply: the decision table of `tool-error`, for every contract.
//!
//! The main function is [`decide`], pure and total. It uses the code's recourse, what the reply says about a
//! retry, and the contract's places for waiting times and holders. It knows neither the fault behind the reply
//! nor any verdict.

use std::fmt;
use std::time::Duration;

use crate::contract::{ErrorReply, Recourse};

/// A call is sent again at most this many times.
pub const ATTEMPTS: u32 = 3;

/// What an agent does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It sends the same call again.
    Retry {
        /// How long to wait; `None` for the agent's own back-off.
        after: Option<Duration>,
        /// The maximum number of attempts.
        attempts: u32,
    },
    /// It corrects the input and sends the call once more.
    Mend,
    /// It leaves this resource and tries alternatives.
    Skip,
    /// It asks the holders to give the resource up.
    Negotiate {
        /// The holders' names, as the reply gives them.
        holders: Vec<String>,
    },
    /// It asks its user.
    Escalate,
    /// It notes the error and stops: for the server's own faults, for an undocumented code, and for a text
    /// without a code.
    GiveUp,
}

/// What an agent does that reads this reply.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_errconf_model::contract::{load_builtin, read};
/// use mcp_errconf_rules::decision::{ATTEMPTS, Decision, decide};
/// # use mcp_errconf_model::exchange::{Exchange, Outcome};
/// # fn exchange(text: &str) -> Exchange {
/// #     let result = serde_json::json!({"content": [{"type": "text", "text": text}], "isError": true});
/// #     Exchange::alone(Some("fetch"), serde_json::json!({}), Outcome::Result(result))
/// # }
///
/// let contract = load_builtin("tool-error")?.expect("it is built in");
/// let decision = |text: &str| decide(&read(&contract, &exchange(text)).expect("it is an error"));
///
/// let limited = r#"{"type": "TRANSIENT", "message": "rate limited", "recoverable": true, "data": {"retry_after": 30}}"#;
/// let wait = Some(Duration::from_secs(30));
/// assert_eq!(decision(limited), Decision::Retry { after: wait, attempts: ATTEMPTS });
///
/// let held = r#"{"type": "CONFLICT", "message": "held", "recoverable": true,
///     "data": {"conflicts": [{"agent_id": "agent-2", "pattern": "src/*.go", "held_by": "agent-2"}]}}"#;
/// assert_eq!(decision(held), Decision::Negotiate { holders: vec!["agent-2".into()] });
///
/// assert_eq!(decision("check conflicts: intermute 500: internal error"), Decision::GiveUp);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decide(error: &ErrorReply) -> Decision {
    let retry = Decision::Retry { after: error.retry_after, attempts: ATTEMPTS };
    match error.recourse {
        Some(Recourse::Retry) => retry,
        Some(Recourse::Mend) => Decision::Mend,
        Some(Recourse::Skip) => Decision::Skip,
        Some(Recourse::Negotiate) if error.holders.is_empty() => retry,
        Some(Recourse::Negotiate) => Decision::Negotiate { holders: error.holders.clone() },
        Some(Recourse::Escalate) => Decision::Escalate,
        Some(Recourse::GiveUp) | None => Decision::GiveUp,
    }
}

impl Decision {
    /// The kind of decision, without its details.
    pub fn recourse(&self) -> Recourse {
        match self {
            Self::Retry { .. } => Recourse::Retry,
            Self::Mend => Recourse::Mend,
            Self::Skip => Recourse::Skip,
            Self::Negotiate { .. } => Recourse::Negotiate,
            Self::Escalate => Recourse::Escalate,
            Self::GiveUp => Recourse::GiveUp,
        }
    }
}

/// As the words after "an agent ...".
impl fmt::Display for Decision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retry { after: Some(after), .. } => {
                write!(formatter, "sends the same call again after {} s", after.as_secs_f64())
            }
            Self::Retry { after: None, .. } => {
                formatter.write_str("sends the same call again after a wait of its own choice")
            }
            Self::Mend => formatter.write_str("changes the arguments and tries once more"),
            Self::Skip => formatter.write_str("leaves the resource and looks for another one"),
            Self::Negotiate { holders } => write!(formatter, "turns to {}", holders.join(", ")),
            Self::Escalate => formatter.write_str("asks its user"),
            Self::GiveUp => formatter.write_str("gives up"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::{builtin, read};
    use crate::exchange::Outcome;
    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    fn decision(contract: &str, text: &str) -> Decision {
        let contract = builtin().iter().find(|known| known.id == contract).expect("a built-in contract");
        decide(
            &read(contract, &Fixture::refusal(text, &json!({}), Expected::Anything).exchange)
                .expect("an error"),
        )
    }

    fn retry(seconds: Option<u64>) -> Decision {
        Decision::Retry { after: seconds.map(Duration::from_secs), attempts: ATTEMPTS }
    }

    #[test]
    fn each_type_of_tool_error_leads_to_the_line_of_its_own_in_the_table() {
        let error = |kind: &str, data: serde_json::Value| {
            json!({"type": kind, "message": "m", "recoverable": true, "data": data}).to_string()
        };
        let holders =
            json!({"conflicts": [{"agent_id": "a", "pattern": "p", "held_by": "a"}, {"agent_id": "b"}]});
        for (kind, data, expected) in [
            ("TRANSIENT", json!({}), retry(None)),
            ("TRANSIENT", json!({"retry_after": 2}), retry(Some(2))),
            ("TRANSIENT", json!({"retry_after": -2}), retry(None)),
            ("TRANSIENT", json!({"retry_after": 1e300}), retry(None)),
            ("VALIDATION", json!({}), Decision::Mend),
            ("NOT_FOUND", json!({}), Decision::Skip),
            ("CONFLICT", holders, Decision::Negotiate { holders: vec!["a".into(), "b".into()] }),
            ("CONFLICT", json!({"conflicts": []}), retry(None)),
            ("PERMISSION", json!({}), Decision::Escalate),
            ("INTERNAL", json!({}), Decision::GiveUp),
            ("RATE_LIMITED", json!({"retry_after": 2}), Decision::GiveUp),
        ] {
            assert_eq!(decision("tool-error", &error(kind, data)), expected, "{kind}");
        }
    }

    #[test]
    fn a_text_that_does_not_parse_is_given_up_in_every_contract() {
        for contract in builtin() {
            assert_eq!(
                decision(&contract.id, "intermute 500: internal error"),
                Decision::GiveUp,
                "{}",
                contract.id
            );
        }
    }

    #[test]
    fn a_reply_that_denies_a_retry_is_not_sent_again() {
        let denied = json!({"type": "TRANSIENT", "message": "m", "recoverable": false}).to_string();
        assert_eq!(decision("tool-error", &denied), Decision::GiveUp);
    }

    #[test]
    fn without_a_word_of_the_contracts_own_the_class_of_the_code_decides() {
        assert_eq!(decision("bracket-code", "[INVALID_INPUT] m"), Decision::Mend);
        assert_eq!(decision("bracket-code", "[BASH_TASK_LIMIT] m"), retry(None));
        assert_eq!(decision("bracket-code", "[IO_ERROR] m"), Decision::GiveUp);
        let envelope = json!({"error_code": "WRITE_FAILED", "message": "m", "retryable": true}).to_string();
        assert_eq!(decision("error-envelope", &envelope), retry(None));
        let problem = json!({"error": "m", "problem": {"code": "backend-unavailable"}}).to_string();
        assert_eq!(decision("problem-details", &problem), retry(None));
    }

    #[test]
    fn a_protocol_error_has_no_code_and_is_given_up() {
        let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
        let error =
            crate::exchange::RpcError { code: -32603, message: "[INVALID_INPUT] m".into(), data: None };
        fixture.exchange.outcome = Outcome::Error(error);
        let contract = &builtin()[0];
        assert_eq!(decide(&read(contract, &fixture.exchange).expect("an error")), Decision::GiveUp);
    }
}
