//! `view`: a file with line numbers, or a directory two levels deep.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::{Outcome, Session};
use crate::cause::{self, Operation};
use crate::failure::{Code, Failure, Quoted};
use crate::file;
use crate::limits::Limits;
use crate::parameter::Arguments;
use crate::success::Success;

/// Lines shown where no range is asked for.
const MAX_LINES: usize = 2000;
/// Characters shown of one line.
const MAX_LINE_LENGTH: usize = 2000;
/// Entries shown of a directory.
const MAX_ENTRIES: usize = 1000;
/// Levels shown of a directory.
const DEPTH: usize = 2;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let sent = arguments.required("path");
    let limits = &session.limits;
    let path = limits.scope.resolve(sent)?;
    let range = arguments.lines("view_range");
    if !file::look_at(&path, sent, Operation::Read)?.is_dir() {
        return Ok(success(sent, numbered(&file::read(&path, sent, limits.file_size)?, range, sent)?));
    }
    if range.is_some() {
        return Err(Failure::new(
            Code::InvalidInput,
            format!("Parameter 'view_range' is for files, and {} is a directory", Quoted(sent)),
        )
        .about("view_range")
        .hint("Leave it out to list the directory."));
    }
    Ok(success(sent, list(&path, sent, limits)?))
}

fn success(sent: &str, content: String) -> Success {
    Success::new(content.clone()).with("path", sent).with("content", content)
}

fn numbered(text: &str, range: Option<(u64, u64)>, sent: &str) -> Result<String, Failure> {
    let count = text.lines().count();
    let (first, last) = match range {
        None => (1, count.min(MAX_LINES)),
        Some((first, last)) => {
            let line = |number| usize::try_from(number).unwrap_or(usize::MAX);
            (line(first), line(last).min(count))
        }
    };
    if let Some((asked, end)) = range
        && (first > count.max(1) || end < asked)
    {
        return Err(Failure::new(
            Code::InvalidInput,
            format!("Parameter 'view_range' is [{asked}, {end}], and {} has {count} lines", Quoted(sent)),
        )
        .about("view_range")
        .hint(format!("Use a first line from 1 to {}, and a last line not before it.", count.max(1))));
    }
    if count == 0 {
        return Ok("(the file is empty)".to_owned());
    }
    let mut shown = String::new();
    for (number, line) in text.lines().enumerate().take(last).skip(first - 1) {
        let _ = match line.char_indices().nth(MAX_LINE_LENGTH) {
            None => writeln!(shown, "{:6}\t{line}", number + 1),
            Some((end, _)) => writeln!(shown, "{:6}\t{}... (line cut here)", number + 1, &line[..end]),
        };
    }
    if range.is_none() && count > last {
        let _ = writeln!(
            shown,
            "({count} lines in all; call view with \"view_range\": [{}, {count}] for more)",
            last + 1
        );
    }
    Ok(shown)
}

fn list(path: &Path, sent: &str, limits: &Limits) -> Result<String, Failure> {
    let mut listing = Listing { limits, lines: Vec::new() };
    listing.add(path, 0).map_err(|error| cause::on_path(error, Operation::Read, sent))?;
    if listing.lines.is_empty() {
        return Ok("(the directory is empty)".to_owned());
    }
    let left_out = listing.lines.len().saturating_sub(MAX_ENTRIES);
    listing.lines.truncate(MAX_ENTRIES);
    let mut text = listing.lines.join("\n");
    if left_out > 0 {
        let _ = write!(text, "\n({left_out} more entries; call view with one of the directories for less)");
    }
    Ok(text)
}

struct Listing<'a> {
    limits: &'a Limits,
    lines: Vec<String>,
}

impl Listing<'_> {
    fn add(&mut self, directory: &Path, level: usize) -> std::io::Result<()> {
        let mut entries: Vec<_> = fs::read_dir(directory)?.collect::<Result<_, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            if !self.limits.scope.permits(&path) {
                continue;
            }
            let is_dir = entry.file_type()?.is_dir();
            let name = entry.file_name();
            let slash = if is_dir { "/" } else { "" };
            self.lines.push(format!("{}{}{slash}", "  ".repeat(level), name.to_string_lossy()));
            if is_dir && level + 1 < DEPTH {
                // A directory inside that cannot be read is listed by its name alone.
                let _ = self.add(&path, level + 1);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::Scope;
    use crate::shell::Counted;

    #[test]
    fn lines_are_numbered_and_a_range_ends_with_the_file() {
        assert_eq!(numbered("a\nb\nc\n", Some((2, 9)), "f").unwrap(), "     2\tb\n     3\tc\n");
        assert_eq!(numbered("", None, "f").unwrap(), "(the file is empty)");
    }

    #[test]
    fn a_long_file_says_how_to_see_the_rest() {
        let text = numbered(&"x\n".repeat(2001), None, "f").unwrap();
        assert!(text.contains("  2000\tx"), "{text}");
        assert!(
            text.ends_with("(2001 lines in all; call view with \"view_range\": [2001, 2001] for more)\n")
        );
    }

    #[test]
    fn a_range_past_the_end_or_backwards_names_the_number_of_lines() {
        for range in [(4, 5), (3, 2)] {
            let failure = numbered("a\nb\nc\n", Some(range), "f").unwrap_err();
            assert_eq!(failure.code, Code::InvalidInput);
            assert!(failure.what.contains("'f' has 3 lines"), "{}", failure.what);
        }
    }

    #[test]
    fn a_directory_is_listed_two_levels_deep_without_what_is_denied() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("b/c/d")).unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        fs::write(folder.path().join("b/secret"), "").unwrap();
        let scope = Scope::new(folder.path(), &[], &["**/secret".into()]).unwrap();
        let real = scope.workdir().to_owned();
        let limits = Limits { scope, file_size: 9, tasks: 1, counted: Counted::Running };
        assert_eq!(list(&real, ".", &limits).unwrap(), "a\nb/\n  c/");
    }
}
