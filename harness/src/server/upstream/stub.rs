//! Serves connections with one request each: reads its head, finds its route, answers, and closes.
//!
//! The main type is [`Stub`]. The bytes of an answer are made by `page`.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::suite::{Page, RetryAfter, Route, StubResponse};

use super::{StandIn, page};

/// The longest request head that is read, in bytes.
const HEAD: usize = 64 * 1024;
/// How long a client may take to send the head.
const PATIENCE: Duration = Duration::from_secs(10);
/// At most this many connections are answered at once; others wait.
const AT_ONCE: usize = 256;
/// How many headers a request may have.
const HEADERS: usize = 64;

/// Answers requests.
#[derive(Default)]
pub(super) struct Stub {
    /// Routes by the path of the request.
    pub(super) routes: HashMap<String, Route>,
    pub(super) secret: String,
    /// The dates that were given in place of a number of seconds, by the path of the request.
    pub(super) dates: Mutex<HashMap<String, String>>,
    /// What is answered instead of the routes.
    pub(super) stand_in: Mutex<StandIn>,
    /// How many requests have been received.
    pub(super) asked: AtomicU64,
}

impl Stub {
    /// Answers requests until it is dropped, which also closes every connection.
    pub(super) async fn serve(self: Arc<Self>, listener: TcpListener) {
        let mut connections = JoinSet::new();
        loop {
            while connections.try_join_next().is_some() {}
            if connections.len() >= AT_ONCE {
                connections.join_next().await;
            }
            // A connection that ends before it is accepted is the client's doing.
            let Ok((stream, _)) = listener.accept().await else { continue };
            let stub = Arc::clone(&self);
            connections.spawn(async move {
                // A client that disconnects is no error here: its reply shows what it makes of that.
                let _ = stub.answer(stream).await;
            });
        }
    }

    async fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        let head = match tokio::time::timeout(PATIENCE, head(&mut stream)).await {
            Ok(head) => head?,
            Err(_) => return Ok(()),
        };
        let (method, target) = method_and_target(&head);
        let path = path(&target);
        self.asked.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now();
        let chosen = self.chosen(&path, &method, &target);
        let chosen = chosen.unwrap_or_else(|| StubResponse::Page(page::unknown()));
        match &chosen {
            StubResponse::Page(page) | StubResponse::HalfAPage(page) => {
                self.keep_date(page, &path, now);
                let body = page::body(page, &self.secret, &head);
                let sent = match chosen {
                    StubResponse::HalfAPage(_) => body.len() / 2,
                    _ => body.len(),
                };
                let head = page::head(page, now, body.len());
                stream.write_all(&[head.as_bytes(), &body.as_bytes()[..sent]].concat()).await?;
            }
            StubResponse::HangUp => {}
            StubResponse::Silence => {
                // Waits until the client gives up.
                let mut rest = [0; 512];
                while stream.read(&mut rest).await? > 0 {}
            }
        }
        stream.shutdown().await
    }

    /// The answer to a request for the path of this target; `None` if there is no route.
    fn chosen(&self, path: &str, method: &str, target: &str) -> Option<StubResponse> {
        let routed = self.routes.get(path).map(|route| &route.answer);
        let stand_in = self.stand_in.lock().unwrap_or_else(PoisonError::into_inner);
        match &*stand_in {
            StandIn::Nothing => routed.cloned(),
            StandIn::MadeUp(data) => {
                let answer = || StubResponse::Page(page::made_up(data, method, path, target));
                Some(routed.cloned().unwrap_or_else(answer))
            }
            StandIn::Everywhere(answer) => Some(answer.clone()),
        }
    }

    fn keep_date(&self, page: &Page, path: &str, now: SystemTime) {
        if let Some(RetryAfter::DateIn(seconds)) = page.retry_after {
            let mut dates = self.dates.lock().unwrap_or_else(PoisonError::into_inner);
            dates.insert(path.to_owned(), page::date(now, seconds));
        }
    }
}

/// The head of a request, up to a limit; invalid UTF-8 is replaced.
async fn head(stream: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    let mut part = [0; 4096];
    while head.len() < HEAD && !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut part).await? {
            0 => break,
            read => head.extend_from_slice(&part[..read]),
        }
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

/// The method and the target of a request; both empty if it is none.
fn method_and_target(head: &str) -> (String, String) {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head.as_bytes()) {
        Ok(_) => (request.method.unwrap_or_default().to_owned(), request.path.unwrap_or_default().to_owned()),
        Err(_) => (String::new(), String::new()),
    }
}

/// The path of a request's target, without its query.
fn path(target: &str) -> String {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    // Requests to a proxy contain a full address.
    match path.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |slash| &rest[slash..]).to_owned(),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{method_and_target, path};

    #[test]
    fn the_path_of_a_request_is_found_in_its_first_line() {
        for (head, expected) in [
            ("GET /a/b?c=d HTTP/1.1\r\nHost: h\r\n\r\n", "/a/b"),
            ("GET http://h:1/a HTTP/1.1\r\n\r\n", "/a"),
            ("GET http://h:1 HTTP/1.1\r\n\r\n", "/"),
            ("no request", ""),
            ("", ""),
        ] {
            assert_eq!(path(&method_and_target(head).1), expected, "{head:?}");
        }
    }
}
