//! Makes the files of cases ahead of time in another thread.
//!
//! The main type is [`Prefetch`]. The files are made beside the root and moved into place when their case
//! begins, so that what a server sees does not depend on the progress of the thread.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};

use crate::condition::{CaseId, folder_name};
use crate::placeholder::WORKSPACE;
use crate::suite::File;

use super::RunFolders;
use super::beneath::Beneath;
use super::folder::fill;

/// The folder for cases whose turn has not come; no server is told of it.
const PREFETCH: &str = "ahead";

/// The files of one case, and the folder that they belong in.
pub(crate) struct CaseFiles {
    /// The case's id.
    pub(crate) id: CaseId,
    /// The files in its folder; their tokens are not replaced yet.
    pub(crate) files: Vec<File>,
}

/// The thread that makes the files. Dropping this ends it.
pub(crate) struct Prefetch {
    /// The folder that contains all others of the run; without it, nothing is made.
    run_folder: Option<Beneath>,
    /// The cases that were tried so far, with whether their files could be made.
    tried: RefCell<BTreeMap<CaseId, bool>>,
    coming: Receiver<(CaseId, bool)>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Prefetch {
    /// Starts making the files of these cases, in this order; `limit` is the server's largest file, and
    /// `replace` fills in the tokens for a case's folder. If no thread can be started, none are made.
    pub(crate) fn begin(
        run_folders: &RunFolders,
        all_files: Vec<CaseFiles>,
        limit: u64,
        replace: impl Fn(&Path, &str) -> String + Send + 'static,
    ) -> Self {
        let (tried, coming) = channel();
        let run_folder = run_folders.run_folder().ok();
        let handle = run_folder.as_ref().and_then(|run_folder| run_folder.handle.again().ok());
        let stop = Arc::new(AtomicBool::new(false));
        let work = {
            let stop = Arc::clone(&stop);
            let all_files: Vec<_> = all_files
                .into_iter()
                .map(|case_files| (run_folders.case_folder(&case_files.id), case_files))
                .collect();
            move || {
                let Some(run_folder) = run_folder else { return };
                for (place, CaseFiles { id, files }) in all_files {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let replace = |text: &str| replace(&place, text);
                    let stays_inside = files.iter().all(|file| is_inside(Path::new(&replace(&file.path))));
                    let folder = run_folder.root.join(PREFETCH).join(folder_name(&id));
                    // On failure the case tries again in its final place, which then reports the reason.
                    let is_made = stays_inside && fill(&run_folder, &folder, &files, limit, &replace).is_ok();
                    if tried.send((id, is_made)).is_err() {
                        return;
                    }
                }
            }
        };
        let thread = thread::Builder::new().spawn(work).ok();
        Self { run_folder: handle, tried: RefCell::default(), coming, stop, thread }
    }

    /// Moves the files of a case to its folder once they are made. Returns false if they could not be made, or
    /// if something is there already.
    pub(crate) fn place(&self, id: &CaseId, folder: &Path) -> bool {
        let mut tried = self.tried.borrow_mut();
        let is_made = loop {
            if let Some(is_made) = tried.get(id) {
                break *is_made;
            }
            match self.coming.recv() {
                Ok((id, is_made)) => tried.insert(id, is_made),
                Err(_) => return false,
            };
        };
        is_made && self.moved(id, folder).is_ok()
    }

    fn moved(&self, id: &CaseId, folder: &Path) -> io::Result<()> {
        let run_folder = self.run_folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let name = folder_name(id);
        let place = folder.file_name().unwrap_or_default();
        // Deletes anything that a server put in the place of the workspace.
        let workspace = run_folder.make(Path::new(WORKSPACE))?;
        run_folder.find(Path::new(PREFETCH))?.move_to(name.as_ref(), &workspace, place)
    }
}

impl Drop for Prefetch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Whether a path only leads downwards.
fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    use crate::suite::FileContent;

    fn case_files(id: &str, path: &str) -> CaseFiles {
        let file = File { path: path.into(), content: FileContent::Text("in {case}".into()) };
        CaseFiles { id: CaseId(id.into()), files: vec![file] }
    }

    fn begun(run_folders: &RunFolders, all_files: Vec<CaseFiles>) -> Prefetch {
        Prefetch::begin(run_folders, all_files, 0, |folder, text| {
            text.replace("{case}", &folder.to_string_lossy())
        })
    }

    #[test]
    fn files_stand_in_their_place_when_it_is_their_turn_and_not_before() {
        let run_folders = RunFolders::create(1).unwrap();
        let prefetch =
            begun(&run_folders, vec![case_files("read/a", "sub/x.txt"), case_files("read/b", "x.txt")]);
        let ids = ["read/b", "read/a"].map(|id| CaseId(id.into()));
        let folders = ids.each_ref().map(|id| run_folders.case_folder(id));
        assert!(prefetch.place(&ids[0], &folders[0]));
        assert!(!folders[1].exists(), "its turn has not come, though it was made before the other");
        assert!(prefetch.place(&ids[1], &folders[1]));
        let text = fs::read_to_string(folders[1].join("sub/x.txt")).unwrap();
        assert_eq!(
            text,
            format!("in {}", folders[1].display()),
            "its own folder's name, not where it was made"
        );
        assert!(!prefetch.place(&ids[1], &folders[1]), "it was moved already");
    }

    #[test]
    fn what_lies_elsewhere_or_is_there_already_or_cannot_be_made_is_left_to_the_driver() {
        let run_folders = RunFolders::create(1).unwrap();
        let outside = Path::new(&run_folders.folders.outside).join("x.txt");
        let all_files = vec![
            case_files("read/out", &outside.to_string_lossy()),
            case_files("read/up", "../x.txt"),
            case_files("read/file", "sub"),
            case_files("read/wrong", &"n".repeat(300)),
        ];
        let there = CaseId("read/file".into());
        let folder = run_folders.case_folder(&there);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("of-the-server.txt"), "").unwrap();
        let prefetch = begun(&run_folders, all_files);
        for id in ["read/out", "read/up", "read/file", "read/wrong", "read/unknown"] {
            let id = CaseId(id.into());
            assert!(!prefetch.place(&id, &run_folders.case_folder(&id)), "{id}");
        }
        assert!(!outside.exists() && folder.join("of-the-server.txt").exists());
    }

    #[test]
    fn the_thread_has_ended_when_the_run_ends() {
        let run_folders = RunFolders::create(1).unwrap();
        let all_files = (0..1000).map(|number| case_files(&format!("read/{number}"), "x.txt")).collect();
        drop(begun(&run_folders, all_files));
        run_folders.remove().unwrap();
    }
}
