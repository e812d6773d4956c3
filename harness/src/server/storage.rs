//! Makes every write of a server's processes to a file fail, as a full disk does, and lets them write again. Linux
//! only.
//!
//! The main type is [`Storage`]. A running server is reached wherever it keeps its files: the limit on the size of
//! files is set to nothing for all its processes, so that writes fail with `EFBIG`; reading, pipes and sockets go
//! on working.

use super::group::Leader;

/// The processes of a server, and what those that ended have left in their parents' accounts: the same as before while no
/// program is started and none ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramsSeen(Vec<(i32, u64)>);

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

    /// What the server's processes have started so far. A program that it starts does not ignore the signal that comes
    /// with the limit, so that it is killed, where on a full disk it would say what went wrong.
    #[cfg_attr(not(target_os = "linux"), expect(clippy::unused_self, reason = "on Linux it is used"))]
    pub fn programs(self) -> ProgramsSeen {
        #[cfg(target_os = "linux")]
        {
            let group = super::orphan::group_of(self.leader).into_iter();
            let seen = group.filter_map(|pid| Some((pid.as_raw_nonzero().get(), faults_of_ended(pid)?)));
            ProgramsSeen(seen.collect())
        }
        #[cfg(not(target_os = "linux"))]
        ProgramsSeen::default()
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

/// The page faults of the children of a process that have ended: there is no program that has none.
#[cfg(target_os = "linux")]
fn faults_of_ended(pid: rustix::process::Pid) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The eleventh field; the second is a name in parentheses, which may contain anything.
    stat.rsplit_once(')')?.1.split_whitespace().nth(8)?.parse().ok()
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
    fn a_program_that_was_started_and_ended_is_seen() {
        let own = || faults_of_ended(rustix::process::getpid()).expect("it is in the list of processes");
        let before = own();
        assert!(std::process::Command::new("true").status().expect("it is started").success());
        assert!(own() > before);
    }

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
