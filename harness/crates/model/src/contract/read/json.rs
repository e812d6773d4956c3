//! Reads an error that is a JSON object: in a text, alone or surrounded by words, in `structuredContent`, or in
//! both.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::contract::{Contract, Holders, JsonForm};
use crate::exchange::Outcome;
use crate::json::as_text;

use super::{CodeField, ErrorChannel, ErrorReply, uncoded};

/// At most this many opening braces are tried in a text with words around the object.
const BRACES: usize = 32;

/// Reads the first object in a result with the contract's code or message; `None` if there is none.
pub(super) fn read(outcome: &Outcome, form: &JsonForm, contract: &Contract) -> Option<ErrorReply> {
    let texts = outcome.texts();
    let structured = outcome.result()?.get("structuredContent").filter(|value| value.is_object());
    let structured = structured.map(Value::to_string);
    let in_texts = texts.iter().enumerate().find_map(|(index, text)| Some((index, object(text, form)?)));
    let (text, span, more) = match (in_texts, &structured) {
        (Some((index, span)), _) => {
            let more = texts.iter().enumerate().filter(|(other, _)| *other != index);
            (texts[index], span, more.map(|(_, text)| (*text).to_owned()).collect())
        }
        (None, Some(structured)) => (
            structured.as_str(),
            object(structured, form)?,
            texts.iter().map(|text| (*text).to_owned()).collect(),
        ),
        (None, None) => return None,
    };
    let data: Value = serde_json::from_str(text.get(span.clone())?).ok()?;
    let place = |pointer: &str| {
        let at = locate(&text[span.clone()], pointer)?;
        Some(at.start + span.start..at.end + span.start)
    };
    let message = place(&form.message).map_or(0..0, |at| unquoted(text, at));
    let decoded = data.pointer(&form.message).and_then(Value::as_str).map(str::to_owned);
    let code = place(&form.code).map_or(CodeField::Absent, |at| code(text, at, form, contract));
    let hints = form.hints.iter().filter_map(|pointer| data.pointer(pointer)).flat_map(strings).collect();
    let values = form.values.iter().filter_map(|pointer| data.pointer(pointer)).map(as_text).collect();
    let retryable = form.retryable.as_ref().and_then(|pointer| data.pointer(pointer)?.as_bool());
    Some(ErrorReply {
        code,
        message,
        decoded: Some(decoded.unwrap_or_default()),
        more,
        hints,
        retryable,
        values,
        retry_after: form.retry_after.as_ref().and_then(|pointer| seconds(data.pointer(pointer)?)),
        holders: form.holders.as_ref().map(|holders| named(&data, holders)).unwrap_or_default(),
        data: Some(data),
        ..uncoded(ErrorChannel::Tool, text)
    })
}

/// The code in a text without such an object: one of the catalogue in brackets, as in some logs.
pub(super) fn elsewhere(text: &str, form: &JsonForm, contract: &Contract) -> CodeField {
    let begin = text.len() - text.trim_start().len();
    let inside =
        text[begin..].strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(inside, _)| inside);
    match inside.filter(|inside| contract.code(inside).is_some()) {
        Some(inside) => {
            let why = format!("it is in brackets, not at `{}` of a JSON object", form.code);
            CodeField::Malformed { span: begin + 1..begin + 1 + inside.len(), why }
        }
        None => CodeField::Absent,
    }
}

fn code(text: &str, at: Range<usize>, form: &JsonForm, contract: &Contract) -> CodeField {
    let inner = unquoted(text, at.clone());
    let written = &text[inner.clone()];
    if inner == at {
        return match written {
            "null" => CodeField::Absent,
            _ => CodeField::Malformed { span: at, why: "it is not a string".to_owned() },
        };
    }
    match written {
        "" => CodeField::Absent,
        _ if form.spelling.fits(written) || contract.code(written).is_some() => {
            CodeField::Present { span: inner, name: written.to_owned() }
        }
        _ => CodeField::Malformed {
            span: inner,
            why: format!("codes must be written in {}", form.spelling.in_words()),
        },
    }
}

/// The position of the object with the contract's code or message in a text.
fn object(text: &str, form: &JsonForm) -> Option<Range<usize>> {
    let telling = |part: &str| locate(part, &form.code).or_else(|| locate(part, &form.message)).is_some();
    let starts = text.match_indices('{').map(|(start, _)| start).take(BRACES);
    let mut behind = 0;
    for start in starts {
        // An object within one that was already read is part of that.
        if start < behind {
            continue;
        }
        let mut objects = serde_json::Deserializer::from_str(&text[start..]).into_iter::<&RawValue>();
        let Some(Ok(_)) = objects.next() else { continue };
        behind = start + objects.byte_offset();
        let part = text.get(start..behind)?.trim_end();
        if telling(part) {
            return Some(start..start + part.len());
        }
    }
    None
}

/// The position of the value at a pointer in a JSON text.
fn locate(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut at = 0..text.len();
    for step in pointer.strip_prefix('/')?.split('/') {
        let step = step.replace("~1", "/").replace("~0", "~");
        let value = text.get(at)?;
        let next: &RawValue = if value.trim_start().starts_with('[') {
            let items: Vec<&RawValue> = serde_json::from_str(value).ok()?;
            items.get(step.parse::<usize>().ok()?).copied()?
        } else {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(value).ok()?;
            members.get(&step).copied()?
        };
        // The value is borrowed from the text, so its address gives its position.
        let start = next.get().as_ptr() as usize - text.as_ptr() as usize;
        at = start..start + next.get().len();
    }
    Some(at)
}

/// The position of a string without its quotation marks; unchanged for anything else.
fn unquoted(text: &str, at: Range<usize>) -> Range<usize> {
    match text[at.clone()].starts_with('"') && at.len() >= 2 {
        true => at.start + 1..at.end - 1,
        false => at,
    }
}

/// A number of seconds as a duration, if it is neither negative nor too large.
fn seconds(value: &Value) -> Option<Duration> {
    Duration::try_from_secs_f64(value.as_f64()?).ok()
}

/// The names in an array of conflicts, each once.
fn named(data: &Value, holders: &Holders) -> Vec<String> {
    let conflicts = data.pointer(&holders.list).and_then(Value::as_array).into_iter().flatten();
    let mut named: Vec<String> = Vec::new();
    for conflict in conflicts {
        let name = holders.names.iter().find_map(|pointer| conflict.pointer(pointer)?.as_str());
        if let Some(name) = name.filter(|name| !name.is_empty() && !named.iter().any(|known| known == name)) {
            named.push(name.to_owned());
        }
    }
    named
}

/// A string, or the strings of an array.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;
    use serde_json::json;

    use crate::contract::{builtin, read as read_reply};
    use crate::sample::refusal;

    fn reply(id: &str, result: Value) -> Option<ErrorReply> {
        let contract = builtin().iter().find(|contract| contract.id == id).expect("a built-in contract");
        let mut exchange = refusal("", &json!({}));
        exchange.outcome = Outcome::Result(result);
        read_reply(contract, &exchange)
    }

    fn text(text: &str) -> Value {
        json!({"content": [{"type": "text", "text": text}], "isError": true})
    }

    fn check(id: &str, result: Value, code: Option<&str>, message: &str) -> ErrorReply {
        let error = reply(id, result).expect("an error");
        assert_eq!((error.code(), error.message()), (code, message), "{error:?}");
        if let CodeField::Present { span, name } = &error.code {
            assert_eq!(&error.text[span.clone()], name);
        }
        error
    }

    const ENVELOPE: &str = r#"{"success": false, "error_code": "MATCH_NOT_FOUND", "message": "\"zzz\" is not in a.txt", "retryable": true, "recovery_hints": ["Read the file again", "Check spaces"], "file_path": "/w/a.txt"}"#;

    #[test]
    fn an_envelope_is_read_alone_pretty_and_with_words_around_it() {
        let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(ENVELOPE).unwrap()).unwrap();
        for around in [ENVELOPE.to_owned(), pretty, format!("Error {{}}: {ENVELOPE} (see {{log}})")] {
            let error =
                check("error-envelope", text(&around), Some("MATCH_NOT_FOUND"), "\"zzz\" is not in a.txt");
            assert_eq!(error.hints, ["Read the file again", "Check spaces"]);
            assert_eq!((error.retryable, error.values), (Some(true), vec!["/w/a.txt".to_owned()]));
            assert_eq!(&around[error.message], "\\\"zzz\\\" is not in a.txt");
        }
    }

    #[test]
    fn an_object_in_structured_content_alone_is_read_too() {
        let object = json!({"type": "NOT_FOUND", "message": "no a.txt", "recoverable": true, "data": {"path": "a.txt"}});
        let result = json!({"content": [{"type": "text", "text": "failed"}], "structuredContent": object, "isError": true});
        let error = check("tool-error", result, Some("NOT_FOUND"), "no a.txt");
        assert_eq!(
            (error.more, error.values),
            (vec!["failed".to_owned()], vec![r#"{"path":"a.txt"}"#.to_owned()])
        );
    }

    #[test]
    fn a_problem_is_an_error_without_the_flag_too() {
        let problem = json!({"path": "", "error": "no a", "problem": {"type": "u", "status": 404, "detail": "no a", "code": "file-not-found"}});
        let result =
            json!({"content": [{"type": "text", "text": problem.to_string()}], "structuredContent": problem});
        check("problem-details", result, Some("file-not-found"), "no a");
        assert_eq!(
            reply("problem-details", json!({"content": [], "structuredContent": {"error": "no a"}})),
            None
        );
        assert_eq!(
            reply("tool-error", json!({"content": [], "structuredContent": {"type": "INTERNAL"}})),
            None
        );
    }

    #[test]
    fn a_code_that_is_no_string_or_written_otherwise_is_malformed() {
        for code in [json!(404), json!("not found"), json!("not-found")] {
            let object = json!({"type": code, "message": "no a"}).to_string();
            let error = check("tool-error", text(&object), None, "no a");
            assert!(matches!(error.code, CodeField::Malformed { .. }), "{code}");
        }
        let error = check("tool-error", text("[NOT_FOUND] no a"), None, "[NOT_FOUND] no a");
        assert!(matches!(error.code, CodeField::Malformed { .. }));
    }

    #[test]
    fn a_text_without_the_object_is_all_message() {
        check("error-envelope", text("no such file"), None, "no such file");
        check("error-envelope", text(r#"{"error": "no such file"}"#), None, r#"{"error": "no such file"}"#);
    }

    proptest! {
        #[test]
        fn any_reply_is_read_by_every_contract_and_every_span_lies_within_its_text(
            before in "(?s).{0,10}", after in "(?s).{0,10}", code in ".{0,8}", message in "(?s).{0,12}",
            flagged: bool, structured: bool,
        ) {
            let object = json!({
                "error_code": code, "type": code, "message": message, "error": message, "recovery_hints": [message],
                "problem": {"code": code, "detail": message},
            });
            let text = format!("{before}{object}{after}");
            let mut result = json!({"content": [{"type": "text", "text": text}], "isError": flagged});
            if structured {
                result["structuredContent"] = object;
            }
            for contract in builtin() {
                let Some(error) = reply(&contract.id, result.clone()) else { continue };
                prop_assert!(error.text.get(error.message.clone()).is_some());
                if let CodeField::Present { span, .. } | CodeField::Malformed { span, .. } = &error.code {
                    prop_assert!(error.text.get(span.clone()).is_some());
                }
            }
        }
    }
}
