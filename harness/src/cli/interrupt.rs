//! Ctrl-C and the other ways to be told to end: the first is a wish, the second an order.

use std::io;

use mcp_errconf::cause;
use tokio::runtime::{Builder, Runtime};
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};
use tokio::sync::watch;

use super::console;
use super::failure::Failure;

/// Runs work to its end on a runtime of its own. The first interruption is told to the work, which is to end soon with
/// what it has; at the second the work is dropped, and with it every session, which ends its server.
pub(crate) fn run<F: Future>(work: impl FnOnce(watch::Receiver<bool>) -> F) -> Result<F::Output, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::Fault(format!("cannot set up the asynchronous runtime: {}", cause::describe(&error)))
    })?;
    let mut left = TIMES;
    let (output, interruptions) = runtime.block_on(async {
        let mut interruptions = Interruptions::new().map_err(|error| {
            Failure::Fault(format!("cannot listen for signals: {}", cause::describe(&error)))
        })?;
        let (sender, interrupted) = watch::channel(false);
        let twice = async {
            interruptions.next().await;
            sender.send_replace(true);
            left -= 1;
            interruptions.next().await;
        };
        let output = tokio::select! {
            biased;
            () = twice => return Err(Failure::Abandoned),
            output = work(interrupted) => output,
        };
        Ok((output, interruptions))
    })?;
    guard(runtime, interruptions, left);
    Ok(output)
}

/// How many interruptions end the program at once.
const TIMES: usize = 2;

/// Goes on listening while the reports are written: a reader that takes no more must not hold the program for ever. No
/// server runs any more. Where no thread can be had the reports are written all the same.
fn guard(runtime: Runtime, mut interruptions: Interruptions, left: usize) {
    let _ = std::thread::Builder::new().spawn(move || {
        runtime.block_on(async {
            for _ in 0..left {
                interruptions.next().await;
            }
        });
        console::error(&Failure::Abandoned.to_string());
        std::process::exit(130);
    });
}

/// The signals that ask a program to end.
#[cfg(unix)]
struct Interruptions {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
    quit: Signal,
}

#[cfg(unix)]
impl Interruptions {
    fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
            _ = self.quit.recv() => {}
        }
    }
}

/// What asks a program to end: keys in its console, and the console's own end.
#[cfg(windows)]
struct Interruptions {
    interrupt: CtrlC,
    stop: CtrlBreak,
    close: CtrlClose,
}

#[cfg(windows)]
impl Interruptions {
    fn new() -> io::Result<Self> {
        Ok(Self { interrupt: ctrl_c()?, stop: ctrl_break()?, close: ctrl_close()? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.stop.recv() => {}
            _ = self.close.recv() => {}
        }
    }
}
