//! System calls that no server needs and that lead out of a confinement, or that known escapes began with.
//!
//! The main function is [`deny`]. A denied call fails with "not permitted"; everything else works as usual.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};

/// Denied whatever their arguments are.
const DENIED: &[i64] = &[
    // Kernel keyrings.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Programs in the kernel, performance counters, page faults.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // This would bypass the filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    // Opening files by handles that bypass folders, and watching all that is opened.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    // Kernel modules, other kernels, the machine itself.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    // Clocks.
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
];

#[cfg(target_arch = "x86_64")]
const DENIED_HERE: &[i64] = &[
    libc::SYS_kexec_file_load,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS__sysctl,
];

#[cfg(not(target_arch = "x86_64"))]
const DENIED_HERE: &[i64] = &[];

/// Denied for any process other than the caller, whose number is 0.
const OF_OTHERS: &[i64] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
];

/// Denied unless the target is the caller itself, number 0 in the second argument; always denied for users.
const PRIORITIES: &[i64] = &[libc::SYS_setpriority, libc::SYS_ioprio_set];
/// The first argument of these calls for a single process.
const PRIORITY_OF_PROCESS: u64 = 0;
const IO_PRIORITY_OF_PROCESS: u64 = 1;

/// The flags of a clone that create new namespaces.
const NEW_NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Requests that put input into a terminal.
const TERMINAL: [u64; 2] = [0x5412, 0x541c];

/// The bit that marks a call of the 32-bit form of this architecture, on systems that have one.
#[cfg(target_arch = "x86_64")]
const SHORT: i64 = 0x4000_0000;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Denies these calls to this process and to whatever it becomes or starts.
pub(super) fn deny() -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot block system calls on this system: {error}");
    for (rules, error) in [
        (rules().map_err(|error| failed(&error))?, libc::EPERM),
        // The flags of `clone3` are in memory, where a filter cannot see them. If the call seems not to exist,
        // programs use the older one.
        (with_short([(libc::SYS_clone3, Vec::new())].into()), libc::ENOSYS),
    ] {
        let program = program(rules, error.cast_unsigned()).map_err(|error| failed(&error))?;
        apply_filter(&program).map_err(|error| failed(&error))?;
    }
    Ok(())
}

fn program(rules: Rules, error: u32) -> Result<BpfProgram, seccompiler::BackendError> {
    let architecture = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(error), architecture)?.try_into()
}

fn rules() -> Result<Rules, seccompiler::BackendError> {
    let whole = DENIED.iter().chain(DENIED_HERE).map(|call| (*call, Vec::new()));
    let mut rules: Rules = whole.collect();
    for call in OF_OTHERS {
        rules.insert(*call, vec![SeccompRule::new(vec![is_not(0, 0)?])?]);
    }
    for (call, process) in std::iter::zip(PRIORITIES, [PRIORITY_OF_PROCESS, IO_PRIORITY_OF_PROCESS]) {
        let others =
            vec![SeccompRule::new(vec![is_not(0, process)?])?, SeccompRule::new(vec![is_not(1, 0)?])?];
        rules.insert(*call, others);
    }
    let clones = NEW_NAMESPACES.iter().map(|flag| {
        let flag = u64::from(flag.cast_unsigned());
        let has = SeccompCmpOp::MaskedEq(flag);
        SeccompRule::new(vec![SeccompCondition::new(0, SeccompCmpArgLen::Qword, has, flag)?])
    });
    rules.insert(libc::SYS_clone, clones.collect::<Result<_, _>>()?);
    let input = TERMINAL.map(|request| SeccompRule::new(vec![is(1, request)?]));
    rules.insert(libc::SYS_ioctl, input.into_iter().collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_socket, families()?);
    rules.insert(libc::SYS_socketpair, families()?);
    Ok(with_short(rules))
}

/// Denies every family of sockets except Unix, inet, and netlink for routes.
fn families() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let [unix, inet, inet6, netlink] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]
        .map(|family| u64::from(family.cast_unsigned()));
    let route = u64::from(libc::NETLINK_ROUTE.cast_unsigned());
    let others = [unix, inet, inet6, netlink].map(|family| is_not(0, family));
    Ok(vec![
        SeccompRule::new(others.into_iter().collect::<Result<_, _>>()?)?,
        SeccompRule::new(vec![is(0, netlink)?, is_not(2, route)?])?,
        // Raw sockets are not needed for anything but the addresses.
        SeccompRule::new(vec![
            is_one_of_kind(1, u64::from(libc::SOCK_RAW.cast_unsigned()))?,
            is_not(0, netlink)?,
        ])?,
    ])
}

fn is(argument: u8, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

/// The type of a socket is in the lowest four bits.
fn is_one_of_kind(argument: u8, kind: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(0xf), kind)
}

/// The rules with the 32-bit form of each call added.
#[cfg(target_arch = "x86_64")]
fn with_short(mut rules: Rules) -> Rules {
    let short: Vec<_> = rules.iter().map(|(call, rules)| (call | SHORT, rules.clone())).collect();
    rules.extend(short);
    rules
}

/// This architecture has no 32-bit form.
#[cfg(not(target_arch = "x86_64"))]
fn with_short(rules: Rules) -> Rules {
    rules
}
