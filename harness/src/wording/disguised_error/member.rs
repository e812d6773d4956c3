//! Members of a JSON object that say of a call that it failed.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{count, literal};
use crate::exchange::Exchange;

/// The result of a tool within the text of another result.
pub(super) const WITHIN: &str = "isError: true, within a text";

/// What an error is called where it is a member, in the languages in which servers are written; all in small letters, and
/// without what may follow, such as `_message`.
const NAMES: &[&str] = &[
    "err",
    "error",
    "problem",
    "errore",
    "erreur",
    "fehler",
    "fejl",
    "virhe",
    "fel",
    "feil",
    "fout",
    "erro",
    "błąd",
    "chyba",
    "hiba",
    "hata",
    "eroare",
    "greška",
    "klaida",
    "kļūda",
    "ошибка",
    "помилка",
    "грешка",
    "σφάλμα",
    "错误",
    "錯誤",
    "エラー",
    "오류",
    "에러",
    "lỗi",
    "kesalahan",
    "ralat",
    "خطأ",
    "خطا",
    "שגיאה",
];
/// What may follow such a name, in any spelling.
const FOLLOWING: &[&str] = &["code", "message", "msg", "meldung", "melding", "信息", "消息", "訊息"];

/// What such a member holds where there was no error.
const NOTHING: &[&str] = &["none", "null", "nil", "ok", "success", "false", "0"];

/// How a member says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `success: false`: nobody sends that with a success.
    Outcome,
    /// A text under the name of an error.
    Named,
    /// `status: error`.
    Status,
    /// A count of failures, with no success.
    Counted,
    /// A list that is not empty and is called `errors`.
    Listed,
    /// A list of which each item says that it failed.
    Items,
    /// A status that refuses, such as `not_found`: of a thing that was looked up it is an answer.
    Refused,
}

/// A member that says that a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sign {
    /// The member, as `error` or `success: false`.
    pub(super) name: String,
    pub(super) kind: Kind,
}

impl Sign {
    pub(super) fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind }
    }
}

/// The names of the members of a reply that is a JSON object; none of one that is anything else.
pub(super) fn members(exchange: &Exchange) -> BTreeSet<String> {
    let names = |object: &Map<String, Value>| inner(object).keys().cloned().collect();
    let structured = exchange.outcome.result().and_then(|result| result.get("structuredContent"));
    let of_texts =
        || exchange.outcome.texts().into_iter().find_map(|text| json(text)?.as_object().map(names));
    structured.and_then(Value::as_object).map(names).or_else(of_texts).unwrap_or_default()
}

/// What an object holds: where its only member is an object that says something of success or failure, that one's.
pub(super) fn inner(object: &Map<String, Value>) -> &Map<String, Value> {
    enveloped(object).filter(|inner| flat(inner).is_some()).unwrap_or(object)
}

/// Whether an object says that nothing came of the call: nobody sends that with a success.
pub(super) fn denies(object: &Map<String, Value>) -> bool {
    ["success", "ok", "succeeded"].iter().any(|name| object.get(*name) == Some(&Value::Bool(false)))
        || object.get("isError") == Some(&Value::Bool(true))
}

/// What a text is that holds JSON, or the like as Python writes it; or a JSON string that holds the like, as a server sends it
/// whose tool returns JSON as a string and whose library serializes what it returns.
pub(super) fn json(text: &str) -> Option<Value> {
    let plain = |text: &str| {
        let read = || serde_json::from_str(text).ok().or_else(|| literal::read(text));
        text.trim_start().starts_with(['{', '[']).then(read).flatten()
    };
    let quoted = || text.trim_start().starts_with('"').then(|| serde_json::from_str::<String>(text).ok())?;
    plain(text).or_else(|| plain(&quoted()?))
}

pub(super) fn telling(object: &Map<String, Value>) -> Option<Sign> {
    enveloped(object).and_then(flat).or_else(|| flat(object))
}

/// What stands in an envelope: the object that is the only member of another one.
fn enveloped(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    object.values().next().filter(|_| object.len() == 1)?.as_object()
}

fn flat(object: &Map<String, Value>) -> Option<Sign> {
    if let Some((name, _)) =
        object.iter().find(|(name, value)| is_error_name(name) && holds_error(name, value))
    {
        return Some(Sign::new(name.as_str(), Kind::Named));
    }
    if object.get("isError") == Some(&Value::Bool(true)) {
        return Some(Sign::new(WITHIN, Kind::Outcome));
    }
    for name in ["success", "ok", "succeeded"] {
        if object.get(name) == Some(&Value::Bool(false)) {
            return Some(Sign::new(format!("{name}: false"), Kind::Outcome));
        }
    }
    let status = object.get("status").and_then(Value::as_str).map(str::to_ascii_lowercase);
    if let Some(status) = status.filter(|status| ["error", "failed", "failure"].contains(&status.as_str())) {
        return Some(Sign::new(format!("status: {status}"), Kind::Status));
    }
    let counted =
        |object: &Map<String, Value>| count::failed_count(object).map(|name| Sign::new(name, Kind::Counted));
    let summary = || object.values().filter_map(Value::as_object).find_map(counted);
    if let Some(sign) = counted(object).or_else(summary) {
        return Some(sign);
    }
    let filled = |value: &Value| value.as_array().is_some_and(|items| !items.is_empty());
    if object.get("errors").is_some_and(filled) && !count::did_some(object) {
        return Some(Sign::new("errors", Kind::Listed));
    }
    object.iter().find_map(|(name, value)| {
        let sign = telling_items(value.as_array()?)?;
        Some(Sign::new(format!("{name}: {}", sign.name), Kind::Items))
    })
}

/// A member that each object of a list has, where each of them says that it failed.
pub(super) fn telling_items(items: &[Value]) -> Option<Sign> {
    let all = !items.is_empty()
        && items.iter().all(|item| item.as_object().is_some_and(|object| telling(object).is_some()));
    all.then(|| telling(items[0].as_object()?)).flatten().map(|sign| Sign::new(sign.name, Kind::Items))
}

/// Whether a member is called an error, in some language.
fn is_error_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let rest = |known: &&str| lower.strip_prefix(*known);
    NAMES.iter().filter_map(rest).any(|rest| {
        let rest = rest.trim_start_matches(['_', '-', ' ']);
        rest.is_empty() || FOLLOWING.contains(&rest)
    })
}

/// Whether what a member of that name holds can say that something failed.
fn holds_error(name: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let text = text.trim();
            !text.is_empty() && !NOTHING.iter().any(|nothing| text.eq_ignore_ascii_case(nothing))
        }
        Value::Object(members) => !members.is_empty(),
        // In another language the word has other meanings too.
        Value::Bool(said) => *said && ["error", "problem"].contains(&name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    fn check(object: &Value, expected: Option<(&str, Kind)>) {
        let found = telling(object.as_object().expect("an object"));
        let found = found.as_ref().map(|sign| (sign.name.as_str(), sign.kind));
        assert_eq!(found, expected, "{object}");
    }

    #[test]
    fn an_error_is_one_in_any_language() {
        for name in [
            "err",
            "errore",
            "erreur",
            "Fehler",
            "fejl",
            "virhe",
            "ошибка",
            "错误",
            "エラー",
            "erro_msg",
            "fehlermeldung",
            "errorCode",
            "error_message",
            "err_msg",
        ] {
            check(&json!({name: "no"}), Some((name, Kind::Named)));
            check(&json!({name: ""}), None);
            check(&json!({name: "None"}), None);
            check(&json!({name: 3}), None);
        }
        for name in
            ["erratum", "error_rate", "error_type", "errors_seen", "felt", "hatada", "problematic", "terror"]
        {
            check(&json!({name: "no"}), None);
        }
    }

    #[test]
    fn json_is_read_within_a_string_of_json_once() {
        let object = json!({"isValid": false, "errors": [{"code": "configuration-error"}]});
        let once = Value::String(object.to_string()).to_string();
        assert_eq!(super::json(&object.to_string()), Some(object.clone()));
        assert_eq!(super::json(&once), Some(object));
        assert_eq!(super::json(&Value::String(once).to_string()), None);
        assert_eq!(super::json(r#""{not json""#), None);
        assert_eq!(super::json(r#""error""#), None);
    }

    #[test]
    fn what_a_summary_counts_is_counted() {
        let object = json!({"summary": {"successful_conversions": 0, "failed_conversions": 1}, "x": 1});
        check(&object, Some(("failed_conversions: 1", Kind::Counted)));
    }

    #[test]
    fn a_list_of_any_name_fails_where_each_of_its_items_does() {
        let failed = json!({"success": false, "error": "no"});
        check(&json!({"batch_results": [failed], "n": 1}), Some(("batch_results: error", Kind::Items)));
        check(&json!({"batch_results": [failed, {"success": true}], "n": 1}), None);
        check(&json!({"batch_results": [], "n": 1}), None);
    }
}
