//! Lines to messages and back, between a pair of streams and the SDK.
//!
//! The main type is [`LineTransport`]. One task reads and one writes, so that neither is cut off half-way. A line
//! that the SDK would drop, or answer in words of its own, is answered here.

mod progress;
mod screen;
mod together;

use std::io;

use rmcp::RoleServer;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle};

use crate::defects::{Defect, Sent};
use progress::WrongProgress;
use screen::{Screened, screen};
pub(crate) use screen::{Unusable, is_mcp_method};
pub(crate) use together::CameTogether;
use together::{CallsTogether, Fate};

/// Bytes of one incoming line: a file at the default size limit still fits when JSON escapes most of it.
const MAX_LINE: usize = 64 * 1024 * 1024;

/// Messages that wait in each direction.
const QUEUE: usize = 64;

/// The SDK's side of the connection.
#[derive(Debug)]
pub(crate) struct LineTransport {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    outgoing: Option<mpsc::Sender<String>>,
    reader: AbortHandle,
}

/// Why nothing is written any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriterEnd {
    /// Everything was written.
    Done,
    /// The client does not read any more.
    Closed,
    /// A defect ends the server.
    Crash,
}

/// Begins to read and to write.
pub(crate) fn open<R, W>(
    reader: R,
    writer: W,
    defect: Option<&'static Defect>,
) -> (LineTransport, JoinHandle<WriterEnd>)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (messages, incoming) = mpsc::channel(QUEUE);
    let (outgoing, lines) = mpsc::channel(QUEUE);
    let reader =
        tokio::spawn(read(BufReader::new(reader), messages, outgoing.clone(), defect)).abort_handle();
    let writer = tokio::spawn(write(writer, lines, defect));
    (LineTransport { incoming, outgoing: Some(outgoing), reader }, writer)
}

impl Transport<RoleServer> for LineTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        async move {
            let line = serde_json::to_string(&item)?;
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            outgoing.ok_or_else(closed)?.send(line).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.reader.abort();
        self.outgoing = None;
        Ok(())
    }
}

impl Drop for LineTransport {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

async fn read<R: AsyncRead + Unpin>(
    mut reader: BufReader<R>,
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    answers: mpsc::Sender<String>,
    defect: Option<&'static Defect>,
) {
    let mut line = Vec::new();
    let mut calls = CallsTogether::new(defect.and_then(Defect::on_calls_together));
    let mut progress = WrongProgress::new(defect.and_then(Defect::on_progress));
    loop {
        let read = next_line(&mut reader, &mut line).await;
        let fate = calls.meet(&mut line, reader.buffer());
        let mut screened = match (read, fate) {
            (Ok(Line::Whole), Fate::Deadlock) => return std::future::pending().await,
            (Ok(Line::Whole), _) => screen(&line),
            (Ok(Line::TooLong), _) => Screened::Answer(screen::too_long(MAX_LINE)),
            (Ok(Line::End) | Err(_), _) => return,
        };
        for notification in progress.meet(&line) {
            let _ = answers.send(notification).await;
        }
        if fate == Fate::Failure {
            together::mark(&mut screened);
        }
        let cancelled = match &screened {
            Screened::Deliver(message) => screen::cancelled_request(message),
            Screened::Answer(_) | Screened::Ignore => None,
        };
        if cancelled.is_some() && defect.is_some_and(Defect::stops_at_a_cancelled_request) {
            return std::future::pending().await;
        }
        if let (Some(id), Some(defect)) = (cancelled, defect) {
            for answer in defect.on_cancelled(&id) {
                let _ = answers.send(answer).await;
            }
        }
        let is_open = match screened {
            Screened::Deliver(message) => messages.send(*message).await.is_ok(),
            Screened::Answer(answer) => answers.send(answer).await.is_ok(),
            Screened::Ignore => true,
        };
        if !is_open {
            return;
        }
    }
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads a line into `line`, without its end. The last one need not have an end.
async fn next_line<R: AsyncBufRead + Unpin>(reader: &mut R, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let mut length = 0;
    loop {
        let available = reader.fill_buf().await?;
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        let is_last = end.is_some() || available.is_empty();
        length += part.len();
        if length <= MAX_LINE {
            line.extend_from_slice(part);
        }
        let consumed = part.len() + usize::from(end.is_some());
        reader.consume(consumed);
        if is_last {
            return Ok(match (length, end) {
                (0, None) => Line::End,
                (1..=MAX_LINE, _) | (0, Some(_)) => Line::Whole,
                _ => Line::TooLong,
            });
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(
    mut writer: W,
    mut lines: mpsc::Receiver<String>,
    defect: Option<&'static Defect>,
) -> WriterEnd {
    while let Some(line) = lines.recv().await {
        let sent = match defect {
            Some(defect) => defect.on_line(line),
            None => Sent::Lines(vec![line]),
        };
        let sent = match sent {
            Sent::Lines(sent) => sent,
            Sent::Crash => return WriterEnd::Crash,
            Sent::Hang => std::future::pending().await,
        };
        for line in sent {
            let written = async {
                writer.write_all(line.as_bytes()).await?;
                writer.write_all(b"\n").await?;
                writer.flush().await
            };
            if written.await.is_err() {
                return WriterEnd::Closed;
            }
        }
    }
    WriterEnd::Done
}
