//! Whether a text says how long to wait.

use crate::expectation::Wait;
use crate::pattern;

/// How many seconds may pass between a service's answer and a reply that counts from it.
const PASSING: u64 = 2;

/// Whether a text gives the time that a service asks to wait: in seconds, milliseconds or minutes, or as the service's date.
pub fn tells_wait(text: &str, wait: &Wait) -> bool {
    let admitted = wait.admitted(PASSING);
    // Minutes and seconds are the same in nearly every time zone.
    let clock = wait.until.as_deref().and_then(|date| date.split(' ').find_map(|part| part.split_once(':')));
    if clock.is_some_and(|(_, clock)| text.contains(clock)) {
        return true;
    }
    pattern!("value/quantity").captures_iter(text).any(|found| {
        let Ok(number) = found[1].parse::<u64>() else { return false };
        let host = text[..found.get_match().start()].strip_suffix(':').unwrap_or_default();
        let is_port = host.ends_with(|letter: char| letter.is_alphanumeric() || letter == ']');
        admitted.contains(&number)
            || !is_port && admitted.contains(&(number / 1000))
            || found.get(2).is_some() && number == wait.seconds.div_ceil(60)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_in_any_unit_or_by_its_date() {
        let until = Some("Fri, 27 Nov 2026 16:04:53 GMT".to_owned());
        for text in [
            "Try again in 37 seconds",
            r#"{"retryAfterMs":36874}"#,
            "wait 1 minute",
            "Retry-After: 40",
            "not before 2026-11-27T17:04:53+01:00",
        ] {
            assert!(tells_wait(text, &Wait { seconds: 37, until: until.clone() }), "{text}");
        }
        for text in
            ["Too many requests", "http://127.0.0.1:37001/order-2002: 429", "retry 3 times", "wait 5 minutes"]
        {
            assert!(!tells_wait(text, &Wait { seconds: 37, until: None }), "{text}");
        }
    }
}
