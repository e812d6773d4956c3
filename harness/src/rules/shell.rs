//! What a shell tells of the commands that it runs.

pub(super) mod exit_status;
pub(super) mod task_limit;
