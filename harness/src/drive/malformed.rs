//! Lines that no client may send, each followed by an ordinary request to see whether the server still answers.
//!
//! The main function is [`drive_malformed`]. It uses a process of its own, so that the effect of such a line
//! does not reach a case.

use serde_json::Value;

use crate::condition::CaseId;
use crate::exchange::{Call, Place, Step};
use crate::expectation::Expected;
use crate::transcript::{CaseOutcome, DrivenCase};

use super::pool::ProcessPool;
use super::restarted_process::{LOST, RestartedProcess};

/// The ordinary request that follows each line.
const HARMLESS: &str = "tools/list";
/// The depth of the nested line: deeper than most parsers read.
const DEPTH: usize = 300;

/// A line that no client may send, with the last part of its case's id.
pub(super) struct MalformedLine {
    name: &'static str,
    title: &'static str,
    line: Vec<u8>,
}

/// All of them in the order in which they are sent, the harmless ones first.
pub(super) fn malformed_lines() -> Vec<MalformedLine> {
    let line = |name, title, line: &[u8]| MalformedLine { name, title, line: line.to_vec() };
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":"deep","method":"ping","params":{{"a":{}{}}}}}"#,
        "[".repeat(DEPTH),
        "]".repeat(DEPTH)
    );
    vec![
        line("blank", "an empty line", b""),
        line("not-json", "a line that is not JSON", b"this is no JSON"),
        line("cut", "a truncated request", br#"{"jsonrpc":"2.0","id":"cut","method":"pi"#),
        line(
            "not-utf8",
            "a request that is not UTF-8",
            b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}",
        ),
        line("no-version", "a request without `jsonrpc`", br#"{"id":"no-version","method":"ping"}"#),
        line(
            "method-number",
            "a request whose method is a number",
            br#"{"jsonrpc":"2.0","id":"m","method":7}"#,
        ),
        line("id-null", "a request whose id is null", br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#),
        line("batch", "a batch of one request", br#"[{"jsonrpc":"2.0","id":"batch","method":"ping"}]"#),
        line("unasked", "a response to nothing", br#"{"jsonrpc":"2.0","id":"unasked","result":{}}"#),
        line("deep", "a request nested 300 levels deep", deep.as_bytes()),
    ]
}

/// Sends every line; returns a case for each.
pub(super) async fn drive_malformed(pool: &mut ProcessPool) -> Vec<DrivenCase> {
    let mut process = RestartedProcess::new(pool);
    let mut cases = Vec::new();
    for malformed in malformed_lines() {
        let id = CaseId(format!("malformed/{}", malformed.name));
        let outcome = match process.is_given_up() {
            true => CaseOutcome::Skipped(format!(
                "withheld: {LOST} such lines in a row each ended the \
                session"
            )),
            false => send(&mut process, &malformed, &id).await,
        };
        cases.push(DrivenCase::probe(id, malformed.title, outcome));
    }
    process.pool.renew().await;
    for exchange in &mut pool.exchanges {
        if exchange.place.step == Step::Malformed {
            // Any answer to such a line is right; only silence and a crash are judged.
            exchange.noise.clear();
            exchange.strays.clear();
        }
    }
    cases
}

/// Sends one line and the ordinary request after it.
async fn send(process: &mut RestartedProcess<'_>, malformed: &MalformedLine, id: &CaseId) -> CaseOutcome {
    let mut numbered = match process.take().await {
        Ok(numbered) => numbered,
        Err(cause) => return CaseOutcome::Errored(format!("cannot start another process: {cause}")),
    };
    numbered.session.send_raw(malformed.line.clone()).await;
    let answer = numbered.session.call(HARMLESS, "{}").await;
    let is_lost = answer.outcome.is_lost();
    let place = Place::at(Some(id), Step::Malformed, Expected::Anything, None);
    let index = process.pool.record(numbered.process, place, Call::of(HARMLESS, None, Value::Null), answer);
    process.pool.exchanges[index].call.line = String::from_utf8_lossy(&malformed.line).into_owned();
    process.keep(numbered, is_lost).await;
    if !is_lost {
        process.forget_losses();
    }
    CaseOutcome::Driven
}
