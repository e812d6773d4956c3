//! The progress tokens that requests gave, and what is wrong with a notification that has one.
//!
//! The main type is [`ProgressTokens`].

use serde_json::Value;

use crate::exchange::StrayMessage;
use crate::server::side_traffic::quoted;
use crate::wire::PROGRESS_TOKEN;

/// The requests of a session that gave a progress token.
#[derive(Debug, Default)]
pub(super) struct ProgressTokens(Vec<TrackedRequest>);

#[derive(Debug)]
struct TrackedRequest {
    id: i64,
    token: Value,
    /// The progress that was reported last.
    progress: Option<f64>,
    is_answered: bool,
}

impl ProgressTokens {
    /// Records a request if its params give a token.
    pub(super) fn begin(&mut self, id: i64, params: &str) {
        if !params.contains(PROGRESS_TOKEN) {
            return;
        }
        let params: Value = serde_json::from_str(params).unwrap_or_default();
        if let Some(token) = params.get("_meta").and_then(|meta| meta.get(PROGRESS_TOKEN)) {
            let token = token.clone();
            self.0.push(TrackedRequest { id, token, progress: None, is_answered: false });
        }
    }

    /// Records that a request was answered.
    pub(super) fn end(&mut self, id: i64) {
        if let Some(request) = self.0.iter_mut().find(|request| request.id == id) {
            request.is_answered = true;
        }
    }

    /// What is wrong with a progress notification, and the id of the request that it is about, if any.
    pub(super) fn fault(&mut self, line: &[u8]) -> Option<(Option<i64>, StrayMessage)> {
        let message: Value = serde_json::from_slice(line).unwrap_or_default();
        let member = |name: &str| message.get("params").and_then(|params| params.get(name));
        let of_token = |request: &&mut TrackedRequest| Some(&request.token) == member(PROGRESS_TOKEN);
        let Some(request) = self.0.iter_mut().find(of_token) else {
            return Some((None, StrayMessage::UnaskedProgress(quoted(line))));
        };
        if request.is_answered {
            return Some((Some(request.id), StrayMessage::LateProgress(quoted(line))));
        }
        let before = request.progress;
        request.progress = member("progress").and_then(Value::as_f64).or(before);
        // The same progress once more only says that the call still runs.
        let is_less = request.progress < before;
        is_less.then(|| (Some(request.id), StrayMessage::BackwardProgress(quoted(line))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(tokens: &mut ProgressTokens, token: &Value, progress: &[f64]) -> Vec<Option<i64>> {
        let mut found = Vec::new();
        for progress in progress {
            let params = json!({"progressToken": token, "progress": progress});
            let line = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            found.extend(tokens.fault(line.to_string().as_bytes()).map(|(request, _)| request));
        }
        found
    }

    #[test]
    fn progress_increases_until_the_reply_and_has_the_token_as_it_was_given() {
        let mut tokens = ProgressTokens::default();
        tokens.begin(6, r#"{"name":"progressToken"}"#);
        tokens.begin(7, r#"{"_meta":{"progressToken":"7"}}"#);
        let given = json!("7");
        assert_eq!(faults(&mut tokens, &given, &[0.0, 0.5, 0.5, 1.0]), []);
        assert_eq!(faults(&mut tokens, &given, &[0.5, 0.7]), [Some(7)], "it went backwards once");
        assert_eq!(faults(&mut tokens, &json!(7), &[1.0]), [None], "the token was a text");
        assert_eq!(faults(&mut tokens, &Value::Null, &[1.0]), [None]);
        tokens.end(7);
        assert_eq!(faults(&mut tokens, &given, &[2.0]), [Some(7)], "the request was answered");
    }
}
