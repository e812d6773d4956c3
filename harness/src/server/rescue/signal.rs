//! Handlers for the signals that would end this program without a message.
//!
//! Besides the shim's system calls this is the only place of this crate with unsafe blocks. A handler may do
//! very little: it reads what was prepared, and calls functions that the system allows in a handler.

use std::ffi::{CStr, CString, c_char, c_int};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{ABORTED, FAULT, OUT_OF_BOUNDS, VARIABLE};

/// The message if not even this program can be executed again.
const LAST_WORDS: &[u8] = b"error: mcp-errconf itself failed, not the server: it cannot continue, because \
    memory ran out or because of a fault; the next run deletes what this one leaves in the temporary folder. \
    Allow more memory (`ulimit -v`, the container's limit), or please report it together with the command \
    line\n";

/// At most this many folders are remembered. Only options of the user can lead to more.
const FOLDERS: usize = 30;

/// Folders with partial files of this process, as paths that are never freed.
static REMEMBERED: [AtomicPtr<c_char>; FOLDERS] = [const { AtomicPtr::new(ptr::null_mut()) }; FOLDERS];

/// What a handler needs, prepared beforehand and never freed. Null before that.
static PLAN: AtomicPtr<Plan> = AtomicPtr::new(ptr::null_mut());

/// Whether a thread has begun to end this program.
static ENDING: AtomicBool = AtomicBool::new(false);

/// How long, in seconds, another crashing thread waits for the first one.
const GRACE: u32 = 2;

/// How this program is executed again.
struct Plan {
    /// The process that it was made for: it must not be used in a forked child.
    owner: libc::pid_t,
    program: CString,
    /// Its environments, as [`environment`] makes them.
    aborted: Vec<*const c_char>,
    out_of_bounds: Vec<*const c_char>,
}

/// The variables of this process, with how it ended, in the system's form: pointers to strings that are never freed,
/// the last one null.
fn environment(how: &str) -> Vec<*const c_char> {
    let own = format!("{VARIABLE}={how}");
    let others = std::env::vars_os().map(|(name, value)| [name.as_bytes(), value.as_bytes()].join(&b'='));
    let variables = others.chain([own.into_bytes()]).filter_map(|variable| CString::new(variable).ok());
    variables.map(|variable| variable.into_raw().cast_const()).chain([ptr::null()]).collect()
}

/// Installs handlers for the signals that would end this program without a message: it reports why it ends,
/// with exit code 70, ends its servers and deletes the folders of its run. Exceeding the file size limit
/// becomes a write error instead. Programs started by this one have the default handlers.
pub fn install_crash_handlers() {
    let program = std::env::current_exe().ok();
    if let Some(program) = program.and_then(|program| CString::new(program.into_os_string().into_vec()).ok())
    {
        let plan = Plan {
            owner: libc::pid_t::try_from(std::process::id()).unwrap_or_default(),
            program,
            aborted: environment(ABORTED),
            out_of_bounds: environment(OUT_OF_BOUNDS),
        };
        PLAN.store(Box::into_raw(Box::new(plan)), Ordering::Release);
    }
    clean_up_and_exit();
    meet(libc::SIGXFSZ, go_on);
}

/// Reports crashes that would otherwise end this program without a message.
pub(super) fn clean_up_and_exit() {
    for signal in [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS] {
        meet(signal, end);
    }
}

/// Remembers a folder that contains partial files of this process.
pub(crate) fn remember(folder: &Path) {
    static WRITING: Mutex<()> = Mutex::new(());
    let Ok(folder) = folder.canonicalize() else { return };
    let Ok(path) = CString::new(folder.into_os_string().into_vec()) else { return };
    let _one = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    for place in &REMEMBERED {
        let there = place.load(Ordering::Acquire);
        if there.is_null() {
            return place.store(path.into_raw(), Ordering::Release);
        }
        if is_same(there, &path) {
            return;
        }
    }
}

#[expect(unsafe_code, reason = "a path that a handler reads is a pointer")]
fn is_same(there: *const c_char, path: &CStr) -> bool {
    // SAFETY: entries of the table come from `CString::into_raw`, and are never freed or changed.
    unsafe { CStr::from_ptr(there) == path }
}

#[expect(unsafe_code, reason = "how a signal is met is asked of the system directly")]
fn meet(signal: c_int, handler: extern "C" fn(c_int)) {
    // SAFETY: a structure of zeroes is valid and outlives the call. Both handlers only call functions that are
    // allowed in one, and take no lock. They run on the stack that Rust reserves for stack overflows, if the
    // thread has one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(signal, &raw const action, ptr::null_mut());
    }
}

/// Does nothing: the system call then fails by itself.
extern "C" fn go_on(_: c_int) {}

/// Executes this program again in the role of [`super::run_as_helper`]; if that fails, says so and ends.
#[expect(unsafe_code, reason = "a handler has nothing but calls to the system")]
extern "C" fn end(signal: c_int) {
    let plan = PLAN.load(Ordering::Acquire);
    let is_first = !ENDING.swap(true, Ordering::AcqRel);
    // SAFETY: a plan is never freed, nor are the strings that it and the table point to; lists end with a null.
    // All functions called here are allowed in a handler, and no memory is allocated.
    unsafe {
        if let Some(plan) = plan.as_ref()
            && plan.owner == libc::getpid()
            && is_first
        {
            let mut words = [ptr::null(); FOLDERS + 2];
            words[0] = plan.program.as_ptr();
            let folders = REMEMBERED.iter().map(|place| place.load(Ordering::Acquire).cast_const());
            for (word, folder) in words[1..].iter_mut().zip(folders.filter(|folder| !folder.is_null())) {
                *word = folder;
            }
            let environment = if signal == libc::SIGABRT { &plan.aborted } else { &plan.out_of_bounds };
            // Signals blocked during a handler would otherwise stay blocked.
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
            libc::execve(plan.program.as_ptr(), words.as_ptr(), environment.as_ptr());
        }
        if !is_first {
            libc::sleep(GRACE);
        }
        libc::write(libc::STDERR_FILENO, LAST_WORDS.as_ptr().cast(), LAST_WORDS.len());
        libc::_exit(c_int::from(FAULT))
    }
}
