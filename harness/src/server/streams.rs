//! A server that is not a process: a pair of streams, opened again for each session.
//!
//! The main type is [`Streams`].

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

/// The stream that the server writes to.
pub(super) type ServerOutput = Box<dyn AsyncRead + Send + Unpin>;
/// The stream that the server reads from.
pub(super) type ServerInput = Box<dyn AsyncWrite + Send + Unpin>;

type Open = dyn Fn(&Path) -> (ServerOutput, ServerInput) + Send + Sync;

/// Opens connections to fresh servers.
#[derive(Clone)]
pub struct Streams {
    open: Arc<Open>,
    /// The folder made by the harness, once it exists.
    workspace: PathBuf,
}

impl Streams {
    /// Streams opened by this function, which is given the folder made by the harness. Each connection must
    /// lead to a server without earlier state.
    pub fn new<R, W>(open: impl Fn(&Path) -> (R, W) + Send + Sync + 'static) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let open = move |workspace: &Path| -> (ServerOutput, ServerInput) {
            let (reader, writer) = open(workspace);
            (Box::new(reader), Box::new(writer))
        };
        Self { open: Arc::new(open), workspace: PathBuf::new() }
    }

    /// The streams of a server in this folder.
    pub(crate) fn within(&self, workspace: &str) -> Self {
        Self { open: Arc::clone(&self.open), workspace: PathBuf::from(workspace) }
    }

    pub(super) fn open(&self) -> (ServerOutput, ServerInput) {
        (self.open)(&self.workspace)
    }
}

impl fmt::Debug for Streams {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Streams")
    }
}

impl PartialEq for Streams {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.open, &other.open)
    }
}

impl Eq for Streams {}
