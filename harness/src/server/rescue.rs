//! What happens when this program cannot continue: memory is exhausted, or it crashed. All that is possible
//! then is to execute another program, so it executes itself again with fresh memory in this role: it ends the
//! servers that are left, deletes the folders of the run, and reports that.
//!
//! The main functions are [`install_crash_handlers`], which prepares for that, and [`run_as_helper`], which
//! runs that role.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::owned;

#[cfg(unix)]
mod signal;

pub use signal::install_crash_handlers;
pub(crate) use signal::remember;

#[cfg(windows)]
use super::windows::crash_cleanup as signal;

/// The variable that tells this program that it executed itself; the value is how the former program ended.
const VARIABLE: &str = "MCP_ERRCONF_RESCUE";
#[cfg(unix)]
const ABORTED: &str = "aborted";
const OUT_OF_BOUNDS: &str = "out-of-bounds";

/// The exit code for a failure of the harness itself.
const FAULT: u8 = 70;

/// Cleans up after the former program, if this process is in that role.
pub(super) fn run_as_helper() -> Option<ExitCode> {
    let how = std::env::var_os(VARIABLE)?;
    // If this crashes too, it says so and ends: there is no further attempt.
    signal::clean_up_and_exit();
    #[cfg(target_os = "linux")]
    super::orphan::Orphans::of_this_program().end(rustix::process::getpid());
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    for folder in &folders {
        owned::sweep(folder);
        remove_parts(folder);
    }
    // Nobody may be reading any more.
    let _ = writeln!(std::io::stderr(), "{}", words(&how));
    Some(ExitCode::from(FAULT))
}

/// The message on how the former program ended. The system's own message, if any, stands above it.
fn words(how: &OsString) -> String {
    let cause = match how.to_str() {
        Some(OUT_OF_BOUNDS) => {
            "it accessed memory that it does not have: its stack was full or could not grow"
        }
        _ => "it could not continue, as the line above says",
    };
    format!(
        "error: mcp-errconf itself failed, not the server: {cause}; the server was stopped, and no report \
         was written. If memory ran out, allow more (`ulimit -v`, the container's limit) or do less at a \
         time (`--jobs 1`, `--in-flight 1`, `--max-probes 100`); otherwise please report it together with \
         the command line"
    )
}

/// Deletes the partial files that this process was writing in a folder.
fn remove_parts(folder: &Path) {
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        if writer_of(&entry.file_name().to_string_lossy()) == Some(std::process::id()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The ending of the names of files that are still being written and will replace others.
pub(crate) const PART: &str = ".part";

/// Whether a process of this number runs.
#[cfg(unix)]
pub(crate) fn is_running(process: u32) -> bool {
    let number = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    let asked = number.map(rustix::process::test_kill_process);
    asked.is_some_and(|asked| asked != Err(rustix::io::Errno::SRCH))
}

/// Whether a process of this number runs; taken for granted on Windows.
#[cfg(windows)]
pub(crate) fn is_running(_: u32) -> bool {
    true
}

/// The process that writes, or wrote, the temporary file of this name; `None` if it is none.
pub(crate) fn writer_of(name: &str) -> Option<u32> {
    let parts = name.strip_prefix('.').and_then(|name| name.strip_suffix(PART));
    let number = parts.and_then(|name| name.rsplit_once('.')).and_then(|(_, number)| number.split_once('-'));
    number?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginnings_of_files_are_deleted_that_this_process_made_alone() {
        let folder = tempfile::tempdir().unwrap();
        let own = std::process::id();
        let names =
            [format!(".report.{own}-0.part"), ".report.1-0.part".to_owned(), format!("report.{own}-0.part")];
        for name in &names {
            std::fs::write(folder.path().join(name), "half").unwrap();
        }
        remove_parts(folder.path());
        let left = names.each_ref().map(|name| folder.path().join(name).exists());
        assert_eq!(left, [false, true, true]);
    }
}
