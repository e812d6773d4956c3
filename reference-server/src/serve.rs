//! One connection, from its first line to its last.

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{ctrl_break, ctrl_c};

use crate::options::Options;
use crate::panic;
use crate::server::Server;
use crate::shell::Shell;
use crate::transport::{self, WriterEnd};

/// Why a server could not start, or ended before its client was done.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A directory of the options cannot be used.
    #[error("cannot serve the directory {}: {source}", path.display())]
    Directory {
        /// The directory as it was given.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A deny pattern of the options does not compile.
    #[error("cannot use a deny pattern: {0}")]
    Deny(globset::Error),
    /// The client did not open the session as MCP wants it.
    #[error("the session was not opened: {0}")]
    Opening(Box<ServerInitializeError>),
    /// Signals of the operating system cannot be awaited.
    #[error("cannot wait for signals: {0}")]
    Signals(std::io::Error),
    /// A defect made the server crash. `serve_stdio` aborts the process instead.
    #[error("the server crashed, as the defect that is switched on wants it")]
    Crashed,
}

/// Serves one client over any pair of streams until the client closes its side.
///
/// Background tasks end with it, whichever way it ends.
///
/// # Errors
///
/// [`ServeError`]; a client that goes away is not one.
pub async fn serve<R, W>(options: Options, reader: R, writer: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server = Server::new(&options, options.limits()?);
    let _ending = EndWithServer(server.shell());
    let (transport, mut writer) = transport::open(reader, writer, options.defect);
    let session = async {
        match server.serve(transport).await {
            Ok(running) => {
                // Ends when the client closes its side, and by nothing else: no handler can make it fail.
                let _ = running.waiting().await;
                Ok(())
            }
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(ServeError::Opening(Box::new(error))),
        }
    };
    let written = tokio::select! {
        biased;
        written = &mut writer => written,
        result = session => {
            // The session is over and has dropped its side, so what is left of the replies is written out now.
            let written = writer.await;
            result?;
            written
        }
    };
    match written {
        Ok(WriterEnd::Crash) => Err(ServeError::Crashed),
        Ok(WriterEnd::Done | WriterEnd::Closed) | Err(_) => Ok(()),
    }
}

/// Serves the client on standard input and output until it closes its side, or until SIGINT or SIGTERM; on Windows Ctrl-C
/// or Ctrl-Break.
///
/// Standard input may still be waited for by a thread when this returns: end the process, or shut the runtime down
/// in the background.
///
/// # Errors
///
/// Those of [`serve`].
pub async fn serve_stdio(options: Options) -> Result<(), ServeError> {
    panic::quiet_within_tools();
    let (reader, writer) = rmcp::transport::stdio_pipes();
    #[cfg(unix)]
    let (interrupt, terminate) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    #[cfg(windows)]
    let (interrupt, terminate) = (ctrl_c(), ctrl_break());
    let mut interrupt = interrupt.map_err(ServeError::Signals)?;
    let mut terminate = terminate.map_err(ServeError::Signals)?;
    let result = tokio::select! {
        result = serve(options, reader, writer) => result,
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    };
    if matches!(result, Err(ServeError::Crashed)) {
        std::process::abort();
    }
    result
}

/// Ends all commands when the connection ends, also when it is dropped half-way.
struct EndWithServer(Arc<Shell>);

impl Drop for EndWithServer {
    fn drop(&mut self) {
        self.0.end_all();
    }
}
