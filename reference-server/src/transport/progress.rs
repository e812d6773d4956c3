//! Progress of calls that give a token for it, for defects that only these show.
//!
//! The main type is [`WrongProgress`].

use serde_json::{Value, json};

use crate::defects::Progress;

/// What a defect reports of the progress of calls.
pub(super) struct WrongProgress {
    defect: Option<Progress>,
    /// The token of the call whose progress is still to be reported.
    due: Option<Value>,
}

impl WrongProgress {
    pub(super) fn new(defect: Option<Progress>) -> Self {
        Self { defect, due: None }
    }

    /// The notifications that go out when this line comes.
    pub(super) fn meet(&mut self, line: &[u8]) -> Vec<String> {
        let Some(defect) = self.defect else { return Vec::new() };
        let request: Value = serde_json::from_slice(line).unwrap_or_default();
        let token = request.pointer("/params/_meta/progressToken").cloned();
        let (token, progress): (_, &[u8]) = match defect {
            Progress::Backward => (token, &[2, 1]),
            Progress::Late => (std::mem::replace(&mut self.due, token), &[1]),
        };
        let Some(token) = token else { return Vec::new() };
        let notification = |progress: &u8| {
            let params = json!({"progressToken": token, "progress": progress});
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).to_string()
        };
        progress.iter().map(notification).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_progress_comes_with_the_next_line_and_no_progress_without_a_token() {
        let call = br#"{"method":"tools/call","params":{"_meta":{"progressToken":"a"}}}"#;
        let mut late = WrongProgress::new(Some(Progress::Late));
        let counts = [&call[..], b"{}", b"{}"].map(|line| late.meet(line).len());
        assert_eq!(counts, [0, 1, 0]);
        let mut backward = WrongProgress::new(Some(Progress::Backward));
        assert_eq!((backward.meet(call).len(), backward.meet(b"{}").len()), (2, 0));
        assert!(WrongProgress::new(None).meet(call).is_empty());
    }
}
