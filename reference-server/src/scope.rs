//! Which paths the file tools may touch.
//!
//! The main type is [`Scope`]. A path is resolved by hand, link by link, so that the verdict comes before anything
//! tells whether the path exists. What a command does in its shell is not scoped.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use globset::{Glob, GlobMatcher};

use crate::ServeError;
use crate::cause;
use crate::failure::{Code, Failure, Quoted};

/// The most symbolic links that are followed in one path: Linux has the same limit.
const MAX_LINKS: usize = 40;

/// A real path as callers write it: on Windows the system puts a prefix before it that nobody does.
fn plain(path: PathBuf) -> PathBuf {
    if !cfg!(windows) {
        return path;
    }
    let short = path.to_str().and_then(|path| path.strip_prefix(r"\\?\"));
    short.filter(|path| path.as_bytes().get(1) == Some(&b':')).map(PathBuf::from).unwrap_or(path)
}

/// The allowed directories and the deny patterns.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    workdir: PathBuf,
    roots: Vec<PathBuf>,
    deny: Vec<GlobMatcher>,
}

impl Scope {
    /// The working directory is always allowed, `allow_dirs` are allowed beside it.
    pub(crate) fn new(workdir: &Path, allow_dirs: &[PathBuf], deny: &[String]) -> Result<Self, ServeError> {
        let real = |directory: &Path| {
            directory
                .canonicalize()
                .map(plain)
                .map_err(|source| ServeError::Directory { path: directory.to_owned(), source })
        };
        let workdir = real(workdir)?;
        let mut roots = vec![workdir.clone()];
        for directory in allow_dirs {
            roots.push(real(directory)?);
        }
        let deny = deny
            .iter()
            .map(|pattern| Ok(Glob::new(pattern)?.compile_matcher()))
            .collect::<Result<_, globset::Error>>()
            .map_err(ServeError::Deny)?;
        Ok(Self { workdir, roots, deny })
    }

    /// Where relative paths begin and commands run.
    pub(crate) fn workdir(&self) -> &Path {
        &self.workdir
    }

    /// The real path behind what the caller sent, if it is in scope. It need not exist.
    pub(crate) fn resolve(&self, sent: &str) -> Result<PathBuf, Failure> {
        if let Some(position) = sent.find('\0') {
            return Err(Failure::new(
                Code::InvalidInput,
                format!("Parameter 'path' holds a NUL character at byte {position}, and no path can"),
            )
            .about("path")
            .hint("Send the path without it."));
        }
        let followed = follow(&self.workdir.join(sent));
        let (Followed::Path(path) | Followed::Loop(path)) = &followed;
        if !self.roots.iter().any(|root| path.starts_with(root)) {
            let roots: Vec<_> = self.roots.iter().map(|root| root.display().to_string()).collect();
            return Err(Failure::new(
                Code::AccessDenied,
                format!("{} is outside the directories that this server may use", Quoted(sent)),
            )
            .about(sent)
            .hint(format!("Use a path inside {}.", roots.join(" or "))));
        }
        if let Some(pattern) = self.denied_by(path) {
            return Err(Failure::new(
                Code::PathDenied,
                format!("{} is closed by the server's deny pattern {}", Quoted(sent), Quoted(pattern)),
            )
            .about(sent)
            .hint("Use a path that the pattern does not match."));
        }
        match followed {
            Followed::Path(path) => Ok(path),
            Followed::Loop(_) => Err(cause::link_loop(sent)),
        }
    }

    /// Whether a resolved path is inside the allowed directories.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Whether no deny pattern closes this real path, for listings and searches.
    pub(crate) fn permits(&self, path: &Path) -> bool {
        self.denied_by(path).is_none()
    }

    /// A pattern that closes a directory closes what is in it; it is tried on the absolute path and on the path
    /// inside each root.
    fn denied_by(&self, path: &Path) -> Option<&str> {
        let closes = |matcher: &GlobMatcher| {
            path.ancestors().any(|part| {
                matcher.is_match(part)
                    || self.roots.iter().any(|root| {
                        part.strip_prefix(root)
                            .is_ok_and(|inner| !inner.as_os_str().is_empty() && matcher.is_match(inner))
                    })
            })
        };
        self.deny.iter().find(|matcher| closes(matcher)).map(|matcher| matcher.glob().glob())
    }

    /// Opens the scope to the whole file system, on Windows to the whole drive; deny patterns stay.
    pub(crate) fn unlock(&mut self) {
        self.roots.push(top(&self.workdir));
    }
}

enum Followed {
    Path(PathBuf),
    Loop(PathBuf),
}

/// Follows `..` and symbolic links the way the kernel does, and goes on by name alone where nothing exists.
fn follow(path: &Path) -> Followed {
    let mut parts: VecDeque<OsString> = names(path).collect();
    let mut reached = top(path);
    let mut links = 0;
    // How many of the last names do not exist: below such a name nothing is a link.
    let mut absent = 0_usize;
    while let Some(part) = parts.pop_front() {
        if part == ".." {
            reached.pop();
            absent = absent.saturating_sub(1);
            continue;
        }
        reached.push(&part);
        if absent > 0 {
            absent += 1;
            continue;
        }
        let target = match fs::read_link(&reached) {
            Ok(target) => target,
            Err(error) => {
                absent = usize::from(error.kind() == ErrorKind::NotFound);
                continue;
            }
        };
        links += 1;
        if links > MAX_LINKS {
            return Followed::Loop(reached);
        }
        match target.is_absolute() {
            true => reached = top(&target),
            false => _ = reached.pop(),
        }
        for name in names(&target).collect::<Vec<_>>().into_iter().rev() {
            parts.push_front(name);
        }
    }
    Followed::Path(reached)
}

/// Where an absolute path begins: `/`, or a drive of Windows.
fn top(path: &Path) -> PathBuf {
    plain(path.to_owned())
        .components()
        .take_while(|component| matches!(component, Component::Prefix(_) | Component::RootDir))
        .collect()
}

fn names(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Fixture {
        _folder: tempfile::TempDir,
        outside: PathBuf,
        scope: Scope,
    }

    fn fixture() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
        fs::create_dir_all(inside.join("sub")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("canary"), "x").unwrap();
        symlink(&outside, inside.join("way-out")).unwrap();
        symlink(outside.join("not-yet"), inside.join("dangling")).unwrap();
        symlink("sub", inside.join("way-in")).unwrap();
        symlink("ring-b", inside.join("ring-a")).unwrap();
        symlink("ring-a", inside.join("ring-b")).unwrap();
        let scope = Scope::new(&inside, &[], &["**/secret".into(), "*.pem".into()]).unwrap();
        Fixture { _folder: folder, outside, scope }
    }

    fn check(sent: &str, expected: Result<&str, Code>) {
        let fixture = fixture();
        let sent = sent.replace("{outside}", fixture.outside.to_str().unwrap());
        let resolved = fixture.scope.resolve(&sent).map_err(|failure| failure.code);
        assert_eq!(resolved, expected.map(|inner| fixture.scope.workdir().join(inner)), "{sent}");
    }

    #[test]
    fn a_path_inside_is_resolved_whether_or_not_it_exists() {
        check("sub", Ok("sub"));
        check("./sub/../sub/none/../new.txt", Ok("sub/new.txt"));
        check("way-in/a.txt", Ok("sub/a.txt"));
        check("way-in/../top.txt", Ok("top.txt"));
    }

    #[test]
    fn no_way_leads_outside() {
        check("{outside}/canary", Err(Code::AccessDenied));
        check("{outside}/absent", Err(Code::AccessDenied));
        check("../out/canary", Err(Code::AccessDenied));
        check("none/../../out/canary", Err(Code::AccessDenied));
        check("none/more/../../way-out/canary", Err(Code::AccessDenied));
        check("none/way-out/../../dangling", Err(Code::AccessDenied));
        check("way-out/canary", Err(Code::AccessDenied));
        check("way-out/../in/sub/../../out", Err(Code::AccessDenied));
        check("dangling", Err(Code::AccessDenied));
    }

    #[test]
    fn a_deny_pattern_closes_a_directory_and_what_is_in_it() {
        check("secret", Err(Code::PathDenied));
        check("sub/secret/key", Err(Code::PathDenied));
        check("sub/key.pem", Err(Code::PathDenied));
        check("sub/secrets", Ok("sub/secrets"));
    }

    #[test]
    fn a_link_loop_and_a_nul_are_bad_input() {
        check("ring-a", Err(Code::PathLoop));
        check("a\0b", Err(Code::InvalidInput));
    }
}
