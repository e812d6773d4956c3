//! The contents of a confined server's root: the folders of the system, the server and the harness.
//!
//! The main function is [`root`].

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::confinement::Home;

use super::origin::{self, SYSTEM, ServerCommand, ServerFiles};
use super::settings::{Mount, MountKind, Root};

/// Folders of the system that may contain files not everyone can read.
const GUARDED: [&str; 3] = ["/etc", "/opt", "/usr/local/etc"];
/// How many levels of these folders are searched.
const DEPTH: usize = 3;
const ENTRIES: usize = 20_000;
/// At most this many entries are masked.
const MASKS: usize = 500;

/// What the user opened, and what the harness made.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenedPaths<'a> {
    pub(super) read: &'a [PathBuf],
    pub(super) write: &'a [PathBuf],
    /// The folders of the run, which the server may write to.
    pub(super) run: &'a [PathBuf],
    /// An existing folder over which the root is mounted while it is built.
    pub(super) base: &'a Path,
    pub(super) home: Home,
}

/// The root of a server that is started in this way.
pub(super) fn root(start: &ServerCommand, opened: OpenedPaths<'_>) -> Result<Root, String> {
    let ServerFiles { parts, mut links } = origin::find(start);
    let mut mounts: BTreeMap<PathBuf, MountKind> = BTreeMap::new();
    for folder in SYSTEM.map(Path::new) {
        match fs::symlink_metadata(folder) {
            Ok(found) if found.is_symlink() => {
                links.extend(fs::read_link(folder).map(|target| (folder.to_owned(), target)));
            }
            Ok(_) => {
                mounts.insert(folder.to_owned(), MountKind::Read);
            }
            Err(_) => {}
        }
    }
    let home = start.home.as_deref().filter(|home| home.parent().is_some() && !is_of_the_system(home));
    let kind = match opened.home {
        Home::Hidden => MountKind::Empty,
        Home::Dropped => MountKind::Dropped,
    };
    mounts.extend(home.map(|home| (home.to_owned(), kind)));
    for part in parts {
        let is_shown = part.ancestors().skip(1).any(|above| mounts.get(above) == Some(&MountKind::Dropped));
        if !is_shown {
            mounts.insert(part, MountKind::Dropped);
        }
    }
    mounts.extend(opened.read.iter().map(|folder| (folder.clone(), MountKind::Read)));
    mounts.extend(opened.write.iter().chain(opened.run).map(|folder| (folder.clone(), MountKind::Write)));
    let mounts = mounts.into_iter().map(|(path, kind)| Ok(Mount { path: text(&path)?, kind }));
    let is_seen = |path: &Path| !is_of_the_system(path);
    let links = links
        .into_iter()
        .filter(|(path, _)| is_seen(path) || SYSTEM.iter().any(|one| Path::new(one) == path));
    Ok(Root {
        base: text(opened.base)?,
        // Sorted by path, so that outer mounts come before inner ones.
        mounts: mounts.collect::<Result<_, String>>()?,
        links: links
            .map(|(path, target)| Ok((text(&path)?, text(&target)?)))
            .collect::<Result<_, String>>()?,
        masks: MASKED.clone(),
        cwd: text(&start.cwd)?,
    })
}

fn is_of_the_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

fn text(path: &Path) -> Result<String, String> {
    path.to_str().map(str::to_owned).ok_or_else(|| format!("the name of {} is not UTF-8", path.display()))
}

/// The parts of the system's folders that not everyone can read, which are hidden from the server even if it
/// runs as root.
static MASKED: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut masked = Vec::new();
    let mut left = ENTRIES;
    for folder in GUARDED {
        guarded(Path::new(folder), DEPTH, &mut left, &mut masked);
    }
    masked
});

fn guarded(folder: &Path, depth: usize, left: &mut usize, masked: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if *left == 0 || masked.len() == MASKS {
            return;
        }
        *left -= 1;
        let Ok(found) = entry.metadata() else { continue };
        let path = entry.path();
        let mode = found.permissions().mode();
        let is_open = if found.is_dir() { mode & 0o5 == 0o5 } else { mode & 0o4 != 0 };
        match path.to_str() {
            Some(path) if !is_open && !found.is_symlink() => masked.push(path.to_owned()),
            _ if found.is_dir() && depth > 1 => guarded(&path, depth - 1, left, masked),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_empty_but_for_what_the_server_is_made_of() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        let (home, run) = (place.join("home"), place.join("run"));
        for made in [home.join("server"), run.clone()] {
            fs::create_dir_all(made).unwrap();
        }
        fs::write(home.join("server/server.py"), "").unwrap();
        let start = ServerCommand {
            words: vec!["python3".into(), home.join("server/server.py").to_string_lossy().into_owned()],
            cwd: place.clone(),
            home: Some(home.clone()),
            own: vec![run.clone()],
            ..ServerCommand::default()
        };
        let kinds = |kind: Home| {
            let opened = OpenedPaths {
                read: &[],
                write: &[],
                run: std::slice::from_ref(&run),
                base: &run,
                home: kind,
            };
            let root = root(&start, opened).unwrap();
            let own =
                root.mounts.into_iter().filter(|mount| mount.path.starts_with(&*place.to_string_lossy()));
            own.map(|mount| (mount.path[place.to_string_lossy().len()..].to_owned(), mount.kind))
                .collect::<Vec<_>>()
        };
        let hidden =
            [("/home", MountKind::Empty), ("/home/server", MountKind::Dropped), ("/run", MountKind::Write)];
        assert_eq!(kinds(Home::Hidden), hidden.map(|(path, kind)| (path.to_owned(), kind)));
        let dropped = [("/home", MountKind::Dropped), ("/run", MountKind::Write)];
        assert_eq!(kinds(Home::Dropped), dropped.map(|(path, kind)| (path.to_owned(), kind)));
    }
}
