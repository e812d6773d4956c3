//! How a run is driven, where the user may choose.

pub use super::opening::RequestedLifecycle;

/// How a run is driven. The default is one process, in the lifecycle that the server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DriveOptions {
    /// Which lifecycle the server is asked for.
    pub opening: RequestedLifecycle,
    /// How many processes drive cases at once; at least one.
    pub jobs: usize,
    /// Which cases have a process of their own.
    pub isolation: Isolation,
    /// Whether lines are sent that no client may send.
    pub robustness: Robustness,
}

/// Which cases have a process of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Those that change the server's own state.
    #[default]
    WhereNeeded,
    /// All.
    ByCase,
}

/// Whether lines are sent that no client may send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Robustness {
    /// They are not.
    #[default]
    Untried,
    /// They are, in a process of their own, after all cases.
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
