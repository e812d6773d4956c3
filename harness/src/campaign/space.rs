//! What a campaign leaves on the disk: the files that tools are pointed at, and a bound on all that calls write.
//!
//! The main functions are [`lay_out`] and [`is_full`]. What was asked to be kept, a corpus and findings, lies elsewhere and
//! has bounds of its own.

use std::path::Path;

use crate::generate::Grounds;
use crate::server::Sandbox;
use crate::suite::{CaseId, Content, File};

/// The folder of the workspace that tools are pointed at.
pub(super) const FOLDER: &str = "fuzz";
/// Folders with more entries, or more bytes, than this are emptied before the next process starts.
const ENTRIES: usize = 2_000;
const BYTES: u64 = 256 << 20;

/// What lies below a folder.
#[derive(Debug, Default, PartialEq, Eq)]
struct Held {
    entries: usize,
    bytes: u64,
}

impl Held {
    fn is_too_much(&self) -> bool {
        self.entries >= ENTRIES || self.bytes >= BYTES
    }

    /// Adds all that is below a folder, no further than is too much.
    fn add(&mut self, folder: &Path) {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                self.entries += 1;
                // Of a link what it leads to is not looked at.
                let Ok(found) = entry.metadata() else { continue };
                if found.is_dir() {
                    folders.push(entry.path());
                } else {
                    self.bytes = self.bytes.saturating_add(found.len());
                }
                if self.is_too_much() {
                    return;
                }
            }
        }
    }
}

/// Whether calls have written more than a campaign leaves there.
pub(super) fn is_full(sandbox: &Sandbox) -> bool {
    let mut held = Held::default();
    written(sandbox).iter().for_each(|folder| held.add(Path::new(folder)));
    held.is_too_much()
}

/// Makes the files that tools are pointed at, takes away the one that must not be there, and empties folders that have
/// grown. What cannot be made is missing, which the replies show.
pub(super) fn lay_out(sandbox: &Sandbox) {
    if is_full(sandbox) {
        written(sandbox).iter().for_each(|folder| empty(Path::new(folder)));
    }
    remove(&sandbox.case_folder(&CaseId(FOLDER.to_owned())).join(Grounds::MISSING));
    let text = |path: &str| File { path: path.to_owned(), content: Content::Text(Grounds::TEXT.to_owned()) };
    let files = [text(Grounds::FILE), text(&format!("{}/inner.txt", Grounds::FOLDER))];
    let _ = sandbox.lay_out(&CaseId(FOLDER.to_owned()), &files, 0, &str::to_owned);
    let _ = sandbox.reset_outside();
}

/// The folders that calls may write to.
fn written(sandbox: &Sandbox) -> [String; 2] {
    [sandbox.folders.workspace.clone(), sandbox.folders.temporary()]
}

fn empty(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        remove(&entry.path());
    }
}

/// Removes a file, or a folder with all that is in it; what is not there need not be removed.
fn remove(path: &Path) {
    let _ = match path.is_dir() && !path.is_symlink() {
        true => std::fs::remove_dir_all(path),
        false => std::fs::remove_file(path),
    };
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn folders_that_have_grown_are_emptied_and_what_tools_are_pointed_at_is_there_again() {
        let sandbox = Sandbox::create(1).unwrap();
        let workspace = Path::new(&sandbox.folders.workspace).to_owned();
        lay_out(&sandbox);
        fs::write(workspace.join("fuzz/more.txt"), "x").unwrap();
        lay_out(&sandbox);
        assert!(workspace.join("fuzz/more.txt").exists(), "a little is left");
        for make in [|path: &Path| fs::write(path, "x"), |path: &Path| fs::create_dir_all(path.join("below"))]
        {
            let missing = workspace.join("fuzz").join(Grounds::MISSING);
            make(&missing).unwrap();
            lay_out(&sandbox);
            assert!(!missing.exists(), "a call that reads it must fail the same way each time");
        }
        let large = fs::File::create(workspace.join("large")).unwrap();
        large.set_len(BYTES).unwrap();
        assert!(is_full(&sandbox));
        lay_out(&sandbox);
        assert!(!is_full(&sandbox));
        assert!(!workspace.join("large").exists());
        assert_eq!(fs::read_to_string(workspace.join("fuzz").join(Grounds::FILE)).unwrap(), Grounds::TEXT);
    }

    #[test]
    fn many_small_files_are_too_much_too() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        for number in 0..ENTRIES {
            fs::write(folder.path().join("below").join(number.to_string()), "").unwrap();
        }
        let mut held = Held::default();
        held.add(folder.path());
        assert!(held.is_too_much());
    }
}
