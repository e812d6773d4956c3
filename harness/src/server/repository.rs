//! The git repositories in the folders of cases, made by the `git` program if it is installed.
//!
//! The main function is [`make`]. Nothing of the user's configuration is read, no hook is run, and every commit
//! has the same author and a fixed date: two runs make the same commits. It knows nothing of what a case is
//! about.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::suite::Commit;

use super::beneath::Beneath;
use super::entry::EntryKind;
use super::startable::on_path;

/// The first commit's date, in seconds since 1970; each further one is a day later.
const FIRST: u64 = 1_700_000_000;
const DAY: u64 = 86_400;

const BRANCHES: &str = "refs/heads";
const MAIN: &str = "main";
/// The configuration of a repository. It includes a committer's name, because HOME may contain none. Its remote is the
/// repository itself, so that a tool can fetch, pull and push without a network.
const CONFIGURATION: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\
                             [user]\n\tname = mcp-errconf\n\temail = mcp-errconf@example.com\n\
                             [remote \"origin\"]\n\turl = .\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
                             [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n";
/// The folders that git requires below `.git`.
const FOLDERS: [&str; 2] = ["objects", "refs"];
/// At most this many different repositories are kept in memory.
const KEPT: usize = 64;
/// The most files that a case's repository has, and the largest size of one.
const MOST: usize = 10_000;
const MOST_BYTES: u64 = 64 << 20;

/// The files below `.git`.
type Inside = Arc<Vec<(PathBuf, Vec<u8>)>>;

/// Repositories that were made, by their commits. Most cases, and all runs of a selftest, need the same few,
/// and starting two processes for each would be most of the work.
static MADE: LazyLock<Mutex<BTreeMap<String, Inside>>> = LazyLock::new(Mutex::default);

/// Whether git is installed. It is checked once.
pub(crate) fn is_possible() -> bool {
    static FOUND: LazyLock<bool> = LazyLock::new(|| {
        git(Path::new("/")).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    *FOUND
}

/// Makes a repository with these commits at `path` below a folder, the files of the last one checked out.
/// Without git only the files are made, and a tool that asks for their history reports that itself.
///
/// Git itself never runs there, because a server may have put a configuration there that starts a program. It
/// runs in a new folder in `nursery`, and its files are copied.
///
/// # Errors
/// When git cannot be started or fails, with what it said.
pub(super) fn make(
    below: &Beneath,
    nursery: &Path,
    path: &Path,
    commits: &[Commit],
    replace: &dyn Fn(&str) -> String,
) -> io::Result<()> {
    if is_made(below, path, commits, replace) {
        return Ok(());
    }
    below.remove(path)?;
    let folder = below.make(path)?;
    if is_possible() {
        copy(&folder, &inside(nursery, &stream(commits, replace))?)?;
    }
    for (path, text) in checked_out(commits) {
        folder.write(Path::new(path), replace(text).as_bytes())?;
    }
    Ok(())
}

/// The files below `.git` after these commits.
fn inside(nursery: &Path, stream: &str) -> io::Result<Inside> {
    let known = MADE.lock().unwrap_or_else(PoisonError::into_inner).get(stream).cloned();
    if let Some(inside) = known {
        return Ok(inside);
    }
    let fresh = tempfile::Builder::new().prefix("repository-").tempdir_in(nursery)?;
    begin(&fresh.path().join(".git"))?;
    // Imported objects stay in one pack file: unpacking takes one more process.
    run(git(fresh.path()).args(["-c", "fastimport.unpackLimit=0", "fast-import", "--quiet"]), stream)?;
    run(git(fresh.path()).args(["reset", "--quiet", "--hard"]), "")?;
    let mut inside = Vec::new();
    collect(&Beneath::open(&fresh.path().join(".git"))?, Path::new(""), &mut inside)?;
    let inside = Arc::new(inside);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if made.len() < KEPT {
        made.insert(stream.to_owned(), Arc::clone(&inside));
    }
    Ok(inside)
}

/// Makes an empty repository, as `git init` does, without hooks and without the two processes that it takes.
fn begin(root: &Path) -> io::Result<()> {
    for folder in FOLDERS {
        std::fs::create_dir_all(root.join(folder))?;
    }
    std::fs::write(root.join("HEAD"), format!("ref: {BRANCHES}/{MAIN}\n"))?;
    std::fs::write(root.join("config"), CONFIGURATION)
}

/// Reads the files below a folder.
fn collect(folder: &Beneath, below: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) -> io::Result<()> {
    for name in folder.names(MOST)? {
        let path = below.join(&name);
        if folder.kind(&name)? == EntryKind::Folder {
            collect(&folder.look_into(&name)?, &path, into)?;
        } else {
            let mut bytes = Vec::new();
            folder.file(&name)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
            into.push((path, bytes));
        }
    }
    Ok(())
}

/// Writes the files of `.git`, and the folders that git requires even if they are empty.
fn copy(folder: &Beneath, inside: &[(PathBuf, Vec<u8>)]) -> io::Result<()> {
    let root = Path::new(".git");
    for demanded in FOLDERS {
        folder.make(&root.join(demanded))?;
    }
    inside.iter().try_for_each(|(path, bytes)| folder.write(&root.join(path), bytes))
}

/// The files of the commits on the branch that is checked out.
fn checked_out(commits: &[Commit]) -> impl Iterator<Item = (&String, &String)> {
    commits.iter().filter(|commit| commit.branch.is_none()).flat_map(|commit| &commit.files)
}

/// Whether the repository already is as it should be: each probe of a tool finds the same files, and no lock that a killed
/// git left behind.
fn is_made(below: &Beneath, path: &Path, commits: &[Commit], replace: &dyn Fn(&str) -> String) -> bool {
    let files: BTreeMap<_, _> = checked_out(commits).collect();
    below.is_file(&path.join(".git/HEAD"))
        && !below.is_file(&path.join(".git/index.lock"))
        && files.into_iter().all(|(name, text)| below.has(&path.join(name), replace(text).as_bytes()))
}

/// The commits in the format of `git fast-import`.
fn stream(commits: &[Commit], replace: &dyn Fn(&str) -> String) -> String {
    let mut stream = String::new();
    let mut known = BTreeSet::new();
    let mut before: Option<&str> = None;
    for (number, commit) in std::iter::zip(0.., commits) {
        let date = FIRST + number * DAY;
        let branch = commit.branch.as_deref().unwrap_or(MAIN);
        stream.push_str(&format!(
            "commit {BRANCHES}/{branch}\ncommitter mcp-errconf <mcp-errconf@example.com> {date} +0000\n"
        ));
        data(&mut stream, &commit.message);
        if let Some(before) = before.filter(|_| known.insert(branch)) {
            stream.push_str(&format!("from {BRANCHES}/{before}\n"));
        }
        known.insert(branch);
        before = Some(branch);
        for (path, text) in &commit.files {
            stream.push_str(&format!("M 100644 inline {path}\n"));
            data(&mut stream, &replace(text));
        }
        if let Some(tag) = &commit.tag {
            stream.push_str(&format!("reset refs/tags/{tag}\nfrom {BRANCHES}/{branch}\n"));
        }
    }
    stream
}

fn data(stream: &mut String, text: &str) {
    stream.push_str(&format!("data {}\n{text}\n", text.len()));
}

/// The program's full path, if it is found: only then can it be started without first copying this process.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| on_path("git").unwrap_or_else(|| "git".into()));

/// Git in a folder, with no environment except the path to its programs.
fn git(folder: &Path) -> Command {
    let mut git = Command::new(&*PROGRAM);
    git.env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs([("LC_ALL", "C"), ("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder))
        .args(["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "safe.directory=*"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    git
}

fn run(git: &mut Command, input: &str) -> io::Result<()> {
    let mut child = git.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // If git ends before it has read everything, its own message says why.
        let _ = stdin.write_all(input.as_bytes());
    }
    let Output { status, stderr, .. } = child.wait_with_output()?;
    if status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&stderr).trim().replace('\n', "; ");
    Err(io::Error::other(format!("git ended with {status}: {message}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder; `None` if git is missing and the user has explicitly disabled these tests. Otherwise they fail.
    fn folder() -> Option<(tempfile::TempDir, Beneath)> {
        if !is_possible() {
            assert!(
                std::env::var_os("MCP_ERRCONF_TEST_WITHOUT_GIT").is_some(),
                "git is not installed: install it, or set MCP_ERRCONF_TEST_WITHOUT_GIT to skip the tests that need it"
            );
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let below = Beneath::open(folder.path()).expect("it is opened");
        Some((folder, below))
    }

    fn commit(message: &str, text: &str) -> Commit {
        let files = [("notes/fruit.txt".to_owned(), text.to_owned())].into();
        Commit { message: message.to_owned(), files, branch: None, tag: None }
    }

    fn head(folder: &Path) -> String {
        let output = git(folder).args(["rev-parse", "HEAD"]).output().expect("git runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    #[test]
    fn two_repositories_of_the_same_commits_are_the_same_and_have_no_hook() {
        let commits = [commit("Plant", "apple\n"), commit("Water", "apple\nlemon\n")];
        let made = [folder(), folder()].map(|made| {
            let (folder, below) = made?;
            for _ in 0..2 {
                let lime = |text: &str| text.replace("lemon", "lime");
                make(&below, folder.path(), Path::new("trees"), &commits, &lime).expect("it is made");
            }
            let trees = folder.path().join("trees");
            let clean = git(&trees).args(["status", "--porcelain"]).output().expect("git runs");
            assert!(clean.status.success() && clean.stdout.is_empty(), "{clean:?}");
            Some(folder)
        });
        let [Some(one), Some(other)] = made else { return };
        let trees = one.path().join("trees");
        let text = std::fs::read_to_string(trees.join("notes/fruit.txt")).expect("it is checked out");
        assert_eq!(text, "apple\nlime\n");
        assert_eq!(head(&trees), head(&other.path().join("trees")));
        assert_eq!(head(&trees).len(), 40);
        assert!(!trees.join(".git/hooks").exists());
    }

    #[test]
    fn a_lock_that_a_killed_git_left_is_gone_from_a_repository_that_is_made_again() {
        let Some((folder, below)) = folder() else { return };
        let commits = [commit("Plant", "apple\n")];
        let make =
            || make(&below, folder.path(), Path::new("trees"), &commits, &str::to_owned).expect("it is made");
        make();
        let lock = folder.path().join("trees/.git/index.lock");
        std::fs::write(&lock, "").expect("it is written");
        make();
        assert!(!lock.exists());
        assert!(folder.path().join("trees/.git/HEAD").exists());
    }

    #[test]
    fn a_repository_has_branches_that_conflict_and_tags() {
        let Some((folder, below)) = folder() else { return };
        let commits = [
            Commit { tag: Some("v1.0".to_owned()), ..commit("Plant", "apple\n") },
            Commit { branch: Some("other".to_owned()), ..commit("Graft", "pear\n") },
            commit("Water", "apple\nlime\n"),
        ];
        make(&below, folder.path(), Path::new("trees"), &commits, &str::to_owned).expect("it is made");
        let trees = folder.path().join("trees");
        let said = |arguments: &[&str]| {
            let output = git(&trees).args(arguments).output().expect("git runs");
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        assert_eq!(said(&["branch", "--format=%(refname:short)"]), "main\nother\n");
        assert_eq!(said(&["tag", "--points-at", "main~1"]), "v1.0\n");
        assert_eq!(said(&["log", "--format=%s", "other"]), "Graft\nPlant\n");
        assert_eq!(said(&["show", "main:notes/fruit.txt"]), "apple\nlime\n");
        assert_eq!(said(&["status", "--porcelain"]), "", "it is clean");
        for arguments in [&["fetch"][..], &["pull"], &["push"], &["push", "origin", "main"]] {
            let output = git(&trees).args(arguments).output().expect("git runs");
            assert!(output.status.success(), "{arguments:?}: {output:?}");
        }
        assert!(said(&["merge", "--no-edit", "other"]).contains("CONFLICT"));
    }

    #[test]
    fn what_git_says_of_a_stream_that_is_wrong_is_the_cause() {
        let Some((folder, below)) = folder() else { return };
        let mut wrong = commit("Plant", "apple\n");
        wrong.files = [("../escaped".to_owned(), String::new())].into();
        let made = make(&below, folder.path(), Path::new("trees"), &[wrong], &str::to_owned);
        let error = made.expect_err("a path that leaves is refused");
        assert!(error.to_string().contains("git ended with"), "{error}");
    }
}
