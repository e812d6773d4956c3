//! Ctrl-C and other signals to end: after the first the work ends cleanly, after the second at once.

use std::io;
use std::time::Duration;

use mcp_errconf::cause;
use tokio::runtime::{Builder, Runtime};
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};
use tokio::sync::watch;

use super::console;
use super::failure::Failure;

/// Runs `work` to its end on a runtime of its own. The first interruption is passed on to the work, which
/// should end soon with what it has. At the second one the work is dropped, and with it every session, which
/// ends its server.
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
            interruptions.settle().await;
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

/// What comes within this time of an interruption is the same one: `timeout` sends its signal to the program and then to the
/// whole group of processes. No hand is as fast.
const TOGETHER: Duration = Duration::from_millis(100);

impl Interruptions {
    /// Waits until what comes is another interruption.
    async fn settle(&mut self) {
        let settled = tokio::time::sleep(TOGETHER);
        tokio::pin!(settled);
        loop {
            // On a busy machine both may be ready at once: what has come by then is still the same interruption.
            tokio::select! {
                biased;
                () = self.next() => {}
                () = &mut settled => return,
            }
        }
    }
}

/// Listens for interruptions while reports are written, because a reader that blocks must not keep the program
/// running for ever. No server is running any more. If no thread can be started, the reports are written
/// without this.
fn guard(runtime: Runtime, mut interruptions: Interruptions, left: usize) {
    let _ = std::thread::Builder::new().spawn(move || {
        runtime.block_on(async {
            // The work may end sooner than the second signal of one interruption comes.
            if left < TIMES {
                interruptions.settle().await;
            }
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

/// The console events that ask a program to end: keys, and the closing of the console.
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
