//! `search_text`: the lines of files that hold a text, within a time limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use grep_regex::RegexMatcher;
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use serde_json::{Value, json};

use super::{Outcome, Session, grep, walk};
use crate::cause::{self, Operation};
use crate::failure::{Code, Failure, Quoted};
use crate::file;
use crate::parameter::Arguments;
use crate::success::Success;

const DEFAULT_RESULTS: u64 = 50;
const DEFAULT_TIMEOUT_MS: u64 = 10_000;
/// Characters shown of one line.
const PREVIEW: usize = 240;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let timeout = Duration::from_millis(arguments.integer("timeout_ms").unwrap_or(DEFAULT_TIMEOUT_MS));
    let deadline = Instant::now() + timeout;
    let query = arguments.required("query");
    let literal = regex_syntax::escape(query);
    let pattern = if arguments.flag("regex") { query } else { &literal };
    let matcher = grep::pattern::compile(pattern, false)?;
    let sent = arguments.text("path");
    let shown = sent.unwrap_or(".");
    let root = session.limits.scope.resolve(shown)?;
    let metadata = file::look_at(&root, shown, Operation::Search)?;
    let files: Vec<(PathBuf, PathBuf)> = if metadata.is_dir() {
        let found = walk::below(&root, shown, &session.limits, None)?;
        let base = Path::new(sent.unwrap_or_default());
        found.files().map(|(entry, inner)| (entry.path().to_owned(), base.join(inner))).collect()
    } else {
        file::regular(&metadata, shown, Operation::Search)?;
        vec![(root, PathBuf::from(shown))]
    };
    let most =
        usize::try_from(arguments.integer("max_results").unwrap_or(DEFAULT_RESULTS)).unwrap_or(usize::MAX);
    let mut search = Search { matcher, deadline, most, matches: Vec::new() };
    for (file, shown_as) in &files {
        match search.file(file, &shown_as.display().to_string()) {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                return Err(timed_out(shown, timeout, error));
            }
            // A file that cannot be read is passed over, unless it is the one that was asked for.
            Err(error) if !metadata.is_dir() => return Err(cause::on_path(error, Operation::Search, shown)),
            _ => {}
        }
    }
    let truncated = search.matches.len() > most;
    search.matches.truncate(most);
    Ok(success(search.matches, truncated))
}

fn success(matches: Vec<Value>, truncated: bool) -> Success {
    let line = |found: &Value| {
        let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
        format!("{}:{}:{}", text("path"), found["line"], text("preview"))
    };
    let mut lines: Vec<String> = matches.iter().map(line).collect();
    if lines.is_empty() {
        lines.push("No match.".to_owned());
    }
    if truncated {
        lines.push("(there is more; raise max_results or narrow the search)".to_owned());
    }
    let total = matches.len();
    Success::new(lines.join("\n")).with("matches", matches).with("total", total).with("truncated", truncated)
}

fn timed_out(shown: &str, timeout: Duration, error: io::Error) -> Failure {
    let milliseconds = timeout.as_millis();
    Failure::new(
        Code::SearchTimeout,
        format!("The search of {} took longer than its timeout of {milliseconds} ms", Quoted(shown)),
    )
    .about(shown)
    .hint("Search a smaller directory, or raise 'timeout_ms'.")
    .caused_by(error)
}

struct Search {
    matcher: RegexMatcher,
    deadline: Instant,
    most: usize,
    matches: Vec<Value>,
}

impl Search {
    fn file(&mut self, file: &Path, shown: &str) -> io::Result<()> {
        let mut searcher: Searcher =
            SearcherBuilder::new().binary_detection(BinaryDetection::quit(0)).line_number(true).build();
        let reader = Timed { file: File::open(file)?, deadline: self.deadline };
        let (matches, most) = (&mut self.matches, self.most);
        let sink = Lossy(|line, text| {
            let preview: String = text.trim_end().chars().take(PREVIEW).collect();
            matches.push(json!({"path": shown, "line": line, "preview": preview}));
            Ok(matches.len() <= most)
        });
        searcher.search_reader(&self.matcher, reader, sink)
    }
}

/// A file that cannot be read after a moment.
struct Timed {
    file: File,
    deadline: Instant,
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if Instant::now() >= self.deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.file.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(deadline: Instant, most: usize) -> (io::Result<()>, Vec<Value>) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "one\ntwo\nthree\ntwo\n").unwrap();
        let matcher = grep::pattern::compile("two", false).unwrap();
        let mut search = Search { matcher, deadline, most, matches: Vec::new() };
        (search.file(&file, "a"), search.matches)
    }

    #[test]
    fn matches_are_reported_with_their_lines_and_one_more_than_asked_for_shows_that_there_is_more() {
        let later = Instant::now() + Duration::from_secs(60);
        let (result, matches) = search(later, 1);
        assert!(result.is_ok());
        assert_eq!(matches[0], json!({"path": "a", "line": 2, "preview": "two"}));
        assert_eq!(matches.len(), 2);
    }

    #[test]
    fn a_search_that_is_out_of_time_fails_as_such() {
        let (result, _) = search(Instant::now(), 9);
        let failure = timed_out(".", Duration::from_millis(5), result.unwrap_err());
        assert_eq!(failure.code, Code::SearchTimeout);
        assert!(failure.what.contains("timeout of 5 ms"), "{}", failure.what);
    }
}
