//! Reads a recording of this program, or plain pairs of requests and responses. Every mistake names its line.

use crate::contract::Contract;
use crate::document::nearest;
use crate::transcript::Transcript;

use super::error::{ReadError, json_cause};
use super::{EndLine, HeadLine, Recording, RecordingLine, SCHEMA_VERSION, pairs};

/// Reads a recording. Plain pairs name no contract, and are judged by `contract`.
///
/// # Errors
/// At the first line that is wrong.
pub fn read(text: &str, contract: &Contract) -> Result<Recording, ReadError> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let lines: Vec<(usize, &str)> = lines.filter(|(_, line)| !line.is_empty()).collect();
    let Some((number, first)) = lines.first() else {
        return Err(ReadError::new(1, "there is no recording here: the file is empty"));
    };
    match member(*number, first)?.as_str() {
        "head" => recording(&lines),
        _ => pairs::read(&lines, contract),
    }
}

/// The name of an object's first member.
fn member(number: usize, line: &str) -> Result<String, ReadError> {
    let value: serde_json::Value =
        serde_json::from_str(line).map_err(|error| ReadError::new(number, json_cause(&error)))?;
    let object =
        value.as_object().ok_or_else(|| ReadError::new(number, "each line must be a JSON object"))?;
    Ok(object.keys().next().cloned().unwrap_or_default())
}

fn recording(lines: &[(usize, &str)]) -> Result<Recording, ReadError> {
    let (number, first) = lines[0];
    let RecordingLine::Head(head) = parse(number, first)? else {
        return Err(ReadError::new(number, "the first line must be the head"));
    };
    let HeadLine { schema_version, run, contract, policy, .. } = *head;
    if schema_version != SCHEMA_VERSION {
        let cause = format!(
            "the recording has format version {schema_version}, but this program reads version \
                {SCHEMA_VERSION}"
        );
        return Err(ReadError::new(number, cause));
    }
    let mut recording = Recording {
        transcript: Transcript { interrupted: true, ..Transcript::of(run, Vec::new(), Vec::new()) },
        contract,
        policy,
        not_run: None,
    };
    let mut ended = false;
    for (number, line) in &lines[1..] {
        if ended {
            return Err(ReadError::new(*number, "there must be nothing after the end"));
        }
        match parse(*number, line)? {
            RecordingLine::Head(_) => {
                let cause = "there is a second head: a file holds only one recording";
                return Err(ReadError::new(*number, cause));
            }
            RecordingLine::Exchange(exchange) => {
                let next = recording.transcript.exchanges.len();
                if exchange.index != next {
                    let cause = format!("exchange {} is where exchange {next} is expected", exchange.index);
                    return Err(ReadError::new(*number, cause));
                }
                for (name, index) in
                    [("control", exchange.place.control), ("follows", exchange.place.follows)]
                {
                    if let Some(index) = index.filter(|index| *index >= next) {
                        let cause =
                            format!("`{name}` is exchange {index}, which does not come before this one");
                        return Err(ReadError::new(*number, cause));
                    }
                }
                recording.transcript.exchanges.push(*exchange);
            }
            RecordingLine::Withheld(withheld) => recording.transcript.withheld.push(withheld),
            RecordingLine::Memory(curve) => recording.transcript.memory.push(curve),
            RecordingLine::Case(case) => recording.transcript.cases.push(case),
            RecordingLine::End(EndLine { interrupted, stopped_after_ms, not_run, duration_ms }) => {
                ended = true;
                recording.transcript.interrupted = interrupted;
                recording.transcript.stopped_after_ms = stopped_after_ms;
                recording.transcript.duration_ms = duration_ms;
                recording.not_run = not_run;
            }
        }
    }
    Ok(recording)
}

fn parse(number: usize, line: &str) -> Result<RecordingLine, ReadError> {
    serde_json::from_str(line).map_err(|error| {
        let cause = json_cause(&error);
        let unknown = cause.strip_prefix("unknown variant `").and_then(|rest| rest.split('`').next());
        match unknown {
            Some(word) => {
                let near = nearest(word, ["head", "exchange", "case", "end"]);
                let near = near.map_or("the known ones are `exchange`, `case`, `end`".to_owned(), |near| {
                    format!("did you mean `{near}`?")
                });
                ReadError::new(number, format!("unknown kind of line `{word}`: {near}"))
            }
            None => ReadError::new(number, cause),
        }
    })
}
