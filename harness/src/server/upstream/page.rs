//! The text of an HTTP answer: its head and its body. Pure; the time is an argument.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::suite::{Page, RetryAfter};

use super::MadeUp;

/// Parameters of a query that ask for a later part of a list, and the number of the first part.
const LATER: [(&str, u64); 7] = [
    ("page", 1),
    ("page_number", 1),
    ("pageNumber", 1),
    ("offset", 0),
    ("skip", 0),
    ("start_index", 0),
    ("startIndex", 0),
];

/// The page for an address without a route.
pub(super) fn unknown() -> Page {
    Page { status: 404, retry_after: None, headers: [].into(), body: "There is no such address.".to_owned() }
}

/// Made-up data as this request needs it. A list ends with its first part, so that whoever reads on comes to its end. Where
/// answers are lists, nobody gets one for what was deleted: nothing is left.
pub(super) fn made_up(data: &MadeUp, method: &str, path: &str, target: &str) -> Page {
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let is_later = query.split('&').filter_map(|pair| pair.split_once('=')).any(|(name, value)| {
        LATER.iter().any(|(known, first)| *known == name && value.parse().is_ok_and(|at: u64| at > *first))
    });
    let mut body = data.body(path);
    if is_later {
        empty_lists(&mut body);
    }
    let is_gone = method == "DELETE" && data.is_list;
    let (status, body) = if is_gone { (204, String::new()) } else { (200, body.to_string()) };
    Page { status, retry_after: None, headers: [].into(), body }
}

/// Takes out the items of a list, or of the lists that an object holds.
fn empty_lists(body: &mut Value) {
    match body {
        Value::Array(items) => items.clear(),
        Value::Object(members) => members.values_mut().filter(|value| value.is_array()).for_each(empty_lists),
        _ => {}
    }
}

/// The date this many seconds after `now`, in HTTP's format.
pub(super) fn date(now: SystemTime, seconds: u64) -> String {
    httpdate::fmt_http_date(now + Duration::from_secs(seconds))
}

/// The body, with its tokens replaced.
pub(super) fn body(page: &Page, secret: &str, request: &str) -> String {
    page.body.replace("{secret}", secret).replace("{request}", request.trim_end())
}

/// The head of an answer with a body of this many bytes.
pub(super) fn head(page: &Page, now: SystemTime, length: usize) -> String {
    let mut head = format!("HTTP/1.1 {} {}\r\n", page.status, reason(page.status));
    let mut put = |name: &str, value: &str| head.push_str(&format!("{name}: {value}\r\n"));
    put("Date", &date(now, 0));
    put("Connection", "close");
    if page.status != 204 {
        put("Content-Length", &length.to_string());
    }
    match page.retry_after {
        Some(RetryAfter::Seconds(seconds)) => put("Retry-After", &seconds.to_string()),
        Some(RetryAfter::DateIn(seconds)) => put("Retry-After", &date(now, seconds)),
        None => {}
    }
    let has_type = page.headers.keys().any(|name| name.eq_ignore_ascii_case("content-type"));
    if !has_type {
        // Without a content type many clients ignore the body.
        let is_json = page.body.trim_start().starts_with(['{', '[']);
        put("Content-Type", if is_json { "application/json" } else { "text/plain; charset=utf-8" });
    }
    for (name, value) in &page.headers {
        put(name, value);
    }
    head + "\r\n"
}

/// The reason phrase of a status (RFC 9110, section 15).
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Other",
    }
}
