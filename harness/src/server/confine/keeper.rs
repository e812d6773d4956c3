//! The processes around a server in a PID namespace: one outside, which the harness treats as the server; the
//! first one inside, which adopts orphans; and one that starts the server and reports how it ended.
//!
//! The main function is [`keep`]. The server is not the first process, which signals do not end, nor a child of
//! it, because some servers take a parent with number 1 to mean that their client has ended.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, ExitCode};

use rustix::fs::{Mode, OFlags, open};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    DumpableBehavior, Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, kill_process,
    set_dumpable_behavior, set_parent_process_death_signal, setrlimit, wait, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::NOT_STARTED;
use super::system::{self, Fork};

/// Signals sent to the whole process group that are meant for the server.
const FOR_THE_SERVER: [Signal; 7] =
    [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::USR1, Signal::USR2, Signal::ALARM];

/// How a process ended, as it is written to the pipe: an exit status below this value, a signal number above
/// it.
const SIGNALLED: u32 = 1 << 16;

/// Runs the server in the PID namespace: `within` prepares the first process, and `start` starts the server.
/// Ends in the same way as the server.
pub(super) fn keep(
    within: impl FnOnce() -> Result<(), String>,
    start: impl FnOnce() -> Result<Option<Child>, String>,
) -> Result<ExitCode, String> {
    let nowhere = open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| format!("cannot open /dev/null: {error}"))?;
    let (reader, tell) =
        pipe_with(PipeFlags::CLOEXEC).map_err(|error| format!("cannot create a pipe: {error}"))?;
    let forked = system::fork().map_err(|error| format!("cannot start a process: {error}"))?;
    let Fork::Parent(first) = forked else {
        drop(reader);
        let tell = ExitNotice(File::from(tell));
        return Ok(first_process(&nowhere, &tell, within, start).unwrap_or_else(|why| tell.failed(&why)));
    };
    drop(tell);
    system::ignore(&FOR_THE_SERVER);
    let_go(&nowhere).map_err(|error| format!("cannot release the standard streams: {error}"))?;
    let mut how = [0; 4];
    let ended = File::from(reader).read_exact(&mut how);
    let _ = waitpid(Some(first), WaitOptions::empty());
    // If nothing was reported, the first process was killed with everything it kept.
    let how = if ended.is_ok() {
        u32::from_ne_bytes(how)
    } else {
        SIGNALLED + Signal::KILL.as_raw().cast_unsigned()
    };
    Ok(end_as(how))
}

/// The pipe in which the server's end is reported.
struct ExitNotice(File);

impl ExitNotice {
    fn ended(&self, how: u32) {
        // The reader is the harness's own process: if it is gone, there is nobody to tell.
        let _ = (&self.0).write_all(&how.to_ne_bytes());
    }

    fn failed(&self, why: &str) -> ExitCode {
        eprintln!("{why}");
        self.ended(u32::from(NOT_STARTED));
        ExitCode::from(NOT_STARTED)
    }
}

/// The first process of the namespace: when it ends, all others do.
fn first_process(
    nowhere: &OwnedFd,
    tell: &ExitNotice,
    within: impl FnOnce() -> Result<(), String>,
    start: impl FnOnce() -> Result<Option<Child>, String>,
) -> Result<ExitCode, String> {
    let bound = |error: rustix::io::Errno| format!("cannot bind a process to its parent: {error}");
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(bound)?;
    within()?;
    // Processes in the namespace can neither inspect this one nor take its end of the pipe.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(bound)?;
    let forked = system::fork().map_err(|error| format!("cannot start a process: {error}"))?;
    let Fork::Parent(keeper) = forked else { return keeper_of(nowhere, tell, start) };
    system::ignore(&FOR_THE_SERVER);
    let _ = let_go(nowhere);
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, _))) if ended == keeper => return Ok(ExitCode::SUCCESS),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Ok(ExitCode::SUCCESS),
        }
    }
}

/// Starts the server, and reports how it ended.
fn keeper_of(
    nowhere: &OwnedFd,
    tell: &ExitNotice,
    start: impl FnOnce() -> Result<Option<Child>, String>,
) -> Result<ExitCode, String> {
    let Some(server) = start()? else {
        tell.ended(0);
        return Ok(ExitCode::SUCCESS);
    };
    system::ignore(&FOR_THE_SERVER);
    let _ = let_go(nowhere);
    let how = ended(&server).map_err(|error| format!("cannot determine how the server ended: {error}"))?;
    tell.ended(how);
    Ok(ExitCode::SUCCESS)
}

fn ended(server: &Child) -> io::Result<u32> {
    let pid = Pid::from_child(server);
    loop {
        match waitpid(Some(pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(exit_code(status)),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn exit_code(status: WaitStatus) -> u32 {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => code.cast_unsigned(),
        (None, Some(signal)) => SIGNALLED + signal.cast_unsigned(),
        (None, None) => 1,
    }
}

/// Ends this process in the same way as another one ended.
fn end_as(how: u32) -> ExitCode {
    let Some(signal) = how.checked_sub(SIGNALLED) else {
        return ExitCode::from(u8::try_from(how & 0xff).unwrap_or(u8::MAX));
    };
    // The server's own core dump is enough.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let signal = Signal::from_named_raw(signal.cast_signed()).unwrap_or(Signal::KILL);
    system::meet_as_usual(signal);
    let _ = kill_process(getpid(), signal);
    // The signal did not end this process, so its number is given as an exit status.
    ExitCode::from(u8::try_from(128 + signal.as_raw()).unwrap_or(u8::MAX))
}

/// Closes the standard streams, which belong to the server alone.
fn let_go(nowhere: &OwnedFd) -> rustix::io::Result<()> {
    dup2_stdin(nowhere)?;
    dup2_stdout(nowhere)?;
    dup2_stderr(nowhere)
}
