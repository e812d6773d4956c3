//! Lowers a limit of a server's running processes for a while: then every write to a file fails, as on a full disk, or
//! nothing more can be opened. Linux only.
//!
//! The main type is [`LoweredLimit`]. A running server is reached wherever it keeps its files.

use super::watch::ServerProcesses;

/// The processes of a server, and what those that ended have left in their parents' accounts: the same as before while no
/// program is started and none ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramsSeen(Vec<(i32, u64)>);

/// What a server's processes run out of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scarce {
    /// Room on the disk: writes to files fail with `EFBIG`; reading, pipes and sockets go on working.
    Space,
    /// Descriptors: nothing can be opened, connected or started (`EMFILE`); what is open goes on working.
    Descriptors,
}

impl ServerProcesses {
    /// Lets the server's processes have no more of this until the result is dropped; `None` if the system allows that for
    /// none of them, so that nothing has changed.
    #[cfg_attr(not(target_os = "linux"), expect(clippy::unused_self, reason = "on Linux it is used"))]
    pub fn lower(self, what: Scarce) -> Option<LoweredLimit> {
        #[cfg(target_os = "linux")]
        {
            LoweredLimit::set(self.leader, what)
        }
        // On other systems no program can limit another.
        #[cfg(not(target_os = "linux"))]
        {
            let _ = what;
            None
        }
    }

    /// What the server's processes have started so far. A program that it starts does not ignore the signal that comes
    /// with the limit on files, so that it is killed, where on a full disk it would say what went wrong.
    #[cfg_attr(not(target_os = "linux"), expect(clippy::unused_self, reason = "on Linux it is used"))]
    pub fn programs(self) -> ProgramsSeen {
        #[cfg(target_os = "linux")]
        {
            let group = super::orphan::group_of(self.leader).into_iter();
            let seen =
                group.filter_map(|pid| Some((pid.as_raw_nonzero().get(), linux::faults_of_ended(pid)?)));
            ProgramsSeen(seen.collect())
        }
        #[cfg(not(target_os = "linux"))]
        ProgramsSeen::default()
    }
}

#[cfg(target_os = "linux")]
pub use linux::LoweredLimit;

/// There is none on other systems.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub enum LoweredLimit {}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeSet, HashMap};
    use std::fs;

    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    use super::Scarce;
    use crate::server::group::Leader;
    use crate::server::orphan::group_of;

    /// A limit that is as it was once this is dropped, also for processes that were started meanwhile.
    #[derive(Debug)]
    pub struct LoweredLimit {
        leader: Leader,
        resource: Resource,
        before: HashMap<Pid, Rlimit>,
        /// That of the first process, for those that were started meanwhile.
        usual: Rlimit,
    }

    impl LoweredLimit {
        pub(super) fn set(leader: Leader, what: Scarce) -> Option<Self> {
            let resource = match what {
                Scarce::Space => Resource::Fsize,
                Scarce::Descriptors => Resource::Nofile,
            };
            let lower = |pid: Pid| {
                let current = match what {
                    Scarce::Space => 0,
                    Scarce::Descriptors => first_free(pid)?,
                };
                let limit = Rlimit { current: Some(current), maximum: highest(pid, what)? };
                Some((pid, prlimit(Some(pid), resource, limit).ok()?))
            };
            let lowered: Vec<(Pid, Rlimit)> = group_of(leader).into_iter().filter_map(lower).collect();
            let usual = lowered.first()?.1;
            Some(Self { leader, resource, before: lowered.into_iter().collect(), usual })
        }
    }

    impl Drop for LoweredLimit {
        fn drop(&mut self) {
            for pid in group_of(self.leader) {
                let limit = self.before.get(&pid).unwrap_or(&self.usual);
                // It may have ended.
                let _ = prlimit(Some(pid), self.resource, *limit);
            }
        }
    }

    /// The lowest number that none of a process's descriptors has. With that as the limit none can be opened, while calls
    /// that take a number of open ones, such as `poll`, still work.
    fn first_free(pid: Pid) -> Option<u64> {
        let listed = fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero())).ok()?;
        let taken: BTreeSet<u64> =
            listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        (0..).find(|number| !taken.contains(number))
    }

    /// The page faults of the children of a process that have ended: there is no program that has none.
    pub(super) fn faults_of_ended(pid: Pid) -> Option<u64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        // The eleventh field; the second is a name in parentheses, which may contain anything.
        stat.rsplit_once(')')?.1.split_whitespace().nth(8)?.parse().ok()
    }

    /// To what a process may raise a limit at most: `Some(None)` if there is no such bound, `None` if it is not known.
    fn highest(pid: Pid, what: Scarce) -> Option<Option<u64>> {
        let limits = fs::read_to_string(format!("/proc/{}/limits", pid.as_raw_nonzero())).ok()?;
        highest_in(&limits, what)
    }

    /// The same in the text of `limits`: a name, the present limit, the highest one, and the unit.
    fn highest_in(limits: &str, what: Scarce) -> Option<Option<u64>> {
        let name = match what {
            Scarce::Space => "Max file size",
            Scarce::Descriptors => "Max open files",
        };
        let of_it = limits.lines().find_map(|line| line.strip_prefix(name))?;
        match of_it.split_whitespace().nth(1)? {
            "unlimited" => Some(None),
            number => number.parse().ok().map(Some),
        }
    }

    #[cfg(test)]
    mod tests {
        use std::process::{Command, Stdio};

        use rustix::process::getpid;

        use super::*;

        #[test]
        fn a_program_that_was_started_and_ended_is_seen() {
            let own = || faults_of_ended(getpid()).expect("it is in the list of processes");
            let before = own();
            assert!(Command::new("true").status().expect("it is started").success());
            assert!(own() > before);
        }

        #[test]
        fn the_highest_limit_is_read() {
            let limits = |most: &str| {
                format!(
                    "Limit  Soft Limit  Hard Limit  Units\nMax file size  0  {most}  bytes\nMax open files  1024  4096  files\n"
                )
            };
            assert_eq!(highest_in(&limits("2147483648"), Scarce::Space), Some(Some(2_147_483_648)));
            assert_eq!(highest_in(&limits("unlimited"), Scarce::Space), Some(None));
            assert_eq!(highest_in(&limits("0"), Scarce::Descriptors), Some(Some(4096)));
            assert_eq!(highest_in("Max cpu time  1  2  seconds", Scarce::Space), None);
            assert!(highest(getpid(), Scarce::Descriptors).is_some());
        }

        #[test]
        fn a_process_opens_nothing_while_its_limit_is_lowered() {
            let script = r#"while read -r path; do cat "$path" && echo yes || echo no; done"#;
            let mut shell = Command::new("sh");
            shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut shell = shell.spawn().expect("there is a shell");
            let (mut asks, said) = (shell.stdin.take().unwrap(), shell.stdout.take().unwrap());
            let mut said = std::io::BufRead::lines(std::io::BufReader::new(said));
            let mut opens = || {
                std::io::Write::write_all(&mut asks, b"/dev/null\n").unwrap();
                said.next().unwrap().unwrap()
            };
            let pid = Pid::from_child(&shell);
            assert_eq!(opens(), "yes");
            let lowered = LoweredLimit::set(pid, Scarce::Descriptors).expect("it is our own child");
            assert_eq!(opens(), "no");
            drop(lowered);
            assert_eq!(opens(), "yes");
            drop(asks);
            shell.wait().unwrap();
        }
    }
}
