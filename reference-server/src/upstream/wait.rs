//! How long a service asks its clients to wait, in either form of `Retry-After`.

use std::time::SystemTime;

use httpdate::parse_http_date;

use super::{HeaderMap, header};

/// The seconds from the answer on. A date counts from that of the answer: the service's clock may not be ours.
pub(super) fn asked(headers: &HeaderMap) -> Option<u64> {
    let text = |name: header::HeaderName| headers.get(name)?.to_str().ok();
    let asked = text(header::RETRY_AFTER)?.trim();
    if let Ok(seconds) = asked.parse() {
        return Some(seconds);
    }
    let until = parse_http_date(asked).ok()?;
    let from = text(header::DATE).and_then(|date| parse_http_date(date).ok()).unwrap_or_else(SystemTime::now);
    Some(until.duration_since(from).map_or(0, |wait| wait.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(retry_after: &str, date: Option<&str>, expected: Option<u64>) {
        let mut headers = HeaderMap::new();
        headers.insert(header::RETRY_AFTER, retry_after.parse().unwrap());
        if let Some(date) = date {
            headers.insert(header::DATE, date.parse().unwrap());
        }
        assert_eq!(asked(&headers), expected, "{retry_after} {date:?}");
    }

    #[test]
    fn seconds_are_taken_and_a_date_counts_from_that_of_the_answer() {
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        check("7", date, Some(7));
        check(" 0 ", None, Some(0));
        check("Sun, 06 Nov 1994 08:51:07 GMT", date, Some(90));
        check("Sun, 06 Nov 1994 08:00:00 GMT", date, Some(0));
        check("Sun, 06 Nov 1994 08:51:07 GMT", None, Some(0));
        check("soon", date, None);
        check("-1", date, None);
        assert_eq!(asked(&HeaderMap::new()), None);
    }
}
