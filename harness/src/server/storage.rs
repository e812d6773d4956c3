//! Makes every write of a server's processes to a file fail, as a full disk does, and lets them write again. Linux
//! only.
//!
//! The main type is [`Storage`]. A running server is reached wherever it keeps its files: the limit on the size of
//! files is set to nothing for all its processes, so that writes fail with `EFBIG`; reading, pipes and sockets go
//! on working.

use super::group::Leader;

/// How much a process may write to a file.
#[derive(Clone, Copy)]
enum Allowance {
    Nothing,
    /// As much as it may at most.
    Usual,
}

/// What one server's processes write to files.
#[derive(Debug, Clone, Copy)]
pub struct Storage {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there are no such limits"))]
    leader: Leader,
}

impl Storage {
    pub(super) fn new(leader: Leader) -> Self {
        Self { leader }
    }

    /// From now on no process of the server can write to a file; false if the system allows that for none of them,
    /// so that nothing has changed.
    pub fn fail(self) -> bool {
        self.limit(Allowance::Nothing)
    }

    /// Lets the server's processes write to files again, also those that were started meanwhile.
    pub fn recover(self) {
        self.limit(Allowance::Usual);
    }

    /// Sets the limit of each process; false if that came about for none of them.
    #[cfg(target_os = "linux")]
    fn limit(self, allowance: Allowance) -> bool {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};

        let set = |pid: Pid| {
            let most = highest(pid)?;
            let current = match allowance {
                Allowance::Nothing => Some(0),
                Allowance::Usual => most,
            };
            prlimit(Some(pid), Resource::Fsize, Rlimit { current, maximum: most }).ok()
        };
        super::orphan::group_of(self.leader).into_iter().filter_map(set).count() > 0
    }

    /// On other systems no program can limit another.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    fn limit(self, _: Allowance) -> bool {
        false
    }
}

/// The largest file that a process may write at most, in bytes: `Some(None)` if there is no such limit, `None` if it is
/// not known.
#[cfg(target_os = "linux")]
fn highest(pid: rustix::process::Pid) -> Option<Option<u64>> {
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", pid.as_raw_nonzero())).ok()?;
    highest_in(&limits)
}

/// The same in the text of `limits`: a name, the present limit, the highest one, and the unit.
#[cfg(target_os = "linux")]
fn highest_in(limits: &str) -> Option<Option<u64>> {
    let of_files = limits.lines().find_map(|line| line.strip_prefix("Max file size"))?;
    match of_files.split_whitespace().nth(1)? {
        "unlimited" => Some(None),
        bytes => bytes.parse().ok().map(Some),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_highest_limit_on_files_is_read() {
        let limits = |size: &str| {
            format!(
                "Limit  Soft Limit  Hard Limit  Units\nMax cpu time  unlimited  unlimited  seconds\nMax file size  0  {size}  bytes\n"
            )
        };
        assert_eq!(highest_in(&limits("2147483648")), Some(Some(2_147_483_648)));
        assert_eq!(highest_in(&limits("unlimited")), Some(None));
        assert_eq!(highest_in("Max cpu time  1  2  seconds"), None);
        assert!(highest(rustix::process::getpid()).is_some());
    }
}
