//! Checks the limit on open files before anything starts: reached in the middle of a run, it could look like a
//! fault of the server.

#[cfg(unix)]
use rustix::process::{Resource, getrlimit};

use super::failure::Failure;

/// The most files and pipes of this program that are open at once, apart from those of servers.
#[cfg(unix)]
const OWN: u64 = 48;
/// The most of them for each server process.
#[cfg(unix)]
const PROCESS: u64 = 8;

/// On this system nothing but memory limits the number of open files.
#[cfg(windows)]
pub(crate) fn check(_: usize) -> Result<(), Failure> {
    Ok(())
}

/// Fails if this process may not open enough files for this many server processes.
#[cfg(unix)]
pub(crate) fn check(processes: usize) -> Result<(), Failure> {
    let limit = getrlimit(Resource::Nofile);
    let open = std::fs::read_dir("/dev/fd").map_or(0, |open| open.count() as u64);
    let needed = open + OWN + PROCESS * processes as u64;
    match limit.current {
        Some(most) if most < needed => Err(Failure::Fault(message(most, limit.maximum, needed, processes))),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn message(most: u64, hard: Option<u64>, needed: u64, processes: usize) -> String {
    let next = match (hard, processes) {
        (Some(hard), 2..) if hard < needed => "use fewer `--jobs`, or have the hard limit raised".to_owned(),
        (Some(hard), _) if hard < needed => {
            format!("`ulimit -Hn` allows {hard}: have the hard limit raised, or run this where there is none")
        }
        _ => format!("raise the limit first: `ulimit -n {}`", needed.next_power_of_two()),
    };
    format!(
        "a program may have at most {most} files open at once here (`ulimit -n`), and this run needs up to \
         {needed}; {next}"
    )
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn what_is_to_be_done_depends_on_who_may_raise_the_limit() {
        assert!(message(20, None, 60, 1).ends_with("`ulimit -n 64`"));
        assert!(message(20, Some(4096), 60, 1).ends_with("`ulimit -n 64`"));
        assert!(message(20, Some(20), 60, 1).contains("`ulimit -Hn` allows 20"));
        assert!(message(64, Some(64), 600, 64).contains("fewer `--jobs`"));
    }
}
