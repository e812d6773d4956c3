//! The disk space of a campaign: the files that calls refer to, and a bound on what calls write.
//!
//! The main type is [`Space`]. A corpus and findings are stored elsewhere and have
//! their own bounds.

use std::path::PathBuf;

use serde_json::Value;

use crate::condition::CaseId;
use crate::drive::{DriveError, unmade};
use crate::generate::ToolFiles;
use crate::server::RunFolders;
use crate::stock::laid_out;
use crate::suite::{File, FileContent};

/// The folder in the workspace that calls refer to.
pub(super) const FOLDER: &str = "fuzz";
/// Folders with more entries or bytes than this are emptied before the next process starts.
const ENTRIES: usize = 2_000;
const BYTES: u64 = 256 << 20;

/// Makes folders for a server, does something in them, and removes them.
///
/// # Errors
/// That of `work`, or if the folders cannot be made or removed.
pub(super) async fn within<T>(
    seed: u64,
    work: impl AsyncFnOnce(&RunFolders) -> Result<T, DriveError>,
) -> Result<T, DriveError> {
    let parent = std::env::temp_dir();
    let run_folders = RunFolders::create_named(&parent, seed)
        .map_err(|error| DriveError::Harness(unmade(&parent, &error)))?;
    let done = work(&run_folders).await;
    let removed = run_folders.remove().map_err(|error| DriveError::Harness(error.to_string()));
    let done = done?;
    removed?;
    Ok(done)
}

/// The folders of a campaign, and the files in them that calls refer to.
pub(super) struct Space<'a> {
    run_folders: &'a RunFolders,
    /// Besides those that are always there.
    files: Vec<File>,
}

impl<'a> Space<'a> {
    /// With the stock files that calls with these arguments refer to, without links and pipes: a server that walks through
    /// the shared folder must not find a dangling one, or wait for the other.
    pub(super) fn new(run_folders: &'a RunFolders, calls: impl IntoIterator<Item = Value>) -> Self {
        let tool_files = tool_files(run_folders);
        let mut files = Vec::new();
        for arguments in calls {
            let more = laid_out(&arguments, &tool_files, &files);
            let is_plain = |file: &File| !matches!(file.content, FileContent::Link(_) | FileContent::Fifo);
            files.extend(more.into_iter().filter(is_plain));
        }
        Self { run_folders, files }
    }

    /// Whether calls have written more than may stay there.
    pub(super) fn is_full(&self) -> bool {
        self.run_folders.exceed(&self.written(), ENTRIES, BYTES)
    }

    /// Makes the files that calls refer to, deletes the one that must not exist, and empties folders that have grown too
    /// large. Files that cannot be made are missing, which shows in the replies.
    pub(super) fn lay_out(&self) {
        let run_folders = self.run_folders;
        if self.is_full() {
            for folder in self.written() {
                let _ = run_folders.empty(&folder);
            }
        }
        let case = CaseId(FOLDER.to_owned());
        let _ = run_folders.take_away(&run_folders.case_folder(&case).join(ToolFiles::MISSING));
        let text = |path: &str| File {
            path: path.to_owned(),
            content: FileContent::Text(ToolFiles::TEXT.to_owned()),
        };
        let files = [text(ToolFiles::FILE), text(&format!("{}/inner.txt", ToolFiles::FOLDER))];
        let _ = run_folders.lay_out(&case, &[&files, self.files.as_slice()].concat(), 0, &str::to_owned);
        let _ = run_folders.reset_outside();
    }

    /// The folders that calls may write to.
    fn written(&self) -> [PathBuf; 2] {
        let folders = &self.run_folders.folders;
        [PathBuf::from(&folders.workspace), PathBuf::from(folders.temporary())]
    }
}

/// The names of the files that calls refer to.
pub(super) fn tool_files(run_folders: &RunFolders) -> ToolFiles {
    ToolFiles::at(run_folders.case_folder(&CaseId(FOLDER.to_owned())).to_string_lossy())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn folders_that_have_grown_are_emptied_and_what_tools_are_pointed_at_is_there_again() {
        let run_folders = RunFolders::create(1).unwrap();
        let space = Space::new(&run_folders, []);
        let workspace = Path::new(&run_folders.folders.workspace).to_owned();
        space.lay_out();
        fs::write(workspace.join("fuzz/more.txt"), "x").unwrap();
        space.lay_out();
        assert!(workspace.join("fuzz/more.txt").exists(), "a little is left");
        for make in [|path: &Path| fs::write(path, "x"), |path: &Path| fs::create_dir_all(path.join("below"))]
        {
            let missing = workspace.join("fuzz").join(ToolFiles::MISSING);
            make(&missing).unwrap();
            space.lay_out();
            assert!(!missing.exists(), "a call that reads it must fail the same way each time");
        }
        let large = fs::File::create(workspace.join("large")).unwrap();
        large.set_len(BYTES).unwrap();
        assert!(space.is_full());
        space.lay_out();
        assert!(!space.is_full());
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
        assert!(Space::new(&run_folders, []).is_full());
    }
}
