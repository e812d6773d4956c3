//! The files of cases, made ahead of their turn by a thread beside the one that drives.
//!
//! The main type is [`Ahead`]. What is made stands beside the root until its case begins, and is moved to its place then:
//! what a server sees in its root does not depend on how far the thread has come.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};

use crate::plan::folder_name;
use crate::suite::{CaseId, File};

use super::Sandbox;
use super::folder::fill;

/// The files of one case, and the folder that will be theirs.
pub(crate) struct Lot {
    /// The case.
    pub(crate) id: CaseId,
    /// What stands in its folder; tokens are in it still.
    pub(crate) files: Vec<File>,
}

/// The files that are being made. Dropping it ends the thread.
pub(crate) struct Ahead {
    home: PathBuf,
    /// Whose files were tried so far, and whether they were made.
    tried: RefCell<BTreeMap<CaseId, bool>>,
    coming: Receiver<(CaseId, bool)>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    /// Begins to make the files of these cases, in this order; `limit` is the server's largest file, and `replace` fills
    /// in tokens for the case of a folder. Where there is no thread to be had, none is made.
    pub(crate) fn begin(
        sandbox: &Sandbox,
        lots: Vec<Lot>,
        limit: u64,
        replace: impl Fn(&Path, &str) -> String + Send + 'static,
    ) -> Self {
        let (tried, coming) = channel();
        let home = sandbox.ahead();
        let stop = Arc::new(AtomicBool::new(false));
        let work = {
            let (home, stop) = (home.clone(), Arc::clone(&stop));
            let lots: Vec<_> = lots.into_iter().map(|lot| (sandbox.case_folder(&lot.id), lot)).collect();
            move || {
                for (place, Lot { id, files }) in lots {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let replace = |text: &str| replace(&place, text);
                    let stays_inside = files.iter().all(|file| is_inside(Path::new(&replace(&file.path))));
                    let folder = home.join(folder_name(&id));
                    // Where it cannot be made, it is tried once more in its place, and that tells why.
                    let is_made = stays_inside && fill(&folder, &files, limit, &replace).is_ok();
                    if tried.send((id, is_made)).is_err() {
                        return;
                    }
                }
            }
        };
        let thread = thread::Builder::new().spawn(work).ok();
        Self { home, tried: RefCell::default(), coming, stop, thread }
    }

    /// Moves the files of a case to its folder once they are made. False where they were not, or where something stands
    /// there already.
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
        is_made && fs::rename(self.home.join(folder_name(id)), folder).is_ok()
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Whether a path leads to nothing but what lies below.
fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::suite::Content;

    fn lot(id: &str, path: &str) -> Lot {
        let file = File { path: path.into(), content: Content::Text("in {case}".into()) };
        Lot { id: CaseId(id.into()), files: vec![file] }
    }

    fn begun(sandbox: &Sandbox, lots: Vec<Lot>) -> Ahead {
        Ahead::begin(sandbox, lots, 0, |folder, text| text.replace("{case}", &folder.to_string_lossy()))
    }

    #[test]
    fn files_stand_in_their_place_when_it_is_their_turn_and_not_before() {
        let sandbox = Sandbox::create(1).unwrap();
        let ahead = begun(&sandbox, vec![lot("read/a", "sub/x.txt"), lot("read/b", "x.txt")]);
        let ids = ["read/b", "read/a"].map(|id| CaseId(id.into()));
        let folders = ids.each_ref().map(|id| sandbox.case_folder(id));
        assert!(ahead.place(&ids[0], &folders[0]));
        assert!(!folders[1].exists(), "its turn has not come, though it was made before the other");
        assert!(ahead.place(&ids[1], &folders[1]));
        let text = fs::read_to_string(folders[1].join("sub/x.txt")).unwrap();
        assert_eq!(
            text,
            format!("in {}", folders[1].display()),
            "its own folder's name, not where it was made"
        );
        assert!(!ahead.place(&ids[1], &folders[1]), "it was moved already");
    }

    #[test]
    fn what_lies_elsewhere_or_is_there_already_or_cannot_be_made_is_left_to_the_driver() {
        let sandbox = Sandbox::create(1).unwrap();
        let outside = Path::new(&sandbox.folders.outside).join("x.txt");
        let lots = vec![
            lot("read/out", &outside.to_string_lossy()),
            lot("read/up", "../x.txt"),
            lot("read/file", "sub"),
            lot("read/wrong", &"n".repeat(300)),
        ];
        let there = CaseId("read/file".into());
        let folder = sandbox.case_folder(&there);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("of-the-server.txt"), "").unwrap();
        let ahead = begun(&sandbox, lots);
        for id in ["read/out", "read/up", "read/file", "read/wrong", "read/unknown"] {
            let id = CaseId(id.into());
            assert!(!ahead.place(&id, &sandbox.case_folder(&id)), "{id}");
        }
        assert!(!outside.exists() && folder.join("of-the-server.txt").exists());
    }

    #[test]
    fn the_thread_has_ended_when_the_run_ends() {
        let sandbox = Sandbox::create(1).unwrap();
        let lots = (0..1000).map(|number| lot(&format!("read/{number}"), "x.txt")).collect();
        drop(begun(&sandbox, lots));
        sandbox.remove().unwrap();
    }
}
