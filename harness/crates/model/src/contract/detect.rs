//! Detects which contract a server's replies keep: by their vocabulary, never by brackets or braces alone
//! (A22).

use crate::exchange::Exchange;

use super::{CodeField, Contract, ErrorChannel, ErrorReply, builtin, read};

/// Whether a server uses this contract's codes: at least half of its tools' error replies have one of them.
/// False if there are no error replies.
pub fn adopted(contract: &Contract, errors: &[Option<ErrorReply>]) -> bool {
    let replies: Vec<&ErrorReply> =
        errors.iter().flatten().filter(|error| error.channel == ErrorChannel::Tool).collect();
    let coded = replies.iter().filter(|error| error.code().is_some_and(|code| contract.code(code).is_some()));
    !replies.is_empty() && 2 * coded.count() >= replies.len()
}

/// The codes in a server's error replies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeenCodes {
    /// The built-in contract whose codes are the most frequent; `None` if no reply has a code of any.
    pub contract: Option<&'static Contract>,
    /// How many error replies have a code of this contract.
    pub coded: usize,
    /// How many error replies there are.
    pub replies: usize,
}

/// The built-in contract whose vocabulary most of a server's error replies use; `None` if there is none.
pub fn detect(exchanges: &[Exchange]) -> Option<&'static Contract> {
    let seen = seen_codes(exchanges);
    seen.contract.filter(|_| 2 * seen.coded > seen.replies)
}

/// The contract for servers whose error replies have no codes.
pub fn without_codes() -> Option<&'static Contract> {
    builtin().iter().find(|contract| contract.id == "plain")
}

/// The built-in contract that the error replies of a whole run show: [`detect`]'s, or the one without codes if not one reply
/// has a code. `None` if there are no error replies, or codes of several contracts.
pub fn shown(exchanges: &[Exchange]) -> Option<&'static Contract> {
    let has_no_code = || {
        let seen = seen_codes(exchanges);
        seen.replies > 0 && seen.contract.is_none()
    };
    detect(exchanges).or_else(|| without_codes().filter(|_| has_no_code()))
}

/// Looks for the codes of the built-in contracts in a server's error replies.
pub fn seen_codes(exchanges: &[Exchange]) -> SeenCodes {
    let replies = exchanges.iter().filter(|exchange| is_refusal(exchange)).count();
    let speaks = |contract: &&'static Contract| {
        let spoken = exchanges.iter().filter(|exchange| speaks(contract, exchange)).count();
        (spoken, *contract)
    };
    // Of two equally close contracts the first one is taken; no two share a code in the same spelling.
    let best = builtin().iter().map(|contract| speaks(&contract)).fold(None, |best, next| match best {
        Some((most, _)) if most >= next.0 => best,
        _ => Some(next),
    });
    let best = best.filter(|(spoken, _)| *spoken > 0);
    SeenCodes {
        contract: best.map(|(_, contract)| contract),
        coded: best.map_or(0, |(spoken, _)| spoken),
        replies,
    }
}

/// The id of another contract than the judged one, if most error replies use its vocabulary.
pub fn looks_like(judged: &Contract, exchanges: &[Exchange]) -> Option<String> {
    detect(exchanges).filter(|contract| contract.id != judged.id).map(|contract| contract.id.clone())
}

/// Whether a tool refused a call, in the way of any contract.
fn is_refusal(exchange: &Exchange) -> bool {
    builtin().iter().any(|contract| {
        read(contract, exchange).is_some_and(|error| {
            error.channel == ErrorChannel::Tool
                && (exchange.outcome.is_tool_error() || error.code().is_some())
        })
    })
}

/// Whether a reply has one of this contract's codes, even in the wrong place.
fn speaks(contract: &Contract, exchange: &Exchange) -> bool {
    let Some(error) = read(contract, exchange).filter(|error| error.channel == ErrorChannel::Tool) else {
        return false;
    };
    match &error.code {
        CodeField::Present { name, .. } => contract.code(name).is_some(),
        CodeField::Malformed { span, .. } => {
            // In the same spelling, but in another contract's place: `[VALIDATION] ...`.
            error.text.get(span.clone()).is_some_and(|written| contract.code(written).is_some())
        }
        CodeField::Absent => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    use crate::sample;

    fn exchanges(texts: &[&str]) -> Vec<Exchange> {
        texts.iter().map(|text| sample::refusal(text, &json!({}))).collect()
    }

    #[test]
    fn a_contract_is_recognised_by_the_vocabulary_of_most_replies() {
        for line in include_str!("detect.jsonl").lines() {
            let case: serde_json::Value = serde_json::from_str(line).expect("a line is a case");
            let texts: Vec<&str> =
                case["texts"].as_array().into_iter().flatten().filter_map(|text| text.as_str()).collect();
            let found = detect(&exchanges(&texts)).map(|contract| contract.id.as_str());
            assert_eq!(found, case["contract"].as_str(), "{line}");
        }
    }

    #[test]
    fn a_run_without_a_code_shows_the_contract_without_codes() {
        let shown = |texts: &[&str]| shown(&exchanges(texts)).map(|contract| contract.id.as_str());
        assert_eq!(shown(&["no such file", "[INFO] a"]), Some("plain"));
        assert_eq!(shown(&["no such file", r#"{"type": "NOT_FOUND", "message": "a"}"#]), None);
        assert_eq!(shown(&["[PATH_NOT_FOUND] a"]), Some("bracket-code"));
        assert_eq!(shown(&[]), None);
    }

    #[test]
    fn only_another_contract_is_looked_like() {
        let judged = |id: &str| builtin().iter().find(|contract| contract.id == id).unwrap();
        let exchanges = exchanges(&[r#"{"type": "NOT_FOUND", "message": "a"}"#]);
        assert_eq!(looks_like(judged("bracket-code"), &exchanges).as_deref(), Some("tool-error"));
        assert_eq!(looks_like(judged("tool-error"), &exchanges), None);
    }

    #[test]
    fn a_contract_is_adopted_where_half_of_the_replies_carry_its_codes() {
        let contract = sample::contract();
        let replies = |texts: &[&str]| {
            let exchanges = exchanges(texts);
            exchanges.iter().map(|exchange| read(&contract, exchange)).collect::<Vec<_>>()
        };
        assert!(adopted(&contract, &replies(&["[IO_ERROR] a", "b"])));
        assert!(!adopted(&contract, &replies(&["[IO_ERROR] a", "b", "c"])));
        assert!(!adopted(&contract, &replies(&["[INFO] a"])));
        assert!(!adopted(&contract, &[None]));
    }
}
