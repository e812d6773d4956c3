//! Reads a recording of this program, or plain pairs of requests and responses. Every mistake names its line.

use serde::de::DeserializeOwned;

use crate::contract::Contract;
use crate::document::nearest;
use crate::transcript::Transcript;

use super::{EndLine, HeadLine, Recording, RecordingLine, SCHEMA_VERSION, pairs};

/// A recording that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {cause}")]
pub struct ReadError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong, and what is expected.
    pub cause: String,
}

impl ReadError {
    pub(super) fn new(line: usize, cause: impl Into<String>) -> Self {
        Self { line, cause: cause.into() }
    }
}

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
    let RecordingLine::Head(head) = parse(number, first, KIND, &KINDS)? else {
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
        match parse(*number, line, KIND, &KINDS)? {
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

/// What serde calls a kind of line, and what people call it.
const KIND: [&str; 2] = ["variant", "kind of line"];
const KINDS: [&str; 6] = ["head", "exchange", "case", "withheld", "memory", "end"];

/// Reads one line, which may have the `known` names; serde has a word for these, and people have another one.
pub(super) fn parse<T: DeserializeOwned>(
    number: usize,
    line: &str,
    [in_serde, what]: [&str; 2],
    known: &[&str],
) -> Result<T, ReadError> {
    serde_json::from_str(line).map_err(|error| {
        let cause = json_cause(&error);
        let unknown = cause.strip_prefix(&format!("unknown {in_serde} `"));
        let unknown = unknown.and_then(|rest| rest.split('`').next());
        let Some(word) = unknown else { return ReadError::new(number, cause) };
        let near = match nearest(word, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the known ones are {}", known.join(", ")),
        };
        ReadError::new(number, format!("unknown {what} `{word}`: {near}"))
    })
}

/// The message of a JSON error with only the column as its position.
fn json_cause(error: &serde_json::Error) -> String {
    if error.is_eof() {
        let column = error.column();
        return format!(
            "the line ends in the middle of its JSON (column {column}): was the recording truncated?"
        );
    }
    let words = error.to_string();
    match words.rsplit_once(" at line ") {
        Some((cause, _)) if error.column() > 0 => format!("{cause} (column {})", error.column()),
        _ => words,
    }
}
