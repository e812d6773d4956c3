//! The text of an HTTP answer: its head and its body. Pure; the time is an argument.

use std::time::{Duration, SystemTime};

use crate::suite::{Page, RetryAfter};

/// The page for an address without a route.
pub(super) fn unknown() -> Page {
    Page { status: 404, retry_after: None, headers: [].into(), body: "There is no such address.".to_owned() }
}

/// A page with data.
pub(super) fn json(body: &serde_json::Value) -> Page {
    Page { status: 200, retry_after: None, headers: [].into(), body: body.to_string() }
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
    put("Content-Length", &length.to_string());
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
