//! The `git` program, run on a repository in scope and on nothing else.
//!
//! The main type is [`Repository`]. No configuration of the user or the machine is read and no hook is run, so the same
//! repository gives the same answer everywhere. What git prints on standard error goes to the log alone.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::cause;
use crate::failure::{Code, Failure, Quoted};
use crate::scope::Scope;

/// A repository and a path in it.
#[derive(Debug)]
pub(crate) struct Repository {
    root: PathBuf,
    /// Relative to the root.
    path: PathBuf,
}

/// What git said when it failed.
#[derive(Debug, thiserror::Error)]
#[error("git {command} ended with {status}: {stderr}")]
pub(crate) struct GitError {
    command: String,
    status: std::process::ExitStatus,
    /// Its standard error.
    pub(crate) stderr: String,
}

/// The program's file. To look up a bare name with a changed environment, the standard library forks this process, which
/// takes longer than git itself once the server holds much memory.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let files = std::env::split_paths(&path).map(|folder| folder.join("git"));
    let found = files.filter(|file| file.is_absolute()).find(|file| file.is_file());
    found.unwrap_or_else(|| PathBuf::from("git"))
});

impl Repository {
    /// The innermost repository around a resolved path, which was sent as `sent`.
    pub(crate) fn around(path: &Path, sent: &str, scope: &Scope) -> Result<Self, Failure> {
        let inside = path.ancestors().skip(1).take_while(|folder| scope.holds(folder));
        let root = inside.into_iter().find(|folder| folder.join(".git").exists());
        let Some(root) = root else {
            return Err(failed("find", sent).because("it is in no git repository"));
        };
        let below = path.strip_prefix(root).unwrap_or(path);
        Ok(Self { root: root.to_owned(), path: below.to_owned() })
    }

    /// What git prints when it runs a command on the path.
    pub(crate) fn run(&self, command: &str, options: &[String], sent: &str) -> Result<String, Failure> {
        let output = Command::new(&*PROGRAM)
            // The path is all that it takes from this process's surroundings.
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs([
                ("LC_ALL", "C"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_OPTIONAL_LOCKS", "0"),
                ("GIT_TERMINAL_PROMPT", "0"),
                ("GIT_PAGER", "cat"),
            ])
            .env("GIT_DIR", self.root.join(".git"))
            .env("GIT_WORK_TREE", &self.root)
            .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "safe.directory=*"])
            .arg(command)
            .args(options)
            .arg("--")
            .arg(&self.path)
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| not_started(error, command, sent))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let reason = reason(&stderr);
        let error = GitError { command: command.to_owned(), status: output.status, stderr };
        Err(failed(command, sent).because(reason).caused_by(error))
    }
}

fn failed(command: &str, sent: &str) -> Failure {
    Failure::new(Code::GitFailed, format!("Could not {command} {} with git", Quoted(sent))).about(sent)
}

fn not_started(error: io::Error, command: &str, sent: &str) -> Failure {
    let failure = match error.kind() {
        io::ErrorKind::NotFound => Failure::new(
            Code::BackendUnavailable,
            format!("Could not {command} {}, because git is not installed on this machine", Quoted(sent)),
        ),
        _ => failed(command, sent).because(cause::plain(&error)),
    };
    failure.about(sent).caused_by(error)
}

/// The cause in plain words.
fn reason(stderr: &str) -> &'static str {
    if stderr.contains("no such path") {
        "no commit has the file"
    } else if stderr.contains("not a git repository") {
        "the repository is damaged"
    } else if stderr.contains("no such ref")
        || stderr.contains("bad revision")
        || stderr.contains("unknown revision")
    {
        "the repository has no commit"
    } else {
        "the repository could not be read"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_no_repository_and_a_damaged_repository_are_failures_of_git_in_plain_words() {
        let folder = tempfile::tempdir().unwrap();
        let scope = Scope::new(folder.path(), &[], &[]).unwrap();
        let path = scope.workdir().join("a.txt");
        let failure = Repository::around(&path, "a.txt", &scope).unwrap_err();
        assert_eq!(failure.code, Code::GitFailed);
        assert_eq!(failure.reason.as_deref(), Some("it is in no git repository"));

        std::fs::create_dir(scope.workdir().join(".git")).unwrap();
        let repository = Repository::around(&path, "a.txt", &scope).unwrap();
        let failure = repository.run("log", &[], "a.txt").unwrap_err();
        assert!(matches!(failure.code, Code::GitFailed | Code::BackendUnavailable), "{failure:?}");
        assert!(!failure.what.contains("fatal") && failure.cause.is_some(), "{failure:?}");
    }
}
