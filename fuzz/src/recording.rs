//! Recordings of any content: they are judged, or their mistake is told with its line.

use mcp_errconf::contract;
use mcp_errconf::recording::{Recording, read};
use mcp_errconf::{rules, signature};
use serde_json::json;

/// The first byte chooses the contract and what the rest is: a recording's whole text, or a reply in the place of one of a
/// short exchange. What can be read is judged twice alike, every finding's evidence lies within its text, and what cannot
/// be read is told with a line that is there.
///
/// # Panics
/// When the property does not hold.
pub fn any_recording_is_judged_or_its_mistake_has_a_line(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first() else { return };
    let contracts = contract::builtin();
    let contract = &contracts[usize::from(choice >> 1) % contracts.len()];
    let rest = String::from_utf8_lossy(rest);
    let text = match choice % 2 {
        0 => rest.into_owned(),
        _ => around(&rest),
    };
    match read(&text, contract) {
        Ok(recording) => is_judged(&recording),
        Err(error) => {
            let lines = text.split('\n').count();
            assert!((0..=lines).contains(&error.line), "{error:?} of {lines} lines");
            assert!(!error.cause.is_empty(), "a mistake has a cause");
        }
    }
}

/// A listing, a call that succeeds, and one that is answered with this: JSON as it is, anything else as a line that came.
fn around(reply: &str) -> String {
    let tool = json!({"name": "look", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}});
    let call = |id: u32, path: &str| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "look", "arguments": {"path": path}}});
    let list = json!({"case": "list", "request": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                      "response": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}}});
    let good = json!({"case": "good", "request": call(2, "/w/notes.txt"),
                      "response": {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "alpha"}]}}});
    let line: serde_json::Value = serde_json::from_str(reply).unwrap_or_else(|_| json!(reply));
    let refused = json!({"jsonrpc": "2.0", "id": 4, "result": {"isError": true, "content": [{"type": "text", "text": reply}]}});
    let bad = json!({"case": "bad", "request": call(3, "/w/missing"), "response": line, "control": "good", "condition": "path-not-found"});
    let told = json!({"case": "told", "request": call(4, "/w/missing"), "response": refused, "control": "good", "condition": "path-not-found"});
    [list, good, bad, told].map(|line| line.to_string()).join("\n")
}

fn is_judged(recording: &Recording) {
    let (report, conclusion) = recording.judge(rules::all());
    let (again, _) = recording.judge(rules::all());
    assert_eq!(report.findings, again.findings, "judging changes nothing");
    let _ = format!("{conclusion:?}");
    for finding in &report.findings {
        let Some(evidence) = &finding.evidence else { continue };
        if let Some((start, end)) = evidence.span {
            assert!(evidence.text.get(start..end).is_some(), "{}: {start}..{end}", finding.rule);
        }
        let _ = signature::fingerprint(&[&finding.signature]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;
    use crate::seeds;

    #[test]
    fn every_kept_recording_is_judged_or_its_mistake_has_a_line() {
        seeds::each("judge_recording", any_recording_is_judged_or_its_mistake_has_a_line);
    }

    proptest! {
        #[test]
        fn a_reply_of_any_text_is_judged(choice in any::<u8>(), text in "\\PC{0,60}", bytes in any::<Vec<u8>>()) {
            any_recording_is_judged_or_its_mistake_has_a_line(&[&[choice | 1], text.as_bytes()].concat());
            any_recording_is_judged_or_its_mistake_has_a_line(&[&[choice], &bytes[..]].concat());
        }
    }
}
