//! A server and everything that it started, as a job object.
//!
//! The main type is [`ProcessGroup`]. The system ends all processes of a job with its last handle, even if the
//! harness itself is killed; a child belongs to its parent's job, and cannot leave it.

use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::process::ExitStatus;
use std::{io, mem, ptr};

use tokio::process::{Child, Command};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
};
use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

use crate::cause;
use crate::exchange::Exit;

/// Identifies a group for measurements; nothing is measured on Windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Leader;

/// A command prepared so that it starts the leader of a group.
pub(in super::super) struct PreparedCommand;

impl PreparedCommand {
    /// Prepares a command so that keys typed in the harness's console do not reach the server.
    pub(in super::super) fn new(builder: &mut Command) -> Self {
        builder.creation_flags(CREATE_NEW_PROCESS_GROUP);
        Self
    }

    /// The group of a child started by this command.
    ///
    /// # Errors
    /// When there is no job object for it, and so no way to end what it starts; in words for a message. It is killed when
    /// the child is dropped.
    pub(in super::super) fn begun(self, child: &Child) -> Result<ProcessGroup, String> {
        let failure =
            |error: io::Error| format!("it cannot be put into a job object: {}", cause::describe(&error));
        Ok(ProcessGroup { job: Some(job_of(child).map_err(failure)?) })
    }
}

/// A job object that ends its processes when this is dropped.
pub(in super::super) struct ProcessGroup {
    /// `None` once it was ended.
    job: Option<OwnedHandle>,
}

impl ProcessGroup {
    pub(in super::super) fn leader(&self) -> Leader {
        Leader
    }

    /// Does nothing: a process on Windows cannot be asked to end, beyond closing its input.
    pub(in super::super) fn ask(&self) {}

    /// Ends all processes of the job.
    pub(in super::super) fn kill(&mut self) {
        self.end();
    }

    /// Does nothing: orphans are still in the job.
    pub(in super::super) fn look(&mut self) {}

    /// Does nothing: there is nothing to reap.
    pub(in super::super) fn reap(&self) {}

    /// Ends what is left of the job.
    pub(in super::super) fn end(&mut self) {
        self.job = None;
    }
}

/// Does nothing: nothing is measured, so nothing is ended for what it holds.
pub(in super::super) fn kill(_: Leader) {}

/// How a process ended, by its exit status, even if another process ended it.
pub(in super::super) fn exit_of(status: ExitStatus) -> Exit {
    status.code().map_or(Exit::ClosedOutput, Exit::Status)
}

/// A new job object with this child in it. Processes that the child has started before are not in it, but it
/// has hardly begun.
#[expect(unsafe_code, reason = "job objects are asked of the system directly")]
fn job_of(child: &Child) -> io::Result<OwnedHandle> {
    let process = child.raw_handle().ok_or_else(|| io::Error::other("it has ended already"))?;
    // SAFETY: a structure of zeroes is valid, has the given size and outlives the call that reads it; both
    // handles are open, and nobody else owns the new one.
    unsafe {
        let job = CreateJobObjectW(ptr::null(), ptr::null());
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        let job = OwnedHandle::from_raw_handle(job);
        let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = mem::zeroed();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let size = mem::size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
        let set = SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size,
        );
        if set == 0 || AssignProcessToJobObject(job.as_raw_handle(), process) == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(job)
    }
}
