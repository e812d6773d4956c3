//! What a search found, in one of three forms, and never more of it than was asked for.

use std::io;
use std::path::Path;

use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch,
};

/// Characters shown of one line.
const MAX_LINE_LENGTH: usize = 2000;

/// The form of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Content,
    FilesWithMatches,
    Count,
}

impl Mode {
    pub(super) fn named(name: &str) -> Option<Mode> {
        match name {
            "content" => Some(Mode::Content),
            "files_with_matches" => Some(Mode::FilesWithMatches),
            "count" => Some(Mode::Count),
            _ => None,
        }
    }
}

/// The lines of the reply.
#[derive(Debug)]
pub(super) struct Hits {
    mode: Mode,
    limit: usize,
    lines: Vec<String>,
    is_cut: bool,
}

impl Hits {
    pub(super) fn new(mode: Mode, limit: usize) -> Self {
        Self { mode, limit, lines: Vec::new(), is_cut: false }
    }

    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_cut
    }

    /// Takes a line if there is room, and notes that there was more if there is not.
    fn push(&mut self, line: String) {
        if self.lines.len() < self.limit {
            self.lines.push(line);
        } else {
            self.is_cut = true;
        }
    }

    pub(super) fn text(&self) -> String {
        if self.lines.is_empty() {
            return "No match.".to_owned();
        }
        let note = if self.is_cut {
            format!("\n(cut after {}; there is more, raise head_limit or narrow the search)", self.limit)
        } else {
            String::new()
        };
        self.lines.join("\n") + &note
    }
}

/// Searches one file after the other.
pub(super) struct Collector {
    matcher: RegexMatcher,
    searcher: Searcher,
}

impl Collector {
    pub(super) fn new(matcher: RegexMatcher, before: usize, after: usize) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .before_context(before)
            .after_context(after)
            .build();
        Self { matcher, searcher }
    }

    /// Adds what a file holds; `shown` is its path in the reply.
    pub(super) fn search(&mut self, file: &Path, shown: &Path, hits: &mut Hits) -> io::Result<()> {
        let mut sink = FileSink { path: shown.display().to_string(), matches: 0, gap: false, hits };
        self.searcher.search_path(&self.matcher, file, &mut sink)?;
        sink.end();
        Ok(())
    }
}

struct FileSink<'a> {
    path: String,
    matches: usize,
    /// Whether lines were left out since the last one that was shown.
    gap: bool,
    hits: &'a mut Hits,
}

impl FileSink<'_> {
    fn line(&mut self, separator: char, number: Option<u64>, bytes: &[u8]) {
        if std::mem::take(&mut self.gap) && !self.hits.lines.is_empty() {
            self.hits.push("--".to_owned());
        }
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches(['\r', '\n']);
        let (text, note) = match text.char_indices().nth(MAX_LINE_LENGTH) {
            None => (text, ""),
            Some((end, _)) => (&text[..end], "... (line cut here)"),
        };
        let number = number.unwrap_or_default();
        let line = format!("{}{separator}{number}{separator}{text}{note}", self.path);
        self.hits.push(line);
    }

    fn end(self) {
        match self.hits.mode {
            _ if self.matches == 0 => {}
            Mode::Content => {}
            Mode::FilesWithMatches => self.hits.push(self.path),
            Mode::Count => self.hits.push(format!("{}:{}", self.path, self.matches)),
        }
    }
}

impl Sink for FileSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.matches += 1;
        if self.hits.mode == Mode::Content {
            self.line(':', found.line_number(), found.bytes());
        }
        Ok(match self.hits.mode {
            Mode::Content => !self.hits.is_cut,
            Mode::FilesWithMatches => false,
            Mode::Count => true,
        })
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        if self.hits.mode == Mode::Content && *found.kind() != SinkContextKind::Other {
            self.line('-', found.line_number(), found.bytes());
        }
        Ok(!self.hits.is_cut)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.gap = true;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::pattern;
    use super::*;

    fn check(mode: Mode, around: usize, limit: usize, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "one\ntwo\nthree\nfour\nfive\ntwo\n").unwrap();
        let mut hits = Hits::new(mode, limit);
        let mut collector = Collector::new(pattern::compile("two", false).unwrap(), around, around);
        collector.search(&file, Path::new("a"), &mut hits).unwrap();
        assert_eq!(hits.text(), expected);
    }

    #[test]
    fn each_mode_has_its_form() {
        check(Mode::Content, 0, 9, "a:2:two\na:6:two");
        check(Mode::FilesWithMatches, 0, 9, "a");
        check(Mode::Count, 0, 9, "a:2");
    }

    #[test]
    fn context_lines_are_marked_and_gaps_are_shown() {
        check(Mode::Content, 1, 99, "a-1-one\na:2:two\na-3-three\n--\na-5-five\na:6:two");
    }

    #[test]
    fn a_result_that_was_cut_says_so() {
        check(
            Mode::Content,
            0,
            1,
            "a:2:two\n(cut after 1; there is more, raise head_limit or narrow the search)",
        );
    }
}
