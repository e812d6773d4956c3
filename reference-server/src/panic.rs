//! A tool that panics: its call fails, and the operator reads of it in the log, on one line like any other error.
//!
//! The main type is [`Panic`], the cause of such a failure. What the panic said is for the log alone.

use std::cell::Cell;
use std::panic;

use tokio::task::JoinError;

/// What a panic said.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Panic(String);

impl Panic {
    /// Why a task did not end well.
    pub(crate) fn of(error: JoinError) -> Self {
        let payload = match error.try_into_panic() {
            Ok(payload) => payload,
            Err(error) => return Self(error.to_string()),
        };
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Self(text.unwrap_or_else(|| "a panic that said nothing".to_owned()))
    }
}

thread_local! {
    static IN_TOOL: Cell<bool> = const { Cell::new(false) };
}

/// Runs a tool on this thread.
pub(crate) fn within<T>(tool: impl FnOnce() -> T) -> T {
    struct Left;
    impl Drop for Left {
        fn drop(&mut self) {
            IN_TOOL.set(false);
        }
    }
    let _left = Left;
    IN_TOOL.set(true);
    tool()
}

/// Lets the runtime print nothing of a panic within a tool, which is logged where the call is answered. It is for the
/// whole process, and so for a program that is nothing but a server.
pub(crate) fn quiet_within_tools() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !IN_TOOL.get() {
            before(info);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_panic_said_is_kept_and_the_thread_is_no_tools_afterwards() {
        let joined = tokio::task::spawn_blocking(|| within(|| panic!("it was {}", 7))).await;
        assert_eq!(Panic::of(joined.unwrap_err()).to_string(), "it was 7");
        let after = tokio::task::spawn_blocking(|| (within(|| IN_TOOL.get()), IN_TOOL.get())).await;
        assert_eq!(after.unwrap(), (true, false));
    }
}
