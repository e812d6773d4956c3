//! How the first session begins if the lifecycle is not given.
//!
//! The legacy one is tried first: some servers exit at an unknown request. If `initialize` is refused,
//! `server/discover` is sent to a fresh process. If it is unanswered for half of the start's deadline, both
//! wait at once, so that a silent server costs one deadline and not two.
//!
//! Whether a server that begins a legacy session has the modern lifecycle too is deliberately not checked:
//! within the session the request makes some servers exit, and it would otherwise take one more process in
//! every run. `--lifecycle modern` answers it.

use std::pin::pin;
use std::time::Duration;

use crate::exchange::Outcome;
use crate::server::{Answered, Command, Deadlines, OpenError, SERVES_HTTP, Session};
use crate::transcript::Lifecycle;
use crate::wire::ServerHello;

/// The lifecycle that is requested from a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestedLifecycle {
    /// The legacy one, or else the modern one.
    #[default]
    Auto,
    /// Only this one.
    Only(Lifecycle),
}

/// A session, the server's description of itself, and the answer that contained it.
pub(super) type StartedSession = (Session, ServerHello, Answered);

/// Begins the first session of a run.
pub(super) async fn open_first(
    command: &Command,
    roots: &[String],
    deadlines: Deadlines,
    opening: RequestedLifecycle,
) -> Result<(Lifecycle, StartedSession), OpenError> {
    let open = |lifecycle, start: Duration| async move {
        let deadlines = Deadlines { start, ..deadlines };
        let begun = Session::open(command, lifecycle, roots.to_vec(), deadlines).await?;
        Ok((lifecycle, begun))
    };
    if let RequestedLifecycle::Only(lifecycle) = opening {
        return open(lifecycle, deadlines.start).await;
    }
    let half = deadlines.start / 2;
    let mut legacy = pin!(open(Lifecycle::Legacy, deadlines.start));
    let first = tokio::time::timeout(half, &mut legacy).await;
    match first {
        Ok(Ok(begun)) => Ok(begun),
        // A command that cannot be started fails in either lifecycle.
        Ok(Err(error @ OpenError::Spawn(_))) => Err(error),
        Ok(Err(error)) if error.to_string().contains(SERVES_HTTP) => Err(error),
        Ok(Err(legacy)) => open(Lifecycle::Modern, half).await.map_err(|modern| neither(legacy, &modern)),
        Err(_) => {
            let mut modern = pin!(open(Lifecycle::Modern, half));
            tokio::select! {
                begun = &mut legacy => match begun {
                    Ok(begun) => Ok(begun),
                    Err(legacy) => modern.await.map_err(|modern| neither(legacy, &modern)),
                },
                begun = &mut modern => match begun {
                    Ok(begun) => Ok(begun),
                    Err(modern) => legacy.await.map_err(|legacy| neither(legacy, &modern)),
                },
            }
        }
    }
}

/// Why neither lifecycle could be used. Most servers have the legacy one, so its cause comes first; that the other one met
/// the same end is not worth a line.
fn neither(legacy: OpenError, modern: &OpenError) -> OpenError {
    let OpenError::Refused { cause, answer } = legacy else { return legacy };
    let is_silence = |outcome: &Outcome| matches!(outcome, Outcome::NoReply { .. } | Outcome::Ended(_));
    let is_same = |modern: &Answered| is_silence(&modern.outcome) && is_silence(&answer.outcome);
    if matches!(modern, OpenError::Refused { answer: modern, .. } if is_same(modern)) {
        return OpenError::Refused { cause, answer };
    }
    let modern = modern.to_string();
    let modern = modern.lines().next().unwrap_or_default();
    OpenError::Refused {
        cause: format!("{cause}\nTried again without a handshake, in a fresh process: {modern}"),
        answer,
    }
}
