//! What `multi_edit` and `multi_edit_files` share: several edits of several files, all of them or none.
//!
//! The main function is [`edit`]. Everything is tried in memory first; then the files as they were are kept, where that
//! was asked for; then the new ones are written, and put back if one of them fails.

use std::path::{Path, PathBuf};

use super::{Outcome, Session};
use crate::cause::Operation;
use crate::context::Context;
use crate::edit::{Edit, FileEdits};
use crate::failure::{Code, Failure, Part, Quoted};
use crate::file;
use crate::success::Success;

/// How the edits are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteMode {
    /// Written.
    Write,
    /// Written, with the files as they were beside them.
    WriteWithBackup,
    /// Tried and not written.
    DryRun,
}

/// Whether a call names one file or several: only then does an index say which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    One,
    Several,
}

/// A file whose edits all fit.
struct Ready<'a> {
    sent: &'a str,
    path: PathBuf,
    before: String,
    after: String,
    replaced: usize,
}

/// Does all edits of all files, or none.
pub(super) fn edit(session: &Session, files: &[FileEdits], breadth: Breadth, mode: WriteMode) -> Outcome {
    let part = |index: usize| Part {
        file: files[index].path.clone(),
        file_index: (breadth == Breadth::Several).then_some(index),
        ..Part::default()
    };
    let mut ready: Vec<Ready<'_>> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let tried = try_file(session, file, &part(index))?;
        if ready.iter().any(|other| other.path == tried.path) {
            let what = format!("{} is named twice in 'files'", Quoted(&file.path));
            return Err(Failure::new(Code::InvalidInput, what)
                .about(file.path.as_str())
                .within(part(index))
                .hint("Put all edits of a file into one item."));
        }
        ready.push(tried);
    }
    if mode == WriteMode::WriteWithBackup {
        for (index, file) in ready.iter().enumerate() {
            keep(file).map_err(|failure| failure.within(part(index)))?;
        }
    }
    if mode != WriteMode::DryRun {
        write(&ready, mode).map_err(|(index, failure)| failure.within(part(index)))?;
    }
    Ok(done(&ready, files, mode))
}

fn try_file<'a>(session: &Session, file: &'a FileEdits, part: &Part) -> Result<Ready<'a>, Failure> {
    let sent = file.path.as_str();
    let of_file = |failure: Failure| failure.within(part.clone());
    let well_formed = || {
        absolute(sent)?;
        complete(file, part)
    };
    well_formed().map_err(|failure| if failure.part.is_some() { failure } else { of_file(failure) })?;
    let path = session.limits.scope.resolve(sent).map_err(of_file)?;
    let before = file::read(&path, sent, session.limits.file_size).map_err(of_file)?;
    let mut after = before.clone();
    let mut replaced = 0;
    for (index, edit) in file.edits.iter().enumerate() {
        let count = after.matches(&edit.old).count();
        let which = Which { index, of: file.edits.len(), sent };
        let failure = match count {
            0 => Some(which.not_found(edit, &before)),
            1 => None,
            _ if edit.all => None,
            _ => Some(which.ambiguous(edit, &before, count)),
        };
        if let Some(failure) = failure {
            let tried = file.edits.iter().map(|edit| edit.old.clone()).collect();
            return Err(failure.within(Part { edit: Some(index), tried, ..part.clone() }));
        }
        after = after.replace(&edit.old, &edit.new);
        replaced += count;
    }
    file::within_content(&after, sent, session.limits.file_size).map_err(of_file)?;
    Ok(Ready { sent, path, before, after, replaced })
}

fn absolute(sent: &str) -> Result<(), Failure> {
    if sent.is_empty() {
        return Err(Failure::new(Code::InvalidInput, "Parameter 'file_path' is empty")
            .about("file_path")
            .hint("Send the absolute path of the file."));
    }
    if Path::new(sent).is_absolute() {
        return Ok(());
    }
    Err(Failure::new(Code::RelativePath, format!("The path {} is relative", Quoted(sent)))
        .about(sent)
        .hint("Send an absolute path, one that begins with '/'."))
}

/// Refuses a list without edits, an edit that replaces nothing, and two that replace the same.
fn complete(file: &FileEdits, part: &Part) -> Result<(), Failure> {
    if file.edits.is_empty() {
        let what = format!("The list 'edits' for {} is empty", Quoted(&file.path));
        return Err(Failure::new(Code::EmptyEdits, what)
            .about("edits")
            .hint("Send one edit at least: {\"old_string\": \"<string>\", \"new_string\": \"<string>\"}."));
    }
    for (index, edit) in file.edits.iter().enumerate() {
        let at_fault = |failure: Failure| failure.within(Part { edit: Some(index), ..part.clone() });
        if edit.old.is_empty() {
            let what = format!("Parameter 'old_string' of edit {} is empty", index + 1);
            let hint = "Send the text that is to be replaced; to write a whole file, call create_file.";
            return Err(at_fault(Failure::new(Code::EmptyOldText, what).about("old_string").hint(hint)));
        }
        if let Some(first) = file.edits[..index].iter().position(|other| other.old == edit.old) {
            let what =
                format!("Edits {} and {} replace the same text, {}", first + 1, index + 1, Quoted(&edit.old));
            let hint = "Make them one edit, or lengthen both by lines around them until they differ.";
            let failure = Failure::new(Code::DuplicateOldText, what).about(edit.old.as_str()).hint(hint);
            return Err(at_fault(failure));
        }
    }
    Ok(())
}

/// An edit by its place, for sentences.
struct Which<'a> {
    index: usize,
    of: usize,
    sent: &'a str,
}

impl Which<'_> {
    fn words(&self) -> String {
        format!("edit {} of {}", self.index + 1, self.of)
    }

    fn not_found(&self, edit: &Edit, text: &str) -> Failure {
        let (old, path, which) = (Quoted(&edit.old), Quoted(self.sent), self.words());
        let earlier = text.contains(&edit.old);
        let failure = Failure::new(
            Code::StrReplaceNotFound,
            format!("The text {old} of {which} is not in {path}, and nothing was changed"),
        );
        failure.about(edit.old.as_str()).showing(Context::near(&edit.old, text)).hint(if earlier {
            "An edit before it has replaced it, and each edit sees what those before it have made: call view and send them \
             in another order."
        } else {
            "Call view to see the file, and copy 'old_string' from it exactly."
        })
    }

    fn ambiguous(&self, edit: &Edit, text: &str, count: usize) -> Failure {
        let (old, path, which) = (Quoted(&edit.old), Quoted(self.sent), self.words());
        let context = Context::places_of(&edit.old, text);
        let lines: Vec<String> = context.spots.iter().map(|spot| spot.line.to_string()).collect();
        let first = match lines.as_slice() {
            [] => String::new(),
            lines if context.more > 0 => format!(", first on lines {}", lines.join(", ")),
            lines => format!(", on lines {}", lines.join(", ")),
        };
        Failure::new(
            Code::StrReplaceAmbiguous,
            format!("The text {old} of {which} occurs {count} times in {path}{first}, and nothing was changed"),
        )
        .about(count.to_string())
        .showing(context)
        .hint(
            "Add \"replace_all\": true to this edit to replace every one, or lengthen 'old_string' by lines around it \
             until it is unique.",
        )
    }
}

/// Where a file is kept as it was.
fn backup_of(path: &str) -> String {
    format!("{path}.bak")
}

fn keep(file: &Ready<'_>) -> Result<(), Failure> {
    let (sent, path) = (backup_of(file.sent), file.path.as_os_str().to_owned());
    let mut beside = path;
    beside.push(".bak");
    file::write(Path::new(&beside), &sent, &file.before).map(|_| ()).map_err(|failure| {
        let what = format!("Could not keep {} as it was in {}", Quoted(file.sent), Quoted(&sent));
        let kept = Failure { code: Code::BackupFailed, what, ..failure };
        kept.hint("Move away what is there, or send \"backup\": false.")
    })
}

/// Writes every file; where one fails those before it are put back.
fn write(ready: &[Ready<'_>], mode: WriteMode) -> Result<(), (usize, Failure)> {
    for (index, ready_file) in ready.iter().enumerate() {
        let Err(failure) = file::write(&ready_file.path, ready_file.sent, &ready_file.after) else {
            continue;
        };
        for done in &ready[..index] {
            if let Err(left) = file::write(&done.path, done.sent, &done.before) {
                let what = format!(
                    "Could not {} {}, nor put {} back as it was",
                    Operation::Write.verb(),
                    Quoted(ready_file.sent),
                    Quoted(done.sent)
                );
                return Err((index, Failure { what, ..left }));
            }
        }
        let backup = (mode == WriteMode::WriteWithBackup).then(|| backup_of(ready_file.sent));
        return Err((
            index,
            match backup {
                Some(backup) => failure.kept_in(backup),
                None => failure,
            },
        ));
    }
    Ok(())
}

/// What a reply tells of the edits that were done.
fn done(ready: &[Ready<'_>], files: &[FileEdits], mode: WriteMode) -> Success {
    let backups: Vec<String> = match mode {
        WriteMode::WriteWithBackup => ready.iter().map(|file| backup_of(file.sent)).collect(),
        WriteMode::Write | WriteMode::DryRun => Vec::new(),
    };
    Success::new(summary(ready, files, mode))
        .with("files", ready.iter().map(|file| file.sent).collect::<Vec<_>>())
        .with("edits_applied", files.iter().map(|file| file.edits.len()).sum::<usize>())
        .with("replaced", ready.iter().map(|file| file.replaced).sum::<usize>())
        .with("dry_run", mode == WriteMode::DryRun)
        .with("backups", backups)
}

fn summary(ready: &[Ready<'_>], files: &[FileEdits], mode: WriteMode) -> String {
    let done = match mode {
        WriteMode::DryRun => "Would replace",
        WriteMode::Write | WriteMode::WriteWithBackup => "Replaced",
    };
    let mut lines: Vec<String> = std::iter::zip(ready, files)
        .map(|(ready, file)| {
            let edits = file.edits.len();
            let (occurrences, list) = (counted(ready.replaced, "occurrence"), counted(edits, "edit"));
            let kept = match mode {
                WriteMode::WriteWithBackup => format!("; as it was it is kept in {}", backup_of(ready.sent)),
                WriteMode::Write | WriteMode::DryRun => String::new(),
            };
            format!("{done} {occurrences} by {list} in {}{kept}.", ready.sent)
        })
        .collect();
    if mode == WriteMode::DryRun {
        lines.push("Nothing was written.".to_owned());
    }
    lines.join("\n")
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::limits::Limits;
    use crate::scope::Scope;
    use crate::shell::Counted;

    fn session(folder: &Path) -> Session {
        let scope = Scope::new(folder, &[], &[]).unwrap();
        Session::new(
            Limits { scope, file_size: 1 << 20, tasks: 1, counted: Counted::Running },
            crate::upstream::Upstream::default(),
        )
    }

    fn of(path: &Path, edits: &[(&str, &str)]) -> FileEdits {
        let edits =
            edits.iter().map(|(old, new)| Edit { old: (*old).into(), new: (*new).into(), all: false });
        FileEdits { path: path.to_string_lossy().into_owned(), edits: edits.collect() }
    }

    #[test]
    fn one_edit_that_fails_in_the_second_file_leaves_both_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        fs::write(&one, "a\n").unwrap();
        fs::write(&two, "b\nb\n").unwrap();
        let files = [of(&one, &[("a", "x")]), of(&two, &[("b\nb", "c\nb"), ("b", "y"), ("b", "z")])];
        let failure =
            edit(&session(folder.path()), &files, Breadth::Several, WriteMode::WriteWithBackup).unwrap_err();
        assert_eq!(failure.code, Code::DuplicateOldText);
        let files = [of(&one, &[("a", "x")]), of(&two, &[("b\nb", "b\nb"), ("b", "y"), ("z", "")])];
        let failure =
            edit(&session(folder.path()), &files, Breadth::Several, WriteMode::WriteWithBackup).unwrap_err();
        assert_eq!(failure.code, Code::StrReplaceAmbiguous);
        let part = failure.part.unwrap();
        assert_eq!((part.file_index, part.edit, part.tried.len()), (Some(1), Some(1), 3));
        assert_eq!(
            (fs::read_to_string(one).unwrap(), fs::read_to_string(two).unwrap()),
            ("a\n".into(), "b\nb\n".into())
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_dry_run_writes_nothing_and_a_backup_keeps_what_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "a b\n").unwrap();
        let files = [of(&path, &[("a", "x"), ("b", "y")])];
        let session = session(folder.path());
        let text = edit(&session, &files, Breadth::One, WriteMode::DryRun).unwrap().text;
        assert!(text.ends_with("Nothing was written."), "{text}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        edit(&session, &files, Breadth::One, WriteMode::WriteWithBackup).unwrap();
        let kept = fs::read_to_string(folder.path().join("a.bak")).unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap(), kept), ("x y\n".into(), "a b\n".into()));
    }

    #[test]
    fn a_backup_that_cannot_be_made_keeps_the_file_from_being_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "a\n").unwrap();
        fs::create_dir(folder.path().join("a.bak")).unwrap();
        let files = [of(&path, &[("a", "x")])];
        let failure =
            edit(&session(folder.path()), &files, Breadth::One, WriteMode::WriteWithBackup).unwrap_err();
        assert_eq!((failure.code, fs::read_to_string(&path).unwrap()), (Code::BackupFailed, "a\n".into()));
    }
}
