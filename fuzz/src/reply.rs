//! Replies of any form: every contract reads them.

use mcp_errconf::contract::{self, Contract, ErrorReply};
use mcp_errconf::exchange::{Exchange, Outcome, RpcError};
use serde_json::{Value, json};

/// Every contract reads a reply of any bytes: as JSON a whole result, else as the text of an error. What it says of the
/// text lies within the text, on character borders.
///
/// # Panics
/// When the property does not hold.
pub fn any_reply_is_read_by_every_contract(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let refused = Outcome::Result(refused(&text));
    let error = Outcome::Error(RpcError { code: -32602, message: text.to_string(), data: None });
    let whole = serde_json::from_slice(bytes).ok().map(Outcome::Result);
    for outcome in [refused, error].into_iter().chain(whole) {
        let exchange = exchange(&json!({}), outcome);
        for contract in contract::builtin() {
            if let Some(error) = contract::read(contract, &exchange) {
                is_sound(contract, &error);
            }
        }
    }
}

fn is_sound(contract: &Contract, error: &ErrorReply) {
    let message = error.text.get(error.message.clone());
    assert!(message.is_some(), "{}: the message stands in the text, on character borders", contract.id);
    let length: usize = error.texts().chain(error.advice()).map(str::len).sum();
    assert!(length <= 20 * (error.text.len() + error.more.iter().map(String::len).sum::<usize>() + 100));
    if let Some(code) = error.code() {
        assert!(!code.is_empty(), "{}: a code that is read has letters", contract.id);
    }
}

/// The result of a tool's call that failed with this text.
pub(crate) fn refused(text: &str) -> Value {
    json!({"isError": true, "content": [{"type": "text", "text": text}]})
}

/// A call of some tool and what became of it.
pub(crate) fn exchange(arguments: &Value, outcome: Outcome) -> Exchange {
    Exchange::alone(Some("look"), arguments.clone(), outcome)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;
    use crate::seeds;

    #[test]
    fn every_kept_reply_is_read_by_every_contract() {
        seeds::each("read_contract", any_reply_is_read_by_every_contract);
    }

    proptest! {
        #[test]
        fn any_text_is_read_by_every_contract(text in "[\\[\\] A-Z_\n\"{}:a-zé\u{1f600}]{0,60}", bytes in any::<Vec<u8>>()) {
            any_reply_is_read_by_every_contract(text.as_bytes());
            any_reply_is_read_by_every_contract(&bytes);
        }
    }
}
