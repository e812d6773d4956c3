//! The answers of the HTTP service behind a server, as a case defines them.
//!
//! The main type is [`Route`]. The service itself is implemented elsewhere.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One address of the service and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Route {
    /// What follows `{upstream}/` in the address.
    pub path: String,
    /// What it answers.
    pub answer: StubResponse,
}

/// What a service does with a request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StubResponse {
    /// It answers.
    Page(Page),
    /// It begins to respond, and closes the connection in the middle of the body.
    HalfAPage(Page),
    /// It closes the connection without a response.
    HangUp,
    /// It never answers, and keeps the connection.
    Silence,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Page {
    /// Its status, from 200 to 599.
    pub status: u16,
    /// When the next request may come.
    pub retry_after: Option<RetryAfter>,
    /// Further headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body. `{secret}` in it stands for the value that no reply may tell, `{request}` for the request's own head.
    #[serde(default)]
    pub body: String,
}

/// The two forms of `Retry-After`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RetryAfter {
    /// This many seconds.
    Seconds(u64),
    /// A date, this many seconds after that of the response.
    DateIn(u64),
}

impl Route {
    /// The waiting time in its answer, in seconds.
    pub fn wait(&self) -> Option<u64> {
        let (StubResponse::Page(page) | StubResponse::HalfAPage(page)) = &self.answer else { return None };
        page.retry_after.map(|(RetryAfter::Seconds(seconds) | RetryAfter::DateIn(seconds))| seconds)
    }
}

#[cfg(test)]
mod tests {
    use crate::suite::load::load_case;
    use crate::suite::mistakes::check_in;

    const CASE: &str = r#"title = "t"
condition = "rate-limited"
requirements = ["TE-05"]

[[upstream]]
path = "one"
answer = { page = { status = 200, body = "apple" } }

[[upstream]]
path = "two"
answer = { page = { status = 429, retry-after = { seconds = 7 } } }

[control]
role = "http"
arguments = { url = "{upstream}/one" }

[call]
role = "http"
arguments = { url = "{upstream}/two" }

[expect]
value = { path = "{upstream}/two" }
wait = 7
"#;

    fn check(from: &str, to: &str, expected: &str) {
        check_in(CASE, "http", (from, to), expected);
    }

    #[test]
    fn the_good_case_is_loaded_with_what_an_agent_goes_by() {
        let case = load_case("a.toml", "http/a", CASE).unwrap();
        assert_eq!(
            case.script.recovery().and_then(|recovery| recovery.wait).map(|wait| wait.seconds),
            Some(7)
        );
    }

    #[test]
    fn a_misspelt_answer_is_reported_with_the_nearest() {
        check("{ page =", "{ pgae =", "7:12: unknown value `pgae`: did you mean `page`?");
        check("retry-after", "retry-aftr", "11:35: unknown key `retry-aftr`: did you mean `retry-after`?");
        check(
            "{upstream}/two",
            "{upstraem}/two",
            "19:22: `{upstraem}` is not a token and would be sent as is: did you mean `{upstream}`?",
        );
    }

    #[test]
    fn an_address_that_nobody_asks_for_or_that_is_there_twice_is_reported() {
        check("\"two\"\n", "\"tow\"\n", "10:8: no call asks for `{upstream}/tow`");
        check("\"two\"\n", "\"one\"\n", "6:8: the address `one` is listed twice");
        check(
            "\"two\"\n",
            "\"/two\"\n",
            "10:8: `/two` must be what follows `{upstream}/`, made of letters, digits, `-`, `_`, `.` and `/`",
        );
    }

    #[test]
    fn a_status_that_is_none_and_a_wait_that_nobody_asks_for_are_reported() {
        check("429", "42", "11:10: `42` is not a valid status of a response: use 200 to 599");
        check("wait = 7", "wait = 8", "23:8: no response of `upstream` asks to wait 8 s: add `retry-after`");
    }
}
