//! Whether there is room for what a command needs at once, asked before anything is begun: a limit that is met in the midst
//! of a run is met anywhere, also where it looks like something that the server has done.

use super::failure::Failure;

/// Refuses to begin where this process may not have so many files open as it needs to drive so many processes at once.
#[cfg(unix)]
pub(crate) use limited::check;

/// Nothing limits how many files a process may have open there but its memory.
#[cfg(windows)]
pub(crate) fn check(_: usize) -> Result<(), Failure> {
    Ok(())
}

#[cfg(unix)]
mod limited {
    use std::fs;

    use rustix::process::{Resource, getrlimit};

    use super::Failure;

    /// At most this many files and pipes this program has open at once beside those of servers, in the worst case.
    const OWN: u64 = 48;
    /// At most this many for each process of a server.
    const PROCESS: u64 = 8;

    /// Refuses to begin where this process may not have so many files open as it needs to drive so many processes at once.
    pub(crate) fn check(processes: usize) -> Result<(), Failure> {
        let limit = getrlimit(Resource::Nofile);
        let open = fs::read_dir("/dev/fd").map_or(0, |open| open.count() as u64);
        let needed = open + OWN + PROCESS * processes as u64;
        match limit.current {
            Some(most) if most < needed => {
                Err(Failure::Fault(message(most, limit.maximum, needed, processes)))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn message(most: u64, hard: Option<u64>, needed: u64, processes: usize) -> String {
        let next = match (hard, processes) {
            (Some(hard), 2..) if hard < needed => {
                "use fewer `--jobs`, or have the hard limit raised".to_owned()
            }
            (Some(hard), _) if hard < needed => {
                format!(
                    "`ulimit -Hn` allows {hard}: have the hard limit raised, or run this where there is none"
                )
            }
            _ => format!("raise the limit first: `ulimit -n {}`", needed.next_power_of_two()),
        };
        format!(
            "a program may have at most {most} files open at once here (`ulimit -n`), and this run needs up to \
             {needed}; {next}"
        )
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::limited::message;

    #[test]
    fn what_is_to_be_done_depends_on_who_may_raise_the_limit() {
        assert!(message(20, None, 60, 1).ends_with("`ulimit -n 64`"));
        assert!(message(20, Some(4096), 60, 1).ends_with("`ulimit -n 64`"));
        assert!(message(20, Some(20), 60, 1).contains("`ulimit -Hn` allows 20"));
        assert!(message(64, Some(64), 600, 64).contains("fewer `--jobs`"));
    }
}
