//! The disk space of a campaign: the files that calls refer to, and a bound on what calls write.
//!
//! The main functions are [`lay_out`] and [`is_full`]. A corpus and findings are stored elsewhere and have
//! their own bounds.

use std::path::PathBuf;

use serde_json::Value;

use crate::condition::CaseId;
use crate::generate::ToolFiles;
use crate::server::RunFolders;
use crate::stock::laid_out;
use crate::suite::{File, FileContent};

/// The folder in the workspace that calls refer to.
pub(super) const FOLDER: &str = "fuzz";
/// Folders with more entries or bytes than this are emptied before the next process starts.
const ENTRIES: usize = 2_000;
const BYTES: u64 = 256 << 20;

/// Whether calls have written more than may stay there.
pub(super) fn is_full(run_folders: &RunFolders) -> bool {
    run_folders.exceed(&written(run_folders), ENTRIES, BYTES)
}

/// Makes the files that calls refer to, deletes the one that must not exist, and empties folders that have
/// grown too large. `more` are further files. Files that cannot be made are missing, which shows in the
/// replies.
pub(super) fn lay_out(run_folders: &RunFolders, more: &[File]) {
    if is_full(run_folders) {
        for folder in written(run_folders) {
            let _ = run_folders.empty(&folder);
        }
    }
    let _ =
        run_folders.take_away(&run_folders.case_folder(&CaseId(FOLDER.to_owned())).join(ToolFiles::MISSING));
    let text =
        |path: &str| File { path: path.to_owned(), content: FileContent::Text(ToolFiles::TEXT.to_owned()) };
    let files = [text(ToolFiles::FILE), text(&format!("{}/inner.txt", ToolFiles::FOLDER))];
    let _ = run_folders.lay_out(&CaseId(FOLDER.to_owned()), &[&files, more].concat(), 0, &str::to_owned);
    let _ = run_folders.reset_outside();
}

/// The stock files that calls with these arguments refer to, without links and pipes: a server that walks through the
/// shared folder must not find a dangling one, or wait for the other.
pub(super) fn files(run_folders: &RunFolders, calls: impl Iterator<Item = Value>) -> Vec<File> {
    let folder = run_folders.case_folder(&CaseId(FOLDER.to_owned()));
    let tool_files = ToolFiles::at(folder.to_string_lossy());
    let mut files = Vec::new();
    for arguments in calls {
        let more = laid_out(&arguments, &tool_files, &files);
        let is_plain = |file: &File| !matches!(file.content, FileContent::Link(_) | FileContent::Fifo);
        files.extend(more.into_iter().filter(is_plain));
    }
    files
}

/// The folders that calls may write to.
fn written(run_folders: &RunFolders) -> [PathBuf; 2] {
    [PathBuf::from(&run_folders.folders.workspace), PathBuf::from(run_folders.folders.temporary())]
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn folders_that_have_grown_are_emptied_and_what_tools_are_pointed_at_is_there_again() {
        let run_folders = RunFolders::create(1).unwrap();
        let workspace = Path::new(&run_folders.folders.workspace).to_owned();
        lay_out(&run_folders, &[]);
        fs::write(workspace.join("fuzz/more.txt"), "x").unwrap();
        lay_out(&run_folders, &[]);
        assert!(workspace.join("fuzz/more.txt").exists(), "a little is left");
        for make in [|path: &Path| fs::write(path, "x"), |path: &Path| fs::create_dir_all(path.join("below"))]
        {
            let missing = workspace.join("fuzz").join(ToolFiles::MISSING);
            make(&missing).unwrap();
            lay_out(&run_folders, &[]);
            assert!(!missing.exists(), "a call that reads it must fail the same way each time");
        }
        let large = fs::File::create(workspace.join("large")).unwrap();
        large.set_len(BYTES).unwrap();
        assert!(is_full(&run_folders));
        lay_out(&run_folders, &[]);
        assert!(!is_full(&run_folders));
        assert!(!workspace.join("large").exists());
        assert_eq!(
            fs::read_to_string(workspace.join("fuzz").join(ToolFiles::FILE)).unwrap(),
            ToolFiles::TEXT
        );
    }

    #[test]
    fn many_small_files_are_too_much_too() {
        let run_folders = RunFolders::create(1).unwrap();
        let below = Path::new(&run_folders.folders.workspace).join("below");
        fs::create_dir(&below).unwrap();
        for number in 0..ENTRIES {
            fs::write(below.join(number.to_string()), "").unwrap();
        }
        assert!(is_full(&run_folders));
    }
}
