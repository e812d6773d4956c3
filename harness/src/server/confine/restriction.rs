//! What keeps this machine from confining servers, and what lifts it.
//!
//! The main type is [`Unconfinable`].

/// Why servers cannot be confined here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}{}", .fix.as_ref().map_or(String::new(), |fix| format!(". To allow it: {fix}")))]
pub struct Unconfinable {
    /// The cause, in the words of the operating system.
    pub why: String,
    /// The command that lifts it, or what to do instead of a command; `None` if nothing is known to help.
    pub fix: Option<String>,
}

#[cfg(target_os = "linux")]
pub(super) use linux::Restrictions;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;

    use crate::server::System;

    /// The first version of Linux that has everything that a confinement needs.
    const NEEDED: (u32, u32) = (5, 12);

    /// Settings of this machine that keep programs from creating namespaces.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(in super::super) struct Restrictions {
        /// The kernel is too old.
        kernel: bool,
        /// This program runs in a container, or behind a filter of system calls as in one.
        container: bool,
        /// AppArmor restricts user namespaces: Ubuntu since 24.04.
        apparmor: bool,
        /// No user namespace may exist.
        none: bool,
        /// Only root may create user namespaces: a setting of Debian's and Arch's kernels.
        root_only: bool,
    }

    impl Restrictions {
        /// Those of this machine.
        pub(in super::super) fn here() -> Self {
            let setting = |name: &str| fs::read_to_string(Path::new("/proc/sys").join(name)).ok();
            let is = |name: &str, value: &str| setting(name).is_some_and(|text| text.trim() == value);
            let has = |name: &str| std::env::var_os(name).is_some();
            let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
            let is_filtered = status
                .lines()
                .filter_map(|line| line.strip_prefix("Seccomp:"))
                .any(|mode| mode.trim() == "2");
            let marks = ["/.dockerenv", "/run/.containerenv"];
            Self {
                kernel: version(&System::here().release).is_some_and(|version| version < NEEDED),
                container: is_filtered
                    || marks.iter().any(|mark| Path::new(mark).exists())
                    || has("container")
                    || has("KUBERNETES_SERVICE_HOST"),
                apparmor: is("kernel/apparmor_restrict_unprivileged_userns", "1"),
                none: is("user/max_user_namespaces", "0"),
                root_only: is("kernel/unprivileged_userns_clone", "0"),
            }
        }

        /// What lifts them; `None` if there are none.
        pub(in super::super) fn fix(self) -> Option<String> {
            if self.kernel {
                let (major, minor) = NEEDED;
                return Some(format!("use Linux {major}.{minor} or later"));
            }
            let settings: Vec<&str> = [
                (self.apparmor, "kernel.apparmor_restrict_unprivileged_userns=0"),
                (self.none, "user.max_user_namespaces=15000"),
                (self.root_only, "kernel.unprivileged_userns_clone=1"),
            ]
            .into_iter()
            .filter_map(|(is_set, setting)| is_set.then_some(setting))
            .collect();
            let sysctl = (!settings.is_empty()).then(|| format!("sudo sysctl -w {}", settings.join(" ")));
            let container = "start the container with --security-opt seccomp=unconfined --security-opt \
                apparmor=unconfined --security-opt systempaths=unconfined, or with --privileged";
            match (self.container, sysctl) {
                (true, Some(sysctl)) => Some(format!("{container}; and on its host: {sysctl}")),
                (true, None) => Some(container.to_owned()),
                (false, sysctl) => sysctl,
            }
        }
    }

    /// The first two numbers of a kernel's version, such as `6.8.0-31-generic`.
    fn version(release: &str) -> Option<(u32, u32)> {
        let mut numbers = release.split(|letter: char| !letter.is_ascii_digit()).map(str::parse::<u32>);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn check(restrictions: Restrictions, expected: Option<&str>) {
            assert_eq!(restrictions.fix().as_deref(), expected);
        }

        #[test]
        fn each_restriction_is_lifted_by_its_own_command() {
            let none = Restrictions::default();
            check(none, None);
            check(
                Restrictions { apparmor: true, ..none },
                Some("sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
            );
            check(
                Restrictions { none: true, root_only: true, ..none },
                Some("sudo sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1"),
            );
            check(Restrictions { kernel: true, apparmor: true, ..none }, Some("use Linux 5.12 or later"));
        }

        #[test]
        fn in_a_container_its_options_come_first() {
            let container = Restrictions { container: true, ..Restrictions::default() };
            let fix = container.fix().expect("there is one");
            assert!(fix.starts_with("start the container with --security-opt seccomp=unconfined"), "{fix}");
            let both = Restrictions { apparmor: true, ..container }.fix().expect("there is one");
            let sysctl = "; and on its host: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
            assert_eq!(both, format!("{fix}{sysctl}"));
        }

        #[test]
        fn a_kernel_is_compared_by_its_first_two_numbers() {
            for (release, expected) in [
                ("6.8.0-31-generic", Some((6, 8))),
                ("5.10.0", Some((5, 10))),
                ("4.18-el8", Some((4, 18))),
                ("unknown", None),
            ] {
                assert_eq!(version(release), expected, "{release}");
            }
        }
    }
}
