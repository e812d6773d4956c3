//! The HTTP service that this server asks on behalf of its caller, and what its answers and its silence mean.
//!
//! The main type is [`Upstream`]. It turns every way in which a service fails into a [`Failure`]; of what a service writes
//! into its answer nothing gets into a message but the one line that a JSON body has for the caller.

use std::error::Error;
use std::fmt;
use std::io::ErrorKind;
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;
use ureq::http::{HeaderMap, Response, StatusCode, header};

use crate::failure::{Code, Failure, Quoted};

mod wait;

/// The longest body that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;
/// How much of the service's own words for the caller is shown, in characters.
const DETAIL: usize = 160;

/// How an operating system tells that the other side has ended a connection.
const BROKEN_OFF: [ErrorKind; 4] = [
    ErrorKind::ConnectionReset,
    ErrorKind::ConnectionAborted,
    ErrorKind::UnexpectedEof,
    ErrorKind::BrokenPipe,
];

/// The addresses that may be asked, and how.
#[derive(Debug, Clone, Default)]
pub(crate) struct Upstream {
    /// Base addresses; a path alone is below the first one.
    pub(crate) bases: Vec<String>,
    /// What is sent as a bearer token, to those addresses alone.
    pub(crate) token: Option<String>,
    /// The environment variable in which that is missing.
    pub(crate) missing: Option<String>,
    /// Whether any status but 200 is taken for a failure.
    pub(crate) takes_200_alone: bool,
}

/// An answer that is no success. What the service wrote is kept, and told to nobody: it may hold anything.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the service answered {}, with {} bytes", self.status, self.body.len())
    }
}

impl Error for Refusal {}

impl Upstream {
    /// What the service has at an address.
    pub(crate) fn get(&self, sent: &str, timeout: Duration) -> Result<String, Failure> {
        let address = self.address(sent)?;
        if let Some(name) = &self.missing {
            let what = format!("Could not get {}, because {name} is not set", Quoted(sent));
            let hint = format!(
                "Create a token in the settings of the service, and set it as {name} in the environment of this \
                 server."
            );
            return Err(Failure::new(Code::UpstreamUnauthorized, what).about(sent).hint(hint));
        }
        // A proxy of the environment would be asked in the service's place; another status than 200 is no error of the
        // client's; and where a redirect leads is for the caller to decide.
        let config = Agent::config_builder()
            .proxy(None)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(timeout))
            .build();
        let agent: Agent = config.into();
        let mut request = agent.get(&address);
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let mut response = request.call().map_err(|error| unanswered(error, sent, timeout))?;
        let body = response.body_mut().with_config().limit(LARGEST).read_to_string();
        let is_taken = !self.takes_200_alone || response.status() == StatusCode::OK;
        match response.status().is_success() && is_taken {
            true => body.map_err(|error| unanswered(error, sent, timeout)),
            false => Err(refused(sent, &response, &body.unwrap_or_default())),
        }
    }

    /// The whole address of what the caller wrote: below one of the bases, and nothing else.
    fn address(&self, sent: &str) -> Result<String, Failure> {
        let Some(first) = self.bases.first() else {
            return Err(Failure::new(
                Code::ServerFault,
                "No HTTP service is configured, so nothing can be asked for",
            )
            .about(sent)
            .hint("Start the server with an upstream address."));
        };
        if sent.starts_with('/') {
            return Ok(format!("{}{sent}", first.trim_end_matches('/')));
        }
        let is_below = |base: &String| {
            let rest = sent.strip_prefix(base.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
        };
        if self.bases.iter().any(is_below) {
            return Ok(sent.to_owned());
        }
        Err(Failure::new(
            Code::InvalidInput,
            format!("The address {} is not one of the service's", Quoted(sent)),
        )
        .about(sent)
        .hint("Use a path that begins with '/', such as {\"url\": \"/status\"}."))
    }
}

/// The failure that a status other than success is.
fn refused(sent: &str, response: &Response<ureq::Body>, body: &str) -> Failure {
    let status = response.status();
    let code = code(status);
    let failure = Failure::new(code, format!("The service answered {} for {}", words(status), Quoted(sent)));
    let mut failure =
        failure.about(sent).caused_by(Refusal { status: status.as_u16(), body: body.to_owned() });
    if matches!(code, Code::UpstreamInvalid | Code::UpstreamConflict)
        && let Some(detail) = detail(body)
    {
        failure = failure.because(detail);
    }
    failure.retry_after = wait::asked(response.headers());
    failure.hint = hint(code, failure.retry_after);
    failure
}

fn code(status: StatusCode) -> Code {
    match status.as_u16() {
        400 | 422 => Code::UpstreamInvalid,
        401 => Code::UpstreamUnauthorized,
        403 => Code::UpstreamForbidden,
        404 | 410 => Code::UpstreamNotFound,
        409 => Code::UpstreamConflict,
        429 | 500.. => Code::UpstreamUnavailable,
        _ => Code::UpstreamInvalid,
    }
}

/// A status in words: `429 (Too Many Requests)`.
fn words(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} ({reason})", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

fn hint(code: Code, retry_after: Option<u64>) -> Option<Box<str>> {
    let hint = match (code, retry_after) {
        (Code::UpstreamInvalid, _) => "Correct the address or its parameters.".to_owned(),
        (Code::UpstreamNotFound, _) => "Check the address, or ask for another one.".to_owned(),
        (Code::UpstreamConflict, _) => "Look at its present state, and try again later.".to_owned(),
        (Code::UpstreamUnauthorized, _) => {
            "Tell the operator of this server: its own access is refused.".to_owned()
        }
        (Code::UpstreamForbidden, _) => "Ask the user for access to it.".to_owned(),
        (_, Some(seconds)) => format!("Try again in {seconds} seconds."),
        (_, None) => "Try again later.".to_owned(),
    };
    Some(hint.into())
}

/// What a JSON body says to the caller in one line of words. A page, a trace, or a body that does more is not shown.
fn detail(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let detail = ["detail", "message", "error"].iter().find_map(|name| body.get(*name)?.as_str())?;
    let plain = |letter: char| letter.is_alphanumeric() || " ,.;'-".contains(letter);
    let is_plain = !detail.is_empty() && detail.chars().count() <= DETAIL && detail.chars().all(plain);
    is_plain.then(|| detail.trim_end_matches('.').to_owned())
}

/// The failure that no answer is, or one that ends before it is whole.
fn unanswered(error: ureq::Error, sent: &str, timeout: Duration) -> Failure {
    let address = Quoted(sent);
    let (code, reason) = match &error {
        ureq::Error::Timeout(_) => {
            (Code::UpstreamTimeout, format!("the service did not answer within {} ms", timeout.as_millis()))
        }
        ureq::Error::HostNotFound => (Code::UpstreamUnreachable, "no service can be found there".to_owned()),
        ureq::Error::ConnectionFailed => {
            (Code::UpstreamUnreachable, "the service accepts no connection".to_owned())
        }
        ureq::Error::Io(io) if io.kind() == ErrorKind::ConnectionRefused => {
            (Code::UpstreamUnreachable, "the service accepts no connection".to_owned())
        }
        ureq::Error::BodyExceedsLimit(limit) => {
            (Code::FileTooLarge, format!("its answer is larger than {limit} bytes"))
        }
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            (Code::InvalidInput, "it is no address that can be asked for".to_owned())
        }
        ureq::Error::Io(io) if !BROKEN_OFF.contains(&io.kind()) => {
            (Code::UpstreamUnreachable, "no service can be found there".to_owned())
        }
        _ => (Code::UpstreamUnreachable, "the service broke the connection off".to_owned()),
    };
    let hint = match code {
        Code::InvalidInput => "Use a path that begins with '/', such as {\"url\": \"/status\"}.",
        Code::FileTooLarge => "Ask for a part of it.",
        _ => "Try again later.",
    };
    Failure::new(code, format!("Could not get {address}"))
        .about(sent)
        .because(reason)
        .hint(hint)
        .caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upstream(bases: &[&str]) -> Upstream {
        Upstream {
            bases: bases.iter().map(|base| (*base).to_owned()).collect(),
            token: None,
            ..Upstream::default()
        }
    }

    #[test]
    fn a_path_is_below_the_first_base_and_an_address_below_one_of_them() {
        let upstream = upstream(&["http://a:1/", "http://b:2"]);
        for (sent, address) in
            [("/x?y", "http://a:1/x?y"), ("http://b:2/x", "http://b:2/x"), ("http://b:2", "http://b:2")]
        {
            assert_eq!(upstream.address(sent).unwrap(), address);
        }
        for sent in ["http://c:3/x", "http://b:22/x", "http://b:2@c/x", "file:///etc/passwd", "x", ""] {
            assert_eq!(upstream.address(sent).unwrap_err().code, Code::InvalidInput, "{sent}");
        }
    }

    #[test]
    fn only_plain_words_of_a_json_body_are_shown() {
        assert_eq!(detail(r#"{"detail": "the quantity is 0."}"#).as_deref(), Some("the quantity is 0"));
        for body in
            ["<html>", r#"{"detail": "at app.js:3"}"#, r#"{"error": {"a": 1}}"#, r#"{"detail": ""}"#, ""]
        {
            assert_eq!(detail(body), None, "{body}");
        }
    }
}
