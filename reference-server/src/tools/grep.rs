//! `grep`: searches file contents with a regular expression.

use std::path::{Path, PathBuf};

use globset::{Glob, GlobMatcher};
use ignore::DirEntry;
use ignore::types::{Types, TypesBuilder};

use super::{Outcome, Session, walk};
use crate::cause::{self, Operation};
use crate::failure::{Code, Failure, Quoted};
use crate::file;
use crate::parameter::Arguments;
use crate::success::Success;
use hits::{Collector, Hits, Mode};

mod hits;
pub(super) mod pattern;

const DEFAULT_HEAD_LIMIT: u64 = 250;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let matcher = pattern::compile(arguments.required("pattern"), arguments.flag("case_insensitive"))?;
    let types = arguments.text("type").map(file_type).transpose()?;
    let include = arguments.text("include").map(include_glob).transpose()?;
    let sent = arguments.text("path");
    let shown = sent.unwrap_or(".");
    let limits = &session.limits;
    let root = limits.scope.resolve(shown)?;
    let metadata = file::look_at(&root, shown, Operation::Search)?;

    let around = |name| {
        arguments.integer(name).or(arguments.integer("context")).and_then(|lines| usize::try_from(lines).ok())
    };
    let mut hits = Hits::new(
        arguments.text("output_mode").and_then(Mode::named).unwrap_or(Mode::Content),
        usize::try_from(arguments.integer("head_limit").unwrap_or(DEFAULT_HEAD_LIMIT)).unwrap_or(usize::MAX),
    );
    let mut collector = Collector::new(
        matcher,
        around("context_before").unwrap_or_default(),
        around("context_after").unwrap_or_default(),
    );
    if !metadata.is_dir() {
        file::regular(&metadata, shown, Operation::Search)?;
        file::within(metadata.len(), shown, limits.file_size)?;
        collector
            .search(&root, Path::new(shown), &mut hits)
            .map_err(|error| cause::on_path(error, Operation::Search, shown))?;
        return Ok(success(&hits, None));
    }
    let mut found = walk::below(&root, shown, limits, types)?;
    let base = Path::new(sent.unwrap_or_default());
    for (file, inner) in files(&found, include.as_ref(), limits.file_size) {
        if hits.is_full() {
            break;
        }
        if collector.search(&file, &base.join(inner), &mut hits).is_err() {
            found.unreadable += 1;
        }
    }
    Ok(success(&hits, Some(&found)))
}

fn success(hits: &Hits, found: Option<&walk::Found>) -> Success {
    let note = found.and_then(walk::Found::note).map(|note| format!("\n{note}")).unwrap_or_default();
    Success::new(hits.text() + &note)
        .with("lines", hits.lines())
        .with("truncated", hits.is_full())
        .with("unreadable", found.map_or(0, |found| found.unreadable))
}

/// The files to search, each with its path below the root.
fn files(found: &walk::Found, include: Option<&GlobMatcher>, size_limit: u64) -> Vec<(PathBuf, PathBuf)> {
    let is_small = |entry: &DirEntry| entry.metadata().is_ok_and(|metadata| metadata.len() <= size_limit);
    let is_included = |inner: &Path| {
        include.is_none_or(|glob| {
            glob.is_match(inner) || inner.file_name().is_some_and(|name| glob.is_match(name))
        })
    };
    let files = found.files().filter(|(entry, inner)| is_small(entry) && is_included(inner));
    files.map(|(entry, inner)| (entry.path().to_owned(), inner.to_owned())).collect()
}

fn file_type(name: &str) -> Result<Types, Failure> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    builder.select(name);
    builder.build().map_err(|error| {
        Failure::new(
            Code::InvalidInput,
            format!("{} is not a file type that parameter 'type' knows", Quoted(name)),
        )
        .about(name)
        .hint(
            "Use one of ripgrep's names, such as c, cpp, css, go, html, java, js, json, md, py, rust, sh, toml, ts \
             or yaml, or filter with \"include\": \"*.ext\".",
        )
        .caused_by(error)
    })
}

fn include_glob(glob: &str) -> Result<GlobMatcher, Failure> {
    Glob::new(glob).map(|glob| glob.compile_matcher()).map_err(|error| {
        Failure::new(Code::InvalidInput, format!("Parameter 'include' is not a valid glob, {}", Quoted(glob)))
            .about(glob)
            .because(cause::of_glob(&error))
            .hint("Use a glob such as \"*.rs\" or \"src/**\".")
            .caused_by(error)
    })
}
