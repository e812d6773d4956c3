//! The user's options for how a run is driven.

pub use super::startup::RequestedLifecycle;

/// How a run is driven. The default is one process, in whichever lifecycle the server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DriveOptions {
    /// The lifecycle that is requested from the server.
    pub opening: RequestedLifecycle,
    /// How many processes drive cases at once; at least one.
    pub jobs: usize,
    /// Which cases get a process of their own.
    pub isolation: Isolation,
    /// Whether malformed lines are sent.
    pub robustness: Robustness,
}

/// Which cases get a process of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Those that change the server's own state.
    #[default]
    WhereNeeded,
    /// Every case.
    ByCase,
}

/// Whether malformed lines are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Robustness {
    /// None are sent.
    #[default]
    Untried,
    /// They are sent after all cases, in a process of their own.
    Tried,
}

impl Default for DriveOptions {
    fn default() -> Self {
        Self {
            opening: RequestedLifecycle::default(),
            jobs: 1,
            isolation: Isolation::default(),
            robustness: Robustness::default(),
        }
    }
}
