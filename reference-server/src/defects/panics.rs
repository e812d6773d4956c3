//! Really raised panics and really taken stacks, as text.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::thread;

/// Lines of a stack that are shown.
const STACK_LINES: usize = 16;

/// Recorded by a build with symbols, for one that is stripped of them.
const RECORDED: &str = include_str!("recorded/rust-stack.txt");

thread_local! {
    static REPORT: RefCell<Option<String>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// Runs what panics and returns what the runtime would have printed. Other threads' panics are printed as ever.
pub(super) fn report<T>(deed: impl FnOnce() -> T) -> Option<String> {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_wanted = REPORT
                .with_borrow_mut(|report| report.as_mut().map(|report| *report = info.to_string()).is_some());
            if !is_wanted {
                before(info);
            }
        }));
    });
    REPORT.set(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(deed));
    let report = REPORT.take();
    let name = thread::current().name().unwrap_or("<unnamed>").to_owned();
    result.err().and(report).map(|report| format!("thread '{name}' {report}"))
}

/// The beginning of this thread's stack.
pub(super) fn backtrace() -> String {
    let taken = Backtrace::force_capture().to_string();
    let has_symbols = taken.contains("mcp_errconf_reference::");
    let stack = if has_symbols { taken.as_str() } else { RECORDED };
    stack.lines().take(STACK_LINES).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_reported_with_its_place_and_does_not_get_out() {
        let report = report(|| panic!("nothing")).unwrap();
        assert!(report.starts_with("thread '"), "{report}");
        assert!(report.contains("panicked at") && report.contains("panics.rs:"), "{report}");
        assert!(report.ends_with("nothing"), "{report}");
    }

    #[test]
    fn a_stack_has_numbered_frames() {
        assert!(backtrace().contains("0: "));
        assert!(RECORDED.contains("0: "));
    }
}
