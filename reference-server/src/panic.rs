//! A tool that panics: its call fails, and the operator reads of it in the log, on one line like any other error.
//!
//! The main type is [`Panic`], the cause of such a failure. What the panic said is for the log alone.

use std::cell::Cell;
use std::panic;
use std::pin::Pin;
use std::task::{Context, Poll};

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

/// A tool that waits without a thread: each of its steps is one within it, on whichever thread that is.
pub(crate) struct Steps<F>(Pin<Box<F>>);

impl<F: Future> Steps<F> {
    pub(crate) fn of(tool: F) -> Self {
        Self(Box::pin(tool))
    }
}

impl<F: Future> Future for Steps<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        within(|| self.0.as_mut().poll(context))
    }
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

    #[tokio::test]
    async fn every_step_of_a_tool_that_waits_is_within_it_and_what_runs_between_them_is_not() {
        let tool = Steps::of(async {
            let first = IN_TOOL.get();
            tokio::task::yield_now().await;
            first && IN_TOOL.get()
        });
        let (inside, between) = tokio::join!(tool, async { IN_TOOL.get() });
        assert_eq!((inside, between, IN_TOOL.get()), (true, false, false));
        let joined = tokio::spawn(Steps::of(async {
            tokio::task::yield_now().await;
            panic!("at the second step");
        }));
        let error: JoinError = joined.await.unwrap_err();
        assert_eq!(Panic::of(error).to_string(), "at the second step");
        assert!(!IN_TOOL.get());
    }
}
