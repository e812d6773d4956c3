//! Builds a separate root for the server in a mount namespace: only what is mounted there can be seen.
//!
//! The main function is [`enter`]. Its contents were decided before; here they are mounted.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, mkdirat, open, openat, openat2, symlinkat};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change, unmount,
};
use rustix::process::{chdir, pivot_root};

use super::settings::{MountKind, Root};
use super::system;

/// The place of the old root while the new one is built.
const OLD: &str = "/old";
const NEW: &str = "/new";
/// The place for writes to copies, which are discarded.
const DROPPED: &str = "/dropped";
/// An empty file and an empty folder that nobody may open.
const NOTHING: &str = "/nothing";
const NOTHING_BELOW: &str = "/nothing-below";

/// The limits of a private folder in memory.
const SIZE: &str = "size=512m,nr_inodes=200000";

/// The devices that a server gets.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// Information that the system gives to everyone and a server does not need.
const TOLD: [&str; 14] = [
    "/proc/acpi",
    "/proc/asound",
    "/proc/config.gz",
    "/proc/interrupts",
    "/proc/kallsyms",
    "/proc/kcore",
    "/proc/keys",
    "/proc/latency_stats",
    "/proc/modules",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/sysrq-trigger",
    "/proc/timer_list",
    "/proc/timer_stats",
];

/// The limit on processes in a PID namespace, on systems that count them by namespace.
const PIDS: &str = "4096";

/// Builds the root and enters it: from here on nothing else can be reached. Called as the first process of a
/// PID namespace.
pub(super) fn enter(root: &Root) -> Result<(), String> {
    let base = Path::new(&root.base);
    let failed = |step: &str| {
        let step = step.to_owned();
        move |error: io::Error| format!("cannot create a separate root for the server: {step}: {error}")
    };
    begin(base).map_err(failed("its first mount"))?;
    for (path, target) in &root.links {
        link(path, target).map_err(failed(&format!("the link {path}")))?;
    }
    for (number, one) in root.mounts.iter().enumerate() {
        put(Path::new(&one.path), one.kind, number).map_err(failed(&one.path))?;
    }
    for path in &root.masks {
        // What has disappeared meanwhile needs no mask.
        let _ = mask(Path::new(path));
    }
    devices().map_err(failed("/dev"))?;
    processes().map_err(failed("/proc"))?;
    processors();
    finish().map_err(failed("its last mount"))?;
    chdir(&*root.cwd).map_err(|error| format!("cannot enter the working folder {}: {error}", root.cwd))
}

fn below(root: impl AsRef<Path>, path: &Path) -> PathBuf {
    root.as_ref().join(path.strip_prefix("/").unwrap_or(path))
}

fn memory(target: impl AsRef<Path>, options: &str) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let options = std::ffi::CString::new(options)?;
    Ok(mount("tmpfs", target.as_ref(), "tmpfs", flags, Some(options.as_c_str()))?)
}

/// Replaces the root by an empty one that contains the old root.
fn begin(base: &Path) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
    memory(base, &format!("mode=0755,{SIZE}"))?;
    for folder in [OLD, NEW, DROPPED] {
        fs::create_dir(below(base, Path::new(folder)))?;
    }
    pivot_root(base, below(base, Path::new(OLD)))?;
    chdir("/")?;
    memory(NEW, "mode=0755,size=16m")?;
    File::create(NOTHING)?.set_permissions(fs::Permissions::from_mode(0o000))?;
    fs::DirBuilder::new().mode(0o500).create(NOTHING_BELOW)?;
    // Folders that every server may write to and nobody else sees.
    for folder in ["/tmp", "/run", "/var/tmp"] {
        let target = below(NEW, Path::new(folder));
        fs::create_dir_all(&target)?;
        memory(target, &format!("mode=1777,{SIZE}"))?;
    }
    symlink("../run", below(NEW, Path::new("/var/run")))
}

/// Opens a path below a root without following links, because a link could lead the mount elsewhere.
fn found(root: &str, path: &Path) -> io::Result<OwnedFd> {
    let below = path.strip_prefix("/").unwrap_or(path);
    let root = open(root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let flags = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    Ok(openat2(root, below, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty(), flags)?)
}

/// A folder of the new root, created with its parents; links are not followed.
fn folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut here = openat(CWD, NEW, flags, Mode::empty())?;
    for part in path.components() {
        let Component::Normal(name) = part else { continue };
        match mkdirat(&here, name, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(rustix::io::Errno::EXIST | rustix::io::Errno::ROFS) => {}
            Err(error) => return Err(error.into()),
        }
        here = openat(&here, name, flags, Mode::empty())?;
    }
    Ok(here)
}

/// A file of the new root, created empty if missing.
fn file(path: &Path) -> io::Result<OwnedFd> {
    let parent = folder(path.parent().unwrap_or(Path::new("/")))?;
    let name = path.file_name().unwrap_or_default();
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if let Ok(there) = openat(&parent, name, flags | OFlags::PATH, Mode::empty()) {
        return Ok(there);
    }
    Ok(openat(&parent, name, flags | OFlags::CREATE | OFlags::EXCL, Mode::from_raw_mode(0o444))?)
}

/// A path for an open file. `/proc` is still that of the old root.
fn named(opened: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("{OLD}/proc/self/fd/{}", opened.as_raw_fd()))
}

fn link(path: &str, target: &str) -> io::Result<()> {
    let path = Path::new(path);
    let parent = folder(path.parent().unwrap_or(Path::new("/")))?;
    match symlinkat(target, parent, path.file_name().unwrap_or_default()) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Mounts one entry; `number` is its unique number.
fn put(path: &Path, kind: MountKind, number: usize) -> io::Result<()> {
    if kind == MountKind::Empty {
        return memory(named(&folder(path)?), &format!("mode=0700,{SIZE}"));
    }
    let source = match found(OLD, path) {
        // What has disappeared meanwhile does not exist for the server either.
        Err(error) if error.kind() == io::ErrorKind::NotFound && kind != MountKind::Write => return Ok(()),
        found => found?,
    };
    let is_folder = File::from(source.try_clone()?).metadata()?.is_dir();
    let target = if is_folder { folder(path)? } else { file(path)? };
    let (source, target) = (named(&source), named(&target));
    match kind {
        MountKind::Dropped if is_folder => {
            dropped(&source, &target, number).or_else(|_| read(&source, &target, path))
        }
        MountKind::Write => {
            mount_bind_recursive(&source, &target)?;
            system::blunt(&named(&found(NEW, path)?))
        }
        _ => read(&source, &target, path),
    }
}

fn read(source: &Path, target: &Path, path: &Path) -> io::Result<()> {
    mount_bind_recursive(source, target)?;
    // The path is opened again, to get what is mounted there and not what lies under it.
    system::seal_below(&named(&found(NEW, path)?))
}

/// Mounts a folder so that writes go into memory. Sockets of other processes in it are not usable.
fn dropped(source: &Path, target: &Path, number: usize) -> io::Result<()> {
    let here = Path::new(DROPPED).join(number.to_string());
    fs::create_dir(&here)?;
    // A path without a colon or a comma, which separate mount options.
    let lower = here.join("lower");
    let (upper, work) = (here.join("upper"), here.join("work"));
    for folder in [&lower, &upper, &work] {
        fs::create_dir(folder)?;
    }
    mount_bind_recursive(source, &lower)?;
    system::seal_below(&lower)?;
    // The permissions stay as they were.
    fs::set_permissions(&upper, fs::metadata(&lower)?.permissions())?;
    let options = |more: &str| {
        std::ffi::CString::new(format!(
            "lowerdir={},upperdir={},workdir={}{more}",
            lower.display(),
            upper.display(),
            work.display()
        ))
    };
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let with_attributes = options(",userxattr")?;
    if mount("overlay", target, "overlay", flags, Some(with_attributes.as_c_str())).is_ok() {
        return Ok(());
    }
    Ok(mount("overlay", target, "overlay", flags, Some(options("")?.as_c_str()))?)
}

/// Hides a file or folder behind an empty one.
fn mask(path: &Path) -> io::Result<()> {
    let target = found(NEW, path)?;
    let is_folder = File::from(target.try_clone()?).metadata()?.is_dir();
    let nothing = if is_folder { NOTHING_BELOW } else { NOTHING };
    mount_bind_recursive(nothing, named(&target))?;
    system::seal(&named(&found(NEW, path)?))
}

fn devices() -> io::Result<()> {
    let folder = below(NEW, Path::new("/dev"));
    fs::create_dir(&folder)?;
    memory(&folder, "mode=0755,size=1m")?;
    for name in DEVICES {
        let (source, target) = (below(OLD, &Path::new("/dev").join(name)), folder.join(name));
        File::create(&target)?;
        mount_bind_recursive(source, &target)?;
    }
    for (name, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
        ("ptmx", "pts/ptmx"),
    ] {
        symlink(target, folder.join(name))?;
    }
    for name in ["shm", "pts"] {
        fs::create_dir(folder.join(name))?;
    }
    memory(folder.join("shm"), &format!("mode=1777,{SIZE}"))?;
    // Not every server needs a terminal.
    let _ = mount(
        "devpts",
        folder.join("pts"),
        "devpts",
        MountFlags::NOSUID | MountFlags::NOEXEC,
        Some(c"newinstance,ptmxmode=0666,mode=0620"),
    );
    system::seal(&folder)
}

fn processes() -> io::Result<()> {
    let folder = below(NEW, Path::new("/proc"));
    fs::create_dir(&folder)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", &folder, "proc", flags, None)?;
    // Older systems count processes for the whole machine, and refuse.
    let _ = fs::write(folder.join("sys/kernel/pid_max"), PIDS);
    for path in TOLD {
        let _ = mask(Path::new(path));
    }
    system::seal(&folder)
}

/// Provides the number of processors, the only part of `/sys` that is there.
fn processors() {
    let path = Path::new("/sys/devices/system/cpu");
    let _ = put(path, MountKind::Read, 0);
}

/// Makes the new root the only one.
fn finish() -> io::Result<()> {
    system::seal(Path::new(NEW))?;
    chdir(NEW)?;
    // The old root ends up on top of the new one, and is unmounted.
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    Ok(chdir("/")?)
}
