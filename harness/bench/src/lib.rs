//! What the speed measures share: the program that is measured, and clocks.
//!
//! Each measure is a program of its own in `benches/`; all of them: `cargo bench -p mcp-errconf-bench`.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// The path of `mcp-errconf`, optimised, in the folder that the calling measure was built into. The first call builds it.
///
/// # Panics
/// When it cannot be built.
pub fn program() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        let measure = std::env::current_exe().expect("a measure knows its program");
        let target = measure.ancestors().nth(3).expect("cargo's folders are around it");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--release", "-p", "mcp-errconf", "--manifest-path"]);
        build.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml"));
        let built = build.arg("--target-dir").arg(target).status().expect("cargo starts");
        assert!(built.success(), "mcp-errconf could not be built: {built}");
        let name = format!("mcp-errconf{}", std::env::consts::EXE_SUFFIX);
        target.join("release").join(name).to_string_lossy().into_owned()
    });
    &PROGRAM
}

/// How long this process has been on the cores, its threads together: on a busy machine the clock on the wall says
/// something else.
pub fn process_time() -> Duration {
    duration(clock_gettime(ClockId::ProcessCPUTime))
}

/// How long this thread has been on a core.
pub fn thread_time() -> Duration {
    duration(clock_gettime(ClockId::ThreadCPUTime))
}

fn duration(time: Timespec) -> Duration {
    Duration::from_nanos((time.tv_sec * 1_000_000_000 + time.tv_nsec).unsigned_abs())
}

/// The middle one of some figures; of an even number of them the greater of the two in the middle.
///
/// # Panics
/// When there are none, or when they cannot be compared.
pub fn median<T: PartialOrd>(mut figures: Vec<T>) -> T {
    figures.sort_by(|one, other| one.partial_cmp(other).expect("figures can be compared"));
    figures.swap_remove(figures.len() / 2)
}
