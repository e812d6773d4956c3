//! Lines that no client may send, each followed by an ordinary request to see whether the server still answers.
//!
//! The main function is [`drive_malformed`]. It uses a process of its own, so that the effect of such a line
//! does not reach a case.

use serde_json::Value;

use crate::condition::CaseId;
use crate::exchange::{Call, Exchange, Place, Step};
use crate::expectation::Expected;
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase};

use super::pool::{NumberedSession, ProcessPool};

/// After this many lost sessions in a row the remaining lines are skipped.
const LOST_IN_A_ROW: usize = 3;
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

/// Sends every line; returns a case for each, and the exchanges, numbered from the given numbers on.
pub(super) async fn drive_malformed(
    mut pool: ProcessPool,
    first_exchange: usize,
    first_process: usize,
) -> (Vec<DrivenCase>, Vec<Exchange>) {
    let (known, started) = (pool.exchanges.len(), pool.started());
    let mut open: Option<NumberedSession> = None;
    let mut lost_in_a_row = 0;
    let mut cases = Vec::new();
    for malformed in malformed_lines() {
        let outcome = if lost_in_a_row >= LOST_IN_A_ROW {
            CaseOutcome::Skipped(format!(
                "withheld: {LOST_IN_A_ROW} such lines in a row each ended the \
                session"
            ))
        } else {
            match send(&mut pool, &mut open, &malformed).await {
                Ok(Survival::Answered) => lost_in_a_row = 0,
                Ok(Survival::Lost) => lost_in_a_row += 1,
                Err(cause) => {
                    lost_in_a_row = LOST_IN_A_ROW;
                    cases.push(case(&malformed, CaseOutcome::Errored(cause)));
                    continue;
                }
            }
            CaseOutcome::Driven
        };
        cases.push(case(&malformed, outcome));
    }
    if let Some(numbered) = open {
        pool.close(numbered).await;
    }
    let mut exchanges = pool.exchanges.split_off(known);
    for (offset, exchange) in exchanges.iter_mut().enumerate() {
        exchange.index = first_exchange + offset;
        exchange.process = first_process + exchange.process - started;
        if exchange.place.step == Step::Malformed {
            // Any answer to such a line is right; only silence and a crash are judged.
            exchange.noise.clear();
            exchange.strays.clear();
        }
    }
    (cases, exchanges)
}

enum Survival {
    Answered,
    Lost,
}

/// Sends one line and the ordinary request after it.
async fn send(
    pool: &mut ProcessPool,
    open: &mut Option<NumberedSession>,
    malformed: &MalformedLine,
) -> Result<Survival, String> {
    let mut numbered = match open.take() {
        Some(numbered) => numbered,
        None => pool.open().await.map_err(|cause| format!("cannot start another process: {cause}"))?.0,
    };
    numbered.session.send_raw(malformed.line.clone()).await;
    let answer = numbered.session.call(HARMLESS, "{}").await;
    let is_lost = answer.outcome.is_lost();
    let place = Place {
        case: Some(id(malformed)),
        step: Step::Malformed,
        expected: Expected::Anything,
        control: None,
        follows: None,
        twin: None,
        words: None,
    };
    let call = Call { method: HARMLESS.to_owned(), tool: None, arguments: Value::Null, line: String::new() };
    let index = pool.record(numbered.process, place, call, answer);
    pool.exchanges[index].call.line = String::from_utf8_lossy(&malformed.line).into_owned();
    if is_lost {
        numbered.session.kill().await;
        return Ok(Survival::Lost);
    }
    *open = Some(numbered);
    Ok(Survival::Answered)
}

fn id(malformed: &MalformedLine) -> CaseId {
    CaseId(format!("malformed/{}", malformed.name))
}

fn case(malformed: &MalformedLine, outcome: CaseOutcome) -> DrivenCase {
    DrivenCase {
        id: id(malformed),
        title: malformed.title.to_owned(),
        kind: CaseKind::Probe,
        requirements: Vec::new(),
        condition: None,
        tools: Vec::new(),
        files: Vec::new(),
        outcome,
    }
}
