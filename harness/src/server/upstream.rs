//! The HTTP service behind a server under test, on the loopback interface, which answers as the cases define.
//!
//! The main type is [`Upstream`]. Its listener is made in one place, [`listen`], so that the confinement can
//! create it first and learn its port. It gives no verdict, and only reports what it answered.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use socket2::{Domain, Socket, Type};
use tokio::task::{AbortHandle, JoinSet};

use crate::suite::{Route, StubResponse};

use super::Taker;

mod made_up;
mod page;
mod stub;

pub use made_up::{MadeUp, MemberKind};
use stub::Stub;

/// At most this many confined servers are served at once.
const AT_ONCE: usize = 64;

/// An HTTP service, and an address where every connection is refused. Dropping it ends both.
pub struct Upstream {
    address: String,
    refusing: ClosedPort,
    stub: Arc<Stub>,
    accepting: Vec<AbortHandle>,
}

/// What the service answers instead of its routes, while this is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum StandIn {
    /// Nothing: each path is answered by its route, and any other one with 404.
    #[default]
    Nothing,
    /// Made-up data, for paths without a route.
    MadeUp(MadeUp),
    /// This answer, for every path.
    Everywhere(StubResponse),
}

/// A port that is taken but not listened at, so that the operating system refuses every connection.
struct ClosedPort {
    address: String,
    #[expect(dead_code, reason = "it is held, so that nobody else takes the port")]
    socket: Socket,
}

/// A listener on a free port of the loopback interface.
///
/// # Errors
/// If the operating system provides none.
pub fn listen() -> io::Result<TcpListener> {
    TcpListener::bind(("127.0.0.1", 0))
}

impl Upstream {
    /// Answers at this listener: each path by its route, and any other one with 404. `secret` replaces
    /// `{secret}` in bodies. It runs on the caller's runtime.
    ///
    /// # Errors
    /// When the listener cannot be used, or no port that refuses connections can be reserved.
    pub fn on(listener: TcpListener, routes: HashMap<String, Route>, secret: String) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let address = format!("http://{}", listener.local_addr()?);
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let stub = Arc::new(Stub { routes, secret, ..Stub::default() });
        let accepting = vec![tokio::spawn(Arc::clone(&stub).serve(listener)).abort_handle()];
        Ok(Self { address, refusing: ClosedPort::take()?, stub, accepting })
    }

    /// Also answers in the networks of confined servers, at listeners received from there.
    ///
    /// # Errors
    /// If the socket for receiving them cannot be used.
    pub fn serve_within(&mut self, taker: Taker) -> io::Result<()> {
        let stub = Arc::clone(&self.stub);
        let handed = taker.listening()?;
        let serve = async move {
            // Networks of ended servers are dropped as new ones come.
            let mut serving: VecDeque<JoinSet<()>> = VecDeque::new();
            loop {
                let Ok(listeners) = handed.next().await else { continue };
                let mut of_one = JoinSet::new();
                for listener in listeners {
                    of_one.spawn(Arc::clone(&stub).serve(listener));
                }
                serving.push_back(of_one);
                serving.drain(..serving.len().saturating_sub(AT_ONCE));
            }
        };
        self.accepting.push(tokio::spawn(serve).abort_handle());
        Ok(())
    }

    /// Its address, such as `http://127.0.0.1:40001`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// How many requests have been received so far, in all networks.
    pub fn asked(&self) -> u64 {
        self.stub.asked.load(Ordering::Relaxed)
    }

    /// Sets what is answered instead of the routes. The dates given so far are forgotten.
    pub fn set_stand_in(&self, answer: StandIn) {
        self.stub.dates.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.stub.stand_in.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    }

    /// What is answered instead of the routes at present.
    pub fn stand_in(&self) -> StandIn {
        self.stub.stand_in.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The address where every connection is refused.
    pub fn refusing(&self) -> &str {
        &self.refusing.address
    }

    /// The last date given in answer to a path with this beginning, if any.
    pub fn date(&self, beginning: &str) -> Option<String> {
        let dates = self.stub.dates.lock().unwrap_or_else(PoisonError::into_inner);
        dates.iter().find(|(path, _)| path.starts_with(beginning)).map(|(_, date)| date.clone())
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.accepting.iter().for_each(AbortHandle::abort);
    }
}

impl ClosedPort {
    fn take() -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        let taken = socket.local_addr()?.as_socket().ok_or(io::ErrorKind::AddrNotAvailable)?;
        Ok(Self { address: format!("http://{taken}"), socket })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::Duration;

    use super::*;
    use crate::suite::{Page, RetryAfter, StubResponse};

    fn page(status: u16, retry_after: Option<RetryAfter>, body: &str) -> Page {
        Page {
            status,
            retry_after,
            headers: [("X-Kind".to_owned(), "stub".to_owned())].into(),
            body: body.to_owned(),
        }
    }

    /// The service with one route, and the runtime that it runs on.
    fn upstream(path: &str, answer: StubResponse) -> (tokio::runtime::Runtime, Upstream) {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let within = runtime.enter();
        let routes = [(path.to_owned(), Route { path: "one".to_owned(), answer })].into();
        let upstream = Upstream::on(listen().unwrap(), routes, "drawn-0".to_owned()).unwrap();
        drop(within);
        (runtime, upstream)
    }

    /// What a client reads that requests a path, until the connection ends; `None` if it does not end.
    fn read(upstream: &Upstream, path: &str) -> Option<String> {
        read_by(upstream, "GET", path)
    }

    /// The same for another method.
    fn read_by(upstream: &Upstream, method: &str, path: &str) -> Option<String> {
        let mut client = TcpStream::connect(upstream.address().trim_start_matches("http://")).unwrap();
        client.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        write!(client, "{method} {path} HTTP/1.1\r\nHost: stub\r\nAuthorization: Bearer t-1\r\n\r\n")
            .unwrap();
        let mut read = Vec::new();
        client.read_to_end(&mut read).ok().map(|_| String::from_utf8(read).unwrap())
    }

    fn asked(answer: StubResponse, path: &str) -> (Option<String>, Option<String>) {
        let (_runtime, upstream) = upstream("/case/one", answer);
        (read(&upstream, path), upstream.date("/case/"))
    }

    #[test]
    fn a_route_is_answered_as_it_says() {
        let answer = StubResponse::Page(page(429, Some(RetryAfter::Seconds(7)), "wait, {secret}"));
        let (read, date) = asked(answer, "/case/one?x=1");
        let read = read.unwrap();
        assert!(read.starts_with("HTTP/1.1 429 Too Many Requests\r\n"), "{read}");
        for part in [
            "\r\nRetry-After: 7\r\n",
            "\r\nX-Kind: stub\r\n",
            "\r\nContent-Length: 13\r\n",
            "\r\n\r\nwait, drawn-0",
        ] {
            assert!(read.contains(part), "{part}: {read}");
        }
        assert_eq!(date, None);
    }

    #[test]
    fn a_date_lies_as_far_behind_that_of_the_answer_as_the_route_says_and_is_kept() {
        let (read, date) =
            asked(StubResponse::Page(page(503, Some(RetryAfter::DateIn(90)), "")), "/case/one");
        let read = read.unwrap();
        let header = |name: &str| {
            let line = read.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            httpdate::parse_http_date(line).unwrap()
        };
        let wait = header("Retry-After: ").duration_since(header("Date: ")).unwrap();
        assert_eq!(wait, Duration::from_secs(90));
        assert_eq!(httpdate::parse_http_date(&date.unwrap()).unwrap(), header("Retry-After: "));
    }

    #[test]
    fn a_body_may_show_what_was_asked() {
        let (read, _) = asked(StubResponse::Page(page(500, None, "<pre>{request}</pre>")), "/case/one");
        assert!(read.unwrap().contains("Authorization: Bearer t-1"));
    }

    #[test]
    fn a_path_without_a_route_is_not_found() {
        let (read, _) = asked(StubResponse::Silence, "/other");
        assert!(read.unwrap().starts_with("HTTP/1.1 404 Not Found\r\n"));
    }

    #[test]
    fn the_service_hangs_up_breaks_off_or_stays_silent() {
        assert_eq!(asked(StubResponse::HangUp, "/case/one").0.as_deref(), Some(""));
        let (half, _) = asked(StubResponse::HalfAPage(page(200, None, "0123456789")), "/case/one");
        let half = half.unwrap();
        assert!(half.contains("Content-Length: 10\r\n") && half.ends_with("\r\n\r\n01234"), "{half}");
        assert_eq!(asked(StubResponse::Silence, "/case/one").0, None);
    }

    #[test]
    fn what_stands_in_is_answered_in_the_place_of_the_routes_and_every_request_is_counted() {
        let answer = |status| StubResponse::Page(page(status, None, ""));
        let (_runtime, upstream) = upstream("/one", answer(200));
        let status = |path: &str| read(&upstream, path).unwrap().split(' ').nth(1).unwrap().to_owned();
        assert_eq!((status("/one"), status("/two")), ("200".to_owned(), "404".to_owned()));
        upstream.set_stand_in(StandIn::MadeUp(MadeUp::default()));
        assert_eq!((status("/one"), status("/two")), ("200".to_owned(), "200".to_owned()));
        upstream.set_stand_in(StandIn::Everywhere(answer(503)));
        assert_eq!((status("/one"), status("/two")), ("503".to_owned(), "503".to_owned()));
        upstream.set_stand_in(StandIn::Nothing);
        assert_eq!(status("/two"), "404");
        assert_eq!(upstream.asked(), 7);
    }

    #[test]
    fn a_made_up_list_ends_with_its_first_part_and_what_is_deleted_leaves_nothing() {
        let (_runtime, upstream) = upstream("/one", StubResponse::Page(page(200, None, "[1]")));
        upstream.set_stand_in(StandIn::MadeUp(MadeUp::default()));
        for (path, has_items) in [
            ("/two?page=1", true),
            ("/two?limit=5&page=2", false),
            ("/two?offset=0", true),
            ("/two?offset=10", false),
        ] {
            let read = read(&upstream, path).unwrap();
            assert_eq!(!read.contains(r#""items":[]"#), has_items, "{path}: {read}");
        }
        assert!(read(&upstream, "/one?page=2").unwrap().ends_with("[1]"), "a route is answered as it says");
        let mut lists = MadeUp::default();
        assert!(lists.become_list());
        upstream.set_stand_in(StandIn::MadeUp(lists));
        let deleted = read_by(&upstream, "DELETE", "/two/7").unwrap();
        assert!(deleted.starts_with("HTTP/1.1 204 No Content\r\n"), "{deleted}");
        assert!(deleted.ends_with("\r\n\r\n") && !deleted.contains("Content-Length"), "{deleted}");
    }

    #[test]
    fn the_refusing_address_refuses() {
        let refusing = ClosedPort::take().unwrap();
        let error = TcpStream::connect(refusing.address.trim_start_matches("http://")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
