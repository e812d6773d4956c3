//! Anything that a server may put into its workspace, or in the place of the harness's files: nothing hangs,
//! nothing outside is harmed, and nothing is left behind.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::condition::CaseId;
use crate::suite::{Commit, File, FileContent};

use super::RunFolders;
use super::owned::sweep;

/// Far more processor time than any test needs; processor time is measured because other programs may use the
/// cores.
const WORK: Duration = Duration::from_secs(20);

/// The processor time of this thread so far.
fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("no thread works backwards")
}

fn file(path: &str, content: FileContent) -> File {
    File { path: path.into(), content }
}

fn text(path: &str) -> File {
    file(path, FileContent::Text("ours\n".into()))
}

/// A run, a case laid out in it, and a file that belongs to somebody else.
struct HostileRun {
    run_folders: RunFolders,
    id: CaseId,
    files: Vec<File>,
    folder: PathBuf,
    elsewhere: tempfile::TempDir,
}

impl HostileRun {
    fn new() -> Self {
        let run_folders = RunFolders::create(1).expect("the folders are made");
        let id = CaseId("read/x".into());
        let commit = Commit {
            message: "One".into(),
            files: [("a.txt".to_owned(), "a\n".to_owned())].into(),
            branch: None,
            tag: None,
        };
        let files = vec![
            text("notes.txt"),
            text("sub/inner.txt"),
            file("empty", FileContent::Directory),
            file("link", FileContent::Link("notes.txt".into())),
            file("repository", FileContent::Git(vec![commit])),
        ];
        let folder = run_folders.lay_out(&id, &files, 0, &str::to_owned).expect("it is laid out");
        let elsewhere = tempfile::tempdir().expect("a folder");
        fs::write(elsewhere.path().join("victim"), "precious\n").expect("it is written");
        fs::create_dir(elsewhere.path().join("folder")).expect("it is made");
        fs::write(elsewhere.path().join("folder/notes.txt"), "precious\n").expect("it is written");
        Self { run_folders, id, files, folder, elsewhere }
    }

    /// Makes all files again, takes a snapshot, and deletes everything; then checks that the foreign file is
    /// intact.
    fn goes_on(self) {
        let before = worked();
        let folder =
            self.run_folders.lay_out(&self.id, &self.files, 0, &str::to_owned).expect("it is laid out again");
        self.run_folders.reset_outside().expect("the outside is put back");
        for name in ["notes.txt", "sub/inner.txt"] {
            let found = folder.join(name).symlink_metadata().expect("it is there");
            assert!(found.is_file(), "{name} is a plain file");
            assert_eq!(fs::read_to_string(folder.join(name)).expect("it is read"), "ours\n", "{name}");
        }
        assert_eq!(fs::read_to_string(folder.join("repository/a.txt")).expect("it is read"), "a\n");
        let _ = self.run_folders.look(&folder);
        let _ = self.run_folders.look(Path::new(&self.run_folders.folders.workspace));
        self.run_folders.exceed(&[PathBuf::from(&self.run_folders.folders.workspace)], 2_000, 1 << 20);
        let home = Path::new(&self.run_folders.folders.workspace).parent().expect("a home").to_owned();
        self.run_folders.remove().expect("all of it is deleted");
        assert!(!home.exists(), "nothing is left");
        // Nothing here has a deadline, so anything that waited would wait for ever.
        assert!(worked() - before < WORK, "nothing takes long");
        for name in ["victim", "folder/notes.txt"] {
            let kept = fs::read_to_string(self.elsewhere.path().join(name)).expect("it is there");
            assert_eq!(kept, "precious\n", "{name}");
        }
        let mut left: Vec<_> = fs::read_dir(self.elsewhere.path())
            .expect("it is there")
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["folder", "victim"]);
        assert_eq!(fs::read_dir(self.elsewhere.path().join("folder")).expect("it is there").count(), 1);
    }

    fn victim(&self) -> PathBuf {
        self.elsewhere.path().join("victim")
    }
}

fn delete(path: &Path) {
    match path.symlink_metadata().expect("it is there").is_dir() {
        true => fs::remove_dir_all(path).expect("it is deleted"),
        false => fs::remove_file(path).expect("it is deleted"),
    }
}

/// Something other than a regular file that a server may put at a path.
type Laid = fn(&HostileRun, &Path);

const LAID: [Laid; 8] = [
    |_, path| mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o666), 0).expect("a pipe is made"),
    |_, path| drop(UnixListener::bind(path).expect("a socket is made")),
    |_, path| symlink("/dev/zero", path).expect("a link is made"),
    |_, path| symlink("/no/such/place", path).expect("a link is made"),
    |run, path| symlink(run.victim(), path).expect("a link is made"),
    |run, path| symlink(run.elsewhere.path().join("folder"), path).expect("a link is made"),
    |run, path| fs::hard_link(run.victim(), path).expect("a link is made"),
    |_, path| {
        fs::create_dir(path).expect("a folder is made");
        fs::write(path.join("inner"), "x").expect("it is written");
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).expect("it is closed");
    },
];

#[test]
fn what_a_server_puts_in_the_place_of_a_file_or_a_folder_is_replaced_and_leads_nowhere() {
    for laid in LAID {
        for name in
            ["notes.txt", "sub", "sub/inner.txt", "empty", "link", "repository", "repository/.git", ""]
        {
            let run = HostileRun::new();
            let path = if name.is_empty() { run.folder.clone() } else { run.folder.join(name) };
            delete(&path);
            laid(&run, &path);
            run.goes_on();
        }
    }
}

#[test]
fn the_workspace_and_the_outside_themselves_may_be_replaced() {
    for laid in LAID {
        for outside in [false, true] {
            let run = HostileRun::new();
            let folders = &run.run_folders.folders;
            let path = PathBuf::from(if outside { &folders.outside } else { &folders.workspace });
            delete(&path);
            laid(&run, &path);
            run.goes_on();
        }
    }
}

#[test]
fn what_a_server_lays_beside_is_looked_at_within_bounds_and_deleted() {
    let run = HostileRun::new();
    for (number, laid) in LAID.iter().enumerate() {
        laid(&run, &run.folder.join(format!("laid-{number}")));
    }
    let sparse = fs::File::create(run.folder.join("sparse")).expect("it is made");
    sparse.set_len(50 << 30).expect("it grows");
    let odd = OsStr::from_bytes(b"caf\xe9 \xff\n");
    fs::write(run.folder.join(odd), "x").expect("it is written");
    fs::create_dir(run.folder.join("many")).expect("it is made");
    for number in 0..50_000 {
        fs::File::create(run.folder.join("many").join(number.to_string())).expect("it is made");
    }
    run.goes_on();
}

#[test]
fn a_tree_five_thousand_deep_is_deleted() {
    let run = HostileRun::new();
    let mut here =
        rustix::fs::open(&run.folder, rustix::fs::OFlags::DIRECTORY, Mode::empty()).expect("it is there");
    for _ in 0..5_000 {
        rustix::fs::mkdirat(&here, "deep", Mode::from_raw_mode(0o755)).expect("it is made");
        here = rustix::fs::openat(&here, "deep", rustix::fs::OFlags::DIRECTORY, Mode::empty())
            .expect("it is there");
    }
    run.goes_on();
}

#[test]
fn a_configuration_that_a_server_lays_in_a_repository_runs_nothing_of_its_own() {
    let run = HostileRun::new();
    let mark = run.elsewhere.path().join("ran");
    let config =
        format!("[core]\n\tfsmonitor = touch {0}\n\thooksPath = {1}\n", mark.display(), run.folder.display());
    fs::write(run.folder.join("repository/.git/config"), config).expect("it is written");
    fs::write(run.folder.join("repository/a.txt"), "changed\n").expect("it is written");
    let elsewhere = run.elsewhere.path().to_owned();
    run.run_folders.lay_out(&run.id, &run.files, 0, &str::to_owned).expect("it is laid out again");
    assert!(!elsewhere.join("ran").exists());
    let config = fs::read_to_string(run.folder.join("repository/.git/config")).expect("it is read");
    assert!(!config.contains("fsmonitor"), "{config}");
}

#[test]
fn what_a_killed_run_left_is_deleted_by_the_next_one_and_nothing_else() {
    let parent = tempfile::tempdir().expect("a folder");
    let living = RunFolders::create_in(parent.path(), 1).expect("the folders are made");
    let unmarked = parent.path().join("mcp-errconf-of-somebody");
    fs::create_dir(&unmarked).expect("it is made");
    // A killed run leaves its folder and a mark that nobody locks.
    let left = RunFolders::create_in(parent.path(), 2).expect("the folders are made");
    let home = Path::new(&left.folders.workspace).parent().expect("a home").to_owned();
    let abandoned = parent.path().join("mcp-errconf-abandoned");
    let copied = Command::new("cp").arg("-r").arg(&home).arg(&abandoned).stdin(Stdio::null()).status();
    assert!(copied.expect("`cp` starts").success());
    sweep(parent.path());
    assert!(!abandoned.exists(), "its owner is gone");
    assert!(home.exists() && Path::new(&living.folders.workspace).exists(), "theirs are alive");
    assert!(unmarked.exists(), "it bears no mark");
    let mut file = fs::File::create(home.join("workspace/x")).expect("it is ours still");
    file.write_all(b"x").expect("it is written");
}
