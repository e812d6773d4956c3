//! Lines that no client may send, each followed by an ordinary request to see whether the server still answers.
//!
//! The main function is [`drive_malformed`]. It uses a process of its own, so that the effect of such a line
//! does not reach a case.

use serde_json::Value;

use crate::condition::CaseId;
use crate::exchange::{Call, Exchange, Outcome, Place, Step};
use crate::expectation::Expected;
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase};

use super::pool::{NumberedSession, ProcessPool};

/// After this many lost sessions in a row the remaining lines are skipped.
const LOST_IN_A_ROW: usize = 3;
/// The ordinary request that follows each line.
const HARMLESS: &str = "tools/list";
/// The depth of the nested frame: deeper than most parsers read.
const DEPTH: usize = 300;

/// A malformed line and its name.
pub(super) struct Frame {
    name: &'static str,
    title: &'static str,
    line: Vec<u8>,
}

/// All frames in the order in which they are sent, the harmless ones first.
pub(super) fn frames() -> Vec<Frame> {
    let frame = |name, title, line: &[u8]| Frame { name, title, line: line.to_vec() };
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":"deep","method":"ping","params":{{"a":{}{}}}}}"#,
        "[".repeat(DEPTH),
        "]".repeat(DEPTH)
    );
    vec![
        frame("blank", "an empty line", b""),
        frame("not-json", "a line that is not JSON", b"this is no JSON"),
        frame("cut", "a truncated request", br#"{"jsonrpc":"2.0","id":"cut","method":"pi"#),
        frame(
            "not-utf8",
            "a request that is not UTF-8",
            b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}",
        ),
        frame("no-version", "a request without `jsonrpc`", br#"{"id":"no-version","method":"ping"}"#),
        frame(
            "method-number",
            "a request whose method is a number",
            br#"{"jsonrpc":"2.0","id":"m","method":7}"#,
        ),
        frame("id-null", "a request whose id is null", br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#),
        frame("batch", "a batch of one request", br#"[{"jsonrpc":"2.0","id":"batch","method":"ping"}]"#),
        frame("unasked", "a response to nothing", br#"{"jsonrpc":"2.0","id":"unasked","result":{}}"#),
        frame("deep", "a request nested 300 levels deep", deep.as_bytes()),
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
    for frame in frames() {
        let outcome = if lost_in_a_row >= LOST_IN_A_ROW {
            CaseOutcome::Skipped(format!(
                "withheld: {LOST_IN_A_ROW} such lines in a row each ended the \
                session"
            ))
        } else {
            match send(&mut pool, &mut open, &frame).await {
                Ok(Survival::Answered) => lost_in_a_row = 0,
                Ok(Survival::Lost) => lost_in_a_row += 1,
                Err(cause) => {
                    lost_in_a_row = LOST_IN_A_ROW;
                    cases.push(case(&frame, CaseOutcome::Errored(cause)));
                    continue;
                }
            }
            CaseOutcome::Driven
        };
        cases.push(case(&frame, outcome));
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
    frame: &Frame,
) -> Result<Survival, String> {
    let mut numbered = match open.take() {
        Some(numbered) => numbered,
        None => pool.open().await.map_err(|cause| format!("cannot start another process: {cause}"))?.0,
    };
    numbered.session.send_raw(frame.line.clone()).await;
    let answer = numbered.session.call(HARMLESS, "{}").await;
    let is_lost =
        matches!(answer.outcome, Outcome::NoReply { .. } | Outcome::Ended(_) | Outcome::Malformed(_));
    let place = Place {
        case: Some(id(frame)),
        step: Step::Malformed,
        expected: Expected::Anything,
        control: None,
        follows: None,
        twin: None,
        words: None,
    };
    let call = Call { method: HARMLESS.to_owned(), tool: None, arguments: Value::Null, line: String::new() };
    let index = pool.record(numbered.process, place, call, answer);
    pool.exchanges[index].call.line = String::from_utf8_lossy(&frame.line).into_owned();
    if is_lost {
        numbered.session.kill().await;
        return Ok(Survival::Lost);
    }
    *open = Some(numbered);
    Ok(Survival::Answered)
}

fn id(frame: &Frame) -> CaseId {
    CaseId(format!("malformed/{}", frame.name))
}

fn case(frame: &Frame, outcome: CaseOutcome) -> DrivenCase {
    DrivenCase {
        id: id(frame),
        title: frame.title.to_owned(),
        kind: CaseKind::Probe,
        requirements: Vec::new(),
        condition: None,
        tools: Vec::new(),
        files: Vec::new(),
        outcome,
    }
}
